// SPDX-License-Identifier: MIT
#include "src/cpu/indexer/fast_logits.h"
#include "src/cpu/lists.h"

namespace plait::cpu::logits_ragged {
namespace {

using Op = Define<PLAIT_OP_LOGITS_RAGGED>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const Scoring s = ragged_scoring(p, a);
  if (const plait_status status = check_ranges(s.row_start, s.row_end, s.rows, s.columns))
    return status;
  fast_logits(device, s, a);
  return PLAIT_OK;
}

}  // namespace

const Implementation fast = Op::make<nullptr, fast_logits_workspace, run>("fast");

}  // namespace plait::cpu::logits_ragged
