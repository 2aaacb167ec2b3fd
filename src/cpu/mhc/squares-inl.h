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

constexpr int32_t kVectorsOfLanes = static_cast<int32_t>(kLanes / hn::MaxLanes(F32()));

// Widens kLanes elements; and adds their squares to `sum` if `squares`.
template <int32_t dtype, bool squares>
HWY_INLINE void WidenLanes(const typename Elements<dtype>::Raw *from, float *to, V *sum) {
  const F32 d;
  constexpr int64_t step = hn::MaxLanes(F32());
  for (int32_t i = 0; i < kVectorsOfLanes; ++i) {
    const auto v = Elements<dtype>::LoadRow(d, from + i * step);
    hn::Store(v, d, to + i * step);
    if constexpr (squares) sum[i] = hn::MulAdd(v, v, sum[i]);
  }
}

// Widens `count` elements into `to`, with zeros up to the next multiple of kLanes. Two sums in turn
// hide the latency of the additions; they are one at the end.
template <int32_t dtype, bool squares>
HWY_INLINE void WidenRow(const typename Elements<dtype>::Raw *HWY_RESTRICT from, int64_t count,
                         float *HWY_RESTRICT to, V *sum) {
  using Raw = typename Elements<dtype>::Raw;
  V second[kVectorsOfLanes];
  for (int32_t i = 0; i < kVectorsOfLanes; ++i) second[i] = hn::Zero(F32());
  int64_t k = 0;
  for (; k + 2 * kLanes <= count; k += 2 * kLanes) {
    WidenLanes<dtype, squares>(from + k, to + k, sum);
    WidenLanes<dtype, squares>(from + k + kLanes, to + k + kLanes, second);
  }
  if (k + kLanes <= count) {
    WidenLanes<dtype, squares>(from + k, to + k, sum);
    k += kLanes;
  }
  if (k < count) {
    HWY_ALIGN Raw last[kLanes] = {};
    memcpy(last, from + k, static_cast<size_t>(count - k) * sizeof(Raw));
    WidenLanes<dtype, squares>(last, to + k, second);
  }
  if constexpr (squares)
    for (int32_t i = 0; i < kVectorsOfLanes; ++i) sum[i] = hn::Add(sum[i], second[i]);
}

template <int32_t dtype>
HWY_INLINE void WidenCopy(const typename Elements<dtype>::Raw *from, int64_t count, float *to) {
  WidenRow<dtype, false>(from, count, to, nullptr);
}

// Widens a chunk and returns the sum of its squares.
template <int32_t dtype>
HWY_INLINE double WidenChunk(const typename Elements<dtype>::Raw *from, int64_t count, float *to) {
  const F32 d;
  constexpr int64_t step = hn::MaxLanes(F32());
  V sums[kVectorsOfLanes];
  for (int32_t i = 0; i < kVectorsOfLanes; ++i) sums[i] = hn::Zero(d);
  WidenRow<dtype, true>(from, count, to, sums);
  HWY_ALIGN float lanes[kLanes];
  for (int32_t i = 0; i < kVectorsOfLanes; ++i) hn::Store(sums[i], d, lanes + i * step);
  double part[kParts] = {};
  for (int32_t l = 0; l < kLanes; ++l) part[l % kParts] += static_cast<double>(lanes[l]);
  double sum = (part[0] + part[2]) + (part[1] + part[3]);
  // In this range no square that counts was lost below f32's range and none was cut off above it.
  if (sum >= 1e-24 && sum <= 1e36) return sum;
  sum = 0;
  for (int64_t k = 0; k < count; ++k)
    sum += static_cast<double>(to[k]) * static_cast<double>(to[k]);
  return sum;
}

}  // namespace plait::cpu::mhc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
