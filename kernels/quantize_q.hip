// SPDX-License-Identifier: MIT
// Queries: each (token, head) is a row; its scale goes into the head's weight.
#include "quantize_q.h"

#include "isa/launch.h"

namespace plait::kernels {
namespace {

__device__ inline float load_weight(const QuantizeQ &a, int64_t at) {
  if (a.weights_dtype == PLAIT_DTYPE_F32) return static_cast<const float *>(a.weights)[at];
  const uint16_t bits = static_cast<const uint16_t *>(a.weights)[at];
  return a.weights_dtype == PLAIT_DTYPE_BF16 ? bf16_to_f32(bits) : f16_to_f32(bits);
}

__global__ __launch_bounds__(kQuantizeThreads) void quantize_q_kernel(QuantizeQ a) {
  __shared__ float rows[kRowsOfBlock][PLAIT_INDEXER_MAX_HEAD_DIM];
  const int group = static_cast<int>(threadIdx.x) / kRowLanes,
            lane = static_cast<int>(threadIdx.x) % kRowLanes;
  const bool fp4 = a.row.format == PLAIT_FORMAT_MXFP4;
  const int32_t v = fp4 ? a.row.head_dim / 2 : a.row.head_dim, s = fp4 ? a.row.head_dim / 32 : 4;
  const int64_t all = a.tokens * a.heads, step = static_cast<int64_t>(gridDim.x) * kRowsOfBlock;
  // Every wave goes round as often as any of its rows does.
  for (int64_t base = static_cast<int64_t>(blockIdx.x) * kRowsOfBlock; base < all; base += step) {
    const int64_t i = base + group;
    const bool exists = i < all;
    const int64_t token = exists ? i / a.heads : 0, head = exists ? i % a.heads : 0;
    const bool there = exists && a.row.has(token);
    uint8_t *values = a.values + i * v, *scale = a.scale ? a.scale + i * s : nullptr;
    const float q_scale =
        quantize_row(a.row, there, token, a.q + token * a.q_stride + head * a.row.head_dim,
                     {values, 16, scale}, rows[group]);
    if (!exists) continue;
    if (!there) {
      for (int b = lane; b < v; b += kRowLanes) values[b] = 0;
      if (scale)
        for (int b = lane; b < s; b += kRowLanes) scale[b] = 0;
    }
    if (lane == 0) {
      float w = load_weight(a, token * a.weights_stride + head);
      if (!fp4) w = w * q_scale;
      w = (w * a.head_dim_factor) * a.heads_factor;
      a.weights_out[i] = there ? w : float_of(0x7FC00000);
    }
  }
}

}  // namespace

hipError_t quantize_q(const QuantizeQ &args, void *stream) {
  const int64_t blocks = (args.tokens * args.heads + kRowsOfBlock - 1) / kRowsOfBlock;
  return launch(quantize_q_kernel, static_cast<unsigned>(blocks < 1 << 20 ? blocks : 1 << 20),
                kQuantizeThreads, 0, stream, args);
}

}  // namespace plait::kernels
