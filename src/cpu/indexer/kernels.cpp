// SPDX-License-Identifier: MIT
#include "src/cpu/indexer/kernels.h"

#include "src/indexer_layout.h"
#include "src/number.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/indexer/kernels.cpp"
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

int64_t PanelKeys() { return 3 * static_cast<int64_t>(hn::Lanes(F32())); }

// --- Decoding. The code of an element stands in the uppermost bits of a 32-bit lane. An arithmetic
// shift takes its exponent and mantissa to their places in an f32 and leaves the sign in bit 31.

// e4m3: 4 exponent and 3 mantissa bits to 20 … 26. The exponent field is then too small by
// 127 - bias, which a product makes up for, subnormals included.
struct E4M3FN {
  static constexpr int64_t kBits = 8;
  static VF decode(VI code) {
    const I32 di;
    const F32 df;
    const VI bits = hn::And(hn::ShiftRight<4>(code), hn::Set(di, INT32_MIN | 0x07F00000));
    const VI ones = hn::Set(di, 0x07F00000);
    const auto nan = hn::RebindMask(df, hn::Eq(hn::And(bits, ones), ones));
    const VF value = hn::Mul(hn::BitCast(df, bits), hn::Set(df, power_of_two(120)));
    return hn::IfThenElse(nan, hn::BitCast(df, hn::Set(di, 0x7FC00000)), value);
  }
};
struct E4M3FNUZ {
  static constexpr int64_t kBits = 8;
  static VF decode(VI code) {
    const I32 di;
    const F32 df;
    const VI bits = hn::And(hn::ShiftRight<4>(code), hn::Set(di, INT32_MIN | 0x07F00000));
    const auto nan = hn::RebindMask(df, hn::Eq(bits, hn::Set(di, INT32_MIN)));
    const VF value = hn::Mul(hn::BitCast(df, bits), hn::Set(df, power_of_two(119)));
    return hn::IfThenElse(nan, hn::BitCast(df, hn::Set(di, 0x7FC00000)), value);
  }
};
// e2m1: 2 exponent bits and the mantissa bit to 22 … 24; 0 and 0.5 on their own.
struct E2M1 {
  static constexpr int64_t kBits = 4;
  static VF decode(VI code) {
    const I32 di;
    const F32 df;
    const VI bits = hn::ShiftRight<6>(code);
    const VI sign = hn::And(bits, hn::Set(di, INT32_MIN));
    const VI magnitude = hn::And(bits, hn::Set(di, 0x01C00000));
    const VI normal = hn::Add(magnitude, hn::Set(di, 126 << 23));
    const VI half =
        hn::IfThenElseZero(hn::Eq(magnitude, hn::Set(di, 0x00400000)), hn::Set(di, 126 << 23));
    const auto is_normal = hn::Gt(magnitude, hn::Set(di, 0x00400000));
    return hn::BitCast(df, hn::Or(sign, hn::IfThenElse(is_normal, normal, half)));
  }
};

// `count` elements.
template <class Format>
void DecodeRows(const plait_indexer_plan_desc &p, const uint8_t *values, const uint8_t *scales,
                int64_t count, float *out) {
  const I32 di;
  const F32 df;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(df));
  if constexpr (Format::kBits == 8) {
    const hn::Rebind<uint8_t, I32> bytes;
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      const VI code = hn::ShiftLeft<24>(hn::PromoteTo(di, hn::LoadU(bytes, values + i)));
      hn::StoreU(Format::decode(code), df, out + i);
    }
    for (; i < count; ++i)
      out[i] = p.format == PLAIT_FORMAT_FP8_E4M3FNUZ ? e4m3fnuz_to_f32(values[i])
                                                     : e4m3fn_to_f32(values[i]);
  } else {
    for (int64_t i = 0; i < count; ++i)
      out[i] = e2m1_to_f32((values[i / 2] >> (i % 2 * 4)) & 15u) * ue8m0_to_f32(scales[i / 32]);
  }
}

#if HWY_TARGET == HWY_SCALAR

template <class Format>
void DecodePanel(const plait_indexer_plan_desc &p, const uint8_t *chunks, const uint8_t *scales,
                 float *panel) {
  const int64_t keys = PanelKeys(), chunk = 16 * 8 / Format::kBits;
  for (int64_t c = 0; c < p.head_dim / chunk; ++c)
    for (int64_t i = 0; i < keys; ++i) {
      float row[32];
      DecodeRows<Format>(p, chunks + chunk_offset(keys, c, i), scales + i * scale_bytes(p) + c,
                         chunk, row);
      for (int64_t e = 0; e < chunk; ++e) panel[(c * chunk + e) * keys + i] = row[e];
    }
}

#else

