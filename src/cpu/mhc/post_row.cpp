// SPDX-License-Identifier: MIT
// out_j = round(post_j * (x + x2) + sum_i comb_ij * residual_i), i ascending, fused multiply-adds.
#include "src/cpu/mhc/rows.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/mhc/post_row.cpp"
#include "src/cpu/simd_targets.h"
// After simd_targets.h.
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/cpu/mhc/elements-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plait::cpu::mhc::HWY_NAMESPACE {

// Copies of a token's factors: no store can alias them, and their NaNs are clear.
struct Factors {
  explicit Factors(const PostRow &row) {
    for (int32_t j = 0; j < row.n; ++j) post[j] = clear_nan(row.post[j]);
    for (int32_t k = 0; row.comb && k < row.n * row.n; ++k) comb[k] = clear_nan(row.comb[k]);
  }
  float post[PLAIT_MHC_MAX_STREAMS];
  float comb[PLAIT_MHC_MAX_STREAMS * PLAIT_MHC_MAX_STREAMS];
};

// `count` columns, a multiple of kBlock. fixed_n > 0 keeps the streams in registers; 0 takes n from
// the row. x2 may be nullptr.
template <int32_t dtype, int32_t fixed_n, bool identity, class Raw>
HWY_INLINE void PostBlocks(int32_t row_n, const Factors &f, const Raw *HWY_RESTRICT x,
                           const Raw *HWY_RESTRICT x2, const Raw *const *residual, Raw *const *out,
                           int64_t count) {
  using E = Elements<dtype>;
  const F32 d;
  constexpr int32_t kMost = fixed_n > 0 ? fixed_n : PLAIT_MHC_MAX_STREAMS;
  const int32_t n = fixed_n > 0 ? fixed_n : row_n;
  const int64_t step = static_cast<int64_t>(2 * hn::Lanes(d));
  for (int64_t k = 0; k < count; k += step) {
    V xa, xb, ra[kMost], rb[kMost];
    E::LoadPair(d, x + k, xa, xb);
    if (x2) {
      V ya, yb;
      E::LoadPair(d, x2 + k, ya, yb);
      xa = hn::Add(xa, ya);
      xb = hn::Add(xb, yb);
    }
    for (int32_t i = 0; i < n; ++i) E::LoadPair(d, residual[i] + k, ra[i], rb[i]);
    // Two outputs at a time: four chains of additions hide each other's latency.
    int32_t j = 0;
    for (; !identity && j + 2 <= n; j += 2) {
      const auto post = hn::Set(d, f.post[j]), post1 = hn::Set(d, f.post[j + 1]);
      auto a = hn::Mul(post, xa), b = hn::Mul(post, xb);
      auto a1 = hn::Mul(post1, xa), b1 = hn::Mul(post1, xb);
      for (int32_t i = 0; i < n; ++i) {
        const auto comb = hn::Set(d, f.comb[i * n + j]), comb1 = hn::Set(d, f.comb[i * n + j + 1]);
        a = hn::MulAdd(comb, ra[i], a);
        b = hn::MulAdd(comb, rb[i], b);
        a1 = hn::MulAdd(comb1, ra[i], a1);
        b1 = hn::MulAdd(comb1, rb[i], b1);
      }
      E::StorePair(d, a, b, out[j] + k);
      E::StorePair(d, a1, b1, out[j + 1] + k);
    }
    for (; j < n; ++j) {
      const auto post = hn::Set(d, f.post[j]);
      auto a = hn::Mul(post, xa), b = hn::Mul(post, xb);
      if constexpr (identity) {
        a = hn::Add(a, ra[j]);
        b = hn::Add(b, rb[j]);
      } else {
        for (int32_t i = 0; i < n; ++i) {
          const auto comb = hn::Set(d, f.comb[i * n + j]);
          a = hn::MulAdd(comb, ra[i], a);
          b = hn::MulAdd(comb, rb[i], b);
        }
      }
      E::StorePair(d, a, b, out[j] + k);
    }
  }
}

// The columns that do not fill a block go through a whole one in local memory: the same arithmetic.
template <int32_t dtype, int32_t fixed_n, bool identity>
HWY_NOINLINE void PostPart(const PostRow &row, int64_t h, int64_t count) {
  using Raw = typename Elements<dtype>::Raw;
  constexpr int32_t kMost = PLAIT_MHC_MAX_STREAMS;
  HWY_ALIGN Raw x[kBlock] = {}, x2[kBlock] = {}, in[kMost][kBlock] = {}, out[kMost][kBlock];
  const size_t bytes = static_cast<size_t>(count) * sizeof(Raw);
  memcpy(x, static_cast<const Raw *>(row.x) + h, bytes);
  if (row.x2) memcpy(x2, static_cast<const Raw *>(row.x2) + h, bytes);
  const Raw *in_rows[kMost] = {};
  Raw *out_rows[kMost] = {};
  for (int32_t i = 0; i < row.n; ++i) {
    memcpy(in[i], static_cast<const Raw *>(row.residual) + i * row.residual_stride + h, bytes);
    in_rows[i] = in[i];
    out_rows[i] = out[i];
  }
  PostBlocks<dtype, fixed_n, identity, Raw>(row.n, Factors(row), x, row.x2 ? x2 : nullptr, in_rows,
                                            out_rows, kBlock);
  for (int32_t j = 0; j < row.n; ++j)
    memcpy(static_cast<Raw *>(row.out) + j * row.hidden + h, out[j], bytes);
}

// Streamed stores fill one line after the other of one stream at a time; interleaving the streams
// would flush half-filled lines. So columns are computed into a stage in L1 first.
constexpr int64_t kStageColumns = 512;
constexpr uintptr_t kLine = 64;

template <class Raw>
HWY_INLINE void StreamLines(const Raw *HWY_RESTRICT stage, Raw *HWY_RESTRICT out, int64_t count) {
  const hn::CappedTag<Raw, kLine / sizeof(Raw)> d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t k = 0; k < count; k += step) hn::Stream(hn::Load(d, stage + k), d, out + k);
}

