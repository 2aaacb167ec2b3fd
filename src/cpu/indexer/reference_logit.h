// SPDX-License-Identifier: MIT
// One logit, by the formula, in double.
#ifndef PLAIT_SRC_CPU_INDEXER_REFERENCE_LOGIT_H
#define PLAIT_SRC_CPU_INDEXER_REFERENCE_LOGIT_H

#include <cmath>

#include "src/cpu/device.h"
#include "src/cpu/indexer/scoring.h"
#include "src/cpu/load.h"

namespace plait::cpu {

class ReferenceLogit {
 public:
  explicit ReferenceLogit(const Scoring &scoring) : s_(scoring), p_(*scoring.plan) {
    const bool fnuz = p_.format == PLAIT_FORMAT_FP8_E4M3FNUZ;
    for (int32_t i = 0; i < 256; ++i) {
      const uint8_t byte = static_cast<uint8_t>(i);
      table_[i] = static_cast<double>(fnuz ? e4m3fnuz_to_f32(byte) : e4m3fn_to_f32(byte));
    }
  }

  // L[row, key] = k_scale * sum_h w_h * relu(sum_d q_hd * k_d), rounded once to f32; -inf for a key
  // without a page. relu(NaN) is 0, as the maximum instructions of all devices have it.
  float operator()(int64_t row, int64_t key) const {
    uint8_t bytes[PLAIT_INDEXER_MAX_HEAD_DIM], scale[PLAIT_INDEXER_MAX_HEAD_DIM / 32];
    const int64_t v = value_bytes(p_), s = scale_bytes(p_);
    if (s_.paged()) {
      const int64_t page = s_.page_of(row, key);
      if (page < 0) return -INFINITY;
      s_.cache.read(page, key % p_.page_entries, bytes, scale);
    } else {
      memcpy(bytes, s_.k_values + key * v, static_cast<size_t>(v));
      memcpy(scale, s_.k_scale + key * s, static_cast<size_t>(s));
    }

    double k[PLAIT_INDEXER_MAX_HEAD_DIM], q[PLAIT_INDEXER_MAX_HEAD_DIM], sum = 0;
    decode(bytes, scale, k);
    for (int64_t h = 0; h < p_.heads; ++h) {
      const int64_t head = row * p_.heads + h;
      decode(s_.q_values + head * v, s_.q_scale ? s_.q_scale + head * s : nullptr, q);
      double dot = 0;
      for (int64_t d = 0; d < p_.head_dim; ++d) dot += q[d] * k[d];
      sum += static_cast<double>(s_.weights[row * s_.weights_stride + h]) * (dot > 0 ? dot : 0);
    }
    if (!is_fp8(p_.format)) return static_cast<float>(sum);  // k's scales are in the dot
    float k_scale;
    memcpy(&k_scale, scale, sizeof k_scale);
    return static_cast<float>(static_cast<double>(k_scale) * sum);
  }

 private:
  // mxfp4: with the scales applied, which is exact. fp8: without.
  void decode(const uint8_t *values, const uint8_t *scales, double *out) const {
    for (int64_t d = 0; d < p_.head_dim; ++d) {
      if (is_fp8(p_.format)) {
        out[d] = table_[values[d]];
      } else {
        const uint32_t nibble = (values[d / 2] >> (d % 2 * 4)) & 15u;
        out[d] = static_cast<double>(e2m1_to_f32(nibble)) *
                 static_cast<double>(ue8m0_to_f32(scales[d / 32]));
      }
    }
  }

  const Scoring &s_;
  const plait_indexer_plan_desc &p_;
  double table_[256];
};

// All logits of a call, ragged or paged.
template <class Args>
void reference_logits(const Device &device, const Scoring &s, const Args &a) {
  const ReferenceLogit logit(s);
  const int32_t dtype = s.plan->logits_dtype;
  parallel_for(device, s.rows, 1, [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      const Scoring::Range range = s.range(r);
      for (int64_t c = 0; c < s.columns; ++c) {
        const bool inside = c >= range.begin && c < range.end;
        if (inside || a.fill)
          store(dtype, a.logits.data, r * a.logits_stride + c, inside ? logit(r, c) : -INFINITY);
      }
    }
  });
}

}  // namespace plait::cpu

#endif
