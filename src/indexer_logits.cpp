// SPDX-License-Identifier: MIT
// logits_ragged and logits_paged.
#include "src/indexer_args.h"

using namespace plait;

plait_status plait_indexer_logits_ragged(const plait_plan *plan,
                                         const plait_indexer_logits_ragged_args *args,
                                         void *stream) {
  Call<PLAIT_OP_LOGITS_RAGGED> call(plan, args);
  plait_indexer_logits_ragged_args &a = call.args;
  if (!begin_rows(call, a.rows, PLAIT_ARG_ROWS)) return call.check.status();
  call.check.reserved(a.reserved);
  indexer::ragged(call.check, call.problem(), a);
  indexer::logits(call.check, call.problem(), a, a.rows, a.keys);
  if (call.ok() && a.keys == 0) return PLAIT_OK;
  return call.run(a.rows, stream);
}

plait_status plait_indexer_logits_paged(const plait_plan *plan,
                                        const plait_indexer_logits_paged_args *args, void *stream) {
  Call<PLAIT_OP_LOGITS_PAGED> call(plan, args);
  plait_indexer_logits_paged_args &a = call.args;
  if (!begin_rows(call, a.requests, PLAIT_ARG_REQUESTS)) return call.check.status();
  int64_t rows = 0;
  indexer::paged(call.check, call.problem(), a, rows);
  indexer::logits(call.check, call.problem(), a, rows, a.columns);
  if (call.ok() && a.columns == 0) return PLAIT_OK;
  return call.run(rows, stream);
}