template <int32_t dtype, int32_t fixed_n, bool identity>
void PostColumns(const PostRow &row, int64_t begin, int64_t end) {
  using Raw = typename Elements<dtype>::Raw;
  const Factors factors(row);
  const Raw *residual[PLAIT_MHC_MAX_STREAMS] = {};
  Raw *out[PLAIT_MHC_MAX_STREAMS] = {};
  const auto point_at = [&](int64_t h) HWY_ATTR {
    for (int32_t i = 0; i < row.n; ++i) {
      residual[i] = static_cast<const Raw *>(row.residual) + i * row.residual_stride + h;
      out[i] = static_cast<Raw *>(row.out) + i * row.hidden + h;
    }
  };
  const Raw *x = static_cast<const Raw *>(row.x), *x2 = static_cast<const Raw *>(row.x2);
  const auto second = [&](int64_t h) HWY_ATTR { return x2 ? x2 + h : nullptr; };
  int64_t h = begin;
  if (row.stream && static_cast<uintptr_t>(row.hidden) * sizeof(Raw) % kLine == 0) {
    // All streams sit alike within a line. The columns before the first whole line:
    const uintptr_t past = reinterpret_cast<uintptr_t>(static_cast<Raw *>(row.out) + h) % kLine;
    const int64_t skip = static_cast<int64_t>((kLine - past) % kLine / sizeof(Raw));
    if (skip > 0 && skip < end - h) {
      PostPart<dtype, fixed_n, identity>(row, h, skip);
      h += skip;
    }
    HWY_ALIGN Raw stage[PLAIT_MHC_MAX_STREAMS][kStageColumns];
    Raw *stages[PLAIT_MHC_MAX_STREAMS];
    for (int32_t j = 0; j < PLAIT_MHC_MAX_STREAMS; ++j) stages[j] = stage[j];
    while (end - h >= kBlock) {
      const int64_t left = (end - h) / kBlock * kBlock;
      const int64_t count = left < kStageColumns ? left : kStageColumns;
      point_at(h);
      PostBlocks<dtype, fixed_n, identity, Raw>(row.n, factors, x + h, second(h), residual, stages,
                                                count);
      for (int32_t j = 0; j < row.n; ++j) StreamLines(stage[j], out[j], count);
      h += count;
    }
  }
  const int64_t whole = (end - h) / kBlock * kBlock;
  point_at(h);
  PostBlocks<dtype, fixed_n, identity, Raw>(row.n, factors, x + h, second(h), residual, out, whole);
  if (h + whole < end) PostPart<dtype, fixed_n, identity>(row, h + whole, end - h - whole);
}

template <int32_t dtype>
void PostDtype(const PostRow &row, int64_t begin, int64_t end) {
  if (row.n == 4)
    row.comb ? PostColumns<dtype, 4, false>(row, begin, end)
             : PostColumns<dtype, 4, true>(row, begin, end);
  else
    row.comb ? PostColumns<dtype, 0, false>(row, begin, end)
             : PostColumns<dtype, 0, true>(row, begin, end);
}

void PostRowTarget(const PostRow &row, int64_t begin, int64_t end) {
  switch (row.dtype) {
    case PLAIT_DTYPE_BF16: return PostDtype<PLAIT_DTYPE_BF16>(row, begin, end);
    case PLAIT_DTYPE_F16: return PostDtype<PLAIT_DTYPE_F16>(row, begin, end);
    default: return PostDtype<PLAIT_DTYPE_F32>(row, begin, end);
  }
}

void ExpandRowTarget(const void *x, int64_t bytes, int32_t n, void *out, bool stream) {
  const hn::ScalableTag<uint8_t> d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const uint8_t *from = static_cast<const uint8_t *>(x);
  uint8_t *to = static_cast<uint8_t *>(out);
  int64_t h = 0;
  if (stream && bytes % step == 0 && reinterpret_cast<uintptr_t>(to) % hn::Lanes(d) == 0)
    for (; h < bytes; h += step) {
      const auto v = hn::LoadU(d, from + h);
      for (int32_t i = 0; i < n; ++i) hn::Stream(v, d, to + i * bytes + h);
    }
  for (int32_t i = 0; h < bytes && i < n; ++i)
    memcpy(to + i * bytes, from, static_cast<size_t>(bytes));
}

}  // namespace plait::cpu::mhc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plait::cpu::mhc {

HWY_EXPORT(PostRowTarget);
HWY_EXPORT(ExpandRowTarget);

void post_row(const PostRow &row, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(PostRowTarget)(row, begin, end);
}

void expand_row(const void *x, int64_t bytes, int32_t n, void *out, bool stream) {
  HWY_DYNAMIC_DISPATCH(ExpandRowTarget)(x, bytes, n, out, stream);
}

void finish_streams() { hwy::FlushStream(); }

}  // namespace plait::cpu::mhc
#endif
