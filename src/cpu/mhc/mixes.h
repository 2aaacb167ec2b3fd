// SPDX-License-Identifier: MIT
// From the products of a few tokens to their mixes: gates and sinkhorn, in double, one token a
// lane.
#ifndef PLAIT_SRC_CPU_MHC_MIXES_H
#define PLAIT_SRC_CPU_MHC_MIXES_H

#include "src/backend.h"

namespace plait::cpu::mhc {

constexpr int64_t kMixLanes = 8;  // tokens of one call

// Where the mixes of the call's first token go, and the elements between tokens.
struct MixOutput {
  float *data;  // nullptr: not wanted
  int64_t stride;
};

struct MixBatch {
  const plait_mhc_plan_desc *problem;
  const float *base, *scale;
  int32_t rows;           // n (n + 2), or n: pre alone
  int64_t tokens;         // 1 … kMixLanes
  const double *sums;     // [tokens, rows, kParts] of fn . v
  const double *squares;  // [tokens] sum(v^2)
  MixOutput pre, post, comb;
};
void mix_batch(const MixBatch &batch);

}  // namespace plait::cpu::mhc

#endif
