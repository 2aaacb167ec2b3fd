// SPDX-License-Identifier: MIT
#ifndef PLAIT_KERNELS_GATHER_K_H
#define PLAIT_KERNELS_GATHER_K_H

#include "block_table.h"

namespace plait::kernels {

struct GatherK {
  int64_t requests, keys;
  const uint8_t *cache;
  int64_t pages, page_stride;
  BlockTable table;
  const int32_t *cu_lengths;
  int32_t value_bytes, scale_bytes, head_dim, tiled, fp4;
  uint8_t *values, *scale;
};

hipError_t gather_k(const GatherK &args, void *stream);

}  // namespace plait::kernels

#endif
