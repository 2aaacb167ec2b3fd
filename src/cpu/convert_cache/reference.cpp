// SPDX-License-Identifier: MIT
#include "src/cpu/device.h"
#include "src/cpu/indexer/cache.h"
#include "src/cpu/indexer/flavour.h"
#include "src/cpu/lists.h"

namespace plait::cpu::convert_cache {
namespace {

using Op = Define<PLAIT_OP_CONVERT_CACHE>;

// Element by element, so the layout of the values does not matter.
plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const Cache<const uint8_t> from = cache_of(p, a.src_cache);
  const Cache<uint8_t> to = cache_of(p, a.cache);
  const int64_t scales = scale_offset(p, 0);
  parallel_for(device, from.pages, 1, [&](int64_t begin, int64_t end) {
    for (int64_t page = begin; page < end; ++page) {
      const void *src_scale = from.page(page) + scales;
      void *dst_scale = to.page(page) + scales;
      convert_values(a.from_format, p.format, from.page(page), to.page(page), scales);
      convert_scales(a.from_format, p.format, static_cast<const float *>(src_scale),
                     static_cast<float *>(dst_scale), p.page_entries);
    }
  });
  return PLAIT_OK;
}

}  // namespace

const Implementation reference = Op::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::convert_cache
