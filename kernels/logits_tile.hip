// SPDX-License-Identifier: MIT
// Indexer logits on matrix units, through isa/mma.h: AMD's MFMA and WMMA, NVIDIA's mma.sync.
//
// A block keeps the queries of a few rows in shared memory, as the operand type T. Each of its
// waves walks over keys, kTiles tiles of N at a time, which stay in its registers while it goes
// through all rows and heads:
//
//     acc[16 heads, N keys] = queries[16, D] * keys[N, D]^T
//     logit                 = k_scale * sum over heads of w * max(acc, 0)
//
// A lane holds some heads of one key (two with mma.sync): their sum is a chain in the lane, then
// shuffles among the lanes that share the key.
#include <plait/indexer.h>

#include "isa/launch.h"
#include "isa/mma.h"
#include "logits.h"
#include "logits_keys.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 256;
constexpr int kMostRows = 8;  // of a block
constexpr int kPad = 16;      // bytes after each query in shared memory, against bank conflicts

// `count` (2, 4, 8 or 16) elements of a row from dimension d on, a multiple of count, as words of
// T. Byte b of the row is at values + (b / 16) * step + b % 16.
template <class T, int count, bool Aligned>
__device__ inline void load_elements(int32_t format, const uint8_t *values, const uint8_t *scales,
                                     int d, int32_t step, uint32_t *words) {
  const bool fp4 = format == PLAIT_FORMAT_MXFP4;
  constexpr int per_word = 4 / static_cast<int>(sizeof(T));
  if constexpr (sizeof(T) == 1) {
#pragma unroll
    for (int i = 0; i < count; i += 4) {
      const uint8_t *p = values + (d + i) / 16 * step + (d + i) % 16;
      if constexpr (Aligned) {
        words[i / 4] = *reinterpret_cast<const uint32_t *>(p);
      } else {
        words[i / 4] = 0;
        for (int b = 0; b < 4; ++b) words[i / 4] |= static_cast<uint32_t>(p[b]) << 8 * b;
      }
    }
  } else {
    uint8_t bytes[count];
    const int n = fp4 ? count / 2 : count, first = fp4 ? d / 2 : d;
    const uint8_t *p = values + first / 16 * step + first % 16;
#pragma unroll
    for (int i = 0; i < count; ++i) bytes[i] = 0;
    if (Aligned && n % 4 == 0) {
#pragma unroll
      for (int i = 0; i < count; i += 4)
        if (i < n) {
          const uint32_t word = *reinterpret_cast<const uint32_t *>(p + i);
#pragma unroll
          for (int b = 0; b < 4 && i + b < count; ++b)
            bytes[i + b] = static_cast<uint8_t>(word >> 8 * b);
        }
    } else {
#pragma unroll
      for (int i = 0; i < count; ++i)
        if (i < n) bytes[i] = p[i];
    }
    const float scale = fp4 ? ue8m0_to_f32(scales[d / 32]) : 1.0f;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      float v;
      if (fp4)
        v = to_float(E2m1{static_cast<uint8_t>(bytes[i / 2] >> i % 2 * 4 & 15)}) * scale;
      else
        v = format == PLAIT_FORMAT_FP8_E4M3FN ? to_float(E4m3fn{bytes[i]})
                                              : to_float(E4m3fnuz{bytes[i]});
      const uint32_t bits = bits_of(v) >> 16 << i % per_word * 16;  // v is a bf16 value
      if (i % per_word == 0)
        words[i / per_word] = bits;
      else
        words[i / per_word] |= bits;
    }
  }
}

template <Isa isa, class T, int D>
struct TileLogits {
  using Unit = Tile<isa, T>;
  static constexpr int wave = Unit::wave, N = Unit::N, steps = D / Unit::K;
  // Operands of the keys within 64 registers.
  static constexpr int b_words = static_cast<int>(sizeof(typename Unit::B) / 4);
  static constexpr int tiles = b_words * steps >= 64 ? 1 : N == 8 ? 4 : 2;
  static constexpr int columns = N == 8 ? 2 : 1;  // keys of a lane's accumulators
  static constexpr int pitch = D * static_cast<int>(sizeof(T)) + kPad;

