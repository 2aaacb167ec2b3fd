// SPDX-License-Identifier: MIT
/**
 * @file gates.h
 * @brief From products to mixes: sigmoids and Sinkhorn, a few lanes or one thread a token.
 *
 *     rows of fn     0 … n-1      n … 2n-1     2n + i*n + j
 *     mix            pre_i        post_j       comb[source i][destination j]
 */
#ifndef PLAIT_KERNELS_MHC_GATES_H
#define PLAIT_KERNELS_MHC_GATES_H

#include "kernels/isa/hip_compat.h"

namespace plait::kernels {

__device__ inline float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

/// g of contract 1.1, from the sum of squares of `count` elements.
__device__ inline float rms_factor(float squares, int64_t count, float eps) {
  return 1.0f / sqrtf(squares / static_cast<float>(count) + eps);
}

/**
 * Sinkhorn of an n x n matrix by the 8 lanes of a group, n <= 8. Lane j holds column j in
 * c[0 … n-1]; lanes from n on take part with zeros and their results mean nothing.
 * Row sums cross the lanes in a fixed butterfly, column sums stay inside one, i ascending.
 */
template <int N>
__device__ inline void sinkhorn_lanes(float (&c)[N], int lane, int n, int iters, float eps) {
  const bool mine = lane < n;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if (i < n) {
      const float largest = group_max<8>(mine ? c[i] : -INFINITY);
      // A NaN may be lost in the maximum; it comes back here, through its own element and the sum.
      const float e = mine ? expf(c[i] - largest) : 0.0f;
      c[i] = e / group_sum<8>(e) + eps;
    }
  }
  for (int step = 0;; ++step) {
    float column = 0.0f;
#pragma unroll
    for (int i = 0; i < N; ++i) column += i < n ? c[i] : 0.0f;
    column += eps;
#pragma unroll
    for (int i = 0; i < N; ++i) c[i] = c[i] / column;
    if (step == iters - 1) break;
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (i < n) c[i] = c[i] / (group_sum<8>(mine ? c[i] : 0.0f) + eps);
  }
}

/// Sinkhorn of a 4 x 4 matrix by one thread and true divisions, for any eps.
__device__ inline void sinkhorn_4x4_exact(float (&c)[16], int iters, float eps) {
  for (int i = 0; i < 4; ++i) {
    const float largest = fmaxf(fmaxf(c[4 * i], c[4 * i + 1]), fmaxf(c[4 * i + 2], c[4 * i + 3]));
    for (int j = 0; j < 4; ++j) c[4 * i + j] = expf(c[4 * i + j] - largest);
    const float sum = (c[4 * i] + c[4 * i + 1]) + (c[4 * i + 2] + c[4 * i + 3]);
    for (int j = 0; j < 4; ++j) c[4 * i + j] = c[4 * i + j] / sum + eps;
  }
  for (int step = 0;; ++step) {
    for (int j = 0; j < 4; ++j) {
      const float sum = ((c[j] + c[4 + j]) + (c[8 + j] + c[12 + j])) + eps;
      for (int i = 0; i < 4; ++i) c[4 * i + j] = c[4 * i + j] / sum;
    }
    if (step == iters - 1) return;
    for (int i = 0; i < 4; ++i) {
      const float sum = ((c[4 * i] + c[4 * i + 1]) + (c[4 * i + 2] + c[4 * i + 3])) + eps;
      for (int j = 0; j < 4; ++j) c[4 * i + j] = c[4 * i + j] / sum;
    }
  }
}

}  // namespace plait::kernels

#endif
