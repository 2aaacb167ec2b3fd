// SPDX-License-Identifier: MIT
#include "src/cpu/indexer/quantise.h"
#include "src/cpu/lists.h"
#include "src/cpu/write_k/rows.h"

namespace plait::cpu::write_k {
namespace {

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  return quantise_rows(device, p, a, fast_quantise_row);
}

}  // namespace

const Implementation fast = Op::make<nullptr, nullptr, run>("fast");

}  // namespace plait::cpu::write_k
