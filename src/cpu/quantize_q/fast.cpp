// SPDX-License-Identifier: MIT
#include "src/cpu/indexer/quantise.h"
#include "src/cpu/lists.h"
#include "src/cpu/quantize_q/rows.h"

namespace plait::cpu::quantize_q {
namespace {

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  return quantise_rows(device, p, a, fast_quantise_row);
}

}  // namespace

const Implementation fast = Op::make<nullptr, nullptr, run>("fast");

}  // namespace plait::cpu::quantize_q
