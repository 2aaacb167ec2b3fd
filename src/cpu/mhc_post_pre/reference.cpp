// SPDX-License-Identifier: MIT
// post_pre: post, then pre on the residual that it wrote. Contract 1.3.
#include "src/cpu/lists.h"
#include "src/cpu/mhc/parts.h"

namespace plait::cpu::mhc_post_pre {
namespace {

plait_status run(const Device &device, const plait_mhc_plan_desc &problem,
                 const plait_mhc_post_pre_args &args, void *stream) {
  const plait_mhc_post_args post = mhc::post_part(args);
  const plait_mhc_pre_args pre = mhc::pre_part(args);
  const plait_status status = mhc_post::reference.run(device, &problem, &post, stream);
  if (status != PLAIT_OK) return status;
  return mhc_pre::reference.run(device, &problem, &pre, stream);
}

}  // namespace

const Implementation reference =
    Define<PLAIT_OP_MHC_POST_PRE>::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::mhc_post_pre
