// SPDX-License-Identifier: MIT
#include "src/cpu/device.h"
#include "src/cpu/indexer/cache.h"
#include "src/cpu/lists.h"

namespace plait::cpu::map_slots {
namespace {

using Op = Define<PLAIT_OP_MAP_SLOTS>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const BlockTable table = block_table_of(a, a.table_count, p.page_entries);
  const int32_t *table_row = static_cast<const int32_t *>(a.table_row.data);
  const int32_t *indices = static_cast<const int32_t *>(a.indices.data);
  int32_t *slots = static_cast<int32_t *>(a.slots.data);
  parallel_for(device, a.rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t row = table_row ? table_row[r] : r / p.next_n;
      for (int64_t c = 0; c < a.columns; ++c)
        slots[r * a.slots_stride + c] = table.slot_of(row, indices[r * a.indices_stride + c]);
    }
  });
  return PLAIT_OK;
}

}  // namespace

const Implementation reference = Op::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::map_slots
