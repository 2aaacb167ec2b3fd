// SPDX-License-Identifier: MIT
// Checks that the mHC calls share. Each resolves strides in place.
#ifndef PLAIT_SRC_MHC_ARGS_H
#define PLAIT_SRC_MHC_ARGS_H

#include "src/plan.h"

namespace plait::mhc {

// The shape of a plan in elements and bytes.
struct Shape {
  explicit Shape(const plait_mhc_plan_desc &p)
      : n(p.hc_mult),
        h(p.hidden),
        m(int64_t{p.hc_mult} * (p.hc_mult + 2)),
        element(dtype_size(p.dtype)) {}
  int64_t n, h, m, element;
};

// The residual that is read: [T, n, H], or [T, H] for broadcast.
template <class Args>
void residual(Check &check, const Shape &s, Args &a) {
  check.reserved(a.reserved);
  check.flag(a.broadcast, PLAIT_ARG_BROADCAST);
  const int64_t row = a.broadcast ? s.h : s.n * s.h;
  check.stride(a.residual_stride, row, PLAIT_ARG_RESIDUAL);
  check.input(a.residual, PLAIT_ARG_RESIDUAL, a.tokens, a.residual_stride, row, s.element);
}

// What post reads besides the residual, and what it writes.
template <class Args>
void post(Check &check, const Shape &s, Args &a) {
  residual(check, s, a);
  check.stride(a.x_stride, s.h, PLAIT_ARG_X);
  check.input(a.x, PLAIT_ARG_X, a.tokens, a.x_stride, s.h, s.element);
  check.stride(a.x2_stride, s.h, PLAIT_ARG_X2);
  if (a.x2.data) check.input(a.x2, PLAIT_ARG_X2, a.tokens, a.x2_stride, s.h, s.element);
  check.stride(a.post_mix_stride, s.n, PLAIT_ARG_POST_MIX);
  check.input(a.post_mix, PLAIT_ARG_POST_MIX, a.tokens, a.post_mix_stride, s.n, 4);
  check.stride(a.comb_mix_stride, s.n * s.n, PLAIT_ARG_COMB_MIX);
  if (a.comb_mix.data)
    check.input(a.comb_mix, PLAIT_ARG_COMB_MIX, a.tokens, a.comb_mix_stride, s.n * s.n, 4);
  check.stride(a.residual_out_stride, s.n * s.h, PLAIT_ARG_RESIDUAL_OUT);
  check.output(a.residual_out, PLAIT_ARG_RESIDUAL_OUT, a.tokens, a.residual_out_stride, s.n * s.h,
               s.element);
  check.allow_same(PLAIT_ARG_RESIDUAL_OUT, PLAIT_ARG_RESIDUAL);
}

// prev_pre of the delayed form. CURRENT must not bring one.
template <class Args>
void prev_pre(Check &check, const plait_mhc_plan_desc &p, const Shape &s, Args &a) {
  if (p.collapse != PLAIT_MHC_COLLAPSE_DELAYED) return check.absent(a.prev_pre, PLAIT_ARG_PREV_PRE);
  check.stride(a.prev_pre_stride, s.n, PLAIT_ARG_PREV_PRE);
  if (a.prev_pre.data)
    check.input(a.prev_pre, PLAIT_ARG_PREV_PRE, a.tokens, a.prev_pre_stride, s.n, 4);
}

// norm_weight: given exactly when the plan folds this norm.
template <class Args>
void norm_weight(Check &check, const plait_mhc_plan_desc &p, const Shape &s, int32_t bit,
                 const Args &a) {
  if (p.norm & bit)
    check.input(a.norm_weight, PLAIT_ARG_NORM_WEIGHT, s.h, dtype_size(p.norm_weight_dtype));
  else
    check.absent(a.norm_weight, PLAIT_ARG_NORM_WEIGHT);
}

// What pre reads besides the residual, and its outputs but post_mix and comb_mix, whose fields have
// other names in post_pre.
template <class Args>
void pre(Check &check, const plait_mhc_plan_desc &p, const Shape &s, Args &a) {
  check.input(a.fn, PLAIT_ARG_FN, s.m * s.n * s.h, dtype_size(p.fn_dtype));
  check.input(a.base, PLAIT_ARG_BASE, s.m, 4);
  check.input(a.scale, PLAIT_ARG_SCALE, 3, 4);
  norm_weight(check, p, s, PLAIT_MHC_NORM_LAYER_INPUT, a);
  prev_pre(check, p, s, a);
  check.stride(a.pre_mix_stride, s.n, PLAIT_ARG_PRE_MIX);
  if (a.pre_mix.data || p.collapse == PLAIT_MHC_COLLAPSE_DELAYED)
    check.output(a.pre_mix, PLAIT_ARG_PRE_MIX, a.tokens, a.pre_mix_stride, s.n, 4);
  check.stride(a.layer_input_stride, s.h, PLAIT_ARG_LAYER_INPUT);
  check.output(a.layer_input, PLAIT_ARG_LAYER_INPUT, a.tokens, a.layer_input_stride, s.h,
               s.element);
}

// post_mix and comb_mix as outputs.
inline void mixes_out(Check &check, const Shape &s, int64_t tokens, const plait_buffer &post,
                      int64_t &post_stride, int32_t post_argument, const plait_buffer &comb,
                      int64_t &comb_stride, int32_t comb_argument) {
  check.stride(post_stride, s.n, post_argument);
  check.output(post, post_argument, tokens, post_stride, s.n, 4);
  check.stride(comb_stride, s.n * s.n, comb_argument);
  check.output(comb, comb_argument, tokens, comb_stride, s.n * s.n, 4);
}

// The token count: true when there is work left to check and do.
template <class C>
bool begin(C &call) {
  if (call.ok() && call.args.tokens < 0)
    call.check.fail(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_TOKENS);
  return call.ok() && call.args.tokens > 0;
}

}  // namespace plait::mhc

#endif
