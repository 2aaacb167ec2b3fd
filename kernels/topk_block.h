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
constexpr uint32_t kWindow = 32 * kWindowWords;

__device__ inline uint32_t key_of(float value) {
  const uint32_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return 1;
  if (magnitude == 0) return 0x80000000;
  return bits & 0x80000000 ? ~bits : bits | 0x80000000;
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
  __device__ static float value(Raw raw) {
    return dtype == PLAIT_DTYPE_BF16 ? to_float(Bf16{raw}) : to_float_any_nan(F16{raw});
  }
};
template <>
struct Element<PLAIT_DTYPE_F32> {
  using Raw = float;
  static constexpr int per_vector = 4;
  __device__ static float value(Raw raw) { return raw; }
};

// 16 bytes of a row, from an aligned address.
template <int dtype>
__device__ inline void load_vector(const typename Element<dtype>::Raw *p,
                                   float (&v)[Element<dtype>::per_vector]) {
  using E = Element<dtype>;
  typename E::Raw raw[E::per_vector];
  const uint4 q = *reinterpret_cast<const uint4 *>(p);
  memcpy(raw, &q, sizeof q);
#pragma unroll
  for (int e = 0; e < E::per_vector; ++e) v[e] = E::value(raw[e]);
}

// 16 bytes of a row from element `at` on, an aligned address; NaN outside [begin, end), where
// nothing is read.
template <int dtype>
__device__ inline void load_values(const typename Element<dtype>::Raw *row, int32_t at,
                                   int32_t begin, int32_t end,
                                   float (&v)[Element<dtype>::per_vector]) {
  using E = Element<dtype>;
  constexpr int V = E::per_vector;
  if (at >= begin && at + V <= end) {
    load_vector<dtype>(row + at, v);
  } else {
#pragma unroll
    for (int e = 0; e < V; ++e)
      v[e] = at + e >= begin && at + e < end ? E::value(row[at + e]) : float_of(0x7FC00000);
  }
}

// Elements between the 16-byte boundary at or before `p` and `p`.
template <int dtype>
__device__ inline int32_t misalignment(const typename Element<dtype>::Raw *p) {
  return static_cast<int32_t>((reinterpret_cast<uintptr_t>(p) & 15) /
                              sizeof(typename Element<dtype>::Raw));
}

// What a block shares beside its buffers.
struct TopkShared {
  uint32_t sums[2][32];  // of the waves, in turn
  uint32_t overflow[3];  // one a phase, in turn
  uint32_t count;        // of the candidate buffer; may run past its capacity
  uint32_t bin, above, inside;
  uint32_t differ[2];
  uint32_t top;
};

template <int W, int Threads>
struct TopkBlock {
  static constexpr int waves = Threads / W;
  TopkShared &s;
  uint32_t *bins;  // kBins words, all zero between picks; part of the window bitmap
  uint32_t turn = 0;

  // Call once, before anything else.
  __device__ void reset() {
    for (uint32_t i = threadIdx.x; i < kBins; i += Threads) bins[i] = 0;
    if (threadIdx.x < 3) s.overflow[threadIdx.x] = 0;
    if (threadIdx.x == 0) s.count = s.differ[0] = s.differ[1] = s.top = 0;
    __syncthreads();
  }

  // The sum of the values of the threads before this one; of all in `total`. One barrier: two sets
  // of sums, used in turn, keep a fast wave's next scan away from a slow wave's reads.
  __device__ uint32_t scan(uint32_t v, uint32_t &total) {
    const int lane = static_cast<int>(threadIdx.x) % W, wave = static_cast<int>(threadIdx.x) / W;
    uint32_t *sums = s.sums[turn];
    turn ^= 1;
    uint32_t x = v;
#pragma unroll
    for (int d = 1; d < W; d *= 2) {
      const uint32_t y = shfl_up(x, static_cast<unsigned>(d), W);
      if (lane >= d) x += y;
    }
    if (lane == W - 1) sums[wave] = x;
    __syncthreads();
    // Every wave sums the waves' sums once more: there are no more of them than lanes.
    static_assert(waves <= W, "a sum for each lane");
    uint32_t y = lane < waves ? sums[lane] : 0;
#pragma unroll
    for (int d = 1; d < waves; d *= 2) {
      const uint32_t z = shfl_up(y, static_cast<unsigned>(d), W);
      if (lane >= d) y += z;
    }
    total = shfl(y, waves - 1, W);
    const uint32_t upto = shfl(y, wave, W);  // and with this wave
    return upto - shfl(x, W - 1, W) + x - v;
  }

