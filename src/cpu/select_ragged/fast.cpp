// SPDX-License-Identifier: MIT
#include "src/cpu/indexer/fast_select.h"
#include "src/cpu/lists.h"

namespace plait::cpu::select_ragged {
namespace {

using Op = Define<PLAIT_OP_SELECT_RAGGED>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const Scoring s = ragged_scoring(p, a);
  if (const plait_status status = check_ranges(s.row_start, s.row_end, s.rows, s.columns))
    return status;
  const int32_t *table_row = static_cast<const int32_t *>(a.table_row.data);
  fast_select(device, s, select_output(p, a, a.table_count), a.workspace,
              [&](int64_t row) -> int64_t { return table_row ? table_row[row] : -1; });
  return PLAIT_OK;
}

}  // namespace

const Implementation fast =
    Op::make<fast_select_can_run, fast_select_workspace, run, nullptr, fast_select_least>("fast");

}  // namespace plait::cpu::select_ragged
