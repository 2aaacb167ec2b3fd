// SPDX-License-Identifier: MIT
// What both select calls do with their ranking, and the reference of both.
#ifndef PLAIT_SRC_CPU_INDEXER_SELECT_H
#define PLAIT_SRC_CPU_INDEXER_SELECT_H

#include "src/cpu/indexer/scoring.h"
#include "src/cpu/ranking/order.h"
#include "src/cpu/ranking/workspace.h"

namespace plait::cpu {

template <class Args>
RankingOutput select_output(const plait_indexer_plan_desc &p, const Args &a, int64_t table_rows) {
  return {p.topk,
          PLAIT_DTYPE_F32,
          static_cast<int32_t *>(a.indices.data),
          a.indices_stride,
          a.values_out.data,
          a.values_out_stride,
          static_cast<int32_t *>(a.slots.data),
          a.slots_stride,
          block_table_of(a, table_rows, p.page_entries)};
}

// A logit as topk would read it from a matrix of logits_dtype.
inline float as_stored(const plait_indexer_plan_desc &p, float logit) {
  return p.logits_dtype == PLAIT_DTYPE_BF16 ? bf16_to_f32(f32_to_bf16(logit)) : logit;
}

}  // namespace plait::cpu

#endif
