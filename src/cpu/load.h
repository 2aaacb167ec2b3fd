// SPDX-License-Identifier: MIT
// Elements of tensors whose number format is known at run time only.
#ifndef PLAIT_SRC_CPU_LOAD_H
#define PLAIT_SRC_CPU_LOAD_H

#include <plait/types.h>

#include "src/number.h"

namespace plait::cpu {

constexpr int64_t dtype_bytes(int32_t dtype) { return dtype == PLAIT_DTYPE_F32 ? 4 : 2; }

inline float load(int32_t dtype, const void *data, int64_t i) {
  switch (dtype) {
    case PLAIT_DTYPE_F16: return f16_to_f32(static_cast<const uint16_t *>(data)[i]);
    case PLAIT_DTYPE_BF16: return bf16_to_f32(static_cast<const uint16_t *>(data)[i]);
    default: return static_cast<const float *>(data)[i];
  }
}

inline void store(int32_t dtype, void *data, int64_t i, float value) {
  switch (dtype) {
    case PLAIT_DTYPE_F16: static_cast<uint16_t *>(data)[i] = f32_to_f16(value); return;
    case PLAIT_DTYPE_BF16: static_cast<uint16_t *>(data)[i] = f32_to_bf16(value); return;
    default: static_cast<float *>(data)[i] = value; return;
  }
}

}  // namespace plait::cpu

#endif
