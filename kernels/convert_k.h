// SPDX-License-Identifier: MIT
#ifndef PLAIT_KERNELS_CONVERT_K_H
#define PLAIT_KERNELS_CONVERT_K_H

#include "isa/hip_compat.h"

namespace plait::kernels {

// Blocks of value bytes and scales, `stride` bytes apart: the rows of convert_k are one block, the
// pages of convert_cache one each. Source and destination may be the same.
struct ConvertK {
  int64_t blocks, stride;
  int64_t values, scales;  // of a block
  const uint8_t *src_values;
  const uint8_t *src_scale;
  uint8_t *dst_values;
  uint8_t *dst_scale;
  int32_t from, to;  // formats
};

hipError_t convert_k(const ConvertK &args, void *stream);

}  // namespace plait::kernels

#endif
