// SPDX-License-Identifier: MIT
/**
 * @file topk_block.h
 * @brief What one block does in a top-k: keys, radix picks, the candidate buffer, ordered output.
 *
 * Every value has a 32-bit key that grows with its place in the order:
 *
 *     0  no value      1  NaN      0x007FFFFF  -inf  ...  0x80000000  +-0  ...  0xFF800000  +inf
 *
 * and key and index together make one 64-bit rank, larger first, in which nothing ties:
 *
 *     rank = key << 32 | ~index
 *
 * W is the wave size and Threads the size of the block. All functions are for the whole block.
 */
#ifndef PLAIT_KERNELS_TOPK_BLOCK_H
#define PLAIT_KERNELS_TOPK_BLOCK_H

#include <plait/topk.h>

#include "isa/hip_compat.h"
#include "isa/number.h"
#include "topk.h"

namespace plait::kernels {

constexpr uint32_t kBins = 2048;         // of a radix pick: 11 bits
constexpr uint32_t kWindowWords = 4096;  // of the bitmap that puts indices in order
constexpr uint32_t kWindowSums = 1024;   // words: 16 bits for each two of the bitmap
constexpr uint32_t kWindow = 32 * kWindowWords;

__device__ inline uint32_t key_of(float value) {
  const uint32_t bits = bits_of(value + 0.0f);  // -0 becomes +0
  const uint32_t key =
      bits ^ (static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31) | 0x80000000);
  return value == value ? key : 1;
}

// The least float whose key is at least `key`, for comparisons: `value >= float_from(key)` is
// key_of(value) >= key for every value but NaN. A key past +inf gives NaN: nothing passes.
__device__ inline float float_from(uint32_t key) {
  if (key <= 0x007FFFFF) return float_of(0xFF800000);
  return float_of(key & 0x80000000 ? key & 0x7FFFFFFF : ~key);
}

__device__ inline uint64_t rank_of(uint32_t key, uint32_t index) {
  return static_cast<uint64_t>(key) << 32 | static_cast<uint32_t>(~index);
}
__device__ inline uint32_t index_of(uint64_t rank) { return ~static_cast<uint32_t>(rank); }

// Elements of a row: raw bits, as many as 16 bytes hold.
template <int dtype>
struct Element {
  using Raw = uint16_t;
  static constexpr int per_vector = 8;
  // Low bits of a key that its other bits tell.
  static constexpr int spare_bits = dtype == PLAIT_DTYPE_BF16 ? 16 : 13;
  __device__ static float value(Raw raw) {
    return dtype == PLAIT_DTYPE_BF16 ? to_float(Bf16{raw}) : to_float_any_nan(F16{raw});
  }
};
template <>
struct Element<PLAIT_DTYPE_F32> {
  using Raw = float;
  static constexpr int per_vector = 4, spare_bits = 0;
  __device__ static float value(Raw raw) { return raw; }
};

// The elements in 16 bytes.
template <int dtype>
__device__ inline void unpack(const uint4 &q, float (&v)[Element<dtype>::per_vector]) {
  const uint32_t words[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    if constexpr (dtype == PLAIT_DTYPE_F32) {
      v[w] = float_of(words[w]);
    } else {
      v[2 * w] = Element<dtype>::value(static_cast<uint16_t>(words[w]));
      v[2 * w + 1] = Element<dtype>::value(static_cast<uint16_t>(words[w] >> 16));
    }
  }
}

// 4 bytes of a row from element `at` on; all bits set, which is NaN, outside [begin, end), where
// nothing is read.
template <int dtype>
__device__ inline uint32_t load_word(const typename Element<dtype>::Raw *row, int64_t at,
                                     int32_t begin, int32_t end) {
  if constexpr (dtype == PLAIT_DTYPE_F32) {
    return at >= begin && at < end ? bits_of(row[at]) : 0xFFFFFFFF;
  } else {
    const uint32_t low = at >= begin && at < end ? row[at] : 0xFFFF;
    const uint32_t high = at + 1 >= begin && at + 1 < end ? row[at + 1] : 0xFFFF;
    return high << 16 | low;
  }
}

/**
 * U vectors of 16 bytes of a row, `step` elements apart, from element `at` on, which is an aligned
 * address unless `aligned` is false; NaN outside [begin, end), where nothing is read. All loads are
 * under way before the first is waited for.
 */