  static size_t shared(int rows, int heads) {
    return static_cast<size_t>(rows) * heads * (pitch + sizeof(float));
  }
};

template <Isa isa, class T, int D, bool Aligned>
__global__ __launch_bounds__(kThreads) void tile_kernel(Logits a, int32_t heads, int32_t group_rows,
                                                        int32_t groups_per_request, int64_t groups,
                                                        int64_t chunk) {
  using L = TileLogits<isa, T, D>;
  using Unit = typename L::Unit;
  if constexpr (Unit::available) {
    PLAIT_DYNAMIC_SHARED(uint8_t, queries);
    float *weights = reinterpret_cast<float *>(queries + group_rows * heads * L::pitch);
    __shared__ int64_t begins[kMostRows], ends[kMostRows];
    const int tid = static_cast<int>(threadIdx.x), lane = tid % L::wave;
    const RowGroup group = row_group(a, blockIdx.x % groups, group_rows, groups_per_request);
    if (tid < group.rows) {
      const KeyRange r = keys_of_row(a, group.row0 + tid);
      begins[tid] = r.begin, ends[tid] = r.end;
    }
    __syncthreads();
    int64_t first = INT64_MAX, last = 0;
    for (int r = 0; r < group.rows; ++r)
      if (begins[r] < ends[r]) {
        first = begins[r] < first ? begins[r] : first;
        last = ends[r] > last ? ends[r] : last;
      }
    const int64_t part = a.first_column + static_cast<int64_t>(blockIdx.x / groups) * chunk;
    if (first < part) first = part;
    if (last > part + chunk) last = part + chunk;
    if (first >= last) return;

    // Sixteen elements at a time; heads beyond the last are zero.
    const int32_t v = value_bytes(a), s = scale_bytes(a);
    for (int i = tid; i < group.rows * heads * (D / 16); i += kThreads) {
      const int d = i % (D / 16) * 16, place = i / (D / 16), head = place % heads,
                row = place / heads;
      uint32_t words[4 * sizeof(T)] = {};
      if (head < a.heads) {
        const int64_t at = (group.row0 + row) * a.heads + head;
        load_elements<T, 16, false>(a.format, a.q + at * v, a.q_scale + at * s, d, 16, words);
      }
      uint4 *to = reinterpret_cast<uint4 *>(queries + place * L::pitch + d * sizeof(T));
#pragma unroll
      for (int w = 0; w < static_cast<int>(sizeof(T)); ++w)
        to[w] = uint4{words[4 * w], words[4 * w + 1], words[4 * w + 2], words[4 * w + 3]};
    }
    for (int i = tid; i < group.rows * heads; i += kThreads) {
      const int head = i % heads;
      weights[i] =
          head < a.heads ? a.weights[(group.row0 + i / heads) * a.weights_stride + head] : 0.0f;
    }
    __syncthreads();

    const int32_t step = chunk_step(a);
    constexpr int keys_of_wave = L::tiles * L::N;
    for (int64_t base = first + tid / L::wave * keys_of_wave; base < last;
         base += kThreads / L::wave * keys_of_wave) {
      typename Unit::B keys[L::tiles][L::steps];
#pragma unroll
      for (int t = 0; t < L::tiles; ++t) {
        const int64_t key = base + t * L::N + Unit::b_col(lane, 0);
        const Key at = key < last ? find_key(a, group.request, key) : Key{nullptr, nullptr};
#pragma unroll
        for (int k = 0; k < L::steps; ++k) {
          constexpr int per_word = 4 / static_cast<int>(sizeof(T));
          keys[t][k] = typename Unit::B{};
          if (at.values)
#pragma unroll
            for (int i = 0; i < Unit::b_count; i += Unit::run)
              load_elements<T, Unit::run, Aligned>(a.format, at.values, at.scale,
                                                   k * Unit::K + Unit::b_k(lane, i), step,
                                                   keys[t][k].w + i / per_word);
        }
      }
      for (int r = 0; r < group.rows; ++r) {
        float sums[L::tiles][L::columns] = {};
        for (int h = 0; h < heads; h += 16) {
          typename Unit::Acc acc[L::tiles];
#pragma unroll
          for (int t = 0; t < L::tiles; ++t) acc[t] = Unit::zero();
          const typename Unit::Element *q = reinterpret_cast<const typename Unit::Element *>(
              queries + (r * heads + h) * L::pitch);
#pragma unroll
          for (int k = 0; k < L::steps; ++k) {
            const typename Unit::A operand =
                Unit::load_a(lane, q + k * Unit::K, L::pitch / static_cast<int64_t>(sizeof(T)));
#pragma unroll
            for (int t = 0; t < L::tiles; ++t) Unit::mma(acc[t], operand, keys[t][k]);
          }
          const float *w = weights + r * heads + h;
#pragma unroll
          for (int i = 0; i < static_cast<int>(sizeof(acc[0].v) / 4); ++i) {
            const float weight = w[Unit::acc_row(lane, i)];
#pragma unroll
            for (int t = 0; t < L::tiles; ++t) {
              float &sum = sums[t][L::columns == 2 ? i % 2 : 0];
              sum = fmaf(weight, fmaxf(acc[t].v[i], 0.0f), sum);
            }
          }
        }
        // Lanes that share a key: 4 apart with mma.sync, 16 apart with MFMA and WMMA.
#pragma unroll
        for (int t = 0; t < L::tiles; ++t)
#pragma unroll
          for (int c = 0; c < L::columns; ++c) {
            float sum = sums[t][c];
#pragma unroll
            for (int m = L::columns == 2 ? 4 : 16; m < L::wave; m *= 2)
              sum += shfl_xor(sum, m, L::wave);
            const int column = L::columns == 2 ? lane * 2 + c : lane;
            const int64_t key = base + t * L::N + column;
            if (column < L::N && key >= begins[r] && key < ends[r] && key < last) {
              const Key at = find_key(a, group.request, key);
              if (at.values == nullptr)
                sum = kNoPage;
              else if (a.format != PLAIT_FORMAT_MXFP4)
                sum = *reinterpret_cast<const float *>(at.scale) * sum;
              put_logit(a, group.row0 + r, key, sum);
            }
          }
      }
    }
  }
}

