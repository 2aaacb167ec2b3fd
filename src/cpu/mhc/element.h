// SPDX-License-Identifier: MIT
// The address of an element of a tensor of any dtype.
#ifndef PLAIT_SRC_CPU_MHC_ELEMENT_H
#define PLAIT_SRC_CPU_MHC_ELEMENT_H

#include "src/backend.h"
#include "src/cpu/load.h"

namespace plait::cpu::mhc {

inline const void *element(int32_t dtype, const void *data, int64_t index) {
  return static_cast<const char *>(data) + index * dtype_bytes(dtype);
}
inline void *element(int32_t dtype, void *data, int64_t index) {
  return static_cast<char *>(data) + index * dtype_bytes(dtype);
}

}  // namespace plait::cpu::mhc

#endif
