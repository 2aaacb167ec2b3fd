// SPDX-License-Identifier: MIT
// head, scalar and in double: contract 1.5.
#include "src/cpu/mhc/reference.h"
#include "src/cpu/device.h"
#include "src/cpu/lists.h"
#include "src/cpu/mhc/element.h"

namespace plait::cpu::mhc_head {
namespace {

void token(const plait_mhc_plan_desc &p, const plait_mhc_head_args &a, int64_t t) {
  const mhc::TokenStreams residual = {mhc::element(p.dtype, a.residual.data, t * a.residual_stride),
                                      p.hidden};
  float current[mhc::kMaxStreams];
  const float *pre = nullptr;
  if (p.collapse == PLAIT_MHC_COLLAPSE_DELAYED) {
    if (a.prev_pre.data) pre = static_cast<const float *>(a.prev_pre.data) + t * a.prev_pre_stride;
  } else {
    const float *base = static_cast<const float *>(a.base.data);
    const double scale = static_cast<double>(static_cast<const float *>(a.scale.data)[0]);
    double m[mhc::kMaxStreams];
    mhc::reference_products(p, residual, a.fn.data, p.hc_mult, m);
    for (int32_t k = 0; k < p.hc_mult; ++k)
      current[k] =
          static_cast<float>(mhc::reference_sigmoid(m[k] * scale + static_cast<double>(base[k])) +
                             static_cast<double>(p.pre_eps));
    pre = current;
  }
  mhc::reference_collapse(p, residual, pre, a.norm_weight.data,
                          mhc::element(p.dtype, a.out.data, t * a.out_stride));
}

plait_status run(const Device &device, const plait_mhc_plan_desc &problem,
                 const plait_mhc_head_args &args, void *) {
  parallel_for(device, args.tokens, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) token(problem, args, t);
  });
  return PLAIT_OK;
}

}  // namespace

const Implementation reference =
    Define<PLAIT_OP_MHC_HEAD>::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::mhc_head
