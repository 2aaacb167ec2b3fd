// SPDX-License-Identifier: MIT
// Select without a matrix: each logit goes into a heap of the first K as soon as it is known.
#ifndef PLAIT_SRC_CPU_INDEXER_REFERENCE_SELECT_H
#define PLAIT_SRC_CPU_INDEXER_REFERENCE_SELECT_H

#include "src/cpu/indexer/reference_logit.h"
#include "src/cpu/indexer/select.h"

namespace plait::cpu {

inline int64_t reference_select_least(const Device &, const plait_indexer_plan_desc &p) {
  return round_up(kept(p.topk, p.max_keys) * static_cast<int64_t>(sizeof(Candidate)));
}

// Heaps that the budget pays for: 1 … threads.
inline int64_t reference_select_heaps(const Device &device, const plait_indexer_plan_desc &p) {
  const uint64_t least = static_cast<uint64_t>(reference_select_least(device, p));
  return static_cast<int64_t>(
      std::min(p.select_budget / least, static_cast<uint64_t>(device.info.threads)));
}

inline plait_status reference_select_can_run(const Device &device, const plait_indexer_plan_desc &p,
                                             Reason &reason) {
  const int64_t least = reference_select_least(device, p);
  if (p.topk == 0 || p.select_budget >= static_cast<uint64_t>(least)) return PLAIT_OK;
  reason.set("select_budget %zu is below the least, %lld bytes", p.select_budget,
             static_cast<long long>(least));
  return status_of(PLAIT_ERROR_BUDGET_TOO_SMALL, PLAIT_ARG_SELECT_BUDGET);
}

inline int64_t reference_select_workspace(const Device &device, const plait_indexer_plan_desc &p,
                                          int64_t rows) {
  if (p.topk == 0) return 0;
  return std::min(rows, reference_select_heaps(device, p)) * reference_select_least(device, p);
}

// `table_row(row)`: the row of the block table that maps slots.
template <class TableRow>
void reference_select(const Device &device, const Scoring &s, const RankingOutput &output,
                      const plait_buffer &workspace, const TableRow &table_row) {
  const plait_indexer_plan_desc &p = *s.plan;
  const ReferenceLogit logit(s);
  const int64_t heaps = std::min(s.rows, reference_select_heaps(device, p));
  // Heap i serves rows i, i + heaps, i + 2 * heaps …
  parallel_for(device, heaps, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t r = i; r < s.rows; r += heaps) {
        void *heap = static_cast<uint8_t *>(workspace.data) + i * reference_select_least(device, p);
        KeepFirst first{static_cast<Candidate *>(heap), kept(p.topk, p.max_keys)};
        const Scoring::Range range = s.range(r);
        for (int64_t c = range.begin; c < range.end; ++c)
          first.add({as_stored(p, logit(r, c)), static_cast<int32_t>(c - range.begin)});
        sort_for_output(first.heap, first.count, p.order);
        output.write(r, table_row(r), first.count,
                     [&](int64_t place) { return first.heap[place]; });
      }
  });
}

}  // namespace plait::cpu

#endif
