// SPDX-License-Identifier: MIT
/**
 * @file topk_filter.h
 * @brief Top-k of a row of any length in one pass over it, by one block.
 *
 *     sample  ->  floor: a key that somewhat more than k elements of the row reach
 *     stream  ->  ranks at or above it, in a buffer; when that is full, its k first stay and the
 *                 last of them becomes the floor
 *     fewer than k came  ->  stream again with no floor
 *     put     ->  the k first of the buffer, in order
 */
#ifndef PLAIT_KERNELS_TOPK_FILTER_H
#define PLAIT_KERNELS_TOPK_FILTER_H

#include "topk_pick.h"

namespace plait::kernels {

// Output of the sorted ranks.
template <int Threads>
__device__ inline void put_ranks(const TopkRowOutput &out, const uint64_t *ranks, int64_t count) {
  for (int64_t j = threadIdx.x; j < out.o.k; j += Threads) {
    if (j < count)
      out.put(j, index_of(ranks[j]));
    else
      out.put_empty(j);
  }
}

__device__ inline uint64_t power_of_two_from(uint64_t n) {
  return n < 2 ? n : 1ull << (64 - __clzll(static_cast<long long>(n - 1)));
}

// Sorts `count` ranks and puts them out. Shared memory has room for the next power of two.
template <int W, int Threads>
__device__ inline void sort_and_put(TopkBlock<W, Threads> &block, const TopkRowOutput &out,
                                    uint64_t *ranks, int64_t count) {
  const uint64_t n = power_of_two_from(static_cast<uint64_t>(count));
  for (uint64_t i = static_cast<uint64_t>(count) + threadIdx.x; i < n; i += Threads) ranks[i] = 0;
  __syncthreads();
  block.sort(ranks, n);
  put_ranks<Threads>(out, ranks, count);
}

constexpr int kFilterThreads = 512;

// The candidates of a row: a buffer of `capacity` > k ranks. When it is full the k first stay, and
// the last of them is the floor from then on.
template <int W>
struct CandidateBuffer : TopkBlock<W, kFilterThreads> {
  static constexpr int Threads = kFilterThreads;
  uint64_t *ranks;
  uint32_t capacity, k;
  uint64_t floor = 0;   // ranks below it are out
  bool refine = false;  // the floor is a rank, not just a key
  uint32_t phase = 0;   // of the overflow words
  int index_bits = 31;

  __device__ CandidateBuffer(TopkShared &shared, uint32_t *bins, uint64_t *buffer, uint32_t room,
                             uint32_t need)
      : TopkBlock<W, Threads>{shared, bins}, ranks(buffer), capacity(room), k(need) {}

  __device__ void restart(uint64_t from) {
    __syncthreads();
    if (threadIdx.x == 0) this->s.count = 0;
    floor = from;
    refine = false;
    __syncthreads();
  }

  __device__ uint32_t found() const { return this->s.count < capacity ? this->s.count : capacity; }

  // Ends a phase: whether some candidate found no room.
  __device__ bool end_phase() {
    __syncthreads();
    const bool full = this->s.overflow[phase] != 0;
    // The word of the phase before: all have read it, and it is used again only after a barrier.
    if (threadIdx.x == 0) this->s.overflow[(phase + 2) % 3] = 0;
    phase = (phase + 1) % 3;
    return full;
  }

  // The lowest rank of the k first of the n > k in the buffer.
  __device__ uint64_t pick_rank(uint32_t n) {
    uint32_t top = 0;
    for (uint32_t i = threadIdx.x; i < n; i += Threads) {
      const uint32_t key = static_cast<uint32_t>(ranks[i] >> 32);
      top = key > top ? key : top;
    }
    top = this->max(top);
    const uint32_t least = static_cast<uint32_t>(floor >> 32);
    const int shift = least > 1 ? shift_for(top - least) : kFineShift;
    const auto each_key = [&](const auto &f) {
      for (uint32_t i = threadIdx.x; i < n; i += Threads) f(static_cast<uint32_t>(ranks[i] >> 32));
    };
    const auto each = [&](const auto &f) {
      for (uint32_t i = threadIdx.x; i < n; i += Threads) {
        const uint64_t rank = ranks[i];
        f(static_cast<uint32_t>(rank >> 32), index_of(rank));
      }
    };
    TopkBlock<W, Threads> &block = *this;
    return last_rank(block, each, narrow(block, each_key, k, top, shift), index_bits);
  }

  __device__ void make_room() {
    floor = pick_rank(capacity);
    refine = true;
    this->compact(ranks, capacity, floor);
  }

  // Candidates in any order: rank(i) for i < n, 0 for none.
  template <class Rank>
  __device__ void stream_ranks(int64_t n, const Rank &rank_at) {
    for (int64_t base = 0; base < n; base += Threads) {
      const int64_t i = base + threadIdx.x;
      const uint64_t rank = i < n ? rank_at(i) : 0;
      bool marked = rank != 0 && rank >= floor;
      for (;;) {
        const uint32_t at = this->reserve(marked ? 1 : 0);
        if (marked) {
          if (at < capacity) {
            ranks[at] = rank;
            marked = false;
          } else {
            this->s.overflow[phase] = 1;
          }
        }
        if (!end_phase()) break;
        make_room();
        marked = marked && rank >= floor;
      }
    }
  }
};

template <int dtype, int W>
struct Filter : CandidateBuffer<W> {
  using CandidateBuffer<W>::CandidateBuffer;
  static constexpr int Threads = kFilterThreads;
  using Raw = typename Element<dtype>::Raw;
  static constexpr int V = Element<dtype>::per_vector;

