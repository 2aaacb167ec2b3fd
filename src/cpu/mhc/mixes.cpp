// SPDX-License-Identifier: MIT
// Every step is done for kMixLanes tokens at once in plain loops over the lanes, which the compiler
// turns into vectors; a lane never sees another. Unused lanes compute on zeros.
#include "src/cpu/mhc/mixes.h"

#include <cmath>

#include "src/cpu/mhc/products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/mhc/mixes.cpp"
#include "src/cpu/simd_targets.h"
// After simd_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plait::cpu::mhc::HWY_NAMESPACE {

constexpr int32_t kMost = PLAIT_MHC_MAX_STREAMS;
using Lanes = double[kMixLanes];

// Divides the n numbers c[0], c[step], … by their sum + eps.
HWY_INLINE void Normalize(Lanes *HWY_RESTRICT c, int32_t n, int32_t step, double eps) {
  HWY_ALIGN Lanes sum;
  for (int64_t l = 0; l < kMixLanes; ++l) sum[l] = c[0][l];
  for (int32_t k = 1; k < n; ++k)
    for (int64_t l = 0; l < kMixLanes; ++l) sum[l] += c[k * step][l];
  for (int64_t l = 0; l < kMixLanes; ++l) sum[l] = 1 / (sum[l] + eps);
  for (int32_t k = 0; k < n; ++k)
    for (int64_t l = 0; l < kMixLanes; ++l) c[k * step][l] *= sum[l];
}

HWY_INLINE void Sinkhorn(Lanes *c, int32_t n, int32_t iters, double eps) {
  for (int32_t i = 0; i < n; ++i) {
    Lanes *row = c + i * n;
    HWY_ALIGN Lanes largest;
    for (int64_t l = 0; l < kMixLanes; ++l) largest[l] = row[0][l];
    for (int32_t j = 1; j < n; ++j)
      for (int64_t l = 0; l < kMixLanes; ++l)
        largest[l] = row[j][l] > largest[l] ? row[j][l] : largest[l];
    for (int32_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < kMixLanes; ++l) row[j][l] = std::exp(row[j][l] - largest[l]);
    Normalize(row, n, 1, 0);
    for (int32_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < kMixLanes; ++l) row[j][l] += eps;
  }
  for (int32_t j = 0; j < n; ++j) Normalize(c + j, n, n, eps);
  for (int32_t step = 1; step < iters; ++step) {
    for (int32_t i = 0; i < n; ++i) Normalize(c + i * n, n, 1, eps);
    for (int32_t j = 0; j < n; ++j) Normalize(c + j, n, n, eps);
  }
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

void MixBatchTarget(const MixBatch &b) {
  const plait_mhc_plan_desc &p = *b.problem;
  const int32_t n = p.hc_mult;
  HWY_ALIGN Lanes logit[kMost * (kMost + 2)];
  for (int64_t t = 0; t < kMixLanes; ++t) {
    if (t >= b.tokens) {
      for (int32_t r = 0; r < b.rows; ++r) logit[r][t] = 0;
      continue;
    }
    const double mean = b.squares[t] / (static_cast<double>(n) * static_cast<double>(p.hidden));
    const double g = 1 / std::sqrt(mean + static_cast<double>(p.rms_eps));
    const double *sums = b.sums + t * b.rows * kParts;
    for (int32_t r = 0; r < b.rows; ++r, sums += kParts) {
      const int32_t group = r < n ? 0 : r < 2 * n ? 1 : 2;
      const double m = ((sums[0] + sums[2]) + (sums[1] + sums[3])) * g;
      logit[r][t] = m * static_cast<double>(b.scale[group]) + static_cast<double>(b.base[r]);
    }
  }
  if (b.pre.data)
    for (int64_t t = 0; t < b.tokens; ++t)
      for (int32_t i = 0; i < n; ++i)
        b.pre.data[t * b.pre.stride + i] =
            static_cast<float>(Sigmoid(logit[i][t]) + static_cast<double>(p.pre_eps));
  if (b.rows == n) return;
  for (int64_t t = 0; t < b.tokens; ++t)
    for (int32_t j = 0; j < n; ++j)
      b.post.data[t * b.post.stride + j] =
          static_cast<float>(static_cast<double>(p.post_mult) * Sigmoid(logit[n + j][t]));
  Lanes *c = logit + 2 * n;
  if (n == 4)
    Sinkhorn(c, 4, p.sinkhorn_iters, static_cast<double>(p.sinkhorn_eps));
  else
    Sinkhorn(c, n, p.sinkhorn_iters, static_cast<double>(p.sinkhorn_eps));
  for (int64_t t = 0; t < b.tokens; ++t)
    for (int32_t k = 0; k < n * n; ++k)
      b.comb.data[t * b.comb.stride + k] = static_cast<float>(c[k][t]);
}

}  // namespace plait::cpu::mhc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plait::cpu::mhc {

HWY_EXPORT(MixBatchTarget);

void mix_batch(const MixBatch &batch) { HWY_DYNAMIC_DISPATCH(MixBatchTarget)(batch); }

}  // namespace plait::cpu::mhc
#endif