template <Isa isa, class T, int D, bool Aligned>
hipError_t run(const Logits &a, int32_t units, size_t limit, void *stream) {
  using L = TileLogits<isa, T, D>;
  const int32_t heads = (a.heads + 15) / 16 * 16;
  const int64_t rows = a.last_row - a.first_row, columns = a.last_column - a.first_column;
  int64_t group_rows = a.cache ? a.next_n : rows;
  if (group_rows > kMostRows) group_rows = kMostRows;
  while (group_rows > 1 && L::shared(static_cast<int>(group_rows), heads) > limit) --group_rows;
  int64_t per_request = 1, groups = (rows + group_rows - 1) / group_rows;
  if (a.cache) {
    per_request = (a.next_n + group_rows - 1) / group_rows;
    groups = rows / a.next_n * per_request;
  }
  constexpr int64_t round = kThreads / L::wave * L::tiles * L::N;
  int64_t chunk = groups * columns / (8 * static_cast<int64_t>(units));
  chunk = chunk < 1024 ? 1024 : chunk > 16384 ? 16384 : chunk;
  chunk = (chunk + round - 1) / round * round;
  const int64_t blocks = groups * ((columns + chunk - 1) / chunk);
  if (blocks > INT32_MAX) return hipErrorInvalidValue;
  return launch(tile_kernel<isa, T, D, Aligned>, static_cast<unsigned>(blocks), kThreads,
                L::shared(static_cast<int>(group_rows), heads), stream, a, heads,
                static_cast<int32_t>(group_rows), static_cast<int32_t>(per_request), groups, chunk);
}

