// SPDX-License-Identifier: MIT
/**
 * @file mhc.h
 * @brief The mHC kernels as the host side sees them: their arguments, and one function a kernel
 *        that enqueues it. Formulas: docs/contract.md, section 1.
 *
 * Strides are in elements. A stream stride of 0 makes n equal streams of one row (broadcast).
 */
#ifndef PLAIT_KERNELS_MHC_H
#define PLAIT_KERNELS_MHC_H

#include "kernels/isa/hip_compat.h"

namespace plait::kernels {

/// The residual that a kernel reads.
struct Streams {
  const void *data;
  int64_t token_stride, stream_stride;
  int64_t tokens, hidden;
  int32_t n;
  int32_t dtype;
};

/// pre and head: products with fn, gates, collapse. head has `rows` = n, pre n * (n + 2).
struct Mix {
  Streams v;
  int32_t rows;
  int32_t fn_dtype;
  const void *fn;  // NULL: no products, the collapse takes prev_pre (the delayed head)
  const float *base;
  const float *scale;
  int32_t delayed;  // collapse by prev_pre, or by stream 0 where that is NULL
  int32_t sinkhorn_iters;
  float rms_eps, pre_eps, sinkhorn_eps, post_mult;
  const float *prev_pre;
  int64_t prev_pre_stride;
  float *pre_mix;  // may be NULL, as are the two below for head
  int64_t pre_mix_stride;
  float *post_mix;
  int64_t post_mix_stride;
  float *comb_mix;
  int64_t comb_mix_stride;
  void *y;  // the collapsed stream, of v's dtype
  int64_t y_stride;
};

/// post: the streams after a sublayer.
struct Post {
  Streams v;
  const void *x, *x2;  // x2 may be NULL
  int64_t x_stride, x2_stride;
  const float *post_mix;
  int64_t post_mix_stride;
  const float *comb_mix;  // NULL: identity
  int64_t comb_mix_stride;
  void *out;
  int64_t out_stride;
};

/// An RMSNorm of rows, in place.
struct Norm {
  void *y;
  int64_t y_stride, tokens, hidden;
  const void *weight;
  float eps;
  int32_t dtype, weight_dtype;
};

/// One thread block a token, products summed in double: the form to read beside the contract.
hipError_t mhc_mix_reference(const Mix &mix, void *stream);
hipError_t mhc_post_reference(const Post &post, void *stream);

/// Any shape. `partial` holds mhc_mix_partials() floats; the tokens are those of mix.v.
hipError_t mhc_mix_generic(const Mix &mix, float *partial, int32_t wave_size, void *stream);
int64_t mhc_mix_partials(int32_t n, int64_t hidden, int32_t rows, int64_t tokens);
hipError_t mhc_post_generic(const Post &post, void *stream);

hipError_t mhc_norm(const Norm &norm, int32_t wave_size, void *stream);
hipError_t mhc_expand(const Streams &x, void *out, int64_t out_stride, void *stream);

#if !defined(PLAIT_WITH_CUDA)
/// AMD's matrix instructions, for n 4, a bf16 residual, f32 fn and H % 64 == 0. `post` may be NULL;
/// else mix.v is what it writes. `partial` holds mhc_matrix_partials() floats.
enum class MatrixUnit { none, mfma, wmma_gfx11, wmma_gfx12 };
hipError_t mhc_pre_matrix(MatrixUnit unit, const Post *post, const Mix &mix, float *partial,
                          void *stream);
int64_t mhc_matrix_partials(int64_t hidden, int64_t tokens);
#endif

#if defined(PLAIT_WITH_CUDA)
/// Hopper's one pass: n 4, bf16, f32 fn, H % 128 == 0, H <= 7168. `prepare` is setup work on the
/// current device and gives the number of clusters that run at once there, which may be 0.
hipError_t mhc_pre_sm90_prepare(int64_t hidden, int *clusters);
hipError_t mhc_pre_sm90(const Mix &mix, int clusters, void *stream);
hipError_t mhc_post_pre_sm90_prepare(int64_t hidden, int *clusters);
hipError_t mhc_post_pre_sm90(const Post &post, const Mix &mix, int clusters, void *stream);
#endif

}  // namespace plait::kernels

#endif