// Four words of each of four keys in every 128-bit block, x[key][word], become four vectors of
// one word of neighbouring keys.
HWY_INLINE void TransposeWords(VI &x0, VI &x1, VI &x2, VI &x3) {
  const I32 di;
  const hn::Repartition<int64_t, I32> pairs;
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(di, x0, x1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(di, x2, x3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(di, x0, x1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(di, x2, x3));
  x0 = hn::BitCast(di, hn::InterleaveLower(pairs, low01, low23));
  x1 = hn::BitCast(di, hn::InterleaveUpper(pairs, low01, low23));
  x2 = hn::BitCast(di, hn::InterleaveLower(pairs, high01, high23));
  x3 = hn::BitCast(di, hn::InterleaveUpper(pairs, high01, high23));
}

template <class Format>
void DecodePanel(const plait_indexer_plan_desc &p, const uint8_t *chunks, const uint8_t *scales,
                 float *panel) {
  const I32 di;
  const F32 df;
  const hn::Repartition<uint8_t, I32> bytes;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(df)), keys = 3 * lanes;
  constexpr int64_t per_word = 32 / Format::kBits;
  HWY_ALIGN float scale[HWY_MAX_BYTES / sizeof(float)];
  VF factor = hn::Set(df, 1.0f);
  // The last element of a word is in its upper bits; the others are brought there in turn.
  const auto decode_word = [&](VI word, float *out) {
    for (int64_t e = per_word - 1; e >= 0; --e) {
      VF value = Format::decode(word);
      if (Format::kBits == 4) value = hn::Mul(value, factor);
      hn::StoreU(value, df, out + e * keys);
      word = hn::ShiftLeft<Format::kBits>(word);
    }
  };
  for (int64_t c = 0; c < value_bytes(p) / 16; ++c)
    for (int64_t i = 0; i < keys; i += lanes) {
      if (Format::kBits == 4) {  // a chunk is a group of 32 elements
        for (int64_t j = 0; j < lanes; ++j)
          scale[j] = ue8m0_to_f32(scales[(i + j) * scale_bytes(p) + c]);
        factor = hn::Load(df, scale);
      }
      const auto load = [&](int64_t j) {
        return hn::BitCast(di, hn::LoadU(bytes, chunks + chunk_offset(keys, c, i + j)));
      };
      VI x0 = load(0), x1 = load(1), x2 = load(2), x3 = load(3);
      TransposeWords(x0, x1, x2, x3);
      float *out = panel + c * 4 * per_word * keys + i;
      decode_word(x0, out);
      decode_word(x1, out + per_word * keys);
      decode_word(x2, out + 2 * per_word * keys);
      decode_word(x3, out + 3 * per_word * keys);
    }
}

#endif

void DecodeRowsTyped(const plait_indexer_plan_desc &p, const uint8_t *values, const uint8_t *scales,
                     int64_t rows, float *out) {
  if (p.format == PLAIT_FORMAT_FP8_E4M3FN)
    DecodeRows<E4M3FN>(p, values, scales, rows * p.head_dim, out);
  else if (p.format == PLAIT_FORMAT_FP8_E4M3FNUZ)
    DecodeRows<E4M3FNUZ>(p, values, scales, rows * p.head_dim, out);
  else
    DecodeRows<E2M1>(p, values, scales, rows * p.head_dim, out);
}

void DecodePanelTyped(const plait_indexer_plan_desc &p, const uint8_t *chunks,
                      const uint8_t *scales, float *panel) {
  if (p.format == PLAIT_FORMAT_FP8_E4M3FN)
    DecodePanel<E4M3FN>(p, chunks, scales, panel);
  else if (p.format == PLAIT_FORMAT_FP8_E4M3FNUZ)
    DecodePanel<E4M3FNUZ>(p, chunks, scales, panel);
  else
    DecodePanel<E2M1>(p, chunks, scales, panel);
}

// --- Scores -------------------------------------------------------------------------------------

// relu(NaN) is 0.
HWY_INLINE VF Relu(VF v) { return hn::IfThenElseZero(hn::Gt(v, hn::Zero(F32())), v); }

// Four heads by three vectors of keys: 12 accumulators, 3 vectors of the panel and one broadcast
// element of q fill the 16 registers of AVX2; seven loads feed twelve multiply-adds.
HWY_INLINE void AddFourHeads(const float *q, int64_t head_dim, const float *panel,
                             const float *weights, VF &sum0, VF &sum1, VF &sum2) {
  const F32 df;
  const size_t lanes = hn::Lanes(df);
  const float *q0 = q, *q1 = q + head_dim, *q2 = q1 + head_dim, *q3 = q2 + head_dim;
  VF a00 = hn::Zero(df), a01 = a00, a02 = a00, a10 = a00, a11 = a00, a12 = a00;
  VF a20 = a00, a21 = a00, a22 = a00, a30 = a00, a31 = a00, a32 = a00;
  const auto step = [&](int64_t d) HWY_ATTR {
    const VF k0 = hn::LoadU(df, panel), k1 = hn::LoadU(df, panel + lanes),
             k2 = hn::LoadU(df, panel + 2 * lanes);
    panel += 3 * lanes;
    VF x = hn::Set(df, q0[d]);
    a00 = hn::MulAdd(x, k0, a00);
    a01 = hn::MulAdd(x, k1, a01);
    a02 = hn::MulAdd(x, k2, a02);
    x = hn::Set(df, q1[d]);
    a10 = hn::MulAdd(x, k0, a10);
    a11 = hn::MulAdd(x, k1, a11);
    a12 = hn::MulAdd(x, k2, a12);
    x = hn::Set(df, q2[d]);
    a20 = hn::MulAdd(x, k0, a20);
    a21 = hn::MulAdd(x, k1, a21);
    a22 = hn::MulAdd(x, k2, a22);
    x = hn::Set(df, q3[d]);
    a30 = hn::MulAdd(x, k0, a30);
    a31 = hn::MulAdd(x, k1, a31);
    a32 = hn::MulAdd(x, k2, a32);
  };
  for (int64_t d = 0; d < head_dim; ++d) step(d);
  const VF w0 = hn::Set(df, weights[0]), w1 = hn::Set(df, weights[1]), w2 = hn::Set(df, weights[2]),
           w3 = hn::Set(df, weights[3]);
  const auto add = [](VF sum, VF w, VF a) { return hn::MulAdd(w, Relu(a), sum); };
  sum0 = add(add(add(add(sum0, w0, a00), w1, a10), w2, a20), w3, a30);
  sum1 = add(add(add(add(sum1, w0, a01), w1, a11), w2, a21), w3, a31);
  sum2 = add(add(add(add(sum2, w0, a02), w1, a12), w2, a22), w3, a32);
}

HWY_INLINE void AddOneHead(const float *q, int64_t head_dim, const float *panel, float weight,
                           VF &sum0, VF &sum1, VF &sum2) {
  const F32 df;
  const size_t lanes = hn::Lanes(df);
  VF a0 = hn::Zero(df), a1 = a0, a2 = a0;
  for (int64_t d = 0; d < head_dim; ++d) {
    const VF x = hn::Set(df, q[d]);
    a0 = hn::MulAdd(x, hn::LoadU(df, panel), a0);
    a1 = hn::MulAdd(x, hn::LoadU(df, panel + lanes), a1);
    a2 = hn::MulAdd(x, hn::LoadU(df, panel + 2 * lanes), a2);
    panel += 3 * lanes;
  }
  const VF w = hn::Set(df, weight);
  sum0 = hn::MulAdd(w, Relu(a0), sum0);
  sum1 = hn::MulAdd(w, Relu(a1), sum1);
  sum2 = hn::MulAdd(w, Relu(a2), sum2);
}

void ScorePanel(const plait_indexer_plan_desc &p, const float *q, const float *weights,
                const float *panel, float *sums) {
  const F32 df;
  const size_t lanes = hn::Lanes(df);
  const int64_t d = p.head_dim;
  VF sum0 = hn::Zero(df), sum1 = sum0, sum2 = sum0;
  int64_t h = 0;
  for (; h + 4 <= p.heads; h += 4) AddFourHeads(q + h * d, d, panel, weights + h, sum0, sum1, sum2);
  for (; h < p.heads; ++h) AddOneHead(q + h * d, d, panel, weights[h], sum0, sum1, sum2);
  hn::StoreU(sum0, df, sums);
  hn::StoreU(sum1, df, sums + lanes);
  hn::StoreU(sum2, df, sums + 2 * lanes);
}

}  // namespace plait::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plait::cpu {

HWY_EXPORT(PanelKeys);
HWY_EXPORT(DecodeRowsTyped);
HWY_EXPORT(DecodePanelTyped);
HWY_EXPORT(ScorePanel);

int64_t panel_keys() { return HWY_DYNAMIC_DISPATCH(PanelKeys)(); }

void decode_rows(const plait_indexer_plan_desc &p, const uint8_t *values, const uint8_t *scales,
                 int64_t rows, float *out) {
  HWY_DYNAMIC_DISPATCH(DecodeRowsTyped)(p, values, scales, rows, out);
}

void decode_panel(const plait_indexer_plan_desc &p, const uint8_t *chunks, const uint8_t *scales,
                  float *panel) {
  HWY_DYNAMIC_DISPATCH(DecodePanelTyped)(p, chunks, scales, panel);
}

void score_panel(const plait_indexer_plan_desc &p, const float *q, const float *weights,
                 const float *panel, float *sums) {
  HWY_DYNAMIC_DISPATCH(ScorePanel)(p, q, weights, panel, sums);
}

}  // namespace plait::cpu
#endif
