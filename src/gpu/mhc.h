// SPDX-License-Identifier: MIT
// From the public problem and argument structs to those of the kernels: what the mHC operations of
// the GPU share.
#ifndef PLAIT_SRC_GPU_MHC_H
#define PLAIT_SRC_GPU_MHC_H

#include "kernels/mhc.h"
#include "src/gpu/device.h"

namespace plait::gpu::mhc {

using Problem = plait_mhc_plan_desc;

// The residual that a call reads: [T, n, H], or n times a row of [T, H] when `broadcast`.
template <class Args>
kernels::Streams streams(const Problem &p, const Args &a, bool broadcast) {
  return {a.residual.data, a.residual_stride, broadcast ? 0 : p.hidden,
          a.tokens,        p.hidden,          p.hc_mult,
          p.dtype};
}

// What pre and post_pre have in common. The caller sets v, and the two mixes that are named
// differently.
template <class Args>
kernels::Mix mix(const Problem &p, const Args &a) {
  kernels::Mix m{};
  m.rows = p.hc_mult * (p.hc_mult + 2);
  m.fn_dtype = p.fn_dtype;
  m.fn = a.fn.data;
  m.base = static_cast<const float *>(a.base.data);
  m.scale = static_cast<const float *>(a.scale.data);
  m.delayed = p.collapse == PLAIT_MHC_COLLAPSE_DELAYED;
  m.sinkhorn_iters = p.sinkhorn_iters;
  m.rms_eps = p.rms_eps;
  m.pre_eps = p.pre_eps;
  m.sinkhorn_eps = p.sinkhorn_eps;
  m.post_mult = p.post_mult;
  m.prev_pre = static_cast<const float *>(a.prev_pre.data);
  m.prev_pre_stride = a.prev_pre_stride;
  m.pre_mix = static_cast<float *>(a.pre_mix.data);
  m.pre_mix_stride = a.pre_mix_stride;
  m.y = a.layer_input.data;
  m.y_stride = a.layer_input_stride;
  return m;
}

inline kernels::Mix mix_of(const Problem &p, const plait_mhc_pre_args &a) {
  kernels::Mix m = mix(p, a);
  m.v = streams(p, a, a.broadcast != 0);
  m.post_mix = static_cast<float *>(a.post_mix.data);
  m.post_mix_stride = a.post_mix_stride;
  m.comb_mix = static_cast<float *>(a.comb_mix.data);
  m.comb_mix_stride = a.comb_mix_stride;
  return m;
}

// The pre half of post_pre reads what its post half wrote.
inline kernels::Mix mix_of(const Problem &p, const plait_mhc_post_pre_args &a) {
  kernels::Mix m = mix(p, a);
  m.v = {
      a.residual_out.data, a.residual_out_stride, p.hidden, a.tokens, p.hidden, p.hc_mult, p.dtype};
  m.post_mix = static_cast<float *>(a.next_post_mix.data);
  m.post_mix_stride = a.next_post_mix_stride;
  m.comb_mix = static_cast<float *>(a.next_comb_mix.data);
  m.comb_mix_stride = a.next_comb_mix_stride;
  return m;
}

// head is pre with n rows, without post and comb.
inline kernels::Mix mix_of(const Problem &p, const plait_mhc_head_args &a) {
  kernels::Mix m{};
  m.v = streams(p, a, false);
  m.rows = p.hc_mult;
  m.fn_dtype = p.fn_dtype;
  m.fn = a.fn.data;
  m.base = static_cast<const float *>(a.base.data);
  m.scale = static_cast<const float *>(a.scale.data);
  m.delayed = p.collapse == PLAIT_MHC_COLLAPSE_DELAYED;
  m.rms_eps = p.rms_eps;
  m.pre_eps = p.pre_eps;
  m.prev_pre = static_cast<const float *>(a.prev_pre.data);
  m.prev_pre_stride = a.prev_pre_stride;
  m.y = a.out.data;
  m.y_stride = a.out_stride;
  return m;
}

template <class Args>
kernels::Post post(const Problem &p, const Args &a) {
  kernels::Post q{};
  q.v = streams(p, a, a.broadcast != 0);
  q.x = a.x.data;
  q.x2 = a.x2.data;
  q.x_stride = a.x_stride;
  q.x2_stride = a.x2_stride;
  q.post_mix = static_cast<const float *>(a.post_mix.data);
  q.post_mix_stride = a.post_mix_stride;
  q.comb_mix = static_cast<const float *>(a.comb_mix.data);
  q.comb_mix_stride = a.comb_mix_stride;
  q.out = a.residual_out.data;
  q.out_stride = a.residual_out_stride;
  return q;
}

// The norm that follows a mix, if the plan folds it in.
inline hipError_t fold_norm(const Device &device, const Problem &p, int32_t bit,
                            const kernels::Mix &m, const void *weight, void *stream) {
  if (!(p.norm & bit)) return hipSuccess;
  const kernels::Norm norm{m.y,    m.y_stride, m.v.tokens, p.hidden,
                           weight, p.norm_eps, p.dtype,    p.norm_weight_dtype};
  return kernels::mhc_norm(norm, device.info.wave_size, stream);
}

// Grids count tokens in 31 bits.
inline plait_status too_many(int64_t tokens) {
  return tokens > INT32_MAX ? status_of(PLAIT_ERROR_UNSUPPORTED_SHAPE, PLAIT_ARG_TOKENS) : PLAIT_OK;
}

// Enqueues a mix by `kernel`, then the norm that bit `norm` of the plan asks for: pre, post_pre
// (whose kernel does post, too) and head.
template <class Args, class Kernel>
plait_status run_mix(const Device &device, const Problem &p, const Args &a, int32_t norm,
                     void *stream, const Kernel &kernel) {
  const plait_status status = too_many(a.tokens);
  if (status != PLAIT_OK) return status;
  return run_on(device, [&] {
    const kernels::Mix m = mix_of(p, a);
    const hipError_t error = kernel(m);
    if (error != hipSuccess) return error;
    return fold_norm(device, p, norm, m, a.norm_weight.data, stream);
  });
}

template <class Args>
hipError_t generic_mix(const Device &device, const Args &a, const kernels::Mix &m, void *stream) {
  return kernels::mhc_mix_generic(m, static_cast<float *>(a.workspace.data), device.info.wave_size,
                                  stream);
}

// Workspace of the generic mix.
inline int64_t partial_bytes(const Problem &p, int32_t rows, int64_t tokens) {
  return kernels::mhc_mix_partials(p.hc_mult, p.hidden, rows, tokens) * 4;
}

#if defined(PLAIT_WITH_CUDA)
// Hopper's one pass over the residual, for pre and post_pre alike.
inline plait_status can_run_sm90(const Device &device, const Problem &p, Reason &reason) {
  if (device.info.arch_major != 9) {
    reason.set("%s is not sm_90", device.info.arch);
    return status_of(PLAIT_ERROR_UNSUPPORTED_DEVICE, PLAIT_ARG_DEVICE);
  }
  if (gpu(device).wide_clusters < 1) {
    reason.set("the device runs no clusters of 16 blocks");
    return status_of(PLAIT_ERROR_UNSUPPORTED_DEVICE, PLAIT_ARG_DEVICE);
  }
  if (p.hc_mult != 4) {
    reason.set("hc_mult %d is not 4", p.hc_mult);
    return status_of(PLAIT_ERROR_UNSUPPORTED_SHAPE, PLAIT_ARG_HC_MULT);
  }
  if (p.hidden % 128 != 0 || p.hidden > 7168) {
    reason.set("hidden %lld is not a multiple of 128 up to 7168", static_cast<long long>(p.hidden));
    return status_of(PLAIT_ERROR_UNSUPPORTED_SHAPE, PLAIT_ARG_HIDDEN);
  }
  if (p.dtype != PLAIT_DTYPE_BF16 || p.fn_dtype != PLAIT_DTYPE_F32) {
    reason.set("it takes a bf16 residual and an f32 fn");
    return status_of(PLAIT_ERROR_UNSUPPORTED_DTYPE,
                     p.dtype != PLAIT_DTYPE_BF16 ? PLAIT_ARG_DTYPE : PLAIT_ARG_FN_DTYPE);
  }
  return PLAIT_OK;
}
#endif

#if !defined(PLAIT_WITH_CUDA)
// AMD's matrix unit of the device.
inline kernels::MatrixUnit matrix_unit(const Device &device) {
  const int32_t arch = device.info.arch_major;
  if (arch == 0x90a || arch == 0x942 || arch == 0x950) return kernels::MatrixUnit::mfma;
  if (arch >> 8 == 0x11) return kernels::MatrixUnit::wmma_gfx11;
  if (arch >> 8 == 0x12) return kernels::MatrixUnit::wmma_gfx12;
  return kernels::MatrixUnit::none;
}

inline plait_status can_run_matrix(const Device &device, const Problem &p, Reason &reason) {
  if (matrix_unit(device) == kernels::MatrixUnit::none) {
    reason.set("%s has no matrix unit for bf16 that is used here", device.info.arch);
    return status_of(PLAIT_ERROR_UNSUPPORTED_DEVICE, PLAIT_ARG_DEVICE);
  }
  if (p.hc_mult != 4) {
    reason.set("hc_mult %d is not 4", p.hc_mult);
    return status_of(PLAIT_ERROR_UNSUPPORTED_SHAPE, PLAIT_ARG_HC_MULT);
  }
  if (p.hidden % 64 != 0) {
    reason.set("hidden %lld is not a multiple of 64", static_cast<long long>(p.hidden));
    return status_of(PLAIT_ERROR_UNSUPPORTED_SHAPE, PLAIT_ARG_HIDDEN);
  }
  if (p.dtype != PLAIT_DTYPE_BF16 || p.fn_dtype != PLAIT_DTYPE_F32) {
    reason.set("it takes a bf16 residual and an f32 fn");
    return status_of(PLAIT_ERROR_UNSUPPORTED_DTYPE,
                     p.dtype != PLAIT_DTYPE_BF16 ? PLAIT_ARG_DTYPE : PLAIT_ARG_FN_DTYPE);
  }
  return PLAIT_OK;
}

inline int64_t matrix_workspace(const Device &, const Problem &p, int64_t tokens) {
  return kernels::mhc_matrix_partials(p.hidden, tokens) * 4;
}
#endif

}  // namespace plait::gpu::mhc

#endif
