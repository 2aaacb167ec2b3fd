// SPDX-License-Identifier: MIT
#include "src/cpu/ranking/kernels.h"

#include <algorithm>

#include "src/cpu/ranking/order.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/ranking/kernels.cpp"
#include "src/cpu/simd_targets.h"
// After simd_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plait::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using I32 = hn::ScalableTag<int32_t>;
using VF = hn::Vec<F32>;
using VI = hn::Vec<I32>;
using MF = hn::Mask<F32>;

// Elements of one dtype as f32 vectors.
struct LoadF32 {
  const float *data;
  VF vector(int64_t i) const { return hn::LoadU(F32(), data + i); }
  float scalar(int64_t i) const { return data[i]; }
};
template <class Half>
struct LoadHalf {
  const uint16_t *data;
  VF vector(int64_t i) const {
    const hn::Rebind<Half, F32> half;
    const hn::Rebind<uint16_t, F32> bits;
    return hn::PromoteTo(F32(), hn::BitCast(half, hn::LoadU(bits, data + i)));
  }
};
struct LoadF16 : LoadHalf<hwy::float16_t> {
  float scalar(int64_t i) const { return f16_to_f32(data[i]); }
};
struct LoadBF16 : LoadHalf<hwy::bfloat16_t> {
  float scalar(int64_t i) const { return bf16_to_f32(data[i]); }
};

// Which values pass. Comparisons with a NaN are false, and -0 equals +0, as the order wants.
struct PassAll {
  bool scalar(float) const { return true; }
};
struct PassNumbers {
  MF vector(VF v) const { return hn::Eq(v, v); }
  bool scalar(float v) const { return v == v; }
};
struct PassAbove {
  float threshold;
  MF vector(VF v) const { return hn::Gt(v, hn::Set(F32(), threshold)); }
  bool scalar(float v) const { return v > threshold; }
};
struct PassFrom {
  float threshold;
  MF vector(VF v) const { return hn::Ge(v, hn::Set(F32(), threshold)); }
  bool scalar(float v) const { return v >= threshold; }
};

// Calls body(j) for the lanes j that are true, in order. Not CompressStore: few lanes are true, and
// GCC copies the table behind it to the stack at every use.
template <class D, class M, class Body>
HWY_INLINE void ForTrueLanes(D d, M mask, const Body &body) {
  uint8_t bytes[8];
  const size_t count = hn::StoreMaskBits(d, mask, bytes);
  for (size_t b = 0; b < count; ++b)
    for (uint32_t bits = bytes[b]; bits != 0; bits &= bits - 1)
      body(static_cast<int64_t>(b * 8 + hwy::Num0BitsBelowLS1Bit_Nonzero32(bits)));
}

// Four vectors are tested together: beyond the first few thousand values hardly any passes.
template <class Load, class Pass>
int64_t AppendValues(const Load load, const Pass pass, int64_t n, int32_t first_index,
                     float *values_out, int32_t *indices_out) {
  const F32 df;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(df));
  int64_t count = 0, i = 0;
  const auto append = [&](MF mask, int64_t at) {
    ForTrueLanes(df, mask, [&](int64_t j) {
      values_out[count] = load.scalar(at + j);
      indices_out[count] = first_index + static_cast<int32_t>(at + j);
      ++count;
    });
  };
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const MF m0 = pass.vector(load.vector(i)), m1 = pass.vector(load.vector(i + lanes)),
             m2 = pass.vector(load.vector(i + 2 * lanes)),
             m3 = pass.vector(load.vector(i + 3 * lanes));
    if (hn::AllFalse(df, hn::Or(hn::Or(m0, m1), hn::Or(m2, m3)))) continue;
    append(m0, i);
    append(m1, i + lanes);
    append(m2, i + 2 * lanes);
    append(m3, i + 3 * lanes);
  }
  for (; i < n; ++i) {
    const float v = load.scalar(i);
    values_out[count] = v;
    indices_out[count] = first_index + static_cast<int32_t>(i);
    count += pass.scalar(v);
  }
  return count;
}

template <class Load>
int64_t AppendValues(const Load load, PassAll, int64_t n, int32_t first_index, float *values_out,
                     int32_t *indices_out) {
  for (int64_t i = 0; i < n; ++i) {
    values_out[i] = load.scalar(i);
    indices_out[i] = first_index + static_cast<int32_t>(i);
  }
  return n;
}

template <class Load, class Pass>
int64_t AppendPairs(const Load load, const Pass pass, const int32_t *indices, int64_t n,
                    float *values_out, int32_t *indices_out) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    values_out[count] = load.scalar(i);
    indices_out[count] = indices[i];
    count += pass.scalar(values_out[count]) && indices[i] >= 0;
  }
  return count;
}

