// SPDX-License-Identifier: MIT
#include "src/cpu/indexer/quantise.h"

#include "src/cpu/indexer/prepare.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/indexer/quantise.cpp"
#include "src/cpu/simd_targets.h"
// After simd_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plait::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most eight lanes, so that a vector never crosses a group of 32 or the end of a row.
using F32 = hn::CappedTag<float, 8>;
using I32 = hn::Rebind<int32_t, F32>;
using U8 = hn::Rebind<uint8_t, F32>;
using VF = hn::Vec<F32>;
using VI = hn::Vec<I32>;

// Rounds to bf16, NaN as f32_to_bf16() has it.
HWY_INLINE VF RoundBF16(VF v) {
  const I32 di;
  const F32 df;
  const VI bits = hn::BitCast(di, v);
  const VI odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 1));
  const VI rounded = hn::Add(bits, hn::Add(odd, hn::Set(di, 0x7FFF)));
  const VI quiet = hn::Or(bits, hn::Set(di, 0x400000));
  const auto number = hn::RebindMask(di, hn::Eq(v, v));
  const VI upper = hn::Set(di, static_cast<int32_t>(0xFFFF0000));
  return hn::BitCast(df, hn::And(hn::IfThenElse(number, rounded, quiet), upper));
}

void LoadRow(const uint16_t *bf16, int64_t n, float *row) {
  const F32 df;
  const hn::Rebind<hwy::bfloat16_t, F32> half;
  const hn::Rebind<uint16_t, F32> bits;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(df));
  for (int64_t i = 0; i < n; i += lanes)
    hn::StoreU(hn::PromoteTo(df, hn::BitCast(half, hn::LoadU(bits, bf16 + i))), df, row + i);
}

void RoundRow(float factor, int64_t n, float *row) {
  const F32 df;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(df));
  for (int64_t i = 0; i < n; i += lanes)
    hn::StoreU(RoundBF16(hn::Mul(hn::LoadU(df, row + i), hn::Set(df, factor))), df, row + i);
}

// As rotate(), on pairs in two arrays. The fma is the function, not MulAdd(), which a target
// without the instruction rounds twice.
void RotatePairs(const float *angles, int64_t pairs, float *even, float *odd) {
  for (int64_t i = 0; i < pairs; ++i) {
    const float c = angles[i], s = angles[pairs + i], e = even[i], o = odd[i];
    even[i] = __builtin_fmaf(e, c, -(o * s));
    odd[i] = __builtin_fmaf(o, c, e * s);
  }
}

void Rotate(const plait_indexer_plan_desc &p, const float *angles, float *row) {
  const int64_t half = p.rope_dim / 2;
  if (p.rope_placement == PLAIT_ROPE_LAST) row += p.head_dim - p.rope_dim;
  float even[PLAIT_INDEXER_MAX_HEAD_DIM / 2 + 8], odd[PLAIT_INDEXER_MAX_HEAD_DIM / 2 + 8];
  const bool interleaved = p.rope_mode == PLAIT_ROPE_INTERLEAVED;
  for (int64_t i = 0; i < half; ++i) {
    even[i] = row[interleaved ? 2 * i : i];
    odd[i] = row[interleaved ? 2 * i + 1 : i + half];
  }
  RotatePairs(angles, half, even, odd);
  for (int64_t i = half; i < half + 8; ++i) even[i] = odd[i] = 0;
  RoundRow(1, half, even);
  RoundRow(1, half, odd);
  for (int64_t i = 0; i < half; ++i) {
    row[interleaved ? 2 * i : i] = even[i];
    row[interleaved ? 2 * i + 1 : i + half] = odd[i];
  }
}

// As hadamard(): strides 1 and 2 within vectors of four, the others between them.
void Hadamard(int64_t n, float *row) {
#if HWY_TARGET == HWY_SCALAR
  for (int64_t stride = 1; stride < 4; stride *= 2)
    for (int64_t i = 0; i < n; ++i)
      if ((i & stride) == 0) {
        const float a = row[i], b = row[i + stride];
        row[i] = a + b;
        row[i + stride] = a - b;
      }
  const hn::CappedTag<float, 1> d4;
  const int64_t lanes = 1;
#else
  const hn::FixedTag<float, 4> d4;
  const int64_t lanes = 4;
  HWY_ALIGN const float second[4] = {1, -1, 1, -1}, upper[4] = {1, 1, -1, -1};
  for (int64_t i = 0; i < n; i += 4) {
    // a + b in the first of a pair; b * -1 + a = a - b in the second.
    auto v = hn::LoadU(d4, row + i);
    v = hn::Add(hn::Mul(v, hn::Load(d4, second)), hn::Shuffle2301(v));
    v = hn::Add(hn::Mul(v, hn::Load(d4, upper)), hn::Shuffle1032(v));
    hn::StoreU(v, d4, row + i);
  }
#endif
  for (int64_t stride = 4; stride < n; stride *= 2)
    for (int64_t i = 0; i < n; i += 2 * stride)
      for (int64_t j = i; j < i + stride; j += lanes) {
        const auto a = hn::LoadU(d4, row + j), b = hn::LoadU(d4, row + j + stride);
        hn::StoreU(hn::Add(a, b), d4, row + j);
        hn::StoreU(hn::Sub(a, b), d4, row + j + stride);
      }
  RoundRow(inverse_sqrt(static_cast<int32_t>(n)), n, row);
}

