// SPDX-License-Identifier: MIT
/**
 * @file finish.h
 * @brief The second half of pre and head for one token: partial products to mixes, then the
 *        collapse. Shared by every path whose products come from another kernel.
 */
#ifndef PLAIT_KERNELS_MHC_FINISH_H
#define PLAIT_KERNELS_MHC_FINISH_H

#include "kernels/isa/launch.h"
#include "kernels/mhc.h"
#include "kernels/mhc/apply.h"
#include "kernels/mhc/element.h"
#include "kernels/mhc/gates.h"

namespace plait::kernels {

constexpr int kMaxStreams = 8;
constexpr int kMaxRows = kMaxStreams * (kMaxStreams + 2);
constexpr int kFinishThreads = 256;

/// Products of one token, and what follows from them.
struct TokenMixes {
  float m[kMaxRows + 1];  // products; after them the sum of squares
  float pre[kMaxStreams];
};

/// The gate arguments: product * g * scale + base.
__device__ inline float gate(const Mix &mix, const float *m, float g, int row, int group) {
  return m[row] * g * mix.scale[group] + mix.base[row];
}

/// Fills s.pre and writes the mixes of token t. All threads of the block call it; s.m is complete.
template <int Wave>
__device__ void finish_mixes(const Mix &mix, TokenMixes &s, int64_t t) {
  const int tid = static_cast<int>(threadIdx.x), n = mix.v.n;
  const float g = rms_factor(s.m[mix.rows], mix.v.hidden * n, mix.rms_eps);
  if (tid < n) {
    const float pre = sigmoid(gate(mix, s.m, g, tid, 0)) + mix.pre_eps;
    s.pre[tid] = pre;
    if (mix.pre_mix) mix.pre_mix[t * mix.pre_mix_stride + tid] = pre;
    if (mix.post_mix)
      mix.post_mix[t * mix.post_mix_stride + tid] =
          mix.post_mult * sigmoid(gate(mix, s.m, g, n + tid, 1));
  }
  if (mix.comb_mix && tid < Wave) {  // one whole wave; its first 8 lanes count
    float c[kMaxStreams];
    const int lane = tid % 8;
#pragma unroll
    for (int i = 0; i < kMaxStreams; ++i)
      c[i] = i < n && lane < n ? gate(mix, s.m, g, 2 * n + i * n + lane, 2) : 0.0f;
    sinkhorn_lanes(c, lane, n, mix.sinkhorn_iters, mix.sinkhorn_eps);
    if (tid < n) {
#pragma unroll
      for (int i = 0; i < kMaxStreams; ++i)
        if (i < n) mix.comb_mix[t * mix.comb_mix_stride + i * n + tid] = c[i];
    }
  }
  __syncthreads();  // s.pre is read by all
}

/// The collapse factors of the delayed form, which come from the caller.
__device__ inline void take_previous(const Mix &mix, TokenMixes &s, int64_t t) {
  const int tid = static_cast<int>(threadIdx.x);
  if (mix.prev_pre && tid < mix.v.n) s.pre[tid] = mix.prev_pre[t * mix.prev_pre_stride + tid];
  __syncthreads();  // s.pre is read by all
}

/// y of token t, `Vec` columns a thread and step. Threads is the block's size.
template <class T, int Vec, int Threads>
__device__ void collapse_token(const Mix &mix, const TokenMixes &s, int64_t t) {
  const int n = mix.v.n;
  const bool first_only = mix.delayed && !mix.prev_pre;
  float pre[kMaxStreams];
#pragma unroll
  for (int i = 0; i < kMaxStreams; ++i) pre[i] = i < n && !first_only ? s.pre[i] : 0.0f;
  const int64_t row = t * mix.v.token_stride;
  for (int64_t h = static_cast<int64_t>(threadIdx.x) * Vec; h < mix.v.hidden; h += Threads * Vec) {
    Pack<T, Vec> v[kMaxStreams], y;
#pragma unroll
    for (int i = 0; i < kMaxStreams; ++i)
      if (i < n) v[i] = load_pack<T, Vec>(mix.v.data, row + i * mix.v.stream_stride + h);
    if (first_only) {
      y = v[0];
    } else {
#pragma unroll
      for (int e = 0; e < Vec; ++e) {
        float x[kMaxStreams];
#pragma unroll
        for (int i = 0; i < kMaxStreams; ++i) x[i] = i < n ? T::to_float(v[i].v[e]) : 0.0f;
        y.v[e] = T::round(collapse(pre, x, n));
      }
    }
    store_pack<T, Vec>(mix.y, t * mix.y_stride + h, y);
  }
}

/**
 * One block a token. partial is [token][chunk][rows + 1]; chunks are added in ascending order.
 * `base_token` is added to the block's number: partial holds only the tokens of this launch.
 */
template <class T, int Vec, int Wave>
__global__ __launch_bounds__(kFinishThreads) void mhc_finish(Mix mix, const float *partial,
                                                             int chunks, int64_t base_token) {
  __shared__ TokenMixes s;
  const int64_t local = blockIdx.x, t = base_token + local;
  const int tid = static_cast<int>(threadIdx.x), columns = mix.rows + 1;
  if (mix.fn) {
    if (tid < columns) {
      const float *p = partial + local * chunks * columns + tid;
      float sum = 0.0f;
      for (int c = 0; c < chunks; ++c) sum += p[static_cast<int64_t>(c) * columns];
      s.m[tid] = sum;
    }
    __syncthreads();  // s.m is read by all
    finish_mixes<Wave>(mix, s, t);
  }
  if (mix.delayed) take_previous(mix, s, t);
  collapse_token<T, Vec, kFinishThreads>(mix, s, t);
}

/// True where rows of 16-byte packs are aligned: pointer, strides, width.
template <class T>
bool packs_fit(const void *data, int64_t stride_a, int64_t stride_b) {
  constexpr int64_t vec = 16 / sizeof(typename T::Storage);
  return reinterpret_cast<uintptr_t>(data) % 16 == 0 && stride_a % vec == 0 && stride_b % vec == 0;
}

/// Enqueues mhc_finish for `count` tokens from `first`.
inline hipError_t launch_finish(const Mix &mix, const float *partial, int chunks, int64_t first,
                                int64_t count, int32_t wave_size, void *stream) {
  return for_dtype(mix.v.dtype, [&](auto type) {
    using T = decltype(type);
    constexpr int vec = 16 / sizeof(typename T::Storage);
    const bool packed = mix.v.hidden % vec == 0 &&
                        packs_fit<T>(mix.v.data, mix.v.token_stride, mix.v.stream_stride) &&
                        packs_fit<T>(mix.y, mix.y_stride, 0);
    const auto kernel = packed ? (wave_size == 64 ? mhc_finish<T, vec, 64> : mhc_finish<T, vec, 32>)
                               : (wave_size == 64 ? mhc_finish<T, 1, 64> : mhc_finish<T, 1, 32>);
    return launch(kernel, dim3(static_cast<unsigned>(count)), dim3(kFinishThreads), 0, stream, mix,
                  partial, chunks, first);
  });
}

}  // namespace plait::kernels

#endif
