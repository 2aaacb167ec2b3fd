// SPDX-License-Identifier: MIT
#ifndef PLAIT_KERNELS_WRITE_K_H
#define PLAIT_KERNELS_WRITE_K_H

#include "quantize_row.h"

namespace plait::kernels {

struct WriteK {
  QuantizeRow row;
  int64_t tokens;
  const uint16_t *k;
  int64_t k_stride;
  const int64_t *slots;
  uint8_t *cache;
  int64_t pages, page_stride;
  int32_t page_entries, tiled;
  int32_t *rejected;  // may be nullptr
};

hipError_t write_k(const WriteK &args, void *stream);

}  // namespace plait::kernels

#endif
