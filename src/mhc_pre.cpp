// SPDX-License-Identifier: MIT
#include "src/mhc_args.h"

using namespace plait;

plait_status plait_mhc_pre(const plait_plan *plan, const plait_mhc_pre_args *args, void *stream) {
  Call<PLAIT_OP_MHC_PRE> call(plan, args);
  if (!mhc::begin(call)) return call.check.status();
  const mhc::Shape shape(call.problem());
  plait_mhc_pre_args &a = call.args;
  mhc::residual(call.check, shape, a);
  mhc::pre(call.check, call.problem(), shape, a);
  mhc::mixes_out(call.check, shape, a.tokens, a.post_mix, a.post_mix_stride, PLAIT_ARG_POST_MIX,
                 a.comb_mix, a.comb_mix_stride, PLAIT_ARG_COMB_MIX);
  return call.run(a.tokens, stream);
}