template <int dtype, int U>
__device__ inline void load_vectors(const typename Element<dtype>::Raw *row, int64_t at, int step,
                                    int32_t begin, int32_t end, bool aligned, uint4 (&q)[U]) {
  constexpr int V = Element<dtype>::per_vector;
  const auto *from = row + at;
  uint32_t whole = 0;
  if (aligned && at >= begin && at + (U - 1) * step + V <= end) {
#pragma unroll
    for (int u = 0; u < U; ++u) q[u] = *reinterpret_cast<const uint4 *>(from + u * step);
    return;
  }
#pragma unroll
  for (int u = 0; u < U; ++u) {
    q[u] = uint4{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
    const int64_t first = at + u * step;
    if (aligned && first >= begin && first + V <= end) {
      q[u] = *reinterpret_cast<const uint4 *>(from + u * step);
      whole |= 1u << u;
    }
  }
  if (whole == (1u << U) - 1) return;
#pragma unroll
  for (int u = 0; u < U; ++u) {
    const int64_t first = at + u * step;
    if (whole >> u & 1 || first + V <= begin || first >= end) continue;
    q[u].x = load_word<dtype>(row, first, begin, end);
    q[u].y = load_word<dtype>(row, first + V / 4, begin, end);
    q[u].z = load_word<dtype>(row, first + V / 2, begin, end);
    q[u].w = load_word<dtype>(row, first + V / 4 * 3, begin, end);
  }
}

// Elements between the 16-byte boundary at or before `p` and `p`.
template <int dtype>
__device__ inline int32_t misalignment(const typename Element<dtype>::Raw *p) {
  return static_cast<int32_t>((reinterpret_cast<uintptr_t>(p) & 15) /
                              sizeof(typename Element<dtype>::Raw));
}

// 2, 4 or 8 neighbouring words of shared memory, aligned.
template <uint32_t N>
__device__ inline void load_words(const uint32_t *from, uint32_t (&words)[N]) {
  if constexpr (N == 2) {
    const uint2 q = *reinterpret_cast<const uint2 *>(from);
    words[0] = q.x, words[1] = q.y;
  } else {
#pragma unroll
    for (uint32_t i = 0; i < N; i += 4) {
      const uint4 q = *reinterpret_cast<const uint4 *>(from + i);
      words[i] = q.x, words[i + 1] = q.y, words[i + 2] = q.z, words[i + 3] = q.w;
    }
  }
}
template <uint32_t N>
__device__ inline void clear_words(uint32_t *to) {
  if constexpr (N == 2) {
    *reinterpret_cast<uint2 *>(to) = uint2{0, 0};
  } else {
#pragma unroll
    for (uint32_t i = 0; i < N; i += 4) *reinterpret_cast<uint4 *>(to + i) = uint4{0, 0, 0, 0};
  }
}

// What a block shares beside its buffers.
struct TopkShared {
  uint64_t list[64];     // what is left of a pick: one wave's worth
  uint32_t sums[2][32];  // of the waves, in turn
  uint32_t overflow[3];  // one a phase, in turn
  uint32_t count;        // of the candidate buffer; may run past its capacity
  uint32_t bin, above, inside;
  uint32_t listed;
};

template <int W, int Threads>
struct TopkBlock {
  static constexpr int waves = Threads / W;
  static_assert(waves <= W, "a sum for each lane");
  TopkShared &s;
  uint32_t *bins;  // kBins words, all zero between picks; part of the window bitmap
  uint32_t turn = 0;

  // Call once, before anything else.
  __device__ void reset() {
    for (uint32_t i = threadIdx.x; i < kBins; i += Threads) bins[i] = 0;
    if (threadIdx.x < 3) s.overflow[threadIdx.x] = 0;
    if (threadIdx.x == 0) s.count = s.listed = 0;
    __syncthreads();
  }

  // A number of each wave, shared with all: lane i gets that of wave i, or 0. One barrier: two sets
  // of them, used in turn, keep a fast wave's next call away from a slow wave's reads.
  __device__ uint32_t exchange(uint32_t of_wave) {
    const uint32_t lane = threadIdx.x % W;
    uint32_t *sums = s.sums[turn];
    turn ^= 1;
    if (lane == W - 1) sums[threadIdx.x / W] = of_wave;
    __syncthreads();
    return lane < waves ? sums[lane] : 0;
  }

  // The largest value of any thread.
  __device__ uint32_t max(uint32_t v) { return wave_max<W>(exchange(wave_max<W>(v))); }

  // The sum of the values of the threads before this one; of all in `total`.
  __device__ uint32_t scan(uint32_t v, uint32_t &total) {
    const uint32_t upto = wave_scan<W>(v);
    const uint32_t of_waves = exchange(upto);
    total = wave_sum<W>(of_waves);
    return wave_sum<W>(threadIdx.x % W < threadIdx.x / W ? of_waves : 0) + upto - v;
  }

  // After the block has counted into the bins (and this barrier): the bin that holds the need-th,
  // from bin 0 on; `above` counts those in lower bins, `inside` those in it. False if the bins hold
  // fewer. Clears the bins.
  __device__ bool pick(uint32_t need, uint32_t &bin, uint32_t &above, uint32_t &inside) {
    constexpr uint32_t per = kBins / Threads;
    __syncthreads();
    uint32_t *own = bins + threadIdx.x * per;
    uint32_t counts[per], sum = 0, total;
    load_words(own, counts);
    clear_words<per>(own);
#pragma unroll
    for (uint32_t i = 0; i < per; ++i) sum += counts[i];
    uint32_t before = scan(sum, total);
    if (before < need && need <= before + sum) {
#pragma unroll
      for (uint32_t i = 0; i < per; ++i) {
        if (before < need && need <= before + counts[i])
          s.bin = threadIdx.x * per + i, s.above = before, s.inside = counts[i];
        before += counts[i];
      }
    }
    __syncthreads();
    bin = s.bin, above = s.above, inside = s.inside;
    return total >= need;
  }

  // Moves the ranks at or above `low` to the front. A chunk is read before the barrier and written
  // after it, never past what has been read.
  __device__ void compact(uint64_t *ranks, uint32_t n, uint64_t low) {
    constexpr uint32_t per = 4;
    __syncthreads();
    if (threadIdx.x == 0) s.count = 0;
    for (uint32_t base = 0; base < n; base += per * Threads) {
      uint64_t mine[per];
      uint32_t keep = 0;
#pragma unroll
      for (uint32_t i = 0; i < per; ++i) {
        const uint32_t at = base + i * Threads + threadIdx.x;
        mine[i] = at < n ? ranks[at] : 0;
        if (mine[i] >= low && at < n) keep |= 1u << i;
      }
      __syncthreads();
      uint32_t at = reserve(static_cast<uint32_t>(__popc(keep)));
#pragma unroll
      for (uint32_t i = 0; i < per; ++i)
        if (keep >> i & 1) ranks[at++] = mine[i];
    }
    __syncthreads();
  }

  // Room for n candidates of this thread: one atomic a wave. All lanes take part.
  __device__ uint32_t reserve(uint32_t n) {
    const int lane = static_cast<int>(threadIdx.x) % W;
    const uint32_t x = wave_scan<W>(n);
    uint32_t base = 0;
    if (lane == W - 1 && x != 0) base = atomicAdd(&s.count, x);
    return shfl(base, W - 1, W) + x - n;
  }

  // Descending bitonic sort of n (a power of two) numbers in shared or global memory, 16-byte
  // aligned. Steps whose pairs lie within a wave's chunk are done in registers.
  __device__ void sort(uint64_t *data, uint64_t n) {
    if (n < kChunk) {
      sort_few(data, static_cast<uint32_t>(n));
      return;
    }
    sort_chunks(data, n, 2, kChunk);
    for (uint64_t k = 2 * kChunk; k <= n; k *= 2) {
      for (uint64_t j = k / 2; j >= kChunk; j /= 2) {
        for (uint64_t p = threadIdx.x; p < n / 2; p += Threads) {
          const uint64_t low = 2 * p - (p & (j - 1)), high = low + j;
          const uint64_t a = data[low], b = data[high];
          if ((a < b) == ((low & k) == 0)) data[low] = b, data[high] = a;
        }
        __syncthreads();
      }
      sort_chunks(data, n, k, k);
    }
  }

  // The steps for n < kChunk numbers, by one wave.
  __device__ void sort_few(uint64_t *data, uint32_t n) {
    for (uint32_t k = 2; k <= n; k *= 2)
      for (uint32_t j = k / 2; j > 0; j /= 2) {
        for (uint32_t p = threadIdx.x; p < n / 2 && threadIdx.x < W; p += W) {
          const uint32_t low = 2 * p - (p & (j - 1)), high = low + j;
          const uint64_t a = data[low], b = data[high];
          if ((a < b) == ((low & k) == 0)) data[low] = b, data[high] = a;
        }
        sync_wave();
      }
    __syncthreads();
  }

  // The steps within chunks of the rounds k = from ... to. Lane l holds numbers E * l and on.
  static constexpr int E = 4;
  static constexpr uint32_t kChunk = E * W;
  __device__ void sort_chunks(uint64_t *data, uint64_t n, uint64_t from, uint64_t to) {
    const uint32_t lane = threadIdx.x % W;
    for (uint64_t first = threadIdx.x / W * kChunk; first < n; first += waves * kChunk) {
      uint64_t v[E], *own = data + first + lane * E;
#pragma unroll
      for (int e = 0; e < E; ++e) v[e] = own[e];
      for (uint64_t k = from; k <= to; k *= 2) {
        const uint64_t at = first + lane * E;
        const bool down = (at & k) == 0;  // for k >= E
        for (uint32_t j = k < kChunk ? static_cast<uint32_t>(k) / 2 : kChunk / 2; j >= E; j /= 2) {
          const bool larger = ((lane & j / E) == 0) == down;
#pragma unroll
          for (int e = 0; e < E; ++e) {
            const uint64_t other = shfl_xor(v[e], static_cast<int>(j / E), W);
            if ((v[e] < other) == larger) v[e] = other;
          }
        }
        if (k > 2) order(v[0], v[2], down), order(v[1], v[3], down);
        order(v[0], v[1], down);
        order(v[2], v[3], k == 2 ? false : down);
      }
#pragma unroll
      for (int e = 0; e < E; ++e) own[e] = v[e];
    }
    __syncthreads();
  }

  __device__ static void order(uint64_t &a, uint64_t &b, bool down) {
    if ((a < b) == down) {
      const uint64_t t = a;
      a = b, b = t;
    }
  }
};

// Where a row's outcome goes.
struct TopkRowOutput {
  const TopkOutput &o;
  int64_t row, table_row;
  const void *source;  // the row's values, from its first column on
  int32_t dtype;

  __device__ TopkRowOutput(const TopkOutput &output, int64_t r, const void *values, int32_t type)
      : o(output), row(r), source(values), dtype(type) {
    table_row = o.slots == nullptr ? 0 : o.table_row ? o.table_row[r] : r / o.rows_per_table;
  }

  __device__ void put(int64_t j, uint32_t i) const {
    o.indices[row * o.indices_stride + j] = static_cast<int32_t>(i);
    if (o.values) {
      const int64_t at = row * o.values_stride + j;
      if (dtype == PLAIT_DTYPE_F32)
        static_cast<float *>(o.values)[at] = static_cast<const float *>(source)[i];
      else if (o.values_f32)
        static_cast<float *>(o.values)[at] = bf16_to_f32(static_cast<const uint16_t *>(source)[i]);
      else
        static_cast<uint16_t *>(o.values)[at] = static_cast<const uint16_t *>(source)[i];
    }
    if (o.slots)
      o.slots[row * o.slots_stride + j] = o.table.slot_of(table_row, static_cast<int32_t>(i));
  }

  __device__ void put_empty(int64_t j) const {
    o.indices[row * o.indices_stride + j] = -1;
    if (o.values) put_empty_value(j);
    if (o.slots) o.slots[row * o.slots_stride + j] = -1;
  }

  __device__ void put_empty_value(int64_t j) const {
    const int64_t at = row * o.values_stride + j;
    if (dtype == PLAIT_DTYPE_F32 || o.values_f32)
      static_cast<float *>(o.values)[at] = float_of(0xFF800000);
    else
      static_cast<uint16_t *>(o.values)[at] = dtype == PLAIT_DTYPE_BF16 ? 0xFF80 : 0xFC00;
  }
};

}  // namespace plait::kernels

#endif
