// SPDX-License-Identifier: MIT
// select_ragged and select_paged.
#include "src/indexer_args.h"

using namespace plait;

plait_status plait_indexer_select_ragged(const plait_plan *plan,
                                         const plait_indexer_select_ragged_args *args,
                                         void *stream) {
  Call<PLAIT_OP_SELECT_RAGGED> call(plan, args);
  plait_indexer_select_ragged_args &a = call.args;
  if (!begin_rows(call, a.rows, PLAIT_ARG_ROWS)) return call.check.status();
  const plait_indexer_plan_desc &p = call.problem();
  call.check.require(a.keys <= p.max_keys, PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_KEYS);
  indexer::ragged(call.check, p, a);
  selection(call.check, a, a.rows, p.topk, 4);
  if (a.slots.data) {
    call.check.require(a.table_row.data, PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_TABLE_ROW);
    slot_table(call.check, a, a.rows);
  }
  return call.run(a.rows, stream);
}

plait_status plait_indexer_select_paged(const plait_plan *plan,
                                        const plait_indexer_select_paged_args *args, void *stream) {
  Call<PLAIT_OP_SELECT_PAGED> call(plan, args);
  plait_indexer_select_paged_args &a = call.args;
  if (!begin_rows(call, a.requests, PLAIT_ARG_REQUESTS)) return call.check.status();
  const plait_indexer_plan_desc &p = call.problem();
  int64_t rows = 0;
  call.check.reserved(a.reserved);
  call.check.require(a.columns <= p.max_keys, PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_COLUMNS);
  indexer::paged(call.check, p, a, rows);
  selection(call.check, a, rows, p.topk, 4);
  return call.run(rows, stream);
}
