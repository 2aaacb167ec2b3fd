// SPDX-License-Identifier: MIT
// Checks that top-k, select and slot mapping share.
#ifndef PLAIT_SRC_SELECT_ARGS_H
#define PLAIT_SRC_SELECT_ARGS_H

#include "src/plan.h"

namespace plait {

// A row count; true when there is work left to check and do.
template <class C>
bool begin_rows(C &call, int64_t count, int32_t argument) {
  if (call.ok() && count < 0) call.check.fail(PLAIT_ERROR_INVALID_VALUE, argument);
  return call.ok() && count > 0;
}

// [tables, block_table_columns] int32.
template <class Args>
void block_table(Check &check, Args &a, int64_t tables) {
  check.require(a.block_table_columns >= 0, PLAIT_ERROR_INVALID_VALUE,
                PLAIT_ARG_BLOCK_TABLE_COLUMNS);
  check.stride(a.block_table_stride, a.block_table_columns, PLAIT_ARG_BLOCK_TABLE);
  check.input(a.block_table, PLAIT_ARG_BLOCK_TABLE, tables, a.block_table_stride,
              a.block_table_columns, 4);
}

// [rows, K] outputs; `value_size` 0: no values.
template <class Args>
void selection(Check &check, Args &a, int64_t rows, int64_t k, int64_t value_size) {
  check.stride(a.indices_stride, k, PLAIT_ARG_INDICES);
  check.output(a.indices, PLAIT_ARG_INDICES, rows, a.indices_stride, k, 4);
  check.stride(a.values_out_stride, k, PLAIT_ARG_VALUES_OUT);
  if (a.values_out.data)
    check.output(a.values_out, PLAIT_ARG_VALUES_OUT, rows, a.values_out_stride, k, value_size);
  check.stride(a.slots_stride, k, PLAIT_ARG_SLOTS);
  if (a.slots.data) check.output(a.slots, PLAIT_ARG_SLOTS, rows, a.slots_stride, k, 4);
}

// The block table of `slots` where table_row or rows_per_table names its row.
template <class Args>
void slot_table(Check &check, Args &a, int64_t rows) {
  check.require(a.table_count >= 0, PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_TABLE_COUNT);
  block_table(check, a, a.table_count);
  if (a.table_row.data) check.input(a.table_row, PLAIT_ARG_TABLE_ROW, rows, 4);
}

}  // namespace plait

#endif
