// SPDX-License-Identifier: MIT
#include "src/mhc_args.h"

using namespace plait;

plait_status plait_mhc_expand(const plait_plan *plan, const plait_mhc_expand_args *args,
                              void *stream) {
  Call<PLAIT_OP_MHC_EXPAND> call(plan, args);
  if (!mhc::begin(call)) return call.check.status();
  const mhc::Shape s(call.problem());
  plait_mhc_expand_args &a = call.args;
  call.check.stride(a.x_stride, s.h, PLAIT_ARG_X);
  call.check.input(a.x, PLAIT_ARG_X, a.tokens, a.x_stride, s.h, s.element);
  call.check.stride(a.residual_out_stride, s.n * s.h, PLAIT_ARG_RESIDUAL_OUT);
  call.check.output(a.residual_out, PLAIT_ARG_RESIDUAL_OUT, a.tokens, a.residual_out_stride,
                    s.n * s.h, s.element);
  return call.run(a.tokens, stream);
}
