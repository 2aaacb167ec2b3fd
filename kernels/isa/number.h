// SPDX-License-Identifier: MIT
/**
 * @file number.h
 * @brief Types for the small number formats, so that a kernel can be written once for several.
 *
 * The conversions are those of src/number.h, with the same bits; where a device has an instruction
 * that gives them, it is used. Own types rather than the vendors': theirs changed names and formats
 * between versions.
 *
 *     type       bits  sign exponent mantissa  bias  largest  NaN             on overflow
 *     Bf16        16     1     8        7       127  3.4e38   e all 1, m > 0  infinity
 *     F16         16     1     5       10        15  65504    e all 1, m > 0  infinity
 *     E4m3fn       8     1     4        3         7  448      0x7F, 0xFF      largest
 *     E4m3fnuz     8     1     4        3         8  240      0x80            largest; has no -0
 *     E2m1         4     1     2        1         1  6        none            largest
 */
#ifndef PLAIT_KERNELS_ISA_NUMBER_H
#define PLAIT_KERNELS_ISA_NUMBER_H

#include <type_traits>

#include "src/number.h"

namespace plait {

struct Bf16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};
struct E4m3fn {
  uint8_t bits;
};
struct E4m3fnuz {
  uint8_t bits;
};
/// One value, in the low nibble.
struct E2m1 {
  uint8_t bits;
};

/// The same bytes as another type of the same size. Compiles to nothing.
template <class To, class From>
PLAIT_HD To bit_cast(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

namespace detail {

// The instructions for f16: subnormals are kept, and only the bits of a NaN may differ.
#if defined(__HIP_DEVICE_COMPILE__)
#define PLAIT_F16_INSTRUCTIONS 1
__device__ inline float widen_f16(uint16_t h) { return bit_cast<_Float16>(h); }
__device__ inline uint16_t round_f16(float f) {
  return bit_cast<uint16_t>(static_cast<_Float16>(f));
}
#elif defined(__CUDA_ARCH__)
#define PLAIT_F16_INSTRUCTIONS 1
__device__ inline float widen_f16(uint16_t h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
__device__ inline uint16_t round_f16(float f) {
  uint16_t h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
}
#else
#define PLAIT_F16_INSTRUCTIONS 0
#endif

#if PLAIT_F16_INSTRUCTIONS
/**
 * A finite e4m3 value by way of f16, whose exponent is as wide but for one bit:
 *
 *     e4m3  seeeemmm    ->    f16  s0eeeemmm0000000    is the value * 2^(bias - 15), exactly
 */
__device__ inline float widen_e4m3(uint32_t byte, float scale) {
  return widen_f16(static_cast<uint16_t>((byte & 0x80) << 8 | (byte & 0x7F) << 7)) * scale;
}
#endif

}  // namespace detail

PLAIT_HD float to_float(float v) { return v; }

PLAIT_HD float to_float(Bf16 v) { return bf16_to_f32(v.bits); }

/// As to_float(), but the bits of a NaN may differ.
PLAIT_HD float to_float_any_nan(F16 v) {
#if PLAIT_F16_INSTRUCTIONS
  return detail::widen_f16(v.bits);
#else
  return f16_to_f32(v.bits);
#endif
}

PLAIT_HD float to_float(F16 v) {
#if PLAIT_F16_INSTRUCTIONS
  const uint32_t sign = static_cast<uint32_t>(v.bits & 0x8000) << 16, mantissa = v.bits & 0x3FF;
  const float wide = to_float_any_nan(v);
  return (v.bits & 0x7FFF) > 0x7C00 ? float_of(sign | 0x7FC00000 | mantissa << 13) : wide;
#else
  return f16_to_f32(v.bits);
#endif
}

PLAIT_HD float to_float(E4m3fn v) {
#if PLAIT_F16_INSTRUCTIONS
  if ((v.bits & 0x7F) != 0x7F) return detail::widen_e4m3(v.bits, 256.0f);
#endif
  return e4m3fn_to_f32(v.bits);
}

PLAIT_HD float to_float(E4m3fnuz v) {
#if PLAIT_F16_INSTRUCTIONS
  if (v.bits != 0x80) return detail::widen_e4m3(v.bits, 128.0f);
#endif
  return e4m3fnuz_to_f32(v.bits);
}

PLAIT_HD float to_float(E2m1 v) { return e2m1_to_f32(v.bits); }

/// As to_f16(), but the bits of a NaN may differ.
PLAIT_HD F16 to_f16_any_nan(float f) {
#if PLAIT_F16_INSTRUCTIONS
  return {detail::round_f16(f)};
#else
  return {f32_to_f16(f)};
#endif
}

PLAIT_HD F16 to_f16(float f) {
#if PLAIT_F16_INSTRUCTIONS
  const uint32_t bits = bits_of(f), quiet = (bits >> 16 & 0x8000) | 0x7E00 | (bits >> 13 & 0x3FF);
  const F16 narrow = to_f16_any_nan(f);
  return (bits & 0x7FFFFFFF) > 0x7F800000 ? F16{static_cast<uint16_t>(quiet)} : narrow;
#else
  return {f32_to_f16(f)};
#endif
}

template <class T>
PLAIT_HD T from_float(float f) {
  if constexpr (std::is_same_v<T, Bf16>)
    return {f32_to_bf16(f)};
  else if constexpr (std::is_same_v<T, F16>)
    return to_f16(f);
  else if constexpr (std::is_same_v<T, E4m3fn>)
    return {f32_to_e4m3fn(f)};
  else if constexpr (std::is_same_v<T, E4m3fnuz>)
    return {f32_to_e4m3fnuz(f)};
  else if constexpr (std::is_same_v<T, E2m1>)
    return {f32_to_e2m1(f)};
  else
    return static_cast<T>(f);
}

}  // namespace plait

#endif
