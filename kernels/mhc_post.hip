// SPDX-License-Identifier: MIT
// post: one thread for a few neighbouring columns of all streams of a token, so the residual may be
// overwritten in place. Reads and writes stream past the caches; the n + n*n mixes of a token are
// the same for all its threads and come from the cache.
//
//     block x: columns in steps of 128 * Vec, y and z: tokens
#include "kernels/isa/launch.h"
#include "kernels/mhc.h"
#include "kernels/mhc/apply.h"
#include "kernels/mhc/element.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 128, kMaxStreams = 8;  // 128 * 8 columns divide the models' widths
// Grids are limited to 65535 in y; tokens beyond go to z.
constexpr int64_t kTokensY = 32768;

// Any n at run time, one column a thread and step: the form to read beside the contract.
template <class T>
__global__ __launch_bounds__(kThreads) void mhc_post_plain(Post p) {
  const int64_t t = static_cast<int64_t>(blockIdx.z) * kTokensY + blockIdx.y;
  if (t >= p.v.tokens) return;
  const int n = p.v.n;
  const float *post = p.post_mix + t * p.post_mix_stride;
  const float *comb = p.comb_mix ? p.comb_mix + t * p.comb_mix_stride : nullptr;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t h = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; h < p.v.hidden;
       h += step) {
    float x = load<T>(p.x, t * p.x_stride + h);
    if (p.x2) x += load<T>(p.x2, t * p.x2_stride + h);
    float v[kMaxStreams];
#pragma unroll
    for (int i = 0; i < kMaxStreams; ++i)
      v[i] = i < n ? load<T>(p.v.data, t * p.v.token_stride + i * p.v.stream_stride + h) : 0.0f;
#pragma unroll
    for (int j = 0; j < kMaxStreams; ++j) {
      if (j >= n) continue;
      float out = 0.0f;
      if (comb) {
        float column[kMaxStreams];
#pragma unroll
        for (int i = 0; i < kMaxStreams; ++i) column[i] = i < n ? comb[i * n + j] : 0.0f;
        out = mixed(post[j], x, column, v, n);
      } else {
        out = mixed_identity(post[j], x, v[j]);
      }
      store<T>(p.out, t * p.out_stride + j * p.v.hidden + h, out);
    }
  }
}

// Count floats, by 16-byte reads where they are aligned.
template <int Count>
__device__ void read_mixes(float (&to)[Count], const float *from, bool aligned) {
#pragma unroll
  for (int i = 0; i < Count; i += 4) {
    if (aligned) {
      const float4 v = *reinterpret_cast<const float4 *>(from + i);
      to[i] = v.x, to[i + 1] = v.y, to[i + 2] = v.z, to[i + 3] = v.w;
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e) to[i + e] = from[i + e];
    }
  }
}

// 4 streams, 16 bytes a thread and stream.
template <class T>
__global__ __launch_bounds__(kThreads) void mhc_post_packed(Post p, bool mixes_aligned) {
  constexpr int N = 4;
  constexpr int vec = 16 / sizeof(typename T::Storage);
  const int64_t t = static_cast<int64_t>(blockIdx.z) * kTokensY + blockIdx.y;
  const int64_t h = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * vec;
  if (t >= p.v.tokens || h >= p.v.hidden) return;
  using P = Pack<T, vec>;
  P v[N], x = load_pack<T, vec>(p.x, t * p.x_stride + h), x2{};
  if (p.x2) x2 = load_pack<T, vec>(p.x2, t * p.x2_stride + h);
#pragma unroll
  for (int i = 0; i < N; ++i)
    v[i] = load_pack<T, vec>(p.v.data, t * p.v.token_stride + i * p.v.stream_stride + h);
  float post[N], mixes[N * N], comb[N][N];
  read_mixes(post, p.post_mix + t * p.post_mix_stride, mixes_aligned);
  if (p.comb_mix) {
    read_mixes(mixes, p.comb_mix + t * p.comb_mix_stride, mixes_aligned);
#pragma unroll
    for (int j = 0; j < N; ++j)
#pragma unroll
      for (int i = 0; i < N; ++i) comb[j][i] = mixes[i * N + j];
  }
  P out[N];
#pragma unroll
  for (int e = 0; e < vec; ++e) {
    float xf = T::to_float(x.v[e]), vf[N];
    if (p.x2) xf += T::to_float(x2.v[e]);
#pragma unroll
    for (int i = 0; i < N; ++i) vf[i] = T::to_float(v[i].v[e]);
#pragma unroll
    for (int j = 0; j < N; ++j)
      out[j].v[e] = T::round(p.comb_mix ? mixed(post[j], xf, comb[j], vf)
                                        : mixed_identity(post[j], xf, vf[j]));
  }
#pragma unroll
  for (int j = 0; j < N; ++j)
    store_pack<T, vec>(p.out, t * p.out_stride + j * p.v.hidden + h, out[j]);
}

dim3 grid_of(int64_t tokens, int64_t columns) {
  return dim3(blocks_for(columns, kThreads),
              static_cast<unsigned>(tokens < kTokensY ? tokens : kTokensY),
              blocks_for(tokens, kTokensY));
}

template <class T>
bool packed_fits(const Post &p) {
  constexpr int64_t vec = 16 / sizeof(typename T::Storage);
  const auto fits = [](const void *data, int64_t stride) {
    return reinterpret_cast<uintptr_t>(data) % 16 == 0 && stride % vec == 0;
  };
  return p.v.n == 4 && p.v.hidden % vec == 0 && fits(p.v.data, p.v.token_stride) &&
         fits(p.out, p.out_stride) && fits(p.x, p.x_stride) && fits(p.x2, p.x2_stride);
}

}  // namespace

hipError_t mhc_post_reference(const Post &p, void *stream) {
  return for_dtype(p.v.dtype, [&](auto type) {
    return launch(mhc_post_plain<decltype(type)>, grid_of(p.v.tokens, p.v.hidden), dim3(kThreads),
                  0, stream, p);
  });
}

hipError_t mhc_post_generic(const Post &p, void *stream) {
  return for_dtype(p.v.dtype, [&](auto type) {
    using T = decltype(type);
    constexpr int64_t vec = 16 / sizeof(typename T::Storage);
    if (!packed_fits<T>(p)) return mhc_post_reference(p, stream);
    const auto aligned = [](const float *data, int64_t stride) {
      return reinterpret_cast<uintptr_t>(data) % 16 == 0 && stride % 4 == 0;
    };
    return launch(mhc_post_packed<T>, grid_of(p.v.tokens, p.v.hidden / vec), dim3(kThreads), 0,
                  stream, p,
                  aligned(p.post_mix, p.post_mix_stride) && aligned(p.comb_mix, p.comb_mix_stride));
  });
}

}  // namespace plait::kernels