  // After the block has counted keys into the bins (and this barrier): the bin that holds the
  // need-th from the top; `above` counts those in higher bins, `inside` those in it. False if the
  // bins hold fewer. Clears the bins.
  __device__ bool pick(uint32_t need, uint32_t &bin, uint32_t &above, uint32_t &inside) {
    constexpr uint32_t per = kBins / Threads;
    __syncthreads();
    // Thread 0 has the highest bins.
    const uint32_t top = kBins - 1 - threadIdx.x * per;
    uint32_t counts[per], sum = 0, total;
#pragma unroll
    for (uint32_t i = 0; i < per; ++i) {
      counts[i] = bins[top - i];
      bins[top - i] = 0;
      sum += counts[i];
    }
    uint32_t before = scan(sum, total);
    if (before < need && need <= before + sum) {
#pragma unroll
      for (uint32_t i = 0; i < per; ++i) {
        if (before < need && need <= before + counts[i])
          s.bin = top - i, s.above = before, s.inside = counts[i];
        before += counts[i];
      }
    }
    __syncthreads();
    bin = s.bin, above = s.above, inside = s.inside;
    return total >= need;
  }

  // The need-th largest of the keys in registers, exactly or, if `rough`, to 3 bits or so. At least
  // `need` keys must be. Gives a key that it reaches, and how many of those that equal this key are
  // needed; 0 when no larger key than the need-th reaches it, or when `rough`.
  //
  // The key is most often within four octaves of the largest; these are counted first, finely, so
  // that few counts hit the same bin. Only if it is not, digits of the whole key are.
  template <int Items>
  __device__ uint32_t pick_key(const uint32_t (&keys)[Items], uint32_t need, bool rough,
                               uint32_t &needed) {
    constexpr int fine = 14;  // 2^14 keys a bin: 2048 bins are four octaves
    uint32_t top = keys[0];
#pragma unroll
    for (int i = 1; i < Items; ++i) top = keys[i] > top ? keys[i] : top;
    top = group_max<W>(top);
    if (threadIdx.x % W == 0) atomicMax(&s.top, top);
    __syncthreads();
    top = s.top;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const uint32_t below = (top - keys[i]) >> fine;
      if (below < kBins) atomicAdd(&bins[kBins - 1 - below], 1u);
    }
    needed = 0;
    uint32_t bin, above, inside;
    const bool near = pick(need, bin, above, inside);
    if (threadIdx.x == 0) s.top = 0;  // all have read it
    if (!near) return pick_any_key(keys, need, rough, needed);
    need -= above;
    const uint32_t depth = (kBins - bin) << fine;
    const uint32_t low = top >= depth ? top - depth + 1 : 0;  // the least key of the bin
    if (need == inside && low != 0) return low;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const uint32_t offset = keys[i] - low;
      if (offset < 1u << fine) atomicAdd(&bins[offset >> (fine - 11)], 1u);
    }
    pick(need, bin, above, inside);
    need -= above;
    const uint32_t lower = low + (bin << (fine - 11));
    if ((need == inside && lower != 0) || rough) return lower;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const uint32_t offset = keys[i] - lower;
      if (offset < 1u << (fine - 11)) atomicAdd(&bins[offset], 1u);
    }
    pick(need, bin, above, inside);
    needed = need - above;
    return lower + bin;
  }

  // The same by digits of 11, 11 and 10 bits.
  template <int Items>
  __device__ uint32_t pick_any_key(const uint32_t (&keys)[Items], uint32_t need, bool rough,
                                   uint32_t &needed) {
    uint32_t prefix = 0;
    for (int level = 0;; ++level) {
      const int shift = level == 0 ? 21 : level == 1 ? 10 : 0;
      const uint32_t mask = level == 2 ? 1023 : 2047;
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        const bool same = level == 0 || keys[i] >> (level == 1 ? 21 : 10) == prefix;
        if (same) atomicAdd(&bins[keys[i] >> shift & mask], 1u);
      }
      uint32_t bin, above, inside;
      pick(need, bin, above, inside);
      need -= above;
      prefix = prefix << (level == 2 ? 10 : 11) | bin;
      if (level < 2 && ((need == inside && prefix != 0) || (rough && level == 1)))
        return prefix << shift;
      if (level == 2) {
        needed = need;
        return prefix;
      }
    }
  }

  // The lowest rank of the k first of n > k distinct ranks in shared memory.
  __device__ uint64_t pick_rank(const uint64_t *ranks, uint32_t n, uint32_t k) {
    // Only the bits from the highest in which ranks differ are worth a digit.
    const uint64_t first = ranks[0];
    uint64_t differ = 0;
    for (uint32_t i = threadIdx.x; i < n; i += Threads) differ |= ranks[i] ^ first;
#pragma unroll
    for (int m = W / 2; m > 0; m /= 2) differ |= shfl_xor(differ, m, W);
    if (threadIdx.x % W == 0) {
      atomicOr(&s.differ[0], static_cast<uint32_t>(differ));
      atomicOr(&s.differ[1], static_cast<uint32_t>(differ >> 32));
    }
    __syncthreads();
    differ = static_cast<uint64_t>(s.differ[1]) << 32 | s.differ[0];
    const int top = 63 - __clzll(static_cast<long long>(differ));
    int shift = top >= 10 ? top - 10 : 0, bits = top + 1 - shift;
    uint64_t prefix = top == 63 ? 0 : first >> (top + 1);
    for (;;) {
      const int upper = shift + bits;
      const uint32_t mask = (1u << bits) - 1;
      for (uint32_t i = threadIdx.x; i < n; i += Threads) {
        const uint64_t rank = ranks[i];
        if (upper == 64 || rank >> upper == prefix)
          atomicAdd(&bins[static_cast<uint32_t>(rank >> shift) & mask], 1u);
      }
      uint32_t bin, above, inside;
      pick(k, bin, above, inside);
      if (threadIdx.x == 0) s.differ[0] = s.differ[1] = 0;  // read before pick's barriers
      k -= above;
      prefix = prefix << bits | bin;
      if (k == inside || shift == 0) return prefix << shift;
      bits = shift < 11 ? shift : 11;
      shift -= bits;
    }
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
    uint32_t x = n;
#pragma unroll
    for (int d = 1; d < W; d *= 2) {
      const uint32_t y = shfl_up(x, static_cast<unsigned>(d), W);
      if (lane >= d) x += y;
    }
    uint32_t base = 0;
    if (lane == W - 1 && x != 0) base = atomicAdd(&s.count, x);
    return shfl(base, W - 1, W) + x - n;
  }

  // Descending bitonic sort of n (a power of two) numbers in shared or global memory. A step whose
  // pairs lie within 2 W elements stays inside a wave.
  __device__ void sort(uint64_t *data, uint64_t n) {
    for (uint64_t k = 2; k <= n; k *= 2)
      for (uint64_t j = k / 2; j > 0; j /= 2) {
        for (uint64_t p = threadIdx.x; p < n / 2; p += Threads) {
          const uint64_t low = 2 * p - (p & (j - 1)), high = low + j;
          const uint64_t a = data[low], b = data[high];
          if ((a < b) == ((low & k) == 0)) data[low] = b, data[high] = a;
        }
        if (j > W || (j == 1 && k > W))  // before or after a step that crosses waves
          __syncthreads();
        else
          sync_wave();
      }
    __syncthreads();
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
