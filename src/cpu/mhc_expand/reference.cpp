// SPDX-License-Identifier: MIT
// expand: n copies of x, bit for bit. Contract 1.5.
#include <cstring>

#include "src/cpu/device.h"
#include "src/cpu/lists.h"
#include "src/cpu/mhc/element.h"

namespace plait::cpu::mhc_expand {
namespace {

plait_status run(const Device &, const plait_mhc_plan_desc &p, const plait_mhc_expand_args &a,
                 void *) {
  for (int64_t t = 0; t < a.tokens; ++t)
    for (int64_t i = 0; i < p.hc_mult; ++i)
      memcpy(mhc::element(p.dtype, a.residual_out.data, t * a.residual_out_stride + i * p.hidden),
             mhc::element(p.dtype, a.x.data, t * a.x_stride),
             static_cast<size_t>(p.hidden * dtype_bytes(p.dtype)));
  return PLAIT_OK;
}

}  // namespace

const Implementation reference =
    Define<PLAIT_OP_MHC_EXPAND>::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::mhc_expand
