// SPDX-License-Identifier: MIT
// Number formats as the tests understand them, written from their definitions and by searching, not
// by the bit tricks of the library, so that the two can be held against one another.
#ifndef PLAIT_TESTS_NUMBER_H
#define PLAIT_TESTS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

size_t dtype_size(int32_t dtype);

float bits_float(uint32_t bits);
uint32_t float_bits(float value);

float bf16_float(uint16_t bits);
uint16_t float_bf16(float value);  // nearest, ties to even; NaN stays NaN
float f16_float(uint16_t bits);
uint16_t float_f16(float value);  // nearest, ties to even; past 65504: inf

// Element `index` of an array of PLAIT_DTYPE_….
double load_element(const void *data, int32_t dtype, int64_t index);
void store_element(void *data, int32_t dtype, int64_t index, double value);

// Distance from |value| to the next larger number of the dtype.
double ulp(double value, int32_t dtype);
// The largest finite number of the dtype.
double dtype_max(int32_t dtype);

// fp8 by PLAIT_FORMAT_FP8_…: value of a byte (NaN for the NaN codes), and the nearest byte to a
// value, ties to the even code, saturating.
double fp8_value(uint8_t byte, int32_t format);
uint8_t fp8_nearest(double value, int32_t format);

// E2M1 nibble; the nearest one is never -0.
double e2m1_value(uint8_t nibble);
uint8_t e2m1_nearest(double value);

// 2^(byte - 127).
double ue8m0_value(uint8_t byte);

#endif
