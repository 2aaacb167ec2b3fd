// SPDX-License-Identifier: MIT
#include "number.h"

#include <math.h>
#include <plait/plait.h>
#include <string.h>

size_t dtype_size(int32_t dtype) { return dtype == PLAIT_DTYPE_F32 ? 4 : 2; }

float bits_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

float bf16_float(uint16_t bits) { return bits_float((uint32_t)bits << 16); }

uint16_t float_bf16(float value) {
  const uint32_t bits = float_bits(value);
  if (isnan(value)) return (uint16_t)((bits >> 16) | 0x40);
  const uint32_t upper = bits >> 16, lower = bits & 0xFFFF;
  const uint32_t up = lower > 0x8000 || (lower == 0x8000 && (upper & 1));
  return (uint16_t)(upper + up);
}

float f16_float(uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  double value;
  if (exponent == 31)
    value = mantissa ? (double)NAN : (double)INFINITY;
  else if (exponent == 0)
    value = ldexp(mantissa, -24);
  else
    value = ldexp(1024 + mantissa, exponent - 25);
  return (float)(bits & 0x8000 ? -value : value);
}

uint16_t float_f16(float value) {
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  const double magnitude = fabs((double)value);
  if (isnan(value)) return (uint16_t)(sign | 0x7E00);
  if (magnitude >= 65520) return (uint16_t)(sign | 0x7C00);
  int exponent = 0;
  if (magnitude > 0) frexp(magnitude, &exponent);
  const int unit = exponent - 11 < -24 ? -24 : exponent - 11;
  const double scaled = ldexp(magnitude, -unit), whole = floor(scaled), rest = scaled - whole;
  double steps = whole;
  if (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0)) steps += 1;
  // Counted in the smallest step, numbers of one binade follow one another, and so do the binades.
  if (unit == -24) return (uint16_t)(sign | (uint16_t)steps);
  return (uint16_t)(sign | (((unit + 24) << 10) + (int)steps));
}

double load_element(const void *data, int32_t dtype, int64_t index) {
  switch (dtype) {
    case PLAIT_DTYPE_F32: return (double)((const float *)data)[index];
    case PLAIT_DTYPE_F16: return (double)f16_float(((const uint16_t *)data)[index]);
    default: return (double)bf16_float(((const uint16_t *)data)[index]);
  }
}

void store_element(void *data, int32_t dtype, int64_t index, double value) {
  switch (dtype) {
    case PLAIT_DTYPE_F32: ((float *)data)[index] = (float)value; break;
    case PLAIT_DTYPE_F16: ((uint16_t *)data)[index] = float_f16((float)value); break;
    default: ((uint16_t *)data)[index] = float_bf16((float)value); break;
  }
}

double ulp(double value, int32_t dtype) {
  const int bits = dtype == PLAIT_DTYPE_F32 ? 24 : dtype == PLAIT_DTYPE_F16 ? 11 : 8;
  const int least = dtype == PLAIT_DTYPE_F32 ? -149 : dtype == PLAIT_DTYPE_F16 ? -24 : -133;
  int exponent = 0;
  if (value == 0 || !isfinite(value)) return ldexp(1, least);
  frexp(value, &exponent);
  return ldexp(1, exponent - bits < least ? least : exponent - bits);
}

double dtype_max(int32_t dtype) {
  switch (dtype) {
    case PLAIT_DTYPE_F32: return 3.4028234663852886e38;
    case PLAIT_DTYPE_F16: return 65504;
    default: return 3.3895313892515355e38;
  }
}

// e4m3: sign, 4 bits of exponent, 3 of mantissa. OCP: bias 7, NaN 0x7F and 0xFF, -0 exists. FNUZ:
// bias 8, the only NaN is 0x80, no -0.
double fp8_value(uint8_t byte, int32_t format) {
  const int fnuz = format == PLAIT_FORMAT_FP8_E4M3FNUZ, bias = fnuz ? 8 : 7;
  const int exponent = (byte >> 3) & 15, mantissa = byte & 7;
  if (fnuz ? byte == 0x80 : (byte & 0x7F) == 0x7F) return (double)NAN;
  const double value =
      exponent ? ldexp(8 + mantissa, exponent - bias - 3) : ldexp(mantissa, 1 - bias - 3);
  return byte & 0x80 ? -value : value;
}

uint8_t fp8_nearest(double value, int32_t format) {
  const int fnuz = format == PLAIT_FORMAT_FP8_E4M3FNUZ;
  const int last = fnuz ? 0x7F : 0x7E;
  const double magnitude = fabs(value);
  int best = 0;
  for (int code = 1; code <= last; code++) {
    const double now = fabs(fp8_value((uint8_t)code, format) - magnitude);
    const double before = fabs(fp8_value((uint8_t)best, format) - magnitude);
    if (now < before || (now == before && code % 2 == 0)) best = code;
  }
  if (fnuz && best == 0) return 0;
  return (uint8_t)(best | (signbit(value) ? 0x80 : 0));
}

double e2m1_value(uint8_t nibble) {
  static const double values[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return nibble & 8 ? -values[nibble & 7] : values[nibble & 7];
}

uint8_t e2m1_nearest(double value) {
  const double magnitude = fabs(value);
  int best = 0;
  for (int code = 1; code < 8; code++) {
    const double now = fabs(e2m1_value((uint8_t)code) - magnitude);
    const double before = fabs(e2m1_value((uint8_t)best) - magnitude);
    if (now < before || (now == before && code % 2 == 0)) best = code;
  }
  return best ? (uint8_t)(best | (value < 0 ? 8 : 0)) : 0;
}

double ue8m0_value(uint8_t byte) { return ldexp(1, byte - 127); }
