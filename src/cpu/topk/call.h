// SPDX-License-Identifier: MIT
// The rows of a call, as both implementations see them.
#ifndef PLAIT_SRC_CPU_TOPK_CALL_H
#define PLAIT_SRC_CPU_TOPK_CALL_H

#include "src/backend.h"
#include "src/cpu/ranking/order.h"
#include "src/cpu/ranking/ranges.h"
#include "src/cpu/ranking/workspace.h"

namespace plait::cpu::topk {

using Op = Define<PLAIT_OP_TOPK>;

struct Call {
  const int32_t *row_start;  // nullptr: 0
  const int32_t *row_end;    // nullptr: columns
  const int32_t *table_row;  // nullptr: row / rows_per_table
  int64_t columns;
  int64_t rows_per_table;
  RankingOutput output;

  int64_t start(int64_t row) const { return row_start ? row_start[row] : 0; }
  int64_t end(int64_t row) const {  // not below start
    const int64_t end = row_end ? std::min<int64_t>(row_end[row], columns) : columns;
    return std::max(start(row), end);
  }
  int64_t table_row_of(int64_t row) const {
    return table_row ? table_row[row] : row / rows_per_table;
  }
};

inline Call call_of(const Op::P &p, const Op::A &a) {
  return {static_cast<const int32_t *>(a.row_start.data),
          static_cast<const int32_t *>(a.row_end.data),
          static_cast<const int32_t *>(a.table_row.data),
          a.columns,
          std::max<int64_t>(a.rows_per_table, 1),
          {p.k, p.dtype, static_cast<int32_t *>(a.indices.data), a.indices_stride,
           a.values_out.data, a.values_out_stride, static_cast<int32_t *>(a.slots.data),
           a.slots_stride, block_table_of(a, a.table_count, p.page_entries)}};
}

}  // namespace plait::cpu::topk

#endif
