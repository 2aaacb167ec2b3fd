// SPDX-License-Identifier: MIT
// post on a GPU.
#include "src/gpu/lists.h"
#include "src/gpu/mhc.h"

namespace plait::gpu::mhc_post {
namespace {

using mhc::Problem;
using Args = plait_mhc_post_args;

plait_status run_generic(const Device &device, const Problem &p, const Args &a, void *stream) {
  const plait_status status = mhc::too_many(a.tokens);
  if (status != PLAIT_OK) return status;
  return run_on(device, [&] { return kernels::mhc_post_generic(mhc::post(p, a), stream); });
}

plait_status run_reference(const Device &device, const Problem &p, const Args &a, void *stream) {
  const plait_status status = mhc::too_many(a.tokens);
  if (status != PLAIT_OK) return status;
  return run_on(device, [&] { return kernels::mhc_post_reference(mhc::post(p, a), stream); });
}

}  // namespace

using Op = Define<PLAIT_OP_MHC_POST>;
const Implementation generic = Op::make<nullptr, nullptr, run_generic>("generic");
const Implementation reference = Op::make<nullptr, nullptr, run_reference>("reference");

}  // namespace plait::gpu::mhc_post
