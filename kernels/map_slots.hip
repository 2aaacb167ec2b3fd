// SPDX-License-Identifier: MIT
// Indices within a request to cache slots.
#include "map_slots.h"

#include "isa/launch.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 256;

__global__ __launch_bounds__(kThreads) void map_slots_kernel(MapSlots a) {
  for (int64_t row = blockIdx.x; row < a.rows; row += gridDim.x) {
    const int64_t table_row = a.table_row ? a.table_row[row] : row / a.next_n;
    for (int64_t c = static_cast<int64_t>(blockIdx.y) * kThreads + threadIdx.x; c < a.columns;
         c += static_cast<int64_t>(gridDim.y) * kThreads)
      a.slots[row * a.slots_stride + c] =
          a.table.slot_of(table_row, a.indices[row * a.indices_stride + c]);
  }
}

}  // namespace

hipError_t map_slots(const MapSlots &args, void *stream) {
  if (args.columns == 0) return hipSuccess;
  const int64_t parts = (args.columns + kThreads - 1) / kThreads;
  return launch(map_slots_kernel,
                dim3(static_cast<unsigned>(args.rows < 1 << 20 ? args.rows : 1 << 20),
                     static_cast<unsigned>(parts < 256 ? parts : 256)),
                kThreads, 0, stream, args);
}

}  // namespace plait::kernels
