// SPDX-License-Identifier: MIT
#ifndef PLAIT_SRC_CPU_TOPK_MERGE_CALL_H
#define PLAIT_SRC_CPU_TOPK_MERGE_CALL_H

#include "src/backend.h"
#include "src/cpu/ranking/order.h"
#include "src/cpu/ranking/workspace.h"

namespace plait::cpu::topk_merge {

using Op = Define<PLAIT_OP_TOPK_MERGE>;

inline RankingOutput output_of(const Op::P &p, const Op::A &a) {
  RankingOutput output{};
  output.k = p.k;
  output.dtype = p.dtype;
  output.indices = static_cast<int32_t *>(a.indices_out.data);
  output.indices_stride = a.indices_out_stride;
  output.values = a.values_out.data;
  output.values_stride = a.values_out_stride;
  return output;
}

}  // namespace plait::cpu::topk_merge

#endif
