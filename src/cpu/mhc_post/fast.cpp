// SPDX-License-Identifier: MIT
// post with SIMD: tokens over the threads, and blocks of columns where tokens are few.
#include "src/cpu/device.h"
#include "src/cpu/lists.h"
#include "src/cpu/mhc/post.h"

namespace plait::cpu::mhc_post {
namespace {

plait_status run(const Device &device, const plait_mhc_plan_desc &problem,
                 const plait_mhc_post_args &args, void *) {
  mhc::run_post(device, problem, args);
  return PLAIT_OK;
}

}  // namespace

const Implementation fast = Define<PLAIT_OP_MHC_POST>::make<nullptr, nullptr, run>("fast");

}  // namespace plait::cpu::mhc_post
