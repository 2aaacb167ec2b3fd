// SPDX-License-Identifier: MIT
// The loop over tokens and heads, for any function that quantises one row.
#ifndef PLAIT_SRC_CPU_QUANTIZE_Q_ROWS_H
#define PLAIT_SRC_CPU_QUANTIZE_Q_ROWS_H

#include "src/cpu/device.h"
#include "src/cpu/indexer/prepare.h"
#include "src/cpu/load.h"

namespace plait::cpu::quantize_q {

using Op = Define<PLAIT_OP_QUANTIZE_Q>;

template <class Quantise>
plait_status quantise_rows(const Device &device, const Op::P &p, const Op::A &a,
                           const Quantise &quantise) {
  const Rope rope = rope_of(p, a);
  for (int64_t t = 0; t < a.tokens; ++t)
    if (!rope.has(t)) return status_of(PLAIT_ERROR_INDEX_OUT_OF_RANGE, PLAIT_ARG_POSITIONS);

  const bool fp8 = is_fp8(p.format);
  const int64_t v = value_bytes(p), s = scale_bytes(p);
  const float head_dim_factor = inverse_sqrt(p.head_dim), heads_factor = inverse_sqrt(p.heads);
  const uint16_t *q = static_cast<const uint16_t *>(a.q.data);
  uint8_t *values = static_cast<uint8_t *>(a.q_values.data);
  uint8_t *scales = static_cast<uint8_t *>(a.q_scale.data);  // fp8: may be nullptr
  float *weights_out = static_cast<float *>(a.weights_out.data);

  parallel_for(device, a.tokens, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t)
      for (int64_t h = 0; h < p.heads; ++h) {
        const int64_t row = t * p.heads + h;
        uint8_t scale[PLAIT_INDEXER_MAX_HEAD_DIM / 32] = {};
        quantise(p, rope.angles(t), q + t * a.q_stride + h * p.head_dim, values + row * v, scale);
        if (scales) memcpy(scales + row * s, scale, static_cast<size_t>(s));
        // fp8: ((w * q_scale) * D^-0.5) * Hq^-0.5; mxfp4 without q_scale.
        float w = load(p.weights_dtype, a.weights.data, t * a.weights_stride + h);
        float q_scale;
        memcpy(&q_scale, scale, sizeof q_scale);
        if (fp8) w = w * q_scale;
        weights_out[row] = (w * head_dim_factor) * heads_factor;
      }
  });
  return PLAIT_OK;
}

}  // namespace plait::cpu::quantize_q

#endif
