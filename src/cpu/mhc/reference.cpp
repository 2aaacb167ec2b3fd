// SPDX-License-Identifier: MIT
#include "src/cpu/mhc/reference.h"

#include <cmath>

#include "src/cpu/mhc/element.h"

namespace plait::cpu::mhc {

void reference_products(const plait_mhc_plan_desc &problem, const TokenStreams &residual,
                        const void *fn, int32_t rows, double *m) {
  const int64_t n = problem.hc_mult, H = problem.hidden;
  double squares = 0;
  for (int32_t r = 0; r < rows; ++r) m[r] = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t h = 0; h < H; ++h) {
      const double v = load(problem.dtype, residual.data, i * residual.stream_stride + h);
      squares += v * v;
      for (int32_t r = 0; r < rows; ++r)
        m[r] += static_cast<double>(load(problem.fn_dtype, fn, r * n * H + i * H + h)) * v;
    }
  const double mean = squares / static_cast<double>(n * H);
  const double g = 1 / std::sqrt(mean + static_cast<double>(problem.rms_eps));
  for (int32_t r = 0; r < rows; ++r) m[r] *= g;
}

double reference_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

void reference_sinkhorn(const plait_mhc_plan_desc &problem, double *c) {
  const int32_t n = problem.hc_mult;
  const double eps = static_cast<double>(problem.sinkhorn_eps);
  for (int32_t i = 0; i < n; ++i) {
    double *row = c + i * n;
    double largest = row[0], sum = 0;
    for (int32_t j = 1; j < n; ++j) largest = row[j] > largest ? row[j] : largest;
    for (int32_t j = 0; j < n; ++j) row[j] = std::exp(row[j] - largest);
    for (int32_t j = 0; j < n; ++j) sum += row[j];
    for (int32_t j = 0; j < n; ++j) row[j] = row[j] / sum + eps;
  }
  for (int32_t step = 0; step < problem.sinkhorn_iters; ++step) {
    if (step > 0)
      for (int32_t i = 0; i < n; ++i) {
        double sum = 0;
        for (int32_t j = 0; j < n; ++j) sum += c[i * n + j];
        for (int32_t j = 0; j < n; ++j) c[i * n + j] /= sum + eps;
      }
    for (int32_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int32_t i = 0; i < n; ++i) sum += c[i * n + j];
      for (int32_t i = 0; i < n; ++i) c[i * n + j] /= sum + eps;
    }
  }
}

void reference_collapse(const plait_mhc_plan_desc &problem, const TokenStreams &residual,
                        const float *pre, const void *norm_weight, void *out) {
  const int64_t n = problem.hc_mult, H = problem.hidden;
  const int32_t dtype = problem.dtype;
  for (int64_t h = 0; h < H; ++h) {
    if (!pre) {
      store(dtype, out, h, load(dtype, residual.data, h));
      continue;
    }
    double y = 0;
    for (int64_t i = 0; i < n; ++i)
      y += static_cast<double>(pre[i]) *
           static_cast<double>(load(dtype, residual.data, i * residual.stream_stride + h));
    store(dtype, out, h, static_cast<float>(y));
  }
  if (!norm_weight) return;
  double squares = 0;
  for (int64_t h = 0; h < H; ++h) {
    const double z = load(dtype, out, h);
    squares += z * z;
  }
  const double factor =
      1 / std::sqrt(squares / static_cast<double>(H) + static_cast<double>(problem.norm_eps));
  for (int64_t h = 0; h < H; ++h) {
    const double z = load(dtype, out, h);
    const double w = load(problem.norm_weight_dtype, norm_weight, h);
    store(dtype, out, h, static_cast<float>(z * factor * w));
  }
}

}  // namespace plait::cpu::mhc
