// SPDX-License-Identifier: MIT
// Indexer logits for any shape and format, and the fill of columns outside a row's range. 32 lanes
// share a key, each with every 32nd of its dimensions; products and sums are f32 in a fixed order.
#include "logits.h"

#include <plait/indexer.h>

#include "isa/launch.h"
#include "logits_keys.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = 32;                                        // of a key
constexpr int kGroups = kThreads / kLanes;                        // keys of a block at a time
constexpr int kMostValues = PLAIT_INDEXER_MAX_HEAD_DIM / kLanes;  // of a lane

// Dimension d of a row, with the scale for mxfp4.
__device__ inline float decode(int32_t format, const uint8_t *values, const uint8_t *scales, int d,
                               int64_t step) {
  if (format == PLAIT_FORMAT_MXFP4) {
    const uint8_t nibble = values[d / 2] >> d % 2 * 4 & 15;
    return to_float(E2m1{nibble}) * ue8m0_to_f32(scales[d / 32]);
  }
  const uint8_t byte = values[d / 16 * step + d % 16];
  return format == PLAIT_FORMAT_FP8_E4M3FN ? to_float(E4m3fn{byte}) : to_float(E4m3fnuz{byte});
}

__global__ __launch_bounds__(kThreads) void generic_kernel(Logits a, int64_t chunk) {
  const int64_t row = a.first_row + blockIdx.x;
  KeyRange range = keys_of_row(a, row);
  const int64_t first = a.first_column + blockIdx.y * chunk;
  if (range.begin < first) range.begin = first;
  if (range.end > first + chunk) range.end = first + chunk;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t request = a.cache ? row / a.next_n : 0;
  const int32_t v = value_bytes(a), s = scale_bytes(a), per = a.head_dim / kLanes;
  const uint8_t *q = a.q + row * a.heads * v;
  const uint8_t *q_scale = a.q_scale + row * a.heads * s;
  // All lanes of a wave go round as often.
  for (int64_t base = range.begin; base < range.end; base += kGroups) {
    const int64_t key = base + threadIdx.x / kLanes;
    const bool inside = key < range.end;
    const Key at = inside ? find_key(a, request, key) : Key{nullptr, nullptr};
    float k[kMostValues];
#pragma unroll
    for (int i = 0; i < kMostValues; ++i)
      k[i] = i < per && at.values
                 ? decode(a.format, at.values, at.scale, lane + i * kLanes, chunk_step(a))
                 : 0.0f;
    float sum = 0;
    for (int h = 0; h < a.heads; ++h) {
      float dot = 0;
#pragma unroll
      for (int i = 0; i < kMostValues; ++i)
        if (i < per)
          dot = fmaf(decode(a.format, q + static_cast<int64_t>(h) * v,
                            q_scale + static_cast<int64_t>(h) * s, lane + i * kLanes, 16),
                     k[i], dot);
      dot = group_sum<kLanes>(dot);
      sum = fmaf(a.weights[row * a.weights_stride + h], fmaxf(dot, 0.0f), sum);
    }
    if (inside && lane == 0) {
      if (at.values && a.format != PLAIT_FORMAT_MXFP4)
        sum = *reinterpret_cast<const float *>(at.scale) * sum;
      put_logit(a, row, key, at.values ? sum : kNoPage);
    }
  }
}

__global__ __launch_bounds__(kThreads) void fill_kernel(Logits a) {
  const int64_t row = a.first_row + blockIdx.x;
  const KeyRange range = keys_of_row(a, row);
  const int64_t step = static_cast<int64_t>(gridDim.y) * kThreads;
  for (int64_t c = a.first_column + static_cast<int64_t>(blockIdx.y) * kThreads + threadIdx.x;
       c < a.last_column; c += step)
    if (c < range.begin || c >= range.end) put_logit(a, row, c, kNoPage);
}

}  // namespace

hipError_t logits_generic(const Logits &args, void *stream) {
  const int64_t rows = args.last_row - args.first_row,
                columns = args.last_column - args.first_column;
  if (rows > INT32_MAX) return hipErrorInvalidValue;
  int64_t chunk = (columns + 65534) / 65535;
  if (chunk < 512) chunk = 512;
  return launch(generic_kernel, dim3(static_cast<unsigned>(rows), blocks_for(columns, chunk)),
                kThreads, 0, stream, args, chunk);
}

hipError_t logits_fill(const Logits &args, void *stream) {
  const int64_t rows = args.last_row - args.first_row,
                columns = args.last_column - args.first_column;
  if (rows > INT32_MAX) return hipErrorInvalidValue;
  const unsigned parts = blocks_for(columns, 8 * kThreads);
  return launch(fill_kernel, dim3(static_cast<unsigned>(rows), parts < 64 ? parts : 64), kThreads,
                0, stream, args);
}

}  // namespace plait::kernels
