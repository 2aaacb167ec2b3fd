// SPDX-License-Identifier: MIT
#ifndef PLAIT_KERNELS_QUANTIZE_Q_H
#define PLAIT_KERNELS_QUANTIZE_Q_H

#include "quantize_row.h"

namespace plait::kernels {

struct QuantizeQ {
  QuantizeRow row;
  int64_t tokens;
  int32_t heads;
  const uint16_t *q;
  int64_t q_stride;
  const void *weights;
  int32_t weights_dtype;
  int64_t weights_stride;
  float head_dim_factor, heads_factor;  // D^-0.5, Hq^-0.5
  uint8_t *values, *scale;              // scale: optional with fp8
  float *weights_out;
};

hipError_t quantize_q(const QuantizeQ &args, void *stream);

}  // namespace plait::kernels

#endif
