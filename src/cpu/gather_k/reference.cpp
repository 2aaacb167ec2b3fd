// SPDX-License-Identifier: MIT
#include "src/cpu/device.h"
#include "src/cpu/indexer/cache.h"
#include "src/cpu/lists.h"

namespace plait::cpu::gather_k {
namespace {

using Op = Define<PLAIT_OP_GATHER_K>;

// A key without a page: zero bytes, and the scale a NaN.
void write_missing(const plait_indexer_plan_desc &p, uint8_t *values, uint8_t *scale) {
  const uint32_t nan = 0x7FC00000;
  memset(values, 0, static_cast<size_t>(value_bytes(p)));
  if (is_fp8(p.format))
    memcpy(scale, &nan, sizeof nan);
  else
    memset(scale, 0xFF, static_cast<size_t>(scale_bytes(p)));
}

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const int32_t *cu_lengths = static_cast<const int32_t *>(a.cu_lengths.data);
  for (int64_t b = 0; b < a.requests; ++b)
    if (cu_lengths[0] != 0 || cu_lengths[b] > cu_lengths[b + 1])
      return status_of(PLAIT_ERROR_RANGE, PLAIT_ARG_CU_LENGTHS);

  const Cache<const uint8_t> cache = cache_of(p, a.cache);
  const BlockTable table = block_table_of(a, a.requests, p.page_entries);
  uint8_t *values = static_cast<uint8_t *>(a.k_values.data);
  uint8_t *scales = static_cast<uint8_t *>(a.k_scale.data);
  for (int64_t b = 0; b < a.requests; ++b) {
    const int64_t first = cu_lengths[b];
    const int64_t last = cu_lengths[b + 1] < a.keys ? cu_lengths[b + 1] : a.keys;
    parallel_for(device, last - first, 256, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        uint8_t *to = values + (first + i) * value_bytes(p);
        uint8_t *scale = scales + (first + i) * scale_bytes(p);
        const int64_t page = table.page_of(b, i);
        if (page >= 0 && page < cache.pages)
          cache.read(page, i % p.page_entries, to, scale);
        else
          write_missing(p, to, scale);
      }
    });
  }
  return PLAIT_OK;
}

}  // namespace

const Implementation reference = Op::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::gather_k
