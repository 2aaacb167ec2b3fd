// SPDX-License-Identifier: MIT
// pre, scalar and in double: contract 1.1 and 1.4 line by line.
#include "src/cpu/mhc/reference.h"
#include "src/cpu/device.h"
#include "src/cpu/lists.h"
#include "src/cpu/mhc/element.h"

namespace plait::cpu::mhc_pre {
namespace {

void token(const plait_mhc_plan_desc &p, const plait_mhc_pre_args &a, int64_t t) {
  const int32_t n = p.hc_mult;
  const mhc::TokenStreams residual = {mhc::element(p.dtype, a.residual.data, t * a.residual_stride),
                                      a.broadcast ? 0 : p.hidden};
  const float *base = static_cast<const float *>(a.base.data);
  const float *scale = static_cast<const float *>(a.scale.data);
  const auto logit = [&](const double *m, int32_t row, int32_t group) {
    return m[row] * static_cast<double>(scale[group]) + static_cast<double>(base[row]);
  };

  double m[mhc::kMaxRows];
  mhc::reference_products(p, residual, a.fn.data, n * (n + 2), m);

  float pre[mhc::kMaxStreams];
  for (int32_t i = 0; i < n; ++i)
    pre[i] =
        static_cast<float>(mhc::reference_sigmoid(logit(m, i, 0)) + static_cast<double>(p.pre_eps));
  if (a.pre_mix.data) {
    float *out = static_cast<float *>(a.pre_mix.data) + t * a.pre_mix_stride;
    for (int32_t i = 0; i < n; ++i) out[i] = pre[i];
  }

  float *post = static_cast<float *>(a.post_mix.data) + t * a.post_mix_stride;
  for (int32_t j = 0; j < n; ++j)
    post[j] = static_cast<float>(static_cast<double>(p.post_mult) *
                                 mhc::reference_sigmoid(logit(m, n + j, 1)));

  double c[mhc::kMaxStreams * mhc::kMaxStreams];
  for (int32_t k = 0; k < n * n; ++k) c[k] = logit(m, 2 * n + k, 2);
  mhc::reference_sinkhorn(p, c);
  float *comb = static_cast<float *>(a.comb_mix.data) + t * a.comb_mix_stride;
  for (int32_t k = 0; k < n * n; ++k) comb[k] = static_cast<float>(c[k]);

  const float *collapse_by = pre;
  if (p.collapse == PLAIT_MHC_COLLAPSE_DELAYED)
    collapse_by = a.prev_pre.data
                      ? static_cast<const float *>(a.prev_pre.data) + t * a.prev_pre_stride
                      : nullptr;
  mhc::reference_collapse(p, residual, collapse_by, a.norm_weight.data,
                          mhc::element(p.dtype, a.layer_input.data, t * a.layer_input_stride));
}

plait_status run(const Device &device, const plait_mhc_plan_desc &problem,
                 const plait_mhc_pre_args &args, void *) {
  parallel_for(device, args.tokens, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) token(problem, args, t);
  });
  return PLAIT_OK;
}

}  // namespace

const Implementation reference = Define<PLAIT_OP_MHC_PRE>::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::mhc_pre