  // A key that, going by 8 neighbours at each of Threads places, somewhat more than k elements
  // reach.
  __device__ uint32_t sample(const Raw *row, int32_t length) {
    constexpr int group = 8;
    uint32_t keys[group];
    const uint32_t place = static_cast<uint32_t>(length) / Threads;  // > group
    uint32_t hash = (threadIdx.x + 1) * 2654435761u;
    hash ^= hash >> 15;
    int32_t at = static_cast<int32_t>(
        threadIdx.x * place +
        static_cast<uint32_t>(static_cast<uint64_t>(place - group) * (hash >> 16) >> 16));
    at -= misalignment<dtype>(row + at);
    uint4 raw[group / V];
    load_vectors<dtype>(row, at, V, 0, length, true, raw);
    uint32_t top = 0;
#pragma unroll
    for (int u = 0; u < group / V; ++u) {
      float v[V];
      unpack<dtype>(raw[u], v);
#pragma unroll
      for (int e = 0; e < V; ++e) {
        const uint32_t key = key_of(v[e]);
        keys[u * V + e] = key;
        top = key > top ? key : top;
      }
    }
    const float expected = static_cast<float>(Threads * group) * static_cast<float>(this->k) /
                           static_cast<float>(length);
    const float rank = fmaf(5.5f, sqrtf(expected), expected * 1.1f) + 8.0f;
    if (rank > 0.9f * Threads * group) return 0;
    const auto each = [&](const auto &f) {
#pragma unroll
      for (int i = 0; i < group; ++i) f(keys[i]);
    };
    TopkBlock<W, Threads> &block = *this;
    top = this->max(top);
    return narrow(block, each, static_cast<uint32_t>(rank), top, kFineShift).low;
  }

  // A wave's tile: N values of each lane, in vectors, lane by lane.
  static constexpr int N = 16, tile = W * N;

  // Where in its wave's tile this lane's i-th value stands.
  __device__ static int32_t place_of(int i) {
    return (i / V * W + static_cast<int32_t>(threadIdx.x) % W) * V + i % V;
  }

  // The rank of this lane's i-th value of the tile at `at`, read again, from the cache: few of them
  // are wanted, so that is less work than to pick them out of registers.
  __device__ static uint64_t reread(const Raw *row, uint32_t at, int i) {
    const uint32_t index = at + static_cast<uint32_t>(place_of(i));
    return rank_of(key_of(Element<dtype>::value(row[index])), index);
  }

  // Adds the marked ones of this lane's values of the tile at `at`, two at a time; keeps marked
  // those that found no room.
  __device__ void append(const Raw *row, uint32_t &marked, uint32_t at) {
    if (this->refine)  // the floor has an index too
      for (uint32_t m = marked; m != 0; m &= m - 1) {
        const int i = __ffs(static_cast<int>(m)) - 1;
        if (reread(row, at, i) < this->floor) marked &= ~(1u << i);
      }
    if (marked == 0) return;
    uint32_t to = atomicAdd(&this->s.count, static_cast<uint32_t>(__popc(marked)));
    do {
      const uint32_t others = marked & (marked - 1);
      const int i = __ffs(static_cast<int>(marked)) - 1;
      const int j = others != 0 ? __ffs(static_cast<int>(others)) - 1 : i;
      const uint64_t first = reread(row, at, i), second = reread(row, at, j);
      if (to >= this->capacity) break;
      this->ranks[to++] = first;
      marked = others;
      if (others == 0 || to >= this->capacity) break;
      this->ranks[to++] = second;
      marked = others & (others - 1);
    } while (marked != 0);
    if (marked != 0) this->s.overflow[this->phase] = 1;
  }

  // Candidates among elements [begin, end) of a row, none of which has been seen. Waves run on
  // their own until the buffer is full, each over every waves-th tile.
  __device__ void stream(const Raw *row, int32_t begin, int32_t end) {
    constexpr int64_t step = static_cast<int64_t>(Threads) * N;
    int64_t at =
        begin - misalignment<dtype>(row + begin) + static_cast<int64_t>(threadIdx.x / W) * tile;
    int64_t before = at;  // the tile whose marked values wait for room
    uint32_t marked = 0;
    for (;;) {
      const uint32_t floor_key = static_cast<uint32_t>(this->floor >> 32);
      const float least = float_from(floor_key);
      for (;;) {
        // A tile is under way while the one before it goes to the buffer.
        uint4 raw[N / V];
        if (at < end) load_vectors<dtype>(row, at + place_of(0), W * V, begin, end, true, raw);
        if (marked != 0) append(row, marked, static_cast<uint32_t>(before));
        if (ballot(marked != 0) != 0 || at >= end) break;
#pragma unroll
        for (int u = 0; u < N / V; ++u) {
          float v[V];
          unpack<dtype>(raw[u], v);
#pragma unroll
          for (int e = 0; e < V; ++e) marked |= static_cast<uint32_t>(v[e] >= least) << (u * V + e);
        }
        if (floor_key <= 1) {  // NaN too
#pragma unroll
          for (int i = 0; i < N; ++i) {
            const int64_t index = at + place_of(i);
            marked |= static_cast<uint32_t>(index >= begin && index < end) << i;
          }
        }
        before = at;
        at += step;
      }
      if (!this->end_phase()) break;
      this->make_room();
    }
  }

