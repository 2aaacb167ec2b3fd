// SPDX-License-Identifier: MIT
#include "src/cpu/indexer/reference_logit.h"
#include "src/cpu/lists.h"

namespace plait::cpu::logits_ragged {
namespace {

using Op = Define<PLAIT_OP_LOGITS_RAGGED>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const Scoring s = ragged_scoring(p, a);
  if (const plait_status status = check_ranges(s.row_start, s.row_end, s.rows, s.columns))
    return status;
  reference_logits(device, s, a);
  return PLAIT_OK;
}

}  // namespace

const Implementation reference = Op::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::logits_ragged
