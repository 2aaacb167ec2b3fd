// SPDX-License-Identifier: MIT
// Which keys a block of a paged logits call works on when blocks get equal shares: the tiles of all
// row groups in a line, cut into as many parts as there are blocks. Lengths are read on the device,
// so a recorded graph follows them.
#ifndef PLAIT_KERNELS_LOGITS_SHARE_H
#define PLAIT_KERNELS_LOGITS_SHARE_H

#include "logits_keys.h"

namespace plait::kernels {

// Row groups of a call, and how their keys are cut.
struct LogitsGrid {
  int32_t group_rows, groups_per_request, groups;
  int32_t chunk;  // keys of block i, which works on group i % groups alone; 0: equal shares
};

// Tiles before a group's first that stand for the time that its queries take.
constexpr int32_t kSwitchCost = 4;

// Paged rows begin at the first column.
__device__ inline int32_t cost_of_keys(int64_t keys, int32_t tile) {
  return keys <= 0 ? 0 : static_cast<int32_t>((keys + tile - 1) / tile) + kSwitchCost;
}

__device__ inline int32_t cost_of_group(const Logits &a, const LogitsGrid &grid, int32_t group,
                                        int32_t tile) {
  const RowGroup its = row_group(a, group, grid.group_rows, grid.groups_per_request);
  int64_t past = 0;
#pragma unroll 1
  for (int r = 0; r < its.rows; ++r) {
    const KeyRange keys = keys_of_row(a, its.row0 + r);
    if (keys.begin < keys.end && keys.end > past) past = keys.end;
  }
  return cost_of_keys(past - a.first_column, tile);
}

struct LogitsShare {
  int32_t group;  // the first one
  int32_t skip;   // of its cost
  int32_t cost;   // of what is left to do

  // The part [*from, *last) of this group's keys, which end at `past`.
  __device__ inline void take(int64_t first_column, int64_t past, int32_t tile, int64_t *from,
                              int64_t *last) {
    const int32_t all = cost_of_keys(past - first_column, tile);
    const int32_t end = all - skip < cost ? all : skip + cost;
    *from = first_column + static_cast<int64_t>(skip > kSwitchCost ? skip - kSwitchCost : 0) * tile;
    *last = end == all ? past
                       : first_column +
                             static_cast<int64_t>(end > kSwitchCost ? end - kSwitchCost : 0) * tile;
    cost -= end - skip;
    skip = 0;
    ++group;
  }
};

// The share of this block, in *share once all threads are here. A thread adds up a run of groups,
// the block adds up the threads' sums.
template <int Threads>
__device__ inline void find_share(const Logits &a, const LogitsGrid &grid, int32_t tile,
                                  LogitsShare *share) {
  __shared__ int64_t sums[Threads / 32];
  const int32_t tid = static_cast<int32_t>(threadIdx.x);
  const int32_t run = (grid.groups + Threads - 1) / Threads;
  const int32_t first = tid * run < grid.groups ? tid * run : grid.groups;
  const int32_t past = grid.groups - first < run ? grid.groups : first + run;
  int64_t own = 0;
#pragma unroll 1
  for (int32_t g = first; g < past; ++g) own += cost_of_group(a, grid, g, tile);
  int64_t through = own;  // of the warp, up to this thread
#pragma unroll
  for (int m = 1; m < 32; m *= 2) {
    const int64_t before = __shfl_up_sync(0xFFFFFFFFu, through, m);
    if (tid % 32 >= m) through += before;
  }
  if (tid % 32 == 31) sums[tid / 32] = through;
  if (tid == 0) *share = {0, 0, 0};
  __syncthreads();
  int64_t all = 0, before = through - own;
#pragma unroll
  for (int w = 0; w < Threads / 32; ++w) {
    if (w < tid / 32) before += sums[w];
    all += sums[w];
  }
  // Parts differ by one tile at most.
  const int64_t part = all / gridDim.x, more = all % gridDim.x, block = blockIdx.x;
  const int64_t from = block * part + (block < more ? block : more);
  const int64_t cost = part + (block < more ? 1 : 0);
  if (cost > 0 && from >= before && from < before + own) {
    int32_t group = first;
    int64_t skip = from - before;
    for (;; ++group) {
      const int64_t its = cost_of_group(a, grid, group, tile);
      if (skip < its) break;
      skip -= its;
    }
    *share = {group, static_cast<int32_t>(skip), static_cast<int32_t>(cost)};
  }
  __syncthreads();
}

}  // namespace plait::kernels

#endif
