// SPDX-License-Identifier: MIT
// Scalar access to tensors of any dtype.
#ifndef PLAIT_SRC_CPU_MHC_ELEMENT_H
#define PLAIT_SRC_CPU_MHC_ELEMENT_H

#include "src/backend.h"
#include "src/number.h"

namespace plait::cpu::mhc {

inline int64_t element_size(int32_t dtype) { return dtype == PLAIT_DTYPE_F32 ? 4 : 2; }

// Element `index` of `data`.
inline const void *element(int32_t dtype, const void *data, int64_t index) {
  return static_cast<const char *>(data) + index * element_size(dtype);
}
inline void *element(int32_t dtype, void *data, int64_t index) {
  return static_cast<char *>(data) + index * element_size(dtype);
}

inline float load(int32_t dtype, const void *data, int64_t index) {
  if (dtype == PLAIT_DTYPE_F32) return static_cast<const float *>(data)[index];
  const uint16_t bits = static_cast<const uint16_t *>(data)[index];
  return dtype == PLAIT_DTYPE_BF16 ? bf16_to_f32(bits) : f16_to_f32(bits);
}

inline void store(int32_t dtype, void *data, int64_t index, float value) {
  if (dtype == PLAIT_DTYPE_F32)
    static_cast<float *>(data)[index] = value;
  else
    static_cast<uint16_t *>(data)[index] =
        dtype == PLAIT_DTYPE_BF16 ? f32_to_bf16(value) : f32_to_f16(value);
}

}  // namespace plait::cpu::mhc

#endif
