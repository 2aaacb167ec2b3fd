// SPDX-License-Identifier: MIT
/**
 * @file apply.h
 * @brief The two element formulas of mHC. Every kernel that collapses or mixes streams calls these,
 *        so that the fused and the separate calls round alike.
 */
#ifndef PLAIT_KERNELS_MHC_APPLY_H
#define PLAIT_KERNELS_MHC_APPLY_H

#include "kernels/isa/hip_compat.h"

namespace plait::kernels {

/// sum_i pre_i * v_i, i ascending.
template <int N>
__device__ inline float collapse(const float (&pre)[N], const float (&v)[N], int n = N) {
  float y = pre[0] * v[0];
#pragma unroll
  for (int i = 1; i < N; ++i)
    if (i < n) y = fmaf(pre[i], v[i], y);
  return y;
}

/// post * x + sum_i comb_i * v_i, i ascending; comb is one destination's column.
template <int N>
__device__ inline float mixed(float post, float x, const float (&comb)[N], const float (&v)[N],
                              int n = N) {
  float out = post * x;
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (i < n) out = fmaf(comb[i], v[i], out);
  return out;
}

/// The same where comb is the identity: v is the destination's own stream.
__device__ inline float mixed_identity(float post, float x, float v) { return post * x + v; }

}  // namespace plait::kernels

#endif
