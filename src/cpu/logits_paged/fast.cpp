// SPDX-License-Identifier: MIT
#include "src/cpu/indexer/fast_logits.h"
#include "src/cpu/lists.h"

namespace plait::cpu::logits_paged {
namespace {

using Op = Define<PLAIT_OP_LOGITS_PAGED>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  fast_logits(device, paged_scoring(p, a), a);
  return PLAIT_OK;
}

}  // namespace

const Implementation fast = Op::make<nullptr, fast_logits_workspace, run>("fast");

}  // namespace plait::cpu::logits_paged
