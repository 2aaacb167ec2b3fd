// SPDX-License-Identifier: MIT
// pre and head for any shape: the reference, and the generic path in two kernels.
//
// Generic: mhc_products takes a tile of 8 tokens and a chunk of 2048 elements of their flattened
// streams, and writes one partial sum per token and row of fn (and the sum of squares) for it:
//
//     v [tile 8][chunk 2048] in registers: thread t holds elements t, t + 256, … of each token
//     for each row: 8 products a thread and token, then over lanes, then over waves, in fixed order
//
// mhc_finish adds the chunks in ascending order. The order of every addition depends on n, H and
// the wave size alone, so a token's bits do not depend on T.
#include "kernels/mhc/finish.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 256, kTile = 8, kPerThread = 8;
constexpr int64_t kChunk = kThreads * kPerThread;
// Tokens whose partial sums are in flight at once: bounds the workspace.
constexpr int64_t kBatch = 4096;

int64_t chunks_of(int32_t n, int64_t hidden) { return (n * hidden + kChunk - 1) / kChunk; }

// --- Reference ----------------------------------------------------------------------------------

__device__ double block_sum(double value, double *lds) {
  const unsigned tid = threadIdx.x;
  __syncthreads();  // lds may still be read from the sum before
  lds[tid] = value;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (tid < half) lds[tid] += lds[tid + half];
    __syncthreads();
  }
  return lds[0];
}

__device__ double sigmoid_double(double x) { return 1.0 / (1.0 + exp(-x)); }

// Contract 1.1's sinkhorn by one thread.
__device__ void sinkhorn_plain(double *c, int n, int iters, double eps) {
  for (int i = 0; i < n; ++i) {
    double largest = c[i * n], sum = 0;
    for (int j = 1; j < n; ++j) largest = fmax(largest, c[i * n + j]);
    for (int j = 0; j < n; ++j) sum += c[i * n + j] = exp(c[i * n + j] - largest);
    for (int j = 0; j < n; ++j) c[i * n + j] = c[i * n + j] / sum + eps;
  }
  for (int step = 0; step < iters; ++step) {
    for (int i = 0; i < n && step > 0; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += c[i * n + j];
      for (int j = 0; j < n; ++j) c[i * n + j] /= sum + eps;
    }
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += c[i * n + j];
      for (int i = 0; i < n; ++i) c[i * n + j] /= sum + eps;
    }
  }
}

template <class T, class F>
__global__ __launch_bounds__(kThreads) void mhc_reference(Mix mix) {
  __shared__ double lds[kThreads], m[kMaxRows], c[kMaxStreams * kMaxStreams];
  __shared__ TokenMixes s;
  const int64_t t = blockIdx.x, H = mix.v.hidden;
  const int n = mix.v.n, tid = static_cast<int>(threadIdx.x);
  const auto v = [&](int i, int64_t h) {
    return load<T>(mix.v.data, t * mix.v.token_stride + i * mix.v.stream_stride + h);
  };
  if (mix.fn) {
    double squares = 0;
    for (int i = 0; i < n; ++i)
      for (int64_t h = tid; h < H; h += kThreads)
        squares += static_cast<double>(v(i, h)) * static_cast<double>(v(i, h));
    squares = block_sum(squares, lds);
    const double g =
        1.0 / sqrt(squares / static_cast<double>(n * H) + static_cast<double>(mix.rms_eps));
    for (int r = 0; r < mix.rows; ++r) {
      double sum = 0;
      for (int i = 0; i < n; ++i)
        for (int64_t h = tid; h < H; h += kThreads)
          sum += static_cast<double>(load<F>(mix.fn, (r * n + i) * H + h)) *
                 static_cast<double>(v(i, h));
      sum = block_sum(sum, lds);
      const int group = r < n ? 0 : r < 2 * n ? 1 : 2;
      if (tid == 0)
        m[r] = sum * g * static_cast<double>(mix.scale[group]) + static_cast<double>(mix.base[r]);
    }
    if (tid == 0) {
      for (int i = 0; i < n; ++i) {
        s.pre[i] = static_cast<float>(sigmoid_double(m[i]) + static_cast<double>(mix.pre_eps));
        if (mix.pre_mix) mix.pre_mix[t * mix.pre_mix_stride + i] = s.pre[i];
        if (mix.post_mix)
          mix.post_mix[t * mix.post_mix_stride + i] =
              static_cast<float>(static_cast<double>(mix.post_mult) * sigmoid_double(m[n + i]));
      }
      if (mix.comb_mix) {
        for (int k = 0; k < n * n; ++k) c[k] = m[2 * n + k];
        sinkhorn_plain(c, n, mix.sinkhorn_iters, static_cast<double>(mix.sinkhorn_eps));
        for (int k = 0; k < n * n; ++k)
          mix.comb_mix[t * mix.comb_mix_stride + k] = static_cast<float>(c[k]);
      }
    }
    __syncthreads();  // thread 0 wrote s.pre
  }
  if (mix.delayed) take_previous(mix, s, t);
  collapse_token<T, 1, kThreads>(mix, s, t);
}

