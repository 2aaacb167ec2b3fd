// SPDX-License-Identifier: MIT
// What happens to a query or key row before it is stored: rotation, Hadamard transform, scale,
// rounding, in the contract's order of operations. 32 lanes share a row; lane l has elements l,
// l + 32, ... and the row stands in shared memory where lanes need each other's.
#ifndef PLAIT_KERNELS_QUANTIZE_ROW_H
#define PLAIT_KERNELS_QUANTIZE_ROW_H

#include <plait/indexer.h>

#include "isa/hip_compat.h"
#include "src/number.h"

namespace plait::kernels {

// The problem, as far as a row is concerned.
struct QuantizeRow {
  int32_t head_dim, format;
  int32_t rope_mode, rope_dim, rope_first;  // rope_first: the first rotated dimension
  int32_t hadamard;
  float hadamard_factor;  // D^-0.5
  const float *cos_sin;
  const int64_t *positions;
  int64_t positions_known;  // rows of cos_sin

#if defined(__HIPCC__) || defined(__CUDACC__)
  __device__ bool has(int64_t token) const {
    return rope_mode == PLAIT_ROPE_NONE ||
           (positions[token] >= 0 && positions[token] < positions_known);
  }
#endif
};

constexpr int kQuantizeThreads = 256;
constexpr int kRowLanes = 32;
constexpr int kRowsOfBlock = kQuantizeThreads / kRowLanes;
constexpr int kMostElements = PLAIT_INDEXER_MAX_HEAD_DIM / kRowLanes;  // of a lane

#if defined(__HIPCC__) || defined(__CUDACC__)

// Where a row's bytes go: value byte b at values + (b / 16) * step + b % 16.
struct QuantizedRow {
  uint8_t *values;
  int64_t step;
  uint8_t *scale;  // fp8: an aligned f32; may be nullptr
};

__device__ inline float magnitude_of(float v) {
  const float m = float_of(bits_of(v) & 0x7FFFFFFF);
  return m >= 0 ? m : 0.0f;  // a NaN does not take part
}

// All lanes of a wave come here together; `there` says whether this lane's row exists. `row` is
// this row's place in shared memory. Returns the fp8 scale.
__device__ inline float quantize_row(const QuantizeRow &p, bool there, int64_t token,
                                     const uint16_t *from, const QuantizedRow &to, float *row) {
  const int lane = static_cast<int>(threadIdx.x) % kRowLanes, per = p.head_dim / kRowLanes;
  float v[kMostElements];
#pragma unroll
  for (int i = 0; i < kMostElements; ++i)
    v[i] = i < per && there ? bf16_to_f32(from[lane + i * kRowLanes]) : 0.0f;

  if (p.rope_mode != PLAIT_ROPE_NONE) {
#pragma unroll
    for (int i = 0; i < kMostElements; ++i)
      if (i < per) row[lane + i * kRowLanes] = v[i];
    sync_wave();
    const int half = p.rope_dim / 2;
    const float *angles = p.cos_sin + (there ? p.positions[token] * p.rope_dim : 0);
#pragma unroll
    for (int i = 0; i < kMostElements; ++i) {
      const int d = lane + i * kRowLanes - p.rope_first;
      if (i >= per || !there || d < 0 || d >= p.rope_dim) continue;
      const bool interleaved = p.rope_mode == PLAIT_ROPE_INTERLEAVED;
      const int pair = interleaved ? d / 2 : d % half;
      const bool odd = interleaved ? d % 2 != 0 : d >= half;
      const int other = interleaved ? (d ^ 1) : odd ? d - half : d + half;
      const float c = angles[pair], s = angles[half + pair], x = row[p.rope_first + other];
      // even' = fma(even, cos, -(odd * sin)), odd' = fma(odd, cos, even * sin)
      v[i] = bf16_to_f32(f32_to_bf16(odd ? fmaf(v[i], c, x * s) : fmaf(v[i], c, -(x * s))));
    }
    sync_wave();
  }

  if (p.hadamard) {
    for (int stride = 1; stride < p.head_dim; stride *= 2) {
#pragma unroll
      for (int i = 0; i < kMostElements; ++i)
        if (i < per) row[lane + i * kRowLanes] = v[i];
      sync_wave();
#pragma unroll
      for (int i = 0; i < kMostElements; ++i) {
        const int d = lane + i * kRowLanes;
        if (i < per) v[i] = d & stride ? row[d ^ stride] - v[i] : v[i] + row[d ^ stride];
      }
      sync_wave();
    }
#pragma unroll
    for (int i = 0; i < kMostElements; ++i)
      v[i] = bf16_to_f32(f32_to_bf16(v[i] * p.hadamard_factor));
  }

  if (p.format == PLAIT_FORMAT_MXFP4) {
    // Elements i * 32 ... i * 32 + 31, one a lane, are a group.
#pragma unroll
    for (int i = 0; i < kMostElements; ++i) {
      const float amax = group_max<kRowLanes>(magnitude_of(v[i]));
      const uint8_t scale = mxfp4_scale_byte(amax);
      const uint32_t nibble = f32_to_e2m1(v[i] * power_of_two(127 - scale));
      const uint32_t odd = shfl_down(nibble, 1, kRowLanes);
      if (i < per && there) {
        if (lane % 2 == 0) {
          const int b = (lane + i * kRowLanes) / 2;
          to.values[b / 16 * to.step + b % 16] = static_cast<uint8_t>(nibble | odd << 4);
        }
        if (lane == 0 && to.scale) to.scale[i] = scale;
      }
    }
    return 1.0f;
  }
  float amax = 0;
#pragma unroll
  for (int i = 0; i < kMostElements; ++i) {
    const float m = i < per ? magnitude_of(v[i]) : 0.0f;
    amax = m > amax ? m : amax;
  }
  const bool fnuz = p.format == PLAIT_FORMAT_FP8_E4M3FNUZ;
  const int32_t exponent = fp8_scale_exponent(group_max<kRowLanes>(amax), fnuz);
  const float inverse = power_of_two(-exponent), scale = power_of_two(exponent);
#pragma unroll
  for (int i = 0; i < kMostElements; ++i) {
    if (i >= per || !there) continue;
    const int b = lane + i * kRowLanes;
    to.values[b / 16 * to.step + b % 16] =
        fnuz ? f32_to_e4m3fnuz(v[i] * inverse) : f32_to_e4m3fn(v[i] * inverse);
  }
  if (there && lane == 0 && to.scale) *reinterpret_cast<float *>(to.scale) = scale;
  return scale;
}

#endif

}  // namespace plait::kernels

#endif
