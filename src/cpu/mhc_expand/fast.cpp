// SPDX-License-Identifier: MIT
// expand with SIMD: each row is read once and stored n times.
#include "src/cpu/device.h"
#include "src/cpu/lists.h"
#include "src/cpu/mhc/element.h"
#include "src/cpu/mhc/rows.h"

namespace plait::cpu::mhc_expand {
namespace {

plait_status run(const Device &device, const plait_mhc_plan_desc &p, const plait_mhc_expand_args &a,
                 void *) {
  const int64_t bytes = p.hidden * dtype_bytes(p.dtype);
  const bool stream = mhc::worth_streaming(a.tokens * p.hc_mult * bytes);
  parallel_for(device, a.tokens, 8, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t)
      mhc::expand_row(mhc::element(p.dtype, a.x.data, t * a.x_stride), bytes, p.hc_mult,
                      mhc::element(p.dtype, a.residual_out.data, t * a.residual_out_stride),
                      stream);
    if (stream) mhc::finish_streams();
  });
  return PLAIT_OK;
}

}  // namespace

const Implementation fast = Define<PLAIT_OP_MHC_EXPAND>::make<nullptr, nullptr, run>("fast");

}  // namespace plait::cpu::mhc_expand
