// SPDX-License-Identifier: MIT
// Number formats: exact conversions on bits, the same on host and device. Rounding is to nearest,
// ties to even, done in integers, so the result depends on no rounding mode and no fast-math flag.
#ifndef PLAIT_SRC_NUMBER_H
#define PLAIT_SRC_NUMBER_H

#include <cstdint>
#include <cstring>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define PLAIT_HD __host__ __device__ inline
#else
#define PLAIT_HD inline
#endif

namespace plait {

PLAIT_HD uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

PLAIT_HD float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// 2^exponent for -126 <= exponent <= 127.
PLAIT_HD float power_of_two(int32_t exponent) {
  return float_of(static_cast<uint32_t>(exponent + 127) << 23);
}

// value / 2^shift, nearest, ties to even; 1 <= shift <= 31, and value < 2^31.
PLAIT_HD uint32_t shift_right_even(uint32_t value, uint32_t shift) {
  return (value + ((1u << (shift - 1)) - 1) + ((value >> shift) & 1)) >> shift;
}

// The magnitude of a finite f32 in a smaller format with `mantissa` bits and this exponent bias,
// as that format's bits without the sign. Carries into the exponent; the caller saturates.
template <uint32_t mantissa, uint32_t bias>
PLAIT_HD uint32_t narrow_magnitude(uint32_t magnitude) {
  const uint32_t exponent = magnitude >> 23;
  if (exponent > 127 - bias)  // normal in the smaller format
    return shift_right_even(magnitude, 23 - mantissa) - ((127 - bias) << mantissa);
  // In units of the smaller format's least subnormal, 2^(1 - bias - mantissa).
  const uint32_t shift = 151 - bias - mantissa - exponent;
  if (exponent == 0 || shift > 24) return 0;
  return shift_right_even((magnitude & 0x7FFFFF) | 0x800000, shift);
}

// --- bf16 and f16. A NaN keeps its sign and the upper bits of its payload, and is quiet. ---------

PLAIT_HD float bf16_to_f32(uint16_t value) { return float_of(static_cast<uint32_t>(value) << 16); }

PLAIT_HD uint16_t f32_to_bf16(float value) {
  const uint32_t bits = bits_of(value);
  const bool nan = (bits & 0x7FFFFFFF) > 0x7F800000;
  const uint32_t quiet = (bits >> 16) | 0x40, rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  return static_cast<uint16_t>(nan ? quiet : rounded);
}

PLAIT_HD float f16_to_f32(uint16_t value) {
  const uint32_t sign = static_cast<uint32_t>(value & 0x8000) << 16;
  const uint32_t exponent = (value >> 10) & 31, mantissa = value & 0x3FF;
  if (exponent == 31) {
    const uint32_t quiet = mantissa ? 0x400000 : 0;
    return float_of(sign | 0x7F800000 | quiet | (mantissa << 13));
  }
  if (exponent == 0)
    return float_of(sign | bits_of(static_cast<float>(mantissa) * power_of_two(-24)));
  return float_of(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

PLAIT_HD uint16_t f32_to_f16(float value) {
  const uint32_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFF;
  const uint32_t sign = (bits >> 16) & 0x8000;
  if (magnitude > 0x7F800000)
    return static_cast<uint16_t>(sign | 0x7E00 | ((magnitude >> 13) & 0x3FF));
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7C00);  // 65536 and inf
  return static_cast<uint16_t>(sign | narrow_magnitude<10, 15>(magnitude));  // may carry to inf
}

// --- fp8 e4m3. Encoding saturates, infinities included. ------------------------------------------
// FN:   bias 7, +-448 at most, NaN 0x7F and 0xFF, -0 is 0x80. NaN encodes to 0x7F with its sign.
// FNUZ: bias 8, +-240 at most, NaN 0x80, no -0. NaN encodes to 0x80, and nothing else does.

template <uint32_t bias>
PLAIT_HD float decode_e4m3_finite(uint32_t byte) {
  const uint32_t sign = (byte & 0x80) << 24, exponent = (byte >> 3) & 15, mantissa = byte & 7;
  if (exponent == 0)
    return float_of(sign | bits_of(static_cast<float>(mantissa) *
                                   power_of_two(-2 - static_cast<int32_t>(bias))));
  return float_of(sign | ((exponent + 127 - bias) << 23) | (mantissa << 20));
}

PLAIT_HD float e4m3fn_to_f32(uint8_t byte) {
  if ((byte & 0x7F) == 0x7F)
    return float_of((static_cast<uint32_t>(byte & 0x80) << 24) | 0x7FC00000);
  return decode_e4m3_finite<7>(byte);
}

PLAIT_HD float e4m3fnuz_to_f32(uint8_t byte) {
  return byte == 0x80 ? float_of(0x7FC00000) : decode_e4m3_finite<8>(byte);
}

PLAIT_HD uint8_t f32_to_e4m3fn(float value) {
  const uint32_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFF, sign = (bits >> 24) & 0x80;
  if (magnitude > 0x7F800000) return static_cast<uint8_t>(sign | 0x7F);
  if (magnitude >= 0x43E00000) return static_cast<uint8_t>(sign | 0x7E);  // 448
  return static_cast<uint8_t>(sign | narrow_magnitude<3, 7>(magnitude));
}

PLAIT_HD uint8_t f32_to_e4m3fnuz(float value) {
  const uint32_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFF, sign = (bits >> 24) & 0x80;
  if (magnitude > 0x7F800000) return 0x80;
  if (magnitude >= 0x43700000) return static_cast<uint8_t>(sign | 0x7F);  // 240
  const uint32_t narrow = narrow_magnitude<3, 8>(magnitude);
  return static_cast<uint8_t>(narrow ? sign | narrow : 0);
}

// The byte of the other flavour that is worth twice (FNUZ from FN) or half (FN from FNUZ) as much
// per unit of scale. See plait_indexer_convert_k().
PLAIT_HD uint8_t e4m3fn_byte_to_fnuz(uint8_t byte) {
  if ((byte & 0x7F) == 0x7F) return 0x80;
  return byte == 0x80 ? static_cast<uint8_t>(0) : byte;
}

PLAIT_HD uint8_t e4m3fnuz_byte_to_fn(uint8_t byte) {
  if (byte == 0x80) return 0x7F;
  return (byte & 0x7F) == 0x7F ? static_cast<uint8_t>(byte - 1) : byte;
}

// --- e2m1: 0 0.5 1 1.5 2 3 4 6, sign in bit 3. Encoding saturates, makes no -0 (as DeepGEMM's
// quantiser), and turns NaN, which the format lacks, into +6.

PLAIT_HD float e2m1_to_f32(uint32_t nibble) {
  const uint32_t sign = (nibble & 8) << 28, exponent = (nibble >> 1) & 3, mantissa = nibble & 1;
  if (exponent == 0) return float_of(sign | (mantissa ? 0x3F000000u : 0u));
  return float_of(sign | ((exponent + 126) << 23) | (mantissa << 22));
}

PLAIT_HD uint8_t f32_to_e2m1(float value) {
  const uint32_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFF, sign = (bits >> 28) & 8;
  if (magnitude > 0x7F800000) return 7;
  if (magnitude >= 0x40C00000) return static_cast<uint8_t>(sign | 7);  // 6
  const uint32_t narrow = narrow_magnitude<1, 1>(magnitude);
  return static_cast<uint8_t>(narrow ? sign | narrow : 0);
}

// --- Scales -------------------------------------------------------------------------------------

// ue8m0: 2^(byte - 127); 255 is NaN.
PLAIT_HD float ue8m0_to_f32(uint8_t byte) {
  if (byte == 255) return float_of(0x7FC00000);
  return byte ? float_of(static_cast<uint32_t>(byte) << 23) : float_of(0x400000);
}

// The larger of an amax so far and |value|; a NaN does not take part.
PLAIT_HD float amax_with(float amax, float value) {
  const float magnitude = float_of(bits_of(value) & 0x7FFFFFFF);
  return magnitude > amax ? magnitude : amax;
}

// ceil(log2(value / (1 + fraction / 2^23) )) of a normal value > 0; infinity counts as the largest
// finite value. Exact: the quotient passes a power of two where the mantissa passes `fraction`.
PLAIT_HD int32_t ceil_log2_ratio(float value, uint32_t fraction) {
  uint32_t bits = bits_of(value);
  if (bits > 0x7F7FFFFF) bits = 0x7F7FFFFF;
  return static_cast<int32_t>(bits >> 23) - 127 + ((bits & 0x7FFFFF) > fraction ? 1 : 0);
}

// ceil(log2(max(amax, 1e-4) / F)): F = 448 = 1.75 * 2^8 (FN) or 224 = 1.75 * 2^7 (FNUZ).
// In -22 … 121, so the scale and its inverse are normal numbers.
PLAIT_HD int32_t fp8_scale_exponent(float amax, bool fnuz) {
  return ceil_log2_ratio(amax > 1e-4f ? amax : 1e-4f, 0x600000) - (fnuz ? 7 : 8);
}

// clamp(ceil(log2(max(amax, 6 * 2^-126) / 6)), -127, 127) + 127; 6 = 1.5 * 2^2. In 1 … 253, so the
// clamp never acts, and the inverse scale is power_of_two(127 - byte).
PLAIT_HD uint8_t mxfp4_scale_byte(float amax) {
  const float least = float_of(0x01C00000);  // 6 * 2^-126
  return static_cast<uint8_t>(ceil_log2_ratio(amax > least ? amax : least, 0x400000) - 2 + 127);
}

}  // namespace plait

#endif
