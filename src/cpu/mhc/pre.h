// SPDX-License-Identifier: MIT
// The fast pre, and what is like it: head (pre alone), and post_pre (post first).
#ifndef PLAIT_SRC_CPU_MHC_PRE_H
#define PLAIT_SRC_CPU_MHC_PRE_H

#include "src/cpu/mhc/mixes.h"

namespace plait::cpu::mhc {

struct PreJob {
  int64_t tokens;
  const void *residual;
  int64_t residual_stride, stream_stride;
  int32_t rows;    // of fn: n (n + 2), or n for head
  const void *fn;  // nullptr: no products, the collapse alone (head, delayed)
  const float *base, *scale;
  MixOutput pre, post, comb;
  bool delayed;           // collapse by prev_pre
  const float *prev_pre;  // nullptr: stream 0
  int64_t prev_pre_stride;
  const void *norm_weight;
  void *out;  // layer_input, or head's out
  int64_t out_stride;
  void *workspace;
  const plait_mhc_post_args *post_args;  // post_pre: makes the residual first; else nullptr
};

PreJob pre_job(const plait_mhc_plan_desc &problem, const plait_mhc_pre_args &args);

// Bytes of workspace. `rows` as in PreJob; 0: no products.
int64_t pre_workspace(const Device &device, const plait_mhc_plan_desc &problem, int32_t rows,
                      int64_t tokens);

void run_pre(const Device &device, const plait_mhc_plan_desc &problem, const PreJob &job);

}  // namespace plait::cpu::mhc

#endif
