// SPDX-License-Identifier: MIT
// The tile: kTileRows rows of fn times two tokens, twelve vectors of sums on AVX2.
//
//     for each group of rows            12 KB of f32 in L1, read once per tile of tokens
//       for each pair of tokens         4 KB
//         for each vector of lanes      columns l, l + 16, … of the chunk
//           sum[row][token] += fn[row] * v[token]
#include "src/cpu/mhc/products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/mhc/products.cpp"
#include "src/cpu/simd_targets.h"
// After simd_targets.h.
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/cpu/mhc/squares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plait::cpu::mhc::HWY_NAMESPACE {

// `padded` columns, a multiple of kLanes. v: tokens kChunk apart; partial: as in products.h.
template <int32_t rows, int32_t tokens>
HWY_INLINE void Tile(const float *HWY_RESTRICT fn, int64_t fn_stride, const float *HWY_RESTRICT v,
                     int64_t padded, float *HWY_RESTRICT partial, int64_t partial_stride) {
  const F32 d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float lanes[rows][tokens][kLanes];
  for (int64_t l = 0; l < kLanes; l += step) {
    V sum[rows][tokens];
    for (int32_t r = 0; r < rows; ++r)
      for (int32_t t = 0; t < tokens; ++t) sum[r][t] = hn::Zero(d);
    for (int64_t k = l; k < padded; k += kLanes) {
      V x[tokens];
      for (int32_t t = 0; t < tokens; ++t) x[t] = hn::Load(d, v + t * kChunk + k);
      for (int32_t r = 0; r < rows; ++r) {
        const auto f = hn::LoadU(d, fn + r * fn_stride + k);
        for (int32_t t = 0; t < tokens; ++t) sum[r][t] = hn::MulAdd(f, x[t], sum[r][t]);
      }
    }
    for (int32_t r = 0; r < rows; ++r)
      for (int32_t t = 0; t < tokens; ++t) hn::Store(sum[r][t], d, &lanes[r][t][l]);
  }
  for (int32_t t = 0; t < tokens; ++t)
    for (int32_t r = 0; r < rows; ++r) {
      const float *s = lanes[r][t];
      for (int32_t p = 0; p < kParts; ++p)
        partial[t * partial_stride + r * kParts + p] = (s[p] + s[p + 8]) + (s[p + 4] + s[p + 12]);
    }
}

// Asks for rows of memory a few lines at a time, while something else is computed. A row is too
// short for the hardware to see its pattern.
class Prefetcher {
 public:
  Prefetcher(const void *first, int64_t row_bytes, int64_t stride_bytes, int64_t rows)
      : row_(static_cast<const char *>(first)),
        row_bytes_(row_bytes),
        stride_(stride_bytes),
        rows_(rows) {}
  HWY_INLINE void lines(int64_t count) {
    for (; count > 0 && rows_ > 0; --count) {
      hwy::Prefetch(row_ + at_);
      at_ += 64;
      if (at_ >= row_bytes_) {
        at_ = 0;
        row_ += stride_;
        --rows_;
      }
    }
  }

 private:
  const char *row_;
  int64_t row_bytes_, stride_, rows_, at_ = 0;
};

template <int32_t rows>
HWY_NOINLINE void Rows(const float *fn, int64_t fn_stride, const float *v, int64_t tokens,
                       int64_t padded, float *partial, int64_t partial_stride, Prefetcher &next) {
  int64_t t = 0;
  for (; t + 2 <= tokens; t += 2) {
    next.lines(16);
    Tile<rows, 2>(fn, fn_stride, v + t * kChunk, padded, partial + t * partial_stride,
                  partial_stride);
  }
  if (t < tokens)
    Tile<rows, 1>(fn, fn_stride, v + t * kChunk, padded, partial + t * partial_stride,
                  partial_stride);
}

template <int32_t dtype>
void WidenTokens(const ProductChunk &c, float *v, double *squares) {
  const typename Elements<dtype>::Raw *residual =
      static_cast<const typename Elements<dtype>::Raw *>(c.residual);
  constexpr int64_t size = sizeof(residual[0]), kAhead = 3;
  Prefetcher next(residual, c.columns * size, c.residual_stride * size, c.tokens);
  const int64_t lines_of_row = (c.columns * size - 1) / 64 + 1;
  next.lines(kAhead * lines_of_row);
  for (int64_t t = 0; t < c.tokens; ++t) {
    next.lines(lines_of_row);
    squares[t] = WidenChunk<dtype>(residual + t * c.residual_stride, c.columns, v + t * kChunk);
  }
}

template <int32_t fn_dtype>
void AllRows(const ProductChunk &c, const float *v, float *copy, float *partial) {
  using Raw = typename Elements<fn_dtype>::Raw;
  const int64_t padded = (c.columns + kLanes - 1) / kLanes * kLanes;
  const int64_t partial_stride = c.rows * kParts;
  // A copy of the rows is worth it for many tokens only, or needed to widen or to pad them.
  const bool direct = fn_dtype == PLAIT_DTYPE_F32 && padded == c.columns && c.tokens <= 4;
  for (int32_t r = 0; r < c.rows; r += static_cast<int32_t>(kTileRows)) {
    const int64_t left = c.rows - r, rows = left < kTileRows ? left : kTileRows;
    const Raw *from = static_cast<const Raw *>(c.fn) + r * c.fn_stride;
    const float *fn = copy;
    int64_t fn_stride = kChunk;
    if constexpr (fn_dtype == PLAIT_DTYPE_F32)
      if (direct) {
        fn = from;
        fn_stride = c.fn_stride;
      }
    if (!direct)
      for (int64_t i = 0; i < rows; ++i)
        WidenCopy<fn_dtype>(from + i * c.fn_stride, c.columns, copy + i * kChunk);
    float *to = partial + r * kParts;
    constexpr int64_t size = sizeof(Raw);
    Prefetcher next(from + rows * c.fn_stride, c.columns * size, c.fn_stride * size,
                    left - rows < kTileRows ? left - rows : kTileRows);
    switch (rows) {
      case 1: Rows<1>(fn, fn_stride, v, c.tokens, padded, to, partial_stride, next); break;
      case 2: Rows<2>(fn, fn_stride, v, c.tokens, padded, to, partial_stride, next); break;
      case 3: Rows<3>(fn, fn_stride, v, c.tokens, padded, to, partial_stride, next); break;
      case 4: Rows<4>(fn, fn_stride, v, c.tokens, padded, to, partial_stride, next); break;
      case 5: Rows<5>(fn, fn_stride, v, c.tokens, padded, to, partial_stride, next); break;
      default: Rows<6>(fn, fn_stride, v, c.tokens, padded, to, partial_stride, next); break;
    }
  }
}

void ProductChunkTarget(const ProductChunk &c, float *scratch, float *partial, double *squares) {
  float *v = scratch, *copy = scratch + kTileTokens * kChunk;
  switch (c.dtype) {
    case PLAIT_DTYPE_BF16: WidenTokens<PLAIT_DTYPE_BF16>(c, v, squares); break;
    case PLAIT_DTYPE_F16: WidenTokens<PLAIT_DTYPE_F16>(c, v, squares); break;
    default: WidenTokens<PLAIT_DTYPE_F32>(c, v, squares); break;
  }
  switch (c.fn_dtype) {
    case PLAIT_DTYPE_BF16: return AllRows<PLAIT_DTYPE_BF16>(c, v, copy, partial);
    case PLAIT_DTYPE_F16: return AllRows<PLAIT_DTYPE_F16>(c, v, copy, partial);
    default: return AllRows<PLAIT_DTYPE_F32>(c, v, copy, partial);
  }
}

void AddPartialTarget(const float *HWY_RESTRICT partial, int64_t count, double *HWY_RESTRICT sums) {
  for (int64_t k = 0; k < count; ++k) sums[k] += static_cast<double>(partial[k]);
}

}  // namespace plait::cpu::mhc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plait::cpu::mhc {

HWY_EXPORT(ProductChunkTarget);
HWY_EXPORT(AddPartialTarget);

void product_chunk(const ProductChunk &chunk, float *scratch, float *partial, double *squares) {
  HWY_DYNAMIC_DISPATCH(ProductChunkTarget)(chunk, scratch, partial, squares);
}

void add_partial(const float *partial, int64_t count, double *sums) {
  HWY_DYNAMIC_DISPATCH(AddPartialTarget)(partial, count, sums);
}

}  // namespace plait::cpu::mhc
#endif
