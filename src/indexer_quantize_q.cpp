// SPDX-License-Identifier: MIT
#include "src/indexer_args.h"

using namespace plait;

plait_status plait_indexer_quantize_q(const plait_plan *plan,
                                      const plait_indexer_quantize_q_args *args, void *stream) {
  Call<PLAIT_OP_QUANTIZE_Q> call(plan, args);
  plait_indexer_quantize_q_args &a = call.args;
  if (!begin_rows(call, a.tokens, PLAIT_ARG_TOKENS)) return call.check.status();
  const plait_indexer_plan_desc &p = call.problem();
  Check &check = call.check;
  const int64_t row = int64_t{p.heads} * p.head_dim;
  check.stride(a.q_stride, row, PLAIT_ARG_Q);
  check.input(a.q, PLAIT_ARG_Q, a.tokens, a.q_stride, row, 2);
  indexer::rope(check, p, a);
  check.stride(a.weights_stride, p.heads, PLAIT_ARG_WEIGHTS);
  check.input(a.weights, PLAIT_ARG_WEIGHTS, a.tokens, a.weights_stride, p.heads,
              dtype_size(p.weights_dtype));
  const int64_t values = p.heads * value_bytes(p);
  check.output(a.q_values, PLAIT_ARG_Q_VALUES, a.tokens, values, values, 1);
  if (a.q_scale.data || !is_fp8(p.format)) {
    const int64_t element = indexer::scale_element(p), scales = p.heads * scale_bytes(p) / element;
    check.output(a.q_scale, PLAIT_ARG_Q_SCALE, a.tokens, scales, scales, element);
  }
  check.output(a.weights_out, PLAIT_ARG_WEIGHTS_OUT, a.tokens, p.heads, p.heads, 4);
  return call.run(a.tokens, stream);
}
