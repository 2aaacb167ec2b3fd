// SPDX-License-Identifier: MIT
#include "src/mhc_args.h"

using namespace plait;

plait_status plait_mhc_post(const plait_plan *plan, const plait_mhc_post_args *args, void *stream) {
  Call<PLAIT_OP_MHC_POST> call(plan, args);
  if (!mhc::begin(call)) return call.check.status();
  mhc::post(call.check, mhc::Shape(call.problem()), call.args);
  return call.run(call.args.tokens, stream);
}
