// SPDX-License-Identifier: MIT
// The loop over tokens, for any function that quantises one row.
#ifndef PLAIT_SRC_CPU_WRITE_K_ROWS_H
#define PLAIT_SRC_CPU_WRITE_K_ROWS_H

#include "src/cpu/device.h"
#include "src/cpu/indexer/cache.h"
#include "src/cpu/indexer/prepare.h"

namespace plait::cpu::write_k {

using Op = Define<PLAIT_OP_WRITE_K>;

template <class Quantise>
plait_status quantise_rows(const Device &device, const Op::P &p, const Op::A &a,
                           const Quantise &quantise) {
  const Rope rope = rope_of(p, a);
  const Cache<uint8_t> cache = cache_of(p, a.cache);
  const int64_t *slots = static_cast<const int64_t *>(a.slot_mapping.data);
  const uint16_t *k = static_cast<const uint16_t *>(a.k.data);

  // A negative slot is a token to skip; the others need a place in the cache and in cos_sin.
  const auto has_place = [&](int64_t t) { return slots[t] / p.page_entries < cache.pages; };
  int32_t rejected = 0;
  for (int64_t t = 0; t < a.tokens; ++t) {
    if (slots[t] < 0 || (has_place(t) && rope.has(t))) continue;
    if (!a.rejected.data)
      return status_of(PLAIT_ERROR_INDEX_OUT_OF_RANGE,
                       has_place(t) ? PLAIT_ARG_POSITIONS : PLAIT_ARG_SLOT_MAPPING);
    ++rejected;
  }

  parallel_for(device, a.tokens, 16, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      if (slots[t] < 0 || !has_place(t) || !rope.has(t)) continue;
      uint8_t values[PLAIT_INDEXER_MAX_HEAD_DIM], scale[PLAIT_INDEXER_MAX_HEAD_DIM / 32];
      quantise(p, rope.angles(t), k + t * a.k_stride, values, scale);
      cache.write(slots[t] / p.page_entries, slots[t] % p.page_entries, values, scale);
    }
  });
  if (a.rejected.data) *static_cast<int32_t *>(a.rejected.data) = rejected;
  return PLAIT_OK;
}

}  // namespace plait::cpu::write_k

#endif
