// SPDX-License-Identifier: MIT
// The fast post over all tokens: post itself, and the first half of a small post_pre.
#ifndef PLAIT_SRC_CPU_MHC_POST_H
#define PLAIT_SRC_CPU_MHC_POST_H

#include "src/cpu/device.h"
#include "src/cpu/mhc/element.h"
#include "src/cpu/mhc/rows.h"

namespace plait::cpu::mhc {

inline PostRow post_token(const plait_mhc_plan_desc &p, const plait_mhc_post_args &a, int64_t t) {
  PostRow row{};
  row.dtype = p.dtype;
  row.n = p.hc_mult;
  row.hidden = p.hidden;
  row.x = element(p.dtype, a.x.data, t * a.x_stride);
  row.x2 = a.x2.data ? element(p.dtype, a.x2.data, t * a.x2_stride) : nullptr;
  row.residual = element(p.dtype, a.residual.data, t * a.residual_stride);
  row.residual_stride = a.broadcast ? 0 : p.hidden;
  row.post = static_cast<const float *>(a.post_mix.data) + t * a.post_mix_stride;
  row.comb = a.comb_mix.data ? static_cast<const float *>(a.comb_mix.data) + t * a.comb_mix_stride
                             : nullptr;
  row.out = element(p.dtype, a.residual_out.data, t * a.residual_out_stride);
  return row;
}

inline void run_post(const Device &device, const plait_mhc_plan_desc &p,
                     const plait_mhc_post_args &a) {
  constexpr int64_t kColumns = 2048;  // of one work item
  const int64_t blocks = (p.hidden - 1) / kColumns + 1, items = a.tokens * blocks;
  const int64_t out_bytes = a.tokens * p.hc_mult * p.hidden * dtype_bytes(p.dtype);
  const bool stream = worth_streaming(out_bytes) && a.residual_out.data != a.residual.data;
  const int64_t share = items / (4 * device.info.threads), grain = share < 1 ? 1 : share;
  parallel_for(device, items, grain < 4 * blocks ? grain : 4 * blocks,
               [&](int64_t begin, int64_t end) {
                 for (int64_t item = begin; item < end; ++item) {
                   PostRow row = post_token(p, a, item / blocks);
                   row.stream = stream;
                   const int64_t from = item % blocks * kColumns;
                   post_row(row, from, p.hidden - from < kColumns ? p.hidden : from + kColumns);
                 }
                 if (stream) finish_streams();
               });
}

}  // namespace plait::cpu::mhc

#endif
