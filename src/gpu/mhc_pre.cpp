// SPDX-License-Identifier: MIT
// pre on a GPU.
#include "src/gpu/lists.h"
#include "src/gpu/mhc.h"

namespace plait::gpu::mhc_pre {
namespace {

using mhc::Problem;
using Args = plait_mhc_pre_args;

template <class Kernel>
plait_status run(const Device &device, const Problem &p, const Args &a, void *stream,
                 const Kernel &kernel) {
  return mhc::run_mix(device, p, a, PLAIT_MHC_NORM_LAYER_INPUT, stream, kernel);
}

plait_status run_generic(const Device &device, const Problem &p, const Args &a, void *stream) {
  return run(device, p, a, stream,
             [&](const kernels::Mix &m) { return mhc::generic_mix(device, a, m, stream); });
}

plait_status run_reference(const Device &device, const Problem &p, const Args &a, void *stream) {
  return run(device, p, a, stream,
             [&](const kernels::Mix &m) { return kernels::mhc_mix_reference(m, stream); });
}

#if defined(PLAIT_WITH_CUDA)
plait_status prepare_sm90(Device &device, const Problem &p, Failure &failure) {
  const CurrentDevice current(device);
  int clusters = 0;
  return runtime(kernels::mhc_pre_sm90_prepare(p.hidden, &clusters), "preparing mhc_pre", failure);
}

plait_status run_sm90(const Device &device, const Problem &p, const Args &a, void *stream) {
  return run(device, p, a, stream, [&](const kernels::Mix &m) {
    return kernels::mhc_pre_sm90(m, gpu(device).wide_clusters, stream);
  });
}
#else
plait_status run_matrix(const Device &device, const Problem &p, const Args &a, void *stream) {
  return run(device, p, a, stream, [&](const kernels::Mix &m) {
    return kernels::mhc_pre_matrix(mhc::matrix_unit(device), nullptr, m,
                                   static_cast<float *>(a.workspace.data), stream);
  });
}
#endif

int64_t workspace(const Device &, const Problem &p, int64_t tokens) {
  return mhc::partial_bytes(p, p.hc_mult * (p.hc_mult + 2), tokens);
}

}  // namespace

using Op = Define<PLAIT_OP_MHC_PRE>;
#if defined(PLAIT_WITH_CUDA)
const Implementation sm90 = Op::make<mhc::can_run_sm90, nullptr, run_sm90, prepare_sm90>("sm90");
#else
const Implementation matrix =
    Op::make<mhc::can_run_matrix, mhc::matrix_workspace, run_matrix>("matrix");
#endif
const Implementation generic = Op::make<nullptr, workspace, run_generic>("generic");
const Implementation reference = Op::make<nullptr, nullptr, run_reference>("reference");

}  // namespace plait::gpu::mhc_pre
