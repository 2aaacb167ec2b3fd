// SPDX-License-Identifier: MIT
#include "src/select_args.h"

using namespace plait;

namespace {

// [shards, rows, candidates] with two strides.
void candidates(Check &check, const plait_const_buffer &buffer, int64_t &stride,
                int64_t &shard_stride, const plait_topk_merge_args &a, int64_t element,
                int32_t argument) {
  check.stride(stride, a.candidates, argument);
  SizeMath math;
  const int64_t shard = math.add(math.mul(a.rows - 1, stride), a.candidates);
  const int64_t whole = math.mul(a.rows, stride);
  check.require(!math.overflow(), PLAIT_ERROR_SIZE_OVERFLOW, argument);
  if (shard_stride == 0) shard_stride = whole;
  // Shards may interleave row by row ([rows, shards, candidates]) or follow one another.
  const bool interleaved = shard_stride >= a.candidates && shard_stride <= stride / a.shards;
  check.require(interleaved || shard_stride >= shard, PLAIT_ERROR_STRIDE, argument);
  if (check.status()) return;
  const int64_t last = math.add(math.mul(a.shards - 1, shard_stride), shard);
  check.require(!math.overflow(), PLAIT_ERROR_SIZE_OVERFLOW, argument);
  check.input(buffer, argument, last, element);
}

}  // namespace

plait_status plait_topk_merge(const plait_plan *plan, const plait_topk_merge_args *args,
                              void *stream) {
  Call<PLAIT_OP_TOPK_MERGE> call(plan, args);
  plait_topk_merge_args &a = call.args;
  if (!begin_rows(call, a.rows, PLAIT_ARG_ROWS)) return call.check.status();
  const plait_topk_plan_desc &p = call.problem();
  Check &check = call.check;
  const int64_t element = dtype_size(p.dtype);
  check.require(a.shards >= 1 && a.shards <= INT32_MAX, PLAIT_ERROR_INVALID_VALUE,
                PLAIT_ARG_SHARDS);
  check.require(a.candidates >= 1 && a.candidates <= INT32_MAX, PLAIT_ERROR_INVALID_VALUE,
                PLAIT_ARG_CANDIDATES);
  if (!call.ok()) return check.status();
  check.require(a.shards * a.candidates <= p.max_columns, PLAIT_ERROR_INVALID_VALUE,
                PLAIT_ARG_CANDIDATES);
  candidates(check, a.values, a.values_stride, a.values_shard_stride, a, element, PLAIT_ARG_VALUES);
  candidates(check, a.indices, a.indices_stride, a.indices_shard_stride, a, 4, PLAIT_ARG_INDICES);
  check.stride(a.indices_out_stride, p.k, PLAIT_ARG_INDICES_OUT);
  check.output(a.indices_out, PLAIT_ARG_INDICES_OUT, a.rows, a.indices_out_stride, p.k, 4);
  check.stride(a.values_out_stride, p.k, PLAIT_ARG_VALUES_OUT);
  if (a.values_out.data)
    check.output(a.values_out, PLAIT_ARG_VALUES_OUT, a.rows, a.values_out_stride, p.k, element);
  return call.run(a.rows, stream);
}
