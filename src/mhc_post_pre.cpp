// SPDX-License-Identifier: MIT
#include "src/mhc_args.h"

using namespace plait;

plait_status plait_mhc_post_pre(const plait_plan *plan, const plait_mhc_post_pre_args *args,
                                void *stream) {
  Call<PLAIT_OP_MHC_POST_PRE> call(plan, args);
  if (!mhc::begin(call)) return call.check.status();
  const mhc::Shape shape(call.problem());
  plait_mhc_post_pre_args &a = call.args;
  mhc::post(call.check, shape, a);
  mhc::pre(call.check, call.problem(), shape, a);
  mhc::mixes_out(call.check, shape, a.tokens, a.next_post_mix, a.next_post_mix_stride,
                 PLAIT_ARG_NEXT_POST_MIX, a.next_comb_mix, a.next_comb_mix_stride,
                 PLAIT_ARG_NEXT_COMB_MIX);
  return call.run(a.tokens, stream);
}
