// SPDX-License-Identifier: MIT
// A chunk of a row as f32, and the sum of its squares. Included once per SIMD target.
//
// Sums run in 16 lanes, lane l taking columns l, l + 16, …, and the lanes are added in one fixed
// tree, so the bits do not depend on the width of the target's vectors. (They do depend on whether
// the target has a fused multiply-add.)
#if defined(PLAIT_SRC_CPU_MHC_SQUARES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLAIT_SRC_CPU_MHC_SQUARES_INL_H
#undef PLAIT_SRC_CPU_MHC_SQUARES_INL_H
#else
#define PLAIT_SRC_CPU_MHC_SQUARES_INL_H
#endif

#include <cstring>

#include "src/cpu/mhc/elements-inl.h"
#include "src/cpu/mhc/products.h"

HWY_BEFORE_NAMESPACE();
namespace plait::cpu::mhc::HWY_NAMESPACE {

// Widens `count` elements into `to`, with zeros up to the next multiple of 16.
template <int32_t dtype>
HWY_INLINE void WidenRow(const typename Elements<dtype>::Raw *HWY_RESTRICT from, int64_t count,
                         float *HWY_RESTRICT to) {
  using E = Elements<dtype>;
  const F32 d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const int64_t whole = count / kLanes * kLanes;
  for (int64_t k = 0; k < whole; k += step) hn::Store(E::LoadRow(d, from + k), d, to + k);
  if (whole == count) return;
  HWY_ALIGN typename E::Raw last[kLanes] = {};
  memcpy(last, from + whole, static_cast<size_t>(count - whole) * sizeof last[0]);
  for (int64_t k = 0; k < kLanes; k += step) hn::Store(E::LoadRow(d, last + k), d, to + whole + k);
}

HWY_INLINE double SumOfSquares(const float *HWY_RESTRICT v, int64_t padded) {
  const F32 d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float lanes[kLanes];
  for (int64_t l = 0; l < kLanes; l += step) {
    // Two chains in turn hide the latency; they are added at the end.
    auto even = hn::Zero(d), odd = hn::Zero(d);
    int64_t k = l;
    for (; k + kLanes < padded; k += 2 * kLanes) {
      const auto a = hn::Load(d, v + k), b = hn::Load(d, v + k + kLanes);
      even = hn::MulAdd(a, a, even);
      odd = hn::MulAdd(b, b, odd);
    }
    if (k < padded) {
      const auto a = hn::Load(d, v + k);
      even = hn::MulAdd(a, a, even);
    }
    hn::Store(hn::Add(even, odd), d, lanes + l);
  }
  double part[kParts] = {};
  for (int32_t l = 0; l < kLanes; ++l) part[l % kParts] += static_cast<double>(lanes[l]);
  double sum = (part[0] + part[2]) + (part[1] + part[3]);
  // In this range no square that counts was lost below f32's range and none was cut off above it.
  if (sum >= 1e-24 && sum <= 1e36) return sum;
  sum = 0;
  for (int64_t k = 0; k < padded; ++k) sum += static_cast<double>(v[k]) * static_cast<double>(v[k]);
  return sum;
}

template <int32_t dtype>
HWY_INLINE double WidenChunk(const typename Elements<dtype>::Raw *HWY_RESTRICT from, int64_t count,
                             float *HWY_RESTRICT to) {
  WidenRow<dtype>(from, count, to);
  return SumOfSquares(to, (count + kLanes - 1) / kLanes * kLanes);
}

}  // namespace plait::cpu::mhc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
