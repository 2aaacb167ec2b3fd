// SPDX-License-Identifier: MIT
// y = sum_i pre_i * residual_i, i ascending, fused multiply-adds; out = round(y). Then, where the
// norm is folded in, out = round((z * rsqrt(mean(z^2) + eps)) * w) with z = f32(out).
#include <cmath>
#include <cstring>

#include "src/cpu/mhc/element.h"
#include "src/cpu/mhc/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/mhc/collapse_row.cpp"
#include "src/cpu/simd_targets.h"
// After simd_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/cpu/mhc/squares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plait::cpu::mhc::HWY_NAMESPACE {

template <class E, class Raw>
HWY_INLINE void CollapseBlocks(int32_t n, const float *HWY_RESTRICT pre, const Raw *residual,
                               int64_t residual_stride, Raw *HWY_RESTRICT out, int64_t count) {
  const F32 d;
  const int64_t step = static_cast<int64_t>(2 * hn::Lanes(d));
  for (int64_t k = 0; k < count; k += step) {
    V ra, rb;
    E::LoadPair(d, residual + k, ra, rb);
    auto factor = hn::Set(d, pre[0]);
    auto a = hn::Mul(factor, ra), b = hn::Mul(factor, rb);
    for (int32_t i = 1; i < n; ++i) {
      E::LoadPair(d, residual + i * residual_stride + k, ra, rb);
      factor = hn::Set(d, pre[i]);
      a = hn::MulAdd(factor, ra, a);
      b = hn::MulAdd(factor, rb, b);
    }
    E::StorePair(d, a, b, out + k);
  }
}

template <int32_t dtype>
void Collapse(const CollapseRow &row) {
  using E = Elements<dtype>;
  using Raw = typename E::Raw;
  const Raw *residual = static_cast<const Raw *>(row.residual);
  Raw *out = static_cast<Raw *>(row.out);
  if (!row.pre) {
    memcpy(out, residual, static_cast<size_t>(row.hidden) * sizeof(Raw));
    return;
  }
  float pre[PLAIT_MHC_MAX_STREAMS];
  for (int32_t i = 0; i < row.n; ++i) pre[i] = clear_nan(row.pre[i]);
  const int64_t whole = row.hidden / kBlock * kBlock, rest = row.hidden - whole;
  if (row.n == 4)
    CollapseBlocks<E, Raw>(4, pre, residual, row.residual_stride, out, whole);
  else
    CollapseBlocks<E, Raw>(row.n, pre, residual, row.residual_stride, out, whole);
  if (rest == 0) return;
  HWY_ALIGN Raw in[PLAIT_MHC_MAX_STREAMS][kBlock] = {}, last[kBlock];
  const size_t bytes = static_cast<size_t>(rest) * sizeof(Raw);
  for (int32_t i = 0; i < row.n; ++i)
    memcpy(in[i], residual + i * row.residual_stride + whole, bytes);
  CollapseBlocks<E, Raw>(row.n, pre, in[0], kBlock, last, kBlock);
  memcpy(out + whole, last, bytes);
}

template <int32_t dtype, int32_t weight_dtype>
HWY_INLINE void ScaleBlock(float factor, const typename Elements<weight_dtype>::Raw *weight,
                           typename Elements<dtype>::Raw *out, int64_t count) {
  const F32 d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const auto g = hn::Set(d, factor);
  for (int64_t k = 0; k < count; k += step) {
    const auto z = Elements<dtype>::LoadRow(d, out + k);
    const auto w = Elements<weight_dtype>::LoadRow(d, weight + k);
    Elements<dtype>::StoreRow(d, hn::Mul(hn::Mul(z, g), w), out + k);
  }
}

template <int32_t dtype, int32_t weight_dtype>
void Scale(const CollapseRow &row, float factor) {
  using Raw = typename Elements<dtype>::Raw;
  using Weight = typename Elements<weight_dtype>::Raw;
  Raw *out = static_cast<Raw *>(row.out);
  const Weight *weight = static_cast<const Weight *>(row.weight);
  const int64_t whole = row.hidden / kBlock * kBlock, rest = row.hidden - whole;
  ScaleBlock<dtype, weight_dtype>(factor, weight, out, whole);
  if (rest == 0) return;
  HWY_ALIGN Raw last[kBlock] = {};
  HWY_ALIGN Weight last_weight[kBlock] = {};
  memcpy(last, out + whole, static_cast<size_t>(rest) * sizeof(Raw));
  memcpy(last_weight, weight + whole, static_cast<size_t>(rest) * sizeof(Weight));
  ScaleBlock<dtype, weight_dtype>(factor, last_weight, last, kBlock);
  memcpy(out + whole, last, static_cast<size_t>(rest) * sizeof(Raw));
}

template <int32_t dtype>
void CollapseDtype(const CollapseRow &row) {
  Collapse<dtype>(row);
  if (!row.weight) return;
  HWY_ALIGN float z[kChunk];
  double squares = 0;
  for (int64_t h = 0; h < row.hidden; h += kChunk) {
    const int64_t count = row.hidden - h < kChunk ? row.hidden - h : kChunk;
    squares += WidenChunk<dtype>(static_cast<const typename Elements<dtype>::Raw *>(row.out) + h,
                                 count, z);
  }
  const double mean = squares / static_cast<double>(row.hidden);
  const float factor =
      clear_nan(static_cast<float>(1 / std::sqrt(mean + static_cast<double>(row.norm_eps))));
  switch (row.weight_dtype) {
    case PLAIT_DTYPE_BF16: return Scale<dtype, PLAIT_DTYPE_BF16>(row, factor);
    case PLAIT_DTYPE_F16: return Scale<dtype, PLAIT_DTYPE_F16>(row, factor);
    default: return Scale<dtype, PLAIT_DTYPE_F32>(row, factor);
  }
}

void CollapseRowTarget(const CollapseRow &row) {
  switch (row.dtype) {
    case PLAIT_DTYPE_BF16: return CollapseDtype<PLAIT_DTYPE_BF16>(row);
    case PLAIT_DTYPE_F16: return CollapseDtype<PLAIT_DTYPE_F16>(row);
    default: return CollapseDtype<PLAIT_DTYPE_F32>(row);
  }
}

}  // namespace plait::cpu::mhc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plait::cpu::mhc {

HWY_EXPORT(CollapseRowTarget);

void collapse_row(const CollapseRow &row) { HWY_DYNAMIC_DISPATCH(CollapseRowTarget)(row); }

}  // namespace plait::cpu::mhc
#endif
