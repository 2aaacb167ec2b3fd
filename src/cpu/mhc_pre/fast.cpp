// SPDX-License-Identifier: MIT
// pre with SIMD and threads: see src/cpu/mhc/pre.cpp.
#include "src/cpu/lists.h"
#include "src/cpu/mhc/pre.h"

namespace plait::cpu::mhc_pre {
namespace {

int64_t workspace(const Device &device, const plait_mhc_plan_desc &problem, int64_t tokens) {
  return mhc::pre_workspace(device, problem, problem.hc_mult * (problem.hc_mult + 2), tokens);
}

plait_status run(const Device &device, const plait_mhc_plan_desc &problem,
                 const plait_mhc_pre_args &args, void *) {
  mhc::run_pre(device, problem, mhc::pre_job(problem, args));
  return PLAIT_OK;
}

}  // namespace

const Implementation fast = Define<PLAIT_OP_MHC_PRE>::make<nullptr, workspace, run>("fast");

}  // namespace plait::cpu::mhc_pre
