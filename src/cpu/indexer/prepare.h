// SPDX-License-Identifier: MIT
// What happens to a query or key row before it is stored: rotation, Hadamard transform, scale,
// rounding. Scalar, in the contract's order of operations; quantize_q and write_k share it.
#ifndef PLAIT_SRC_CPU_INDEXER_PREPARE_H
#define PLAIT_SRC_CPU_INDEXER_PREPARE_H

#include <cmath>

#include "src/indexer_layout.h"
#include "src/number.h"

namespace plait::cpu {

// The table of angles, one row a position. No rotation: every position is in it.
struct Rope {
  const float *cos_sin;  // nullptr without rotation
  const int64_t *positions;
  int64_t rows;
  int64_t row_size;

  bool has(int64_t token) const {
    return !cos_sin || (positions[token] >= 0 && positions[token] < rows);
  }
  const float *angles(int64_t token) const {
    return cos_sin ? cos_sin + positions[token] * row_size : nullptr;
  }
};

template <class Args>
Rope rope_of(const plait_indexer_plan_desc &p, const Args &a) {
  if (p.rope_mode == PLAIT_ROPE_NONE) return {};
  return {static_cast<const float *>(a.cos_sin.data),
          static_cast<const int64_t *>(a.positions.data),
          static_cast<int64_t>(a.cos_sin.size / (sizeof(float) * static_cast<size_t>(p.rope_dim))),
          p.rope_dim};
}

// even' = fma(even, cos, -(odd * sin)), odd' = fma(odd, cos, even * sin), rounded to bf16.
inline void rotate(const plait_indexer_plan_desc &p, const float *angles, float *row) {
  const int64_t half = p.rope_dim / 2;
  if (p.rope_placement == PLAIT_ROPE_LAST) row += p.head_dim - p.rope_dim;
  const bool interleaved = p.rope_mode == PLAIT_ROPE_INTERLEAVED;
  for (int64_t i = 0; i < half; ++i) {
    float &even = row[interleaved ? 2 * i : i];
    float &odd = row[interleaved ? 2 * i + 1 : i + half];
    const float c = angles[i], s = angles[half + i], e = even, o = odd;
    even = bf16_to_f32(f32_to_bf16(std::fma(e, c, -(o * s))));
    odd = bf16_to_f32(f32_to_bf16(std::fma(o, c, e * s)));
  }
}

// D^-0.5 or Hq^-0.5: the f32 nearest to it.
inline float inverse_sqrt(int32_t n) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(n)));
}

// The natural-order transform in place: butterflies of stride 1, 2, 4 … D / 2, each (a + b, a - b)
// in f32; then times D^-0.5, rounded to bf16.
inline void hadamard(int32_t head_dim, float *row) {
  for (int64_t stride = 1; stride < head_dim; stride *= 2)
    for (int64_t i = 0; i < head_dim; i += 2 * stride)
      for (int64_t j = i; j < i + stride; ++j) {
        const float a = row[j], b = row[j + stride];
        row[j] = a + b;
        row[j + stride] = a - b;
      }
  const float factor = inverse_sqrt(head_dim);
  for (int64_t i = 0; i < head_dim; ++i) row[i] = bf16_to_f32(f32_to_bf16(row[i] * factor));
}

inline float amax_of(const float *row, int64_t count) {
  float amax = 0;
  for (int64_t i = 0; i < count; ++i) amax = amax_with(amax, row[i]);
  return amax;
}

inline void quantise_fp8(const plait_indexer_plan_desc &p, const float *row, uint8_t *values,
                         uint8_t *scale) {
  const bool fnuz = p.format == PLAIT_FORMAT_FP8_E4M3FNUZ;
  const int32_t exponent = fp8_scale_exponent(amax_of(row, p.head_dim), fnuz);
  const float inverse = power_of_two(-exponent), stored = power_of_two(exponent);
  for (int64_t i = 0; i < p.head_dim; ++i)
    values[i] = fnuz ? f32_to_e4m3fnuz(row[i] * inverse) : f32_to_e4m3fn(row[i] * inverse);
  memcpy(scale, &stored, sizeof stored);
}

inline void quantise_mxfp4(const plait_indexer_plan_desc &p, const float *row, uint8_t *values,
                           uint8_t *scales) {
  for (int64_t group = 0; group < p.head_dim / 32; ++group) {
    const float *x = row + group * 32;
    scales[group] = mxfp4_scale_byte(amax_of(x, 32));
    const float inverse = power_of_two(127 - scales[group]);
    for (int64_t i = 0; i < 16; ++i)
      values[group * 16 + i] = static_cast<uint8_t>(f32_to_e2m1(x[2 * i] * inverse) |
                                                    (f32_to_e2m1(x[2 * i + 1] * inverse) << 4));
  }
}

// One row: D bf16 in, V value bytes and S scale bytes out. `angles` is the row of cos_sin, nullptr
// without rotation. The fast paths have a function of the same shape.
using QuantiseRow = void(const plait_indexer_plan_desc &p, const float *angles,
                         const uint16_t *bf16, uint8_t *values, uint8_t *scales);

inline void quantise_row(const plait_indexer_plan_desc &p, const float *angles,
                         const uint16_t *bf16, uint8_t *values, uint8_t *scales) {
  float row[PLAIT_INDEXER_MAX_HEAD_DIM];
  for (int64_t i = 0; i < p.head_dim; ++i) row[i] = bf16_to_f32(bf16[i]);
  if (angles) rotate(p, angles, row);
  if (p.hadamard) hadamard(p.head_dim, row);
  if (is_fp8(p.format))
    quantise_fp8(p, row, values, scales);
  else
    quantise_mxfp4(p, row, values, scales);
}

}  // namespace plait::cpu

#endif