  // Fills the buffer with `n` lists, `spacing` apart, of which list i begins at begins[i]. Each is
  // copied by some waves, or each wave copies some.
  __device__ void join(const uint64_t *lists, uint32_t spacing, const uint32_t *begins,
                       uint32_t n) {
    constexpr uint32_t waves = Threads / W, depth = 4;
    const uint32_t share = n < waves ? waves / n : 1, width = share * W;
    const uint32_t wave = threadIdx.x / W, first = wave % share * W + threadIdx.x % W;
    for (uint32_t i = wave / share; i < n; i += waves / share) {
      const uint64_t *list = lists + static_cast<int64_t>(i) * spacing;
      const uint32_t begin = begins[i], count = begins[i + 1] - begin;
      for (uint32_t j = first; j < count; j += depth * width) {
        uint64_t rank[depth];
#pragma unroll
        for (uint32_t d = 0; d < depth; ++d)
          rank[d] = j + d * width < count ? list[j + d * width] : 0;
#pragma unroll
        for (uint32_t d = 0; d < depth; ++d)
          if (j + d * width < count) this->ranks[begin + j + d * width] = rank[d];
      }
    }
  }

  // The k first of the buffer, which holds at least k.
  __device__ void put(const TopkRowOutput &out, int64_t length, uint32_t *window) {
    this->index_bits = 64 - __clzll(length - 1);
    const uint32_t n = this->found();
    const uint64_t low = n > this->k ? this->pick_rank(n) : 0;
    if (out.o.order == PLAIT_ORDER_DESCENDING) {
      if (n > this->k) this->compact(this->ranks, n, low);
      sort_and_put(*this, out, this->ranks, this->k);
      return;
    }
    // Ascending order: a bit for each index, a window of the row at a time. A candidate's place is
    // the number of bits below its own: those of the words before, in pairs, and in its pair.
    constexpr uint32_t per = kWindowWords / Threads, pairs = per / 2;
    uint16_t *sums = reinterpret_cast<uint16_t *>(window + kWindowWords);
    uint32_t done = 0, words[per];
    for (int64_t start = 0; start < length; start += kWindow) {
      clear_words<per>(window + threadIdx.x * per);
      __syncthreads();
      for (uint32_t i = threadIdx.x; i < n; i += Threads) {
        const uint64_t rank = this->ranks[i];
        const uint32_t place = index_of(rank) - static_cast<uint32_t>(start);
        if (rank >= low && place < kWindow) atomicOr(&window[place / 32], 1u << (place % 32));
      }
      __syncthreads();
      load_words(window + threadIdx.x * per, words);
      uint32_t bits = 0, total;
#pragma unroll
      for (uint32_t i = 0; i < per; ++i) bits += static_cast<uint32_t>(__popc(words[i]));
      uint32_t at = this->scan(bits, total);
#pragma unroll
      for (uint32_t i = 0; i < pairs; ++i) {
        sums[threadIdx.x * pairs + i] = static_cast<uint16_t>(at);
        at += static_cast<uint32_t>(__popc(words[2 * i]) + __popc(words[2 * i + 1]));
      }
      __syncthreads();
      const uint64_t *pair = reinterpret_cast<const uint64_t *>(window);
      for (uint32_t i = threadIdx.x; i < n; i += Threads) {
        const uint64_t rank = this->ranks[i];
        const uint32_t index = index_of(rank), place = index - static_cast<uint32_t>(start);
        if (rank < low || place >= kWindow) continue;
        const uint64_t lower = pair[place / 64] & ((1ull << (place % 64)) - 1);
        out.put(done + sums[place / 64] +
                    static_cast<uint32_t>(__popcll(static_cast<long long>(lower))),
                index);
      }
      done += total;
      __syncthreads();
    }
    // The bins are part of the window and must be zero again.
    for (uint32_t i = threadIdx.x; i < kBins; i += Threads) window[i] = 0;
    __syncthreads();
  }

  // All of the above for a row longer than k.
  __device__ void row(const Raw *values, int32_t length) {
    uint64_t from = length > static_cast<int64_t>(this->capacity)
                        ? static_cast<uint64_t>(sample(values, length)) << 32
                        : 0;
    for (;;) {
      this->restart(from);
      stream(values, 0, length);
      if (from == 0 || this->found() >= this->k) break;
      from = 0;
    }
  }
};

}  // namespace plait::kernels

#endif
