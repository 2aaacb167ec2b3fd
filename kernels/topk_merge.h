// SPDX-License-Identifier: MIT
// Merge of the top-k of several shards.
#ifndef PLAIT_KERNELS_TOPK_MERGE_H
#define PLAIT_KERNELS_TOPK_MERGE_H

#include "isa/hip_compat.h"

namespace plait::kernels {

struct TopkMerge {
  const void *values;
  int64_t values_stride, values_shard_stride;
  const int32_t *indices;
  int64_t indices_stride, indices_shard_stride;
  int64_t rows, shards, candidates, k;
  int32_t dtype, order;
  int32_t *indices_out;
  int64_t indices_out_stride;
  void *values_out;  // may be nullptr
  int64_t values_out_stride;
  // Ranks kept: in shared memory, or with slabs, [slabs, capacity], one for each block. Room for
  // more than k, or for all that a row has.
  uint32_t capacity;
  uint64_t *ranks;
  uint32_t slabs;
};

hipError_t topk_merge(const TopkMerge &merge, int32_t wave, void *stream);
size_t topk_merge_shared(uint32_t capacity);
hipError_t topk_merge_allow_shared(int32_t wave, size_t bytes);

}  // namespace plait::kernels

#endif
