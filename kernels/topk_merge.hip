// SPDX-License-Identifier: MIT
// Merge of the top-k of several shards: one block a row. The candidates pass through a buffer of
// ranks; the k first are sorted and put out. A rank does not hold the value's own bits (-0, the
// payload of a NaN), so values are copied in a second pass that looks each winner up.
#include "topk_merge.h"

#include "isa/launch.h"
#include "topk_filter.h"

namespace plait::kernels {
namespace {

__device__ inline float value_at(const TopkMerge &m, int64_t at) {
  if (m.dtype == PLAIT_DTYPE_F32) return static_cast<const float *>(m.values)[at];
  const uint16_t bits = static_cast<const uint16_t *>(m.values)[at];
  return m.dtype == PLAIT_DTYPE_BF16 ? bf16_to_f32(bits) : f16_to_f32(bits);
}

__device__ inline void copy_value(const TopkMerge &m, int64_t from, int64_t to) {
  if (m.dtype == PLAIT_DTYPE_F32)
    static_cast<float *>(m.values_out)[to] = static_cast<const float *>(m.values)[from];
  else
    static_cast<uint16_t *>(m.values_out)[to] = static_cast<const uint16_t *>(m.values)[from];
}

__device__ inline void put_no_value(const TopkMerge &m, int64_t to) {
  if (m.dtype == PLAIT_DTYPE_F32)
    static_cast<float *>(m.values_out)[to] = float_of(0xFF800000);
  else
    static_cast<uint16_t *>(m.values_out)[to] = m.dtype == PLAIT_DTYPE_BF16 ? 0xFF80 : 0xFC00;
}

// A number that descends in output order: the rank itself, or its halves swapped.
__device__ inline uint64_t swapped(uint64_t rank) { return rank << 32 | rank >> 32; }

template <int W>
__global__ __launch_bounds__(kFilterThreads, 2) void merge_kernel(TopkMerge m) {
  __shared__ TopkShared shared;
  __shared__ __align__(16) uint32_t bins[kBins];
  PLAIT_DYNAMIC_SHARED(uint64_t, own);
  uint64_t *ranks = m.ranks ? m.ranks + static_cast<int64_t>(blockIdx.x) * m.capacity : own;
  CandidateBuffer<W> buffer(shared, bins, ranks, m.capacity, static_cast<uint32_t>(m.k));
  buffer.reset();
  const bool by_index = m.order != PLAIT_ORDER_DESCENDING;
  const int64_t all = m.shards * m.candidates;
  for (int64_t row = blockIdx.x; row < m.rows; row += gridDim.x) {
    const auto value_place = [&](int64_t i) {
      return i / m.candidates * m.values_shard_stride + row * m.values_stride + i % m.candidates;
    };
    const auto rank_at = [&](int64_t i) -> uint64_t {
      const int32_t index = m.indices[i / m.candidates * m.indices_shard_stride +
                                      row * m.indices_stride + i % m.candidates];
      return index < 0 ? 0
                       : rank_of(key_of(value_at(m, value_place(i))), static_cast<uint32_t>(index));
    };
    buffer.restart(0);
    buffer.stream_ranks(all, rank_at);
    uint32_t count = buffer.found();
    uint64_t low = buffer.floor;
    if (count > buffer.k) {
      low = buffer.pick_rank(count);
      buffer.compact(ranks, count, low);
      count = buffer.k;
    }
    const uint64_t room = power_of_two_from(count);
    __syncthreads();
    for (uint64_t i = threadIdx.x; i < room; i += kFilterThreads)
      ranks[i] = i >= count ? 0 : by_index ? swapped(ranks[i]) : ranks[i];
    __syncthreads();
    buffer.sort(ranks, room);
    for (int64_t j = threadIdx.x; j < m.k; j += kFilterThreads) {
      const bool empty = j >= count;
      const uint64_t rank = empty ? 0 : by_index ? swapped(ranks[j]) : ranks[j];
      m.indices_out[row * m.indices_out_stride + j] =
          empty ? -1 : static_cast<int32_t>(index_of(rank));
      if (m.values_out && empty) put_no_value(m, row * m.values_out_stride + j);
    }
    if (m.values_out) {
      for (int64_t i = threadIdx.x; i < all; i += kFilterThreads) {
        const uint64_t rank = rank_at(i);
        if (rank == 0 || rank < low) continue;
        const uint64_t wanted = by_index ? swapped(rank) : rank;
        uint32_t begin = 0, end = count;  // the first not above it
        while (begin < end) {
          const uint32_t middle = (begin + end) / 2;
          if (ranks[middle] > wanted)
            begin = middle + 1;
          else
            end = middle;
        }
        if (begin < count && ranks[begin] == wanted)
          copy_value(m, value_place(i), row * m.values_out_stride + begin);
      }
    }
    __syncthreads();  // the next row's ranks
  }
}

}  // namespace

size_t topk_merge_shared(uint32_t capacity) { return capacity * sizeof(uint64_t); }

hipError_t topk_merge(const TopkMerge &merge, int32_t wave, void *stream) {
  const int64_t most = merge.ranks ? merge.slabs : INT32_MAX;
  const unsigned grid = static_cast<unsigned>(merge.rows < most ? merge.rows : most);
  const size_t shared = merge.ranks ? 0 : topk_merge_shared(merge.capacity);
#if !defined(PLAIT_WITH_CUDA)
  if (wave == 64) return launch(merge_kernel<64>, grid, kFilterThreads, shared, stream, merge);
#endif
  (void)wave;
  return launch(merge_kernel<32>, grid, kFilterThreads, shared, stream, merge);
}

hipError_t topk_merge_allow_shared(int32_t wave, size_t bytes) {
  const void *kernel = reinterpret_cast<const void *>(&merge_kernel<32>);
#if !defined(PLAIT_WITH_CUDA)
  if (wave == 64) kernel = reinterpret_cast<const void *>(&merge_kernel<64>);
#endif
  (void)wave;
  hipFuncAttributes attributes;
  const hipError_t error = hipFuncGetAttributes(&attributes, kernel);
  return error != hipSuccess
             ? error
             : raise_shared_memory_limit(kernel, bytes - attributes.sharedSizeBytes);
}

}  // namespace plait::kernels
