// SPDX-License-Identifier: MIT
// Change of fp8 flavour: bytes stay but for the special ones, scales double or halve.
#ifndef PLAIT_SRC_CPU_INDEXER_FLAVOUR_H
#define PLAIT_SRC_CPU_INDEXER_FLAVOUR_H

#include <plait/indexer.h>

#include "src/number.h"

namespace plait::cpu {

// src and dst may be the same.
inline void convert_values(int32_t from, int32_t to, const uint8_t *src, uint8_t *dst,
                           int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (from == to)
      dst[i] = src[i];
    else
      dst[i] = to == PLAIT_FORMAT_FP8_E4M3FNUZ ? e4m3fn_byte_to_fnuz(src[i])
                                               : e4m3fnuz_byte_to_fn(src[i]);
  }
}

inline void convert_scales(int32_t from, int32_t to, const float *src, float *dst, int64_t count) {
  const float factor = to == PLAIT_FORMAT_FP8_E4M3FNUZ ? 2.0f : 0.5f;
  for (int64_t i = 0; i < count; ++i) dst[i] = from == to ? src[i] : src[i] * factor;
}

}  // namespace plait::cpu

#endif
