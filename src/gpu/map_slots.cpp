// SPDX-License-Identifier: MIT
#include "kernels/map_slots.h"

#include "src/gpu/device.h"
#include "src/gpu/lists.h"

namespace plait::gpu::map_slots {
namespace {

using Op = Define<PLAIT_OP_MAP_SLOTS>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *stream) {
  const kernels::MapSlots m{a.rows,
                            a.columns,
                            static_cast<const int32_t *>(a.indices.data),
                            a.indices_stride,
                            {static_cast<const int32_t *>(a.block_table.data), a.table_count,
                             a.block_table_columns, a.block_table_stride, p.page_entries},
                            static_cast<const int32_t *>(a.table_row.data),
                            p.next_n,
                            static_cast<int32_t *>(a.slots.data),
                            a.slots_stride};
  return run_on(device, [&] { return kernels::map_slots(m, stream); });
}

}  // namespace

const Implementation generic = Op::make<nullptr, nullptr, run>("generic");

}  // namespace plait::gpu::map_slots
