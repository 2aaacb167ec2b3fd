// SPDX-License-Identifier: MIT
/**
 * @file element.h
 * @brief The tensor elements of the mHC kernels: reading to f32, the one rounding back, and the
 *        choice of a kernel's types on the host.
 */
#ifndef PLAIT_KERNELS_MHC_ELEMENT_H
#define PLAIT_KERNELS_MHC_ELEMENT_H

#include <plait/types.h>

#include "kernels/isa/hip_compat.h"
#include "kernels/isa/number.h"

namespace plait::kernels {

struct F32 {
  using Storage = float;
  PLAIT_HD static float to_float(float v) { return v; }
  PLAIT_HD static float round(float v) { return v; }
};

struct F16 {
  using Storage = uint16_t;
  PLAIT_HD static float to_float(uint16_t v) { return to_float_any_nan(plait::F16{v}); }
  PLAIT_HD static uint16_t round(float v) { return to_f16_any_nan(v).bits; }
};

struct Bf16 {
  using Storage = uint16_t;
  PLAIT_HD static float to_float(uint16_t v) { return bf16_to_f32(v); }
  // The instruction's NaN is 0x7FFF whatever came in; all of CUDA's kernels use it.
  PLAIT_HD static uint16_t round(float v) {
#if defined(__CUDA_ARCH__)
    uint16_t bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(v));
    return bits;
#else
    return f32_to_bf16(v);
#endif
  }
};

template <class T>
__device__ inline float load(const void *data, int64_t i) {
  return T::to_float(static_cast<const typename T::Storage *>(data)[i]);
}

template <class T>
__device__ inline void store(void *data, int64_t i, float v) {
  static_cast<typename T::Storage *>(data)[i] = T::round(v);
}

/// Calls body(T()) for the element type of a dtype that the core has checked.
template <class Body>
hipError_t for_dtype(int32_t dtype, const Body &body) {
  switch (dtype) {
    case PLAIT_DTYPE_F32: return body(F32());
    case PLAIT_DTYPE_F16: return body(F16());
    default: return body(Bf16());
  }
}

/// `Count` neighbouring elements as one access, aligned to its size.
template <class T, int Count>
struct alignas(sizeof(typename T::Storage) * Count) Pack {
  typename T::Storage v[Count];
};

template <class T, int Count>
__device__ inline Pack<T, Count> load_pack(const void *data, int64_t i) {
  return *reinterpret_cast<const Pack<T, Count> *>(static_cast<const typename T::Storage *>(data) +
                                                   i);
}

template <class T, int Count>
__device__ inline void store_pack(void *data, int64_t i, const Pack<T, Count> &pack) {
  *reinterpret_cast<Pack<T, Count> *>(static_cast<typename T::Storage *>(data) + i) = pack;
}

}  // namespace plait::kernels

#endif
