// SPDX-License-Identifier: MIT
#include "src/select_args.h"

using namespace plait;

plait_status plait_topk(const plait_plan *plan, const plait_topk_args *args, void *stream) {
  Call<PLAIT_OP_TOPK> call(plan, args);
  plait_topk_args &a = call.args;
  if (!begin_rows(call, a.rows, PLAIT_ARG_ROWS)) return call.check.status();
  const plait_topk_plan_desc &p = call.problem();
  Check &check = call.check;
  const int64_t element = dtype_size(p.dtype);
  check.require(a.columns >= 0 && a.columns <= p.max_columns, PLAIT_ERROR_INVALID_VALUE,
                PLAIT_ARG_COLUMNS);
  check.stride(a.values_stride, a.columns, PLAIT_ARG_VALUES);
  check.input(a.values, PLAIT_ARG_VALUES, a.rows, a.values_stride, a.columns, element);
  if (a.row_start.data) check.input(a.row_start, PLAIT_ARG_ROW_START, a.rows, 4);
  if (a.row_end.data) check.input(a.row_end, PLAIT_ARG_ROW_END, a.rows, 4);
  selection(check, a, a.rows, p.k, element);
  if (a.rows_per_table == 0) a.rows_per_table = 1;
  check.require(a.rows_per_table > 0, PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_ROWS_PER_TABLE);
  if (a.slots.data) slot_table(check, a, a.rows);
  return call.run(a.rows, stream);
}
