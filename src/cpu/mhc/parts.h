// SPDX-License-Identifier: MIT
// post_pre is post followed by pre: the arguments of its two halves.
#ifndef PLAIT_SRC_CPU_MHC_PARTS_H
#define PLAIT_SRC_CPU_MHC_PARTS_H

#include "src/backend.h"

namespace plait::cpu::mhc {

inline plait_mhc_post_args post_part(const plait_mhc_post_pre_args &a) {
  plait_mhc_post_args post{};
  post.struct_size = sizeof post;
  post.tokens = a.tokens;
  post.x = a.x;
  post.x_stride = a.x_stride;
  post.x2 = a.x2;
  post.x2_stride = a.x2_stride;
  post.residual = a.residual;
  post.residual_stride = a.residual_stride;
  post.broadcast = a.broadcast;
  post.post_mix = a.post_mix;
  post.post_mix_stride = a.post_mix_stride;
  post.comb_mix = a.comb_mix;
  post.comb_mix_stride = a.comb_mix_stride;
  post.residual_out = a.residual_out;
  post.residual_out_stride = a.residual_out_stride;
  return post;
}

// Reads the residual that post wrote. The workspace is left empty.
inline plait_mhc_pre_args pre_part(const plait_mhc_post_pre_args &a) {
  plait_mhc_pre_args pre{};
  pre.struct_size = sizeof pre;
  pre.tokens = a.tokens;
  pre.residual = {a.residual_out.data, a.residual_out.size};
  pre.residual_stride = a.residual_out_stride;
  pre.fn = a.fn;
  pre.base = a.base;
  pre.scale = a.scale;
  pre.norm_weight = a.norm_weight;
  pre.prev_pre = a.prev_pre;
  pre.prev_pre_stride = a.prev_pre_stride;
  pre.pre_mix = a.pre_mix;
  pre.pre_mix_stride = a.pre_mix_stride;
  pre.post_mix = a.next_post_mix;
  pre.post_mix_stride = a.next_post_mix_stride;
  pre.comb_mix = a.next_comb_mix;
  pre.comb_mix_stride = a.next_comb_mix_stride;
  pre.layer_input = a.layer_input;
  pre.layer_input_stride = a.layer_input_stride;
  return pre;
}

}  // namespace plait::cpu::mhc

#endif
