// SPDX-License-Identifier: MIT
#include "src/cpu/indexer/reference_logit.h"
#include "src/cpu/lists.h"

namespace plait::cpu::logits_paged {
namespace {

using Op = Define<PLAIT_OP_LOGITS_PAGED>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  reference_logits(device, paged_scoring(p, a), a);
  return PLAIT_OK;
}

}  // namespace

const Implementation reference = Op::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::logits_paged
