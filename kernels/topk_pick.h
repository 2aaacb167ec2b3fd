// SPDX-License-Identifier: MIT
/**
 * @file topk_pick.h
 * @brief The need-th of a block's elements, wherever these are held.
 *
 *     count the keys' distances from the top in bins  ->  the bin that holds the need-th
 *     all of the bin are needed                       ->  done
 *     it holds a wave's worth at most                 ->  a list, which each wave ranks by itself
 *     else                                            ->  bins of this bin; in the end, of indices
 *
 * A bin is narrow at first, so that few counts hit the same one and one round is most often enough;
 * if the need-th lies below all bins, digits of the whole key are counted.
 */
#ifndef PLAIT_KERNELS_TOPK_PICK_H
#define PLAIT_KERNELS_TOPK_PICK_H

#include "topk_block.h"

namespace plait::kernels {

constexpr int kFineShift = 14;  // 2^14 keys a bin: all bins are four octaves

// The shift with which kBins bins hold `span` and less.
__device__ inline int shift_for(uint32_t span) {
  const int bits = 32 - __clz(static_cast<int>(span));
  return bits > 11 ? bits - 11 : 0;
}

// The least rank of a list of n <= W ranks in shared memory that is among its `need` first. Every
// wave finds it by itself.
template <int W>
__device__ inline uint64_t last_of_list(const uint64_t *list, uint32_t n, uint32_t need) {
  const uint32_t lane = threadIdx.x % W;
  const uint64_t mine = lane < n ? list[lane] : 0;
  uint32_t above = 0;
  for (uint32_t i = 0; i < n; ++i) above += list[i] > mine;
  // Equal ranks, which only a merge may hold, have as many above them.
  const uint32_t place = lane < n && above < need ? above + 1 : 0;
  const uint64_t found = ballot(place == wave_max<W>(place));
  return list[__ffsll(static_cast<long long>(found)) - 1];
}

// Keys low ... high hold the need-th of the elements below `high`; `inside` elements are in there.
// Either all of them are needed, or they are a list's worth at most, or they are equal.
struct KeyRange {
  uint32_t low, high, need, inside;
};

/**
 * The range of the `need`-th largest key of a block. `each(f)` calls f(key) for all elements of
 * this thread, the same each time; there are at least `need`. `top` is the largest key, and the
 * first bins are 2^shift keys wide. Keys have up to KeyBits bits.
 */
template <int KeyBits = 32, int W, int Threads, class Each>
__device__ inline KeyRange narrow(TopkBlock<W, Threads> &block, const Each &each, uint32_t need,
                                  uint32_t top, int shift) {
  uint32_t high = top, limit = kBins, bin, above, inside;
  for (;;) {
    each([&](uint32_t key) {
      const uint32_t at = (high - key) >> shift;
      count_shared(block.bins + at, at < limit);
    });
    if (!block.pick(need, bin, above, inside)) {
      high = 0xFFFFFFFF >> (32 - KeyBits), shift = KeyBits - 11;
      continue;
    }
    need -= above;
    high -= bin << shift;
    if (need == inside || inside <= W || shift == 0) break;
    const int next = shift > 11 ? shift - 11 : 0;
    limit = 1u << (shift - next);
    shift = next;
  }
  const uint32_t width = (1u << shift) - 1;
  return {high > width ? high - width : 0, high, need, inside};
}

// The rank that the first `need` of the `inside` listed elements of a block reach.
template <int W, int Threads>
__device__ inline uint64_t last_listed(TopkBlock<W, Threads> &block, uint32_t inside,
                                       uint32_t need) {
  __syncthreads();
  if (threadIdx.x == 0) block.s.listed = 0;  // its next use is some barriers away
  return last_of_list<W>(block.s.list, inside, need);
}

// An index that the `need` lowest do not pass, of the elements whose key is `key`; there are that
// many.
template <int W, int Threads, class Each>
__device__ inline uint32_t last_index(TopkBlock<W, Threads> &block, const Each &each, uint32_t key,
                                      uint32_t need, int index_bits) {
  uint32_t base = 0, limit = kBins, bin, above, inside;
  int shift = index_bits > 11 ? index_bits - 11 : 0;
  for (;;) {
    each([&](uint32_t k, uint32_t index) {
      const uint32_t at = (index - base) >> shift;
      count_shared(block.bins + at, k == key && at < limit);
    });
    block.pick(need, bin, above, inside);
    need -= above;
    base += bin << shift;
    if (need == inside || shift == 0) return base + ((1u << shift) - 1);
    if (inside <= W) break;
    const int next = shift > 11 ? shift - 11 : 0;
    limit = 1u << (shift - next);
    shift = next;
  }
  each([&](uint32_t k, uint32_t index) {
    if (k == key && (index - base) >> shift == 0)
      block.s.list[atomicAdd(&block.s.listed, 1u)] = rank_of(key, index);
  });
  return index_of(last_listed(block, inside, need));
}

// A rank that the first `range.need` of the elements in a range reach. `each(f)` calls
// f(key, index) for at least this thread's elements in it; indices have up to `index_bits` bits.
template <int W, int Threads, class Each>
__device__ inline uint64_t last_rank(TopkBlock<W, Threads> &block, const Each &each,
                                     const KeyRange &range, int index_bits) {
  if (range.need == range.inside) return static_cast<uint64_t>(range.low) << 32;
  if (range.inside > W)
    return rank_of(range.high, last_index(block, each, range.high, range.need, index_bits));
  each([&](uint32_t key, uint32_t index) {
    if (key >= range.low && key <= range.high)
      block.s.list[atomicAdd(&block.s.listed, 1u)] = rank_of(key, index);
  });
  return last_listed(block, range.inside, range.need);
}

}  // namespace plait::kernels

#endif