float Amax(const float *row, int64_t n) {
  const F32 df;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(df));
  VF amax = hn::Zero(df);
  for (int64_t i = 0; i < n; i += lanes) {
    const VF magnitude = hn::Abs(hn::LoadU(df, row + i));
    amax = hn::IfThenElse(hn::Gt(magnitude, amax), magnitude, amax);  // a NaN is not greater
  }
  return hn::GetLane(hn::MaxOfLanes(df, amax));
}

// Codes of row[i] * inverse in a format of `mantissa` bits and this exponent bias, saturating at
// code `greatest`. A magnitude below the normal ones is added to the power of two whose units are
// those of the format's subnormals, and so rounded.
template <int mantissa, int bias, int greatest, int nan, bool negative_zero>
void Encode(const float *row, int64_t n, float inverse, uint8_t *codes) {
  constexpr int drop = 23 - mantissa, sign_bit = mantissa == 3 ? 7 : 3;
  const F32 df;
  const I32 di;
  const U8 bytes;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(df));
  const VF units = hn::Set(df, power_of_two(24 - bias - mantissa));
  for (int64_t i = 0; i < n; i += lanes) {
    const VF v = hn::Mul(hn::LoadU(df, row + i), hn::Set(df, inverse));
    const VI bits = hn::BitCast(di, v);
    const VI magnitude = hn::And(bits, hn::Set(di, INT32_MAX));
    const VI odd = hn::And(hn::ShiftRight<drop>(magnitude), hn::Set(di, 1));
    const VI rounded =
        hn::ShiftRight<drop>(hn::Add(hn::Sub(magnitude, hn::Set(di, (127 - bias) << 23)),
                                     hn::Add(odd, hn::Set(di, (1 << (drop - 1)) - 1))));
    const VI small = hn::Sub(hn::BitCast(di, hn::Add(hn::BitCast(df, magnitude), units)),
                             hn::BitCast(di, units));
    const auto normal = hn::Gt(magnitude, hn::Set(di, ((128 - bias) << 23) - 1));
    VI code = hn::Min(hn::IfThenElse(normal, rounded, small), hn::Set(di, greatest));
    VI sign = hn::And(hn::BroadcastSignBit(bits), hn::Set(di, 1 << sign_bit));
    if (!negative_zero) sign = hn::IfThenZeroElse(hn::Eq(code, hn::Zero(di)), sign);
    const auto number = hn::RebindMask(di, hn::Eq(v, v));
    const VI nan_code = nan == 0x7F ? hn::Or(sign, hn::Set(di, nan)) : hn::Set(di, nan);
    code = hn::IfThenElse(number, hn::Or(code, sign), nan_code);
    hn::StoreU(hn::DemoteTo(bytes, code), bytes, codes + i);
  }
}

void QuantiseRowTyped(const plait_indexer_plan_desc &p, const float *angles, const uint16_t *bf16,
                      uint8_t *values, uint8_t *scales) {
  const int64_t n = p.head_dim;
  float row[PLAIT_INDEXER_MAX_HEAD_DIM];
  LoadRow(bf16, n, row);
  if (angles) Rotate(p, angles, row);
  if (p.hadamard) Hadamard(n, row);
  if (is_fp8(p.format)) {
    const bool fnuz = p.format == PLAIT_FORMAT_FP8_E4M3FNUZ;
    const int32_t exponent = fp8_scale_exponent(Amax(row, n), fnuz);
    const float inverse = power_of_two(-exponent), stored = power_of_two(exponent);
    if (fnuz)
      Encode<3, 8, 0x7F, 0x80, false>(row, n, inverse, values);
    else
      Encode<3, 7, 0x7E, 0x7F, true>(row, n, inverse, values);
    memcpy(scales, &stored, sizeof stored);
    return;
  }
  uint8_t codes[32];
  for (int64_t group = 0; group < n / 32; ++group) {
    scales[group] = mxfp4_scale_byte(Amax(row + group * 32, 32));
    Encode<1, 1, 7, 7, false>(row + group * 32, 32, power_of_two(127 - scales[group]), codes);
    for (int64_t i = 0; i < 16; ++i)
      values[group * 16 + i] = static_cast<uint8_t>(codes[2 * i] | (codes[2 * i + 1] << 4));
  }
}

}  // namespace plait::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plait::cpu {

HWY_EXPORT(QuantiseRowTyped);

void fast_quantise_row(const plait_indexer_plan_desc &p, const float *angles, const uint16_t *bf16,
                       uint8_t *values, uint8_t *scales) {
  HWY_DYNAMIC_DISPATCH(QuantiseRowTyped)(p, angles, bf16, values, scales);
}

}  // namespace plait::cpu
#endif
