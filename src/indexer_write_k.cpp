// SPDX-License-Identifier: MIT
#include "src/indexer_args.h"

using namespace plait;

plait_status plait_indexer_write_k(const plait_plan *plan, const plait_indexer_write_k_args *args,
                                   void *stream) {
  Call<PLAIT_OP_WRITE_K> call(plan, args);
  plait_indexer_write_k_args &a = call.args;
  if (!begin_rows(call, a.tokens, PLAIT_ARG_TOKENS)) return call.check.status();
  const plait_indexer_plan_desc &p = call.problem();
  Check &check = call.check;
  check.stride(a.k_stride, p.head_dim, PLAIT_ARG_K);
  check.input(a.k, PLAIT_ARG_K, a.tokens, a.k_stride, p.head_dim, 2);
  indexer::rope(check, p, a);
  check.input(a.slot_mapping, PLAIT_ARG_SLOT_MAPPING, a.tokens, 8);
  indexer::cache(check, p, a.cache, PLAIT_ARG_CACHE);
  if (a.rejected.data) check.output(a.rejected, PLAIT_ARG_REJECTED, 1, 4);
  return call.run(a.tokens, stream);
}
