// SPDX-License-Identifier: MIT
// What the reference implementations of pre, post_pre and head share. One token a call; plain loops
// in double; numbers that the contract returns or passes on as f32 are rounded to f32 once.
#ifndef PLAIT_SRC_CPU_MHC_REFERENCE_H
#define PLAIT_SRC_CPU_MHC_REFERENCE_H

#include "src/backend.h"

namespace plait::cpu::mhc {

constexpr int32_t kMaxStreams = PLAIT_MHC_MAX_STREAMS;
constexpr int32_t kMaxRows = kMaxStreams * (kMaxStreams + 2);

// One token's residual: stream i, column h is element i * stream_stride + h. A broadcast residual
// has stream_stride 0.
struct TokenStreams {
  const void *data;
  int64_t stream_stride;
};

// m[r] = (fn[r] . v) * g,  g = 1 / sqrt(mean(v^2) + rms_eps),  for r < rows.
void reference_products(const plait_mhc_plan_desc &problem, const TokenStreams &residual,
                        const void *fn, int32_t rows, double *m);

double reference_sigmoid(double x);

// c [n, n] in place: softmax over j, then n_iters alternating normalisations.
void reference_sinkhorn(const plait_mhc_plan_desc &problem, double *c);

// out = round(sum_i pre[i] * residual_i); pre NULL: stream 0. Then the norm if weight is not NULL.
void reference_collapse(const plait_mhc_plan_desc &problem, const TokenStreams &residual,
                        const float *pre, const void *norm_weight, void *out);

}  // namespace plait::cpu::mhc

#endif
