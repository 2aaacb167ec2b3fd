// SPDX-License-Identifier: MIT
// post_pre on a GPU. The paths that are not fused enqueue post, then pre on what it wrote.
#include "src/gpu/lists.h"
#include "src/gpu/mhc.h"

namespace plait::gpu::mhc_post_pre {
namespace {

using mhc::Problem;
using Args = plait_mhc_post_pre_args;

// post, mix, norm.
template <class PostKernel, class MixKernel>
plait_status run(const Device &device, const Problem &p, const Args &a, void *stream,
                 const PostKernel &post, const MixKernel &mix) {
  return mhc::run_mix(device, p, a, PLAIT_MHC_NORM_LAYER_INPUT, stream, [&](const kernels::Mix &m) {
    const hipError_t error = post(mhc::post(p, a));
    return error == hipSuccess ? mix(m) : error;
  });
}

plait_status run_generic(const Device &device, const Problem &p, const Args &a, void *stream) {
  return run(
      device, p, a, stream,
      [&](const kernels::Post &q) { return kernels::mhc_post_generic(q, stream); },
      [&](const kernels::Mix &m) { return mhc::generic_mix(device, a, m, stream); });
}

plait_status run_reference(const Device &device, const Problem &p, const Args &a, void *stream) {
  return run(
      device, p, a, stream,
      [&](const kernels::Post &q) { return kernels::mhc_post_reference(q, stream); },
      [&](const kernels::Mix &m) { return kernels::mhc_mix_reference(m, stream); });
}

#if defined(PLAIT_WITH_CUDA)
plait_status prepare_sm90(Device &device, const Problem &p, Failure &failure) {
  const CurrentDevice current(device);
  int clusters = 0;
  hipError_t error = kernels::mhc_post_pre_sm90_prepare(p.hidden, &clusters);
  if (error == hipSuccess) error = kernels::mhc_pre_sm90_prepare(p.hidden, &clusters);
  return runtime(error, "preparing mhc_post_pre", failure);
}

// One kernel for few tokens. For many, post and pre apart move 1.4 times the bytes in less time:
// the fused kernel is bound by its instructions (docs/measurements/gpu-mhc.md). The bits are the
// same.
constexpr int64_t kFusedTokens = 256;

plait_status run_sm90(const Device &device, const Problem &p, const Args &a, void *stream) {
  const int clusters = gpu(device).wide_clusters;
  const bool fused = a.tokens <= kFusedTokens;
  return run(
      device, p, a, stream,
      [&](const kernels::Post &q) {
        return fused ? hipSuccess : kernels::mhc_post_generic(q, stream);
      },
      [&](const kernels::Mix &m) {
        return fused ? kernels::mhc_post_pre_sm90(mhc::post(p, a), m, clusters, stream)
                     : kernels::mhc_pre_sm90(m, clusters, stream);
      });
}
#else
plait_status run_matrix(const Device &device, const Problem &p, const Args &a, void *stream) {
  return run(
      device, p, a, stream, [](const kernels::Post &) { return hipSuccess; },
      [&](const kernels::Mix &m) {
        const kernels::Post q = mhc::post(p, a);
        return kernels::mhc_pre_matrix(mhc::matrix_unit(device), &q, m,
                                       static_cast<float *>(a.workspace.data), stream);
      });
}
#endif

int64_t workspace(const Device &, const Problem &p, int64_t tokens) {
  return mhc::partial_bytes(p, p.hc_mult * (p.hc_mult + 2), tokens);
}

}  // namespace

using Op = Define<PLAIT_OP_MHC_POST_PRE>;
#if defined(PLAIT_WITH_CUDA)
const Implementation sm90 = Op::make<mhc::can_run_sm90, nullptr, run_sm90, prepare_sm90>("sm90");
#else
const Implementation matrix =
    Op::make<mhc::can_run_matrix, mhc::matrix_workspace, run_matrix>("matrix");
#endif
const Implementation generic = Op::make<nullptr, workspace, run_generic>("generic");
const Implementation reference = Op::make<nullptr, nullptr, run_reference>("reference");

}  // namespace plait::gpu::mhc_post_pre
