// SPDX-License-Identifier: MIT
// How a GPU computes logits: both logits calls and both select calls.
#ifndef PLAIT_SRC_GPU_LOGITS_H
#define PLAIT_SRC_GPU_LOGITS_H

#include "kernels/logits.h"
#include "src/gpu/device.h"
#include "src/indexer_layout.h"

namespace plait::gpu {

// A way to compute logits. The order of preference is that of lists.cpp.
struct LogitsKernel {
  plait_status (*can_run)(const Device &device, const plait_indexer_plan_desc &p, Reason &reason);
  hipError_t (*prepare)(const Device &device, const plait_indexer_plan_desc &p);
  hipError_t (*run)(const Device &device, const plait_indexer_plan_desc &p,
                    const kernels::Logits &args, void *stream);
};

extern const LogitsKernel kLogitsSm90, kLogitsTile, kLogitsGeneric;

// The fields that the logits and select calls share; the output is still to be set.
template <class Args>
kernels::Logits logits_queries(const plait_indexer_plan_desc &p, const Args &a) {
  kernels::Logits l{};
  l.q = static_cast<const uint8_t *>(a.q_values.data);
  l.q_scale = static_cast<const uint8_t *>(a.q_scale.data);
  l.weights = static_cast<const float *>(a.weights.data);
  l.weights_stride = a.weights_stride;
  l.heads = p.heads;
  l.head_dim = p.head_dim;
  l.format = p.format;
  l.next_n = p.next_n;
  l.tiled = p.layout == PLAIT_LAYOUT_TILED;
  return l;
}

template <class Args>
kernels::Logits ragged_logits(const plait_indexer_plan_desc &p, const Args &a) {
  kernels::Logits l = logits_queries(p, a);
  l.rows = l.last_row = a.rows;
  l.columns = l.last_column = a.keys;
  l.k = static_cast<const uint8_t *>(a.k_values.data);
  l.k_scale = static_cast<const uint8_t *>(a.k_scale.data);
  l.start = static_cast<const int32_t *>(a.row_start.data);
  l.end = static_cast<const int32_t *>(a.row_end.data);
  return l;
}

template <class Args>
kernels::Logits paged_logits(const plait_indexer_plan_desc &p, const Args &a) {
  kernels::Logits l = logits_queries(p, a);
  l.rows = l.last_row = a.requests * p.next_n;
  l.columns = l.last_column = a.columns;
  l.cache = static_cast<const uint8_t *>(a.cache.data);
  l.pages = page_count(p, a.cache.size);
  l.page_stride = p.page_stride;
  l.table = {static_cast<const int32_t *>(a.block_table.data), a.requests, a.block_table_columns,
             a.block_table_stride, p.page_entries};
  l.page_shift = -1;
  for (int32_t shift = 0; shift < 31; ++shift)
    if (p.page_entries == int32_t{1} << shift) l.page_shift = shift;
  l.lengths = static_cast<const int32_t *>(a.lengths.data);
  l.per_request = a.lengths_per_request;
  return l;
}

}  // namespace plait::gpu

#endif