template <Isa isa, class T>
hipError_t with_shape(const Logits &a, int32_t units, size_t limit, void *stream) {
  // Pages are aligned to 4 bytes, and so are the rows of contiguous keys if the first is.
  const bool aligned = a.cache || reinterpret_cast<uintptr_t>(a.k) % 4 == 0;
  if (a.head_dim == 64)
    return aligned ? run<isa, T, 64, true>(a, units, limit, stream)
                   : run<isa, T, 64, false>(a, units, limit, stream);
  return aligned ? run<isa, T, 128, true>(a, units, limit, stream)
                 : run<isa, T, 128, false>(a, units, limit, stream);
}

template <Isa isa, class T>
hipError_t allow(int32_t head_dim, size_t limit) {
  const void *kernels[] = {
      head_dim == 64 ? reinterpret_cast<const void *>(&tile_kernel<isa, T, 64, true>)
                     : reinterpret_cast<const void *>(&tile_kernel<isa, T, 128, true>),
      head_dim == 64 ? reinterpret_cast<const void *>(&tile_kernel<isa, T, 64, false>)
                     : reinterpret_cast<const void *>(&tile_kernel<isa, T, 128, false>)};
  for (const void *kernel : kernels)
    if (const hipError_t error = raise_shared_memory_limit(kernel, limit)) return error;
  return hipSuccess;
}

// Calls f with the instance as template arguments.
template <class F>
hipError_t dispatch(LogitsUnit unit, [[maybe_unused]] bool fp8, const F &f) {
  switch (unit) {
#if defined(PLAIT_WITH_CUDA)
    case LogitsUnit::sm80: return f.template call<Isa::sm80, Bf16>();
    case LogitsUnit::sm89:
      return fp8 ? f.template call<Isa::sm89, E4m3fn>() : f.template call<Isa::sm80, Bf16>();
#else
    case LogitsUnit::gfx90a: return f.template call<Isa::gfx90a, Bf16>();
    case LogitsUnit::gfx942:
      return fp8 ? f.template call<Isa::gfx942, E4m3fnuz>() : f.template call<Isa::gfx90a, Bf16>();
    case LogitsUnit::gfx950:
      return fp8 ? f.template call<Isa::gfx950, E4m3fn>() : f.template call<Isa::gfx90a, Bf16>();
    case LogitsUnit::gfx11: return f.template call<Isa::gfx11, Bf16>();
    case LogitsUnit::gfx12:
      return fp8 ? f.template call<Isa::gfx12, E4m3fn>() : f.template call<Isa::gfx12, Bf16>();
#endif
    default: return hipErrorNotSupported;
  }
}

struct RunCall {
  const Logits &a;
  int32_t units;
  size_t limit;
  void *stream;
  template <Isa isa, class T>
  hipError_t call() const {
    return with_shape<isa, T>(a, units, limit, stream);
  }
};

struct AllowCall {
  int32_t head_dim;
  size_t limit;
  template <Isa isa, class T>
  hipError_t call() const {
    return allow<isa, T>(head_dim, limit);
  }
};

// Less than the block's limit by the kernel's static shared memory.
constexpr size_t kStaticShared = 256;

}  // namespace

hipError_t logits_tile(LogitsUnit unit, bool fp8, const Logits &args, int32_t compute_units,
                       size_t shared_limit, void *stream) {
  return dispatch(unit, fp8, RunCall{args, compute_units, shared_limit - kStaticShared, stream});
}

hipError_t logits_tile_prepare(LogitsUnit unit, bool fp8, int32_t head_dim, size_t shared_limit) {
  return dispatch(unit, fp8, AllowCall{head_dim, shared_limit - kStaticShared});
}

}  // namespace plait::kernels