// Calls body(load, pass) with the types that the dtype and the gate stand for.
template <class Body>
int64_t Typed(int32_t dtype, const void *values, const Gate &gate, const Body &body) {
  const auto gated = [&](const auto load) {
    if (gate.open || (gate.threshold != gate.threshold && gate.or_equal))
      return body(load, PassAll());
    if (gate.threshold != gate.threshold) return body(load, PassNumbers());
    if (gate.or_equal) return body(load, PassFrom{gate.threshold});
    return body(load, PassAbove{gate.threshold});
  };
  if (dtype == PLAIT_DTYPE_F16) return gated(LoadF16{{static_cast<const uint16_t *>(values)}});
  if (dtype == PLAIT_DTYPE_BF16) return gated(LoadBF16{{static_cast<const uint16_t *>(values)}});
  return gated(LoadF32{static_cast<const float *>(values)});
}

int64_t AppendValuesTyped(int32_t dtype, const void *values, int64_t n, int32_t first_index,
                          const Gate &gate, float *values_out, int32_t *indices_out) {
  return Typed(dtype, values, gate, [&](const auto load, const auto pass) {
    return AppendValues(load, pass, n, first_index, values_out, indices_out);
  });
}

int64_t AppendPairsTyped(int32_t dtype, const void *values, const int32_t *indices, int64_t n,
                         const Gate &gate, float *values_out, int32_t *indices_out) {
  return Typed(dtype, values, gate, [&](const auto load, const auto pass) {
    return AppendPairs(load, pass, indices, n, values_out, indices_out);
  });
}

// As rank_of(): NaN lowest, -0 as +0, and of negative numbers all bits but the sign flipped.
VI RanksOf(VF v) {
  const I32 di;
  const VI bits = hn::BitCast(di, hn::Add(v, hn::Zero(F32())));
  const VI flip = hn::And(hn::BroadcastSignBit(bits), hn::Set(di, INT32_MAX));
  const auto number = hn::RebindMask(di, hn::Eq(v, v));
  return hn::IfThenElse(number, hn::Xor(bits, flip), hn::Set(di, kNanRank));
}

void RankValues(const float *values, int64_t n, int32_t *ranks, int32_t *least, int32_t *greatest) {
  const F32 df;
  const I32 di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(df));
  VI low = hn::Set(di, INT32_MAX), high = hn::Set(di, INT32_MIN);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const VI r = RanksOf(hn::LoadU(df, values + i));
    hn::StoreU(r, di, ranks + i);
    low = hn::Min(low, r);
    high = hn::Max(high, r);
  }
  *least = hn::GetLane(hn::MinOfLanes(di, low));
  *greatest = hn::GetLane(hn::MaxOfLanes(di, high));
  for (; i < n; ++i) {
    ranks[i] = rank_of(values[i]);
    *least = std::min(*least, ranks[i]);
    *greatest = std::max(*greatest, ranks[i]);
  }
}

int64_t CollectRanks(const int32_t *ranks, int64_t n, int32_t least, int32_t greatest,
                     int32_t *out) {
  const I32 di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(di));
  const VI low = hn::Set(di, least), high = hn::Set(di, greatest);
  int64_t count = 0, i = 0;
  for (; i + lanes <= n; i += lanes) {
    const VI r = hn::LoadU(di, ranks + i);
    const auto mask = hn::Not(hn::Or(hn::Lt(r, low), hn::Gt(r, high)));
    ForTrueLanes(di, mask, [&](int64_t j) { out[count++] = ranks[i + j]; });
  }
  for (; i < n; ++i) {
    const int32_t r = ranks[i];
    out[count] = r;
    count += r >= least && r <= greatest;
  }
  return count;
}

}  // namespace plait::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plait::cpu {

HWY_EXPORT(AppendValuesTyped);
HWY_EXPORT(AppendPairsTyped);
HWY_EXPORT(RankValues);
HWY_EXPORT(CollectRanks);

int64_t append_values(int32_t dtype, const void *values, int64_t n, int32_t first_index,
                      const Gate &gate, float *values_out, int32_t *indices_out) {
  return HWY_DYNAMIC_DISPATCH(AppendValuesTyped)(dtype, values, n, first_index, gate, values_out,
                                                 indices_out);
}

int64_t append_pairs(int32_t dtype, const void *values, const int32_t *indices, int64_t n,
                     const Gate &gate, float *values_out, int32_t *indices_out) {
  return HWY_DYNAMIC_DISPATCH(AppendPairsTyped)(dtype, values, indices, n, gate, values_out,
                                                indices_out);
}

void rank_values(const float *values, int64_t n, int32_t *ranks, int32_t *least,
                 int32_t *greatest) {
  HWY_DYNAMIC_DISPATCH(RankValues)(values, n, ranks, least, greatest);
}

int64_t collect_ranks(const int32_t *ranks, int64_t n, int32_t least, int32_t greatest,
                      int32_t *out) {
  return HWY_DYNAMIC_DISPATCH(CollectRanks)(ranks, n, least, greatest, out);
}

int64_t keep_ranks(const int32_t *ranks, int64_t n, int32_t rank, int64_t equals, float *values,
                   int32_t *indices) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    const bool equal = ranks[i] == rank && equals > 0;
    values[count] = values[i];
    indices[count] = indices[i];
    count += ranks[i] > rank || equal;
    equals -= equal;
  }
  return count;
}

}  // namespace plait::cpu
#endif
