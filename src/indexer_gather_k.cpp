// SPDX-License-Identifier: MIT
#include "src/indexer_args.h"

using namespace plait;

plait_status plait_indexer_gather_k(const plait_plan *plan, const plait_indexer_gather_k_args *args,
                                    void *stream) {
  Call<PLAIT_OP_GATHER_K> call(plan, args);
  plait_indexer_gather_k_args &a = call.args;
  if (!begin_rows(call, a.requests, PLAIT_ARG_REQUESTS)) return call.check.status();
  const plait_indexer_plan_desc &p = call.problem();
  Check &check = call.check;
  check.require(a.keys >= 0 && a.keys <= INT32_MAX, PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_KEYS);
  check.require(a.requests < INT32_MAX, PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_REQUESTS);
  if (!call.ok() || a.keys == 0) return check.status();
  indexer::cache(check, p, a.cache, PLAIT_ARG_CACHE);
  block_table(check, a, a.requests);
  check.input(a.cu_lengths, PLAIT_ARG_CU_LENGTHS, a.requests + 1, 4);
  const int64_t v = value_bytes(p), element = indexer::scale_element(p),
                s = scale_bytes(p) / element;
  check.output(a.k_values, PLAIT_ARG_K_VALUES, a.keys, v, v, 1);
  check.output(a.k_scale, PLAIT_ARG_K_SCALE, a.keys, s, s, element);
  return call.run(a.keys, stream);
}
