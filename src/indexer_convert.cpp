// SPDX-License-Identifier: MIT
// convert_k and convert_cache: the two forms of the fp8 flavour change.
#include "src/indexer_args.h"

using namespace plait;

namespace {

void check_format(Check &check, int32_t format, int32_t reserved) {
  check.require(is_fp8(format), PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_FROM_FORMAT);
  check.reserved(reserved);
}

}  // namespace

plait_status plait_indexer_convert_k(const plait_plan *plan,
                                     const plait_indexer_convert_k_args *args, void *stream) {
  Call<PLAIT_OP_CONVERT_K> call(plan, args);
  plait_indexer_convert_k_args &a = call.args;
  if (!begin_rows(call, a.rows, PLAIT_ARG_ROWS)) return call.check.status();
  const int64_t d = call.problem().head_dim;
  Check &check = call.check;
  check_format(check, a.from_format, a.reserved);
  check.input(a.src_values, PLAIT_ARG_SRC_VALUES, a.rows, d, d, 1);
  check.input(a.src_scale, PLAIT_ARG_SRC_SCALE, a.rows, 1, 1, 4);
  check.output(a.dst_values, PLAIT_ARG_DST_VALUES, a.rows, d, d, 1);
  check.output(a.dst_scale, PLAIT_ARG_DST_SCALE, a.rows, 1, 1, 4);
  check.allow_same(PLAIT_ARG_DST_VALUES, PLAIT_ARG_SRC_VALUES);
  check.allow_same_too(PLAIT_ARG_DST_SCALE, PLAIT_ARG_SRC_SCALE);
  return call.run(a.rows, stream);
}

plait_status plait_indexer_convert_cache(const plait_plan *plan,
                                         const plait_indexer_convert_cache_args *args,
                                         void *stream) {
  Call<PLAIT_OP_CONVERT_CACHE> call(plan, args);
  if (!call.ok()) return call.check.status();
  const plait_indexer_plan_desc &p = call.problem();
  plait_indexer_convert_cache_args &a = call.args;
  Check &check = call.check;
  check_format(check, a.from_format, a.reserved);
  const int64_t pages = page_count(p, a.src_cache.size), bytes = page_bytes(p);
  if (pages == 0) return check.status();
  check.input(a.src_cache, PLAIT_ARG_SRC_CACHE, pages, p.page_stride, bytes, 1, page_alignment(p));
  check.output(a.cache, PLAIT_ARG_CACHE, pages, p.page_stride, bytes, 1, page_alignment(p));
  check.allow_same(PLAIT_ARG_CACHE, PLAIT_ARG_SRC_CACHE);
  return call.run(pages, stream);
}
