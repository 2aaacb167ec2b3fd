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

/// Below this eps a row or column sum may be so small that only a true division is right.
constexpr float kSmallestFastEps = 1e-18f;

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

/**
 * Sinkhorn of a 4 x 4 matrix in the registers of one thread: no lane waits for another.
 *
 * The matrix is kept as k_ij r_i q_j. Dividing row i by its sum + eps divides r_i alone, so a step
 * is four dot products, which are independent, and four reciprocals. For eps >= kSmallestFastEps.
 */
__device__ inline void sinkhorn_4x4_fast(float (&k)[16], int iters, float eps) {
  float r[4] = {1.0f, 1.0f, 1.0f, 1.0f}, q[4] = {1.0f, 1.0f, 1.0f, 1.0f};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float *row = k + 4 * i;
    const float largest = fmaxf(fmaxf(row[0], row[1]), fmaxf(row[2], row[3]));
#pragma unroll
    for (int j = 0; j < 4; ++j) row[j] = expf(row[j] - largest);
    const float over = fast_reciprocal((row[0] + row[1]) + (row[2] + row[3]));
#pragma unroll
    for (int j = 0; j < 4; ++j) row[j] = fmaf(row[j], over, eps);
  }
  for (int step = 0;; ++step) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float sum = fmaf(k[j], r[0], k[4 + j] * r[1]) + fmaf(k[8 + j], r[2], k[12 + j] * r[3]);
      q[j] *= fast_reciprocal(fmaf(q[j], sum, eps));
    }
    if (step == iters - 1) break;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float *row = k + 4 * i;
      const float sum = fmaf(row[0], q[0], row[1] * q[1]) + fmaf(row[2], q[2], row[3] * q[3]);
      r[i] *= fast_reciprocal(fmaf(r[i], sum, eps));
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) k[4 * i + j] *= r[i] * q[j];
}

/// The same by true divisions, for any eps.
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
