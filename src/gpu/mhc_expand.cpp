// SPDX-License-Identifier: MIT
// expand on a GPU.
#include "src/gpu/lists.h"
#include "src/gpu/mhc.h"

namespace plait::gpu::mhc_expand {
namespace {

plait_status run(const Device &device, const mhc::Problem &p, const plait_mhc_expand_args &a,
                 void *stream) {
  const plait_status status = mhc::too_many(a.tokens);
  if (status != PLAIT_OK) return status;
  return run_on(device, [&] {
    const kernels::Streams x{a.x.data, a.x_stride, 0, a.tokens, p.hidden, p.hc_mult, p.dtype};
    return kernels::mhc_expand(x, a.residual_out.data, a.residual_out_stride, stream);
  });
}

}  // namespace

const Implementation generic = Define<PLAIT_OP_MHC_EXPAND>::make<nullptr, nullptr, run>("generic");

}  // namespace plait::gpu::mhc_expand
