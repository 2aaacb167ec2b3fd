// SPDX-License-Identifier: MIT
// Keys of several requests from their pages into contiguous rows: 32 lanes a row.
#include "gather_k.h"

#include "isa/launch.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 256, kLanes = 32, kRows = kThreads / kLanes;

__global__ __launch_bounds__(kThreads) void gather_k_kernel(GatherK a) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kRows;
  const int64_t filled = a.cu_lengths[a.requests];
  const int64_t rows = filled < a.keys ? filled : a.keys;
  const bool words = reinterpret_cast<uintptr_t>(a.values) % 4 == 0;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * kRows + threadIdx.x / kLanes; row < rows;
       row += step) {
    // The last request that begins at or before the row.
    int64_t low = 0, high = a.requests;
    while (high - low > 1) {
      const int64_t middle = (low + high) / 2;
      if (a.cu_lengths[middle] <= row)
        low = middle;
      else
        high = middle;
    }
    const int64_t key = row - a.cu_lengths[low];
    const int32_t id = key >= 0 ? a.table.page_of(low, static_cast<uint32_t>(key)) : -1;
    uint8_t *to = a.values + row * a.value_bytes, *scale = a.scale + row * a.scale_bytes;
    if (id < 0 || id >= a.pages) {
      for (int b = lane; b < a.value_bytes; b += kLanes) to[b] = 0;
      for (int b = lane; b < a.scale_bytes; b += kLanes)
        scale[b] = a.fp4 ? 0xFF : b == 3 ? 0x7F : b == 2 ? 0xC0 : 0;  // a NaN
      continue;
    }
    const uint8_t *page = a.cache + id * a.page_stride;
    const int64_t p = a.table.page_entries, e = key % p;
    const uint8_t *from =
        page + (a.tiled ? e / 16 * 16 * a.head_dim + e % 16 * 16 : e * a.value_bytes);
    const int64_t chunk = a.tiled ? 256 : 16;
    for (int w = lane; w < a.value_bytes / 4; w += kLanes) {
      const uint32_t word = *reinterpret_cast<const uint32_t *>(from + w / 4 * chunk + w % 4 * 4);
      if (words)
        reinterpret_cast<uint32_t *>(to)[w] = word;
      else
        memcpy(to + 4 * w, &word, sizeof word);
    }
    const uint8_t *its_scale = page + p * a.value_bytes + e * a.scale_bytes;
    for (int b = lane; b < a.scale_bytes; b += kLanes) scale[b] = its_scale[b];
  }
}

}  // namespace

hipError_t gather_k(const GatherK &args, void *stream) {
  if (args.keys == 0) return hipSuccess;
  const int64_t blocks = (args.keys + kRows - 1) / kRows;
  return launch(gather_k_kernel, static_cast<unsigned>(blocks < 1 << 20 ? blocks : 1 << 20),
                kThreads, 0, stream, args);
}

}  // namespace plait::kernels
