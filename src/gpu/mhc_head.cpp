// SPDX-License-Identifier: MIT
// head on a GPU: pre's kernels with n rows of fn.
#include "src/gpu/lists.h"
#include "src/gpu/mhc.h"

namespace plait::gpu::mhc_head {
namespace {

using mhc::Problem;
using Args = plait_mhc_head_args;

template <class Kernel>
plait_status run(const Device &device, const Problem &p, const Args &a, void *stream,
                 const Kernel &kernel) {
  return mhc::run_mix(device, p, a, PLAIT_MHC_NORM_HEAD, stream, kernel);
}

plait_status run_generic(const Device &device, const Problem &p, const Args &a, void *stream) {
  return run(device, p, a, stream,
             [&](const kernels::Mix &m) { return mhc::generic_mix(device, a, m, stream); });
}

plait_status run_reference(const Device &device, const Problem &p, const Args &a, void *stream) {
  return run(device, p, a, stream,
             [&](const kernels::Mix &m) { return kernels::mhc_mix_reference(m, stream); });
}

int64_t workspace(const Device &, const Problem &p, int64_t tokens) {
  return p.collapse == PLAIT_MHC_COLLAPSE_DELAYED ? 0 : mhc::partial_bytes(p, p.hc_mult, tokens);
}

}  // namespace

using Op = Define<PLAIT_OP_MHC_HEAD>;
const Implementation generic = Op::make<nullptr, workspace, run_generic>("generic");
const Implementation reference = Op::make<nullptr, nullptr, run_reference>("reference");

}  // namespace plait::gpu::mhc_head
