// SPDX-License-Identifier: MIT
#include "src/mhc_args.h"

using namespace plait;

plait_status plait_mhc_head(const plait_plan *plan, const plait_mhc_head_args *args, void *stream) {
  Call<PLAIT_OP_MHC_HEAD> call(plan, args);
  if (!mhc::begin(call)) return call.check.status();
  const plait_mhc_plan_desc &p = call.problem();
  const mhc::Shape s(p);
  plait_mhc_head_args &a = call.args;
  Check &check = call.check;
  check.stride(a.residual_stride, s.n * s.h, PLAIT_ARG_RESIDUAL);
  check.input(a.residual, PLAIT_ARG_RESIDUAL, a.tokens, a.residual_stride, s.n * s.h, s.element);
  if (p.collapse == PLAIT_MHC_COLLAPSE_CURRENT) {
    check.input(a.fn, PLAIT_ARG_FN, s.n * s.n * s.h, dtype_size(p.fn_dtype));
    check.input(a.base, PLAIT_ARG_BASE, s.n, 4);
    check.input(a.scale, PLAIT_ARG_SCALE, 1, 4);
  } else {
    check.absent(a.fn, PLAIT_ARG_FN);
    check.absent(a.base, PLAIT_ARG_BASE);
    check.absent(a.scale, PLAIT_ARG_SCALE);
  }
  mhc::prev_pre(check, p, s, a);
  mhc::norm_weight(check, p, s, PLAIT_MHC_NORM_HEAD, a);
  check.stride(a.out_stride, s.h, PLAIT_ARG_OUT);
  check.output(a.out, PLAIT_ARG_OUT, a.tokens, a.out_stride, s.h, s.element);
  return call.run(a.tokens, stream);
}
