// SPDX-License-Identifier: MIT
// Keys into their pages. A token without a place, or without angles, is left out and counted.
#include "write_k.h"

#include "isa/launch.h"

namespace plait::kernels {
namespace {

__global__ __launch_bounds__(kQuantizeThreads) void write_k_kernel(WriteK a) {
  __shared__ float rows[kRowsOfBlock][PLAIT_INDEXER_MAX_HEAD_DIM];
  const int group = static_cast<int>(threadIdx.x) / kRowLanes;
  const bool fp4 = a.row.format == PLAIT_FORMAT_MXFP4;
  const int32_t d = a.row.head_dim, v = fp4 ? d / 2 : d, s = fp4 ? d / 32 : 4;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kRowsOfBlock;
  for (int64_t base = static_cast<int64_t>(blockIdx.x) * kRowsOfBlock; base < a.tokens;
       base += step) {
    const int64_t token = base + group;
    const int64_t slot = token < a.tokens ? a.slots[token] : -1;
    const bool there = slot >= 0 && slot / a.page_entries < a.pages && a.row.has(token);
    if (slot >= 0 && !there && a.rejected && threadIdx.x % kRowLanes == 0) atomicAdd(a.rejected, 1);
    QuantizedRow to{nullptr, 16, nullptr};
    if (there) {
      uint8_t *page = a.cache + slot / a.page_entries * a.page_stride;
      const int64_t e = slot % a.page_entries;
      to.values = page + (a.tiled ? e / 16 * 16 * d + e % 16 * 16 : e * v);
      to.step = a.tiled ? 256 : 16;
      to.scale = page + static_cast<int64_t>(a.page_entries) * v + e * s;
    }
    quantize_row(a.row, there, there ? token : 0, a.k + (there ? token * a.k_stride : 0), to,
                 rows[group]);
  }
}

}  // namespace

hipError_t write_k(const WriteK &args, void *stream) {
  if (args.rejected)
    if (const hipError_t error =
            hipMemsetAsync(args.rejected, 0, sizeof(int32_t), static_cast<hipStream_t>(stream)))
      return error;
  const int64_t blocks = (args.tokens + kRowsOfBlock - 1) / kRowsOfBlock;
  return launch(write_k_kernel, static_cast<unsigned>(blocks < 1 << 20 ? blocks : 1 << 20),
                kQuantizeThreads, 0, stream, args);
}

}  // namespace plait::kernels
