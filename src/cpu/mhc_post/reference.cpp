// SPDX-License-Identifier: MIT
// post, scalar and in double: contract 1.2.
#include "src/cpu/device.h"
#include "src/cpu/lists.h"
#include "src/cpu/mhc/element.h"

namespace plait::cpu::mhc_post {
namespace {

void token(const plait_mhc_plan_desc &p, const plait_mhc_post_args &a, int64_t t) {
  const int64_t n = p.hc_mult, H = p.hidden, stream_stride = a.broadcast ? 0 : H;
  const float *post = static_cast<const float *>(a.post_mix.data) + t * a.post_mix_stride;
  const float *comb = a.comb_mix.data
                          ? static_cast<const float *>(a.comb_mix.data) + t * a.comb_mix_stride
                          : nullptr;
  for (int64_t h = 0; h < H; ++h) {
    float x = load(p.dtype, a.x.data, t * a.x_stride + h);
    if (a.x2.data) x += load(p.dtype, a.x2.data, t * a.x2_stride + h);
    // All streams are read before any is written: residual_out may be residual.
    double out[PLAIT_MHC_MAX_STREAMS], residual[PLAIT_MHC_MAX_STREAMS];
    for (int64_t i = 0; i < n; ++i)
      residual[i] = load(p.dtype, a.residual.data, t * a.residual_stride + i * stream_stride + h);
    for (int64_t j = 0; j < n; ++j) {
      out[j] = static_cast<double>(post[j]) * static_cast<double>(x);
      if (!comb) out[j] += residual[j];
      for (int64_t i = 0; comb && i < n; ++i)
        out[j] += static_cast<double>(comb[i * n + j]) * residual[i];
    }
    for (int64_t j = 0; j < n; ++j)
      store(p.dtype, a.residual_out.data, t * a.residual_out_stride + j * H + h,
            static_cast<float>(out[j]));
  }
}

plait_status run(const Device &device, const plait_mhc_plan_desc &problem,
                 const plait_mhc_post_args &args, void *) {
  parallel_for(device, args.tokens, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) token(problem, args, t);
  });
  return PLAIT_OK;
}

}  // namespace

const Implementation reference =
    Define<PLAIT_OP_MHC_POST>::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::mhc_post
