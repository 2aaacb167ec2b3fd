// SPDX-License-Identifier: MIT
#include "src/indexer_args.h"

using namespace plait;

plait_status plait_indexer_map_slots(const plait_plan *plan,
                                     const plait_indexer_map_slots_args *args, void *stream) {
  Call<PLAIT_OP_MAP_SLOTS> call(plan, args);
  plait_indexer_map_slots_args &a = call.args;
  if (!begin_rows(call, a.rows, PLAIT_ARG_ROWS)) return call.check.status();
  Check &check = call.check;
  check.require(a.columns >= 0 && a.columns <= INT32_MAX, PLAIT_ERROR_INVALID_VALUE,
                PLAIT_ARG_COLUMNS);
  check.stride(a.indices_stride, a.columns, PLAIT_ARG_INDICES);
  check.input(a.indices, PLAIT_ARG_INDICES, a.rows, a.indices_stride, a.columns, 4);
  slot_table(check, a, a.rows);
  check.stride(a.slots_stride, a.columns, PLAIT_ARG_SLOTS);
  check.output(a.slots, PLAIT_ARG_SLOTS, a.rows, a.slots_stride, a.columns, 4);
  check.allow_same(PLAIT_ARG_SLOTS, PLAIT_ARG_INDICES);
  if (call.ok() && a.columns == 0) return PLAIT_OK;
  return call.run(a.rows, stream);
}
