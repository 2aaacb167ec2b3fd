// SPDX-License-Identifier: MIT
#include "src/cpu/indexer/fast_select.h"
#include "src/cpu/lists.h"

namespace plait::cpu::select_paged {
namespace {

using Op = Define<PLAIT_OP_SELECT_PAGED>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const Scoring s = paged_scoring(p, a);
  fast_select(device, s, select_output(p, a, a.requests), a.workspace,
              [&](int64_t row) { return s.request(row); });
  return PLAIT_OK;
}

}  // namespace

const Implementation fast =
    Op::make<fast_select_can_run, fast_select_workspace, run, nullptr, fast_select_least>("fast");

}  // namespace plait::cpu::select_paged
