// SPDX-License-Identifier: MIT
// post_pre with SIMD and threads: the kernels of post and pre, a tile of tokens after the other.
#include "src/cpu/lists.h"
#include "src/cpu/mhc/parts.h"
#include "src/cpu/mhc/pre.h"

namespace plait::cpu::mhc_post_pre {
namespace {

int64_t workspace(const Device &device, const plait_mhc_plan_desc &problem, int64_t tokens) {
  return mhc::pre_workspace(device, problem, problem.hc_mult * (problem.hc_mult + 2), tokens);
}

plait_status run(const Device &device, const plait_mhc_plan_desc &problem,
                 const plait_mhc_post_pre_args &args, void *) {
  const plait_mhc_post_args post = mhc::post_part(args);
  mhc::PreJob job = mhc::pre_job(problem, mhc::pre_part(args));
  job.workspace = args.workspace.data;
  job.post_args = &post;
  mhc::run_pre(device, problem, job);
  return PLAIT_OK;
}

}  // namespace

const Implementation fast = Define<PLAIT_OP_MHC_POST_PRE>::make<nullptr, workspace, run>("fast");

}  // namespace plait::cpu::mhc_post_pre
