// SPDX-License-Identifier: MIT
// Vectors of f32 from and to tensors of any dtype. Included once per SIMD target.
//
// A call of mHC computes each column for itself, except in its sums. So where no sum is taken the
// columns of a block may sit in any lanes: LoadPair and StorePair take a bf16 block as u32 lanes
// and split it into even and odd columns, with shifts and masks instead of shuffles:
//
//     u32 lane l   | column 2l+1 | column 2l |      a = lane << 16,  b = lane & 0xFFFF0000
//
// LoadRow and StoreRow keep lane l = column l.
#if defined(PLAIT_SRC_CPU_MHC_ELEMENTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLAIT_SRC_CPU_MHC_ELEMENTS_INL_H
#undef PLAIT_SRC_CPU_MHC_ELEMENTS_INL_H
#else
#define PLAIT_SRC_CPU_MHC_ELEMENTS_INL_H
#endif

#include <hwy/highway.h>

#include "src/backend.h"
#include "src/number.h"

#undef PLAIT_NATIVE_F16
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
#define PLAIT_NATIVE_F16 1  // the conversion instructions round to nearest, ties to even
#else
#define PLAIT_NATIVE_F16 0
#endif

HWY_BEFORE_NAMESPACE();
namespace plait::cpu::mhc::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes: the number of partial sums that a row is added up in, whatever the target.
using F32 = hn::CappedTag<float, 16>;
using V = hn::Vec<F32>;

// Columns that are handled together. Each SIMD target has whole pairs of vectors in it.
constexpr int64_t kBlock = 32;

template <int32_t dtype>
struct Elements;

template <>
struct Elements<PLAIT_DTYPE_F32> {
  using Raw = float;
  static HWY_INLINE V LoadRow(F32 d, const Raw *p) { return hn::LoadU(d, p); }
  static HWY_INLINE void StoreRow(F32 d, V v, Raw *p) { hn::StoreU(v, d, p); }
  static HWY_INLINE void LoadPair(F32 d, const Raw *p, V &a, V &b) {
    a = hn::LoadU(d, p);
    b = hn::LoadU(d, p + hn::Lanes(d));
  }
  static HWY_INLINE void StorePair(F32 d, V a, V b, Raw *p) {
    hn::StoreU(a, d, p);
    hn::StoreU(b, d, p + hn::Lanes(d));
  }
};

template <>
struct Elements<PLAIT_DTYPE_F16> {
  using Raw = uint16_t;
  using F16 = hn::Rebind<hwy::float16_t, F32>;
  using U16 = hn::Rebind<uint16_t, F32>;
  static HWY_INLINE V LoadRow(F32 d, const Raw *p) {
#if PLAIT_NATIVE_F16
    return hn::PromoteTo(d, hn::BitCast(F16(), hn::LoadU(U16(), p)));
#else
    HWY_ALIGN float values[hn::MaxLanes(F32())];
    for (size_t l = 0; l < hn::Lanes(d); ++l) values[l] = f16_to_f32(p[l]);
    return hn::Load(d, values);
#endif
  }
  static HWY_INLINE void StoreRow(F32 d, V v, Raw *p) {
#if PLAIT_NATIVE_F16
    (void)d;
    hn::StoreU(hn::BitCast(U16(), hn::DemoteTo(F16(), v)), U16(), p);
#else
    HWY_ALIGN float values[hn::MaxLanes(F32())];
    hn::Store(v, d, values);
    for (size_t l = 0; l < hn::Lanes(d); ++l) p[l] = f32_to_f16(values[l]);
#endif
  }
  static HWY_INLINE void LoadPair(F32 d, const Raw *p, V &a, V &b) {
    a = LoadRow(d, p);
    b = LoadRow(d, p + hn::Lanes(d));
  }
  static HWY_INLINE void StorePair(F32 d, V a, V b, Raw *p) {
    StoreRow(d, a, p);
    StoreRow(d, b, p + hn::Lanes(d));
  }
};

template <>
struct Elements<PLAIT_DTYPE_BF16> {
  using Raw = uint16_t;
  using U32 = hn::RebindToUnsigned<F32>;
  using S32 = hn::RebindToSigned<F32>;
  using U16 = hn::Rebind<uint16_t, F32>;

  // The rounded value in the upper half of each lane; the lower half is anything. To nearest, ties
  // to even, as f32_to_bf16(). There is no branch for NaN: results of arithmetic are quiet, and the
  // carry cannot reach the exponent of a NaN whose lower half is clear. Those of bf16 inputs and
  // the default NaN are so; f32 factors must go through clear_nan().
  static HWY_INLINE hn::Vec<U32> Round(V v) {
    const U32 du;
    const auto bits = hn::BitCast(du, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    return hn::Add(hn::Add(bits, hn::Set(du, 0x7FFF)), odd);
  }
  static HWY_INLINE V LoadRow(F32 d, const Raw *p) {
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(U32(), hn::LoadU(U16(), p))));
  }
  static HWY_INLINE void StoreRow(F32, V v, Raw *p) {
    const auto upper = hn::BitCast(S32(), hn::ShiftRight<16>(Round(v)));
    hn::StoreU(hn::DemoteTo(U16(), upper), U16(), p);
  }
#if HWY_TARGET == HWY_SCALAR
  static HWY_INLINE void LoadPair(F32 d, const Raw *p, V &a, V &b) {
    a = LoadRow(d, p);
    b = LoadRow(d, p + 1);
  }
  static HWY_INLINE void StorePair(F32 d, V a, V b, Raw *p) {
    StoreRow(d, a, p);
    StoreRow(d, b, p + 1);
  }
#else
  using Packed = hn::Repartition<uint16_t, F32>;
  static HWY_INLINE void LoadPair(F32 d, const Raw *p, V &a, V &b) {
    const U32 du;
    const auto pair = hn::BitCast(du, hn::LoadU(Packed(), p));
    a = hn::BitCast(d, hn::ShiftLeft<16>(pair));
    b = hn::BitCast(d, hn::And(pair, hn::Set(du, 0xFFFF0000u)));
  }
  static HWY_INLINE void StorePair(F32, V a, V b, Raw *p) {
    const auto even = hn::BitCast(Packed(), hn::ShiftRight<16>(Round(a)));
    hn::StoreU(hn::OddEven(hn::BitCast(Packed(), Round(b)), even), Packed(), p);
  }
#endif
};

}  // namespace plait::cpu::mhc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
