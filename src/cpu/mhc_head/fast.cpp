// SPDX-License-Identifier: MIT
// head with SIMD and threads: pre with n rows of fn, or the collapse alone.
#include "src/cpu/lists.h"
#include "src/cpu/mhc/pre.h"

namespace plait::cpu::mhc_head {
namespace {

int64_t workspace(const Device &device, const plait_mhc_plan_desc &problem, int64_t tokens) {
  const bool delayed = problem.collapse == PLAIT_MHC_COLLAPSE_DELAYED;
  return mhc::pre_workspace(device, problem, delayed ? 0 : problem.hc_mult, tokens);
}

plait_status run(const Device &device, const plait_mhc_plan_desc &problem,
                 const plait_mhc_head_args &a, void *) {
  mhc::PreJob job{};
  job.tokens = a.tokens;
  job.residual = a.residual.data;
  job.residual_stride = a.residual_stride;
  job.stream_stride = problem.hidden;
  job.rows = problem.hc_mult;
  job.delayed = problem.collapse == PLAIT_MHC_COLLAPSE_DELAYED;
  job.fn = job.delayed ? nullptr : a.fn.data;
  job.base = static_cast<const float *>(a.base.data);
  job.scale = static_cast<const float *>(a.scale.data);
  job.prev_pre = static_cast<const float *>(a.prev_pre.data);
  job.prev_pre_stride = a.prev_pre_stride;
  job.norm_weight = a.norm_weight.data;
  job.out = a.out.data;
  job.out_stride = a.out_stride;
  job.workspace = a.workspace.data;
  mhc::run_pre(device, problem, job);
  return PLAIT_OK;
}

}  // namespace

const Implementation fast = Define<PLAIT_OP_MHC_HEAD>::make<nullptr, workspace, run>("fast");

}  // namespace plait::cpu::mhc_head