// --- Generic ------------------------------------------------------------------------------------

// Sums each a[j] over the wave's lanes. Lane l ends with the sum of a[l % 8].
//
//     masks 4, 2, 1: a lane keeps one half of its values and trades the other half
//     masks 8 … Wave / 2: plain butterfly of the one value that is left
template <int Wave>
__device__ float transposed_sum(float (&a)[kTile], int lane) {
#pragma unroll
  for (int half = kTile / 2; half > 0; half /= 2) {
    const bool upper = lane & half;
#pragma unroll
    for (int j = 0; j < half; ++j) {
      const float keep = upper ? a[j + half] : a[j], send = upper ? a[j] : a[j + half];
      a[j] = keep + shfl_xor(send, half, Wave);
    }
  }
#pragma unroll
  for (int mask = kTile; mask < Wave; mask *= 2) a[0] += shfl_xor(a[0], mask, Wave);
  return a[0];
}

template <class T, class F, int Wave>
__global__ __launch_bounds__(kThreads) void mhc_products(Mix mix, float *partial, int chunks,
                                                         int64_t first, int64_t count) {
  __shared__ float lds[kThreads / Wave][kMaxRows + 1][kTile];
  const int64_t K = mix.v.n * mix.v.hidden, tile = static_cast<int64_t>(blockIdx.x) * kTile;
  const int64_t k0 = blockIdx.y * kChunk;
  const int tid = static_cast<int>(threadIdx.x), lane = tid % Wave, wave = tid / Wave;

  float v[kTile][kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int64_t k = k0 + i * kThreads + tid;
    const int64_t stream = k / mix.v.hidden, h = k - stream * mix.v.hidden;
#pragma unroll
    for (int j = 0; j < kTile; ++j)
      v[j][i] = k < K && tile + j < count
                    ? load<T>(mix.v.data, (first + tile + j) * mix.v.token_stride +
                                              stream * mix.v.stream_stride + h)
                    : 0.0f;
  }
  for (int r = 0; r <= mix.rows; ++r) {
    float a[kTile] = {};
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      const int64_t k = k0 + i * kThreads + tid;
      const float f = r < mix.rows && k < K ? load<F>(mix.fn, r * K + k) : 0.0f;
#pragma unroll
      for (int j = 0; j < kTile; ++j)
        a[j] = fmaf(r < mix.rows ? f : v[j][i], v[j][i], a[j]);  // the last row: squares
    }
    const float sum = transposed_sum<Wave>(a, lane);
    if (lane < kTile) lds[wave][r][lane] = sum;
  }
  __syncthreads();  // all waves' sums
  const int columns = mix.rows + 1;
  for (int k = tid; k < columns * kTile; k += kThreads) {
    const int j = k / columns, r = k - j * columns;
    if (tile + j >= count) continue;
    float sum = 0.0f;
#pragma unroll
    for (int w = 0; w < kThreads / Wave; ++w) sum += lds[w][r][j];
    partial[((tile + j) * chunks + blockIdx.y) * columns + r] = sum;
  }
}

}  // namespace

hipError_t mhc_mix_reference(const Mix &mix, void *stream) {
  return for_dtype(mix.v.dtype, [&](auto type) {
    return for_dtype(mix.fn_dtype, [&](auto fn_type) {
      return launch(mhc_reference<decltype(type), decltype(fn_type)>,
                    dim3(static_cast<unsigned>(mix.v.tokens)), dim3(kThreads), 0, stream, mix);
    });
  });
}

int64_t mhc_mix_partials(int32_t n, int64_t hidden, int32_t rows, int64_t tokens) {
  return (tokens < kBatch ? tokens : kBatch) * chunks_of(n, hidden) * (rows + 1);
}

hipError_t mhc_mix_generic(const Mix &mix, float *partial, int32_t wave_size, void *stream) {
  const int chunks = static_cast<int>(chunks_of(mix.v.n, mix.v.hidden));
  for (int64_t first = 0; first < mix.v.tokens; first += kBatch) {
    const int64_t left = mix.v.tokens - first, count = left < kBatch ? left : kBatch;
    if (mix.fn) {
      const hipError_t error = for_dtype(mix.v.dtype, [&](auto type) {
        return for_dtype(mix.fn_dtype, [&](auto fn_type) {
          using T = decltype(type);
          using F = decltype(fn_type);
          return launch(wave_size == 64 ? mhc_products<T, F, 64> : mhc_products<T, F, 32>,
                        dim3(blocks_for(count, kTile), static_cast<unsigned>(chunks)),
                        dim3(kThreads), 0, stream, mix, partial, chunks, first, count);
        });
      });
      if (error != hipSuccess) return error;
    }
    const hipError_t error = launch_finish(mix, partial, chunks, first, count, wave_size, stream);
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}

}  // namespace plait::kernels
