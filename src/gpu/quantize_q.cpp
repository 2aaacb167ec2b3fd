// SPDX-License-Identifier: MIT
#include "kernels/quantize_q.h"

#include "src/gpu/lists.h"
#include "src/gpu/quantize.h"

namespace plait::gpu::quantize_q {
namespace {

using Op = Define<PLAIT_OP_QUANTIZE_Q>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *stream) {
  kernels::QuantizeQ q{};
  q.row = quantize_row_of(p, a);
  q.tokens = a.tokens;
  q.heads = p.heads;
  q.q = static_cast<const uint16_t *>(a.q.data);
  q.q_stride = a.q_stride;
  q.weights = a.weights.data;
  q.weights_dtype = p.weights_dtype;
  q.weights_stride = a.weights_stride;
  q.head_dim_factor = inverse_sqrt(p.head_dim);
  q.heads_factor = inverse_sqrt(p.heads);
  q.values = static_cast<uint8_t *>(a.q_values.data);
  q.scale = static_cast<uint8_t *>(a.q_scale.data);
  q.weights_out = static_cast<float *>(a.weights_out.data);
  return run_on(device, [&] { return kernels::quantize_q(q, stream); });
}

}  // namespace

const Implementation generic = Op::make<nullptr, nullptr, run>("generic");

}  // namespace plait::gpu::quantize_q
