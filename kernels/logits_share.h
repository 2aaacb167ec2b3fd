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
  int32_t chunk;          // keys of block i, which works on group i % groups alone; 0: equal shares
  int64_t first_request;  // paged: of the first group
};

// row_group() without 64-bit divisions.
__device__ inline RowGroup group_of(const Logits &a, const LogitsGrid &grid, int32_t group) {
  RowGroup g{a.first_row + static_cast<int64_t>(group) * grid.group_rows, 0, grid.group_rows};
  int64_t past = a.last_row;
  if (a.cache != nullptr) {
    const int32_t r = grid.groups_per_request == 1 ? group : group / grid.groups_per_request;
    g.request = grid.first_request + r;
    g.row0 = g.request * a.next_n + (group - r * grid.groups_per_request) * grid.group_rows;
    past = (g.request + 1) * a.next_n;
  }
  if (past - g.row0 < grid.group_rows) g.rows = static_cast<int32_t>(past - g.row0);
  return g;
}

// keys_of_row() of row `i` of a group, likewise.
__device__ inline KeyRange keys_in_group(const Logits &a, const RowGroup &its, int32_t i) {
  if (a.cache == nullptr) return keys_of_row(a, its.row0 + i);
  const int64_t row = its.row0 + i, n = row - its.request * a.next_n;
  int64_t end = a.per_request ? a.lengths[its.request] - a.next_n + n + 1
                              : static_cast<int64_t>(a.lengths[row]);
  if (end > a.columns) end = a.columns;
  if (end > a.last_column) end = a.last_column;
  return {a.first_column, end < a.first_column ? a.first_column : end};
}

// Tiles before a group's first that stand for the time that its queries take.
constexpr int32_t kSwitchCost = 4;

// Paged rows begin at the first column.
__device__ inline int32_t cost_of_keys(int32_t keys, int32_t tile) {
  return keys <= 0 ? 0 : (keys - 1) / tile + 1 + kSwitchCost;
}

template <int32_t Tile>
__device__ inline int32_t cost_of_group(const Logits &a, const LogitsGrid &grid, int32_t group) {
  const RowGroup its = group_of(a, grid, group);
  int64_t past = a.first_column;
#pragma unroll 1
  for (int r = 0; r < its.rows; ++r) {
    const int64_t end = keys_in_group(a, its, r).end;
    if (end > past) past = end;
  }
  return cost_of_keys(static_cast<int32_t>(past - a.first_column), Tile);
}

struct LogitsShare {
  int32_t group;  // the first one
  int32_t skip;   // of its cost
  int32_t cost;   // of what is left to do

  // The part [*from, *last) of this group's keys, which end at `past`.
  __device__ inline void take(int64_t first_column, int64_t past, int32_t tile, int64_t *from,
                              int64_t *last) {
    const int32_t all = cost_of_keys(static_cast<int32_t>(past - first_column), tile);
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
// the block adds up the threads' sums. All costs together are below 2^31.
template <int Threads, int32_t Tile>
__device__ inline void find_share(const Logits &a, const LogitsGrid &grid, LogitsShare *share) {
  __shared__ int32_t sums[Threads / 32];
  const int32_t tid = static_cast<int32_t>(threadIdx.x);
  const int32_t run = (grid.groups + Threads - 1) / Threads;
  const int32_t first = tid * run < grid.groups ? tid * run : grid.groups;
  const int32_t past = grid.groups - first < run ? grid.groups : first + run;
  int32_t own = 0;
#pragma unroll 1
  for (int32_t g = first; g < past; ++g) own += cost_of_group<Tile>(a, grid, g);
  int32_t through = own;  // of the warp, up to this thread
#pragma unroll
  for (int m = 1; m < 32; m *= 2) {
    const int32_t before = __shfl_up_sync(0xFFFFFFFFu, through, m);
    if (tid % 32 >= m) through += before;
  }
  if (tid % 32 == 31) sums[tid / 32] = through;
  if (tid == 0) *share = {0, 0, 0};
  __syncthreads();
  int32_t all = 0, before = through - own;
#pragma unroll
  for (int w = 0; w < Threads / 32; ++w) {
    if (w < tid / 32) before += sums[w];
    all += sums[w];
  }
  // Parts differ by one tile at most.
  const int32_t blocks = static_cast<int32_t>(gridDim.x), block = static_cast<int32_t>(blockIdx.x);
  const int32_t part = all / blocks, more = all - part * blocks;
  const int32_t from = block * part + (block < more ? block : more);
  const int32_t cost = part + (block < more ? 1 : 0);
  if (cost > 0 && from >= before && from < before + own) {
    int32_t group = first, skip = from - before;
    if (run > 1) {
#pragma unroll 1
      for (;; ++group) {
        const int32_t its = cost_of_group<Tile>(a, grid, group);
        if (skip < its) break;
        skip -= its;
      }
    }
    *share = {group, skip, cost};
  }
  __syncthreads();
}

}  // namespace plait::kernels

#endif
