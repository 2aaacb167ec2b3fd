// SPDX-License-Identifier: MIT
// The SIMD kernels of mHC, each compiled for every target and called through Highway's dispatch.
// One kernel does one token (or a tile of tokens) whatever the number of tokens, the buffers'
// alignment and the operation that calls it, so bits depend on the token alone.
#ifndef PLAIT_SRC_CPU_MHC_ROWS_H
#define PLAIT_SRC_CPU_MHC_ROWS_H

#include "src/backend.h"
#include "src/number.h"

namespace plait::cpu::mhc {

// One token of post. Stream i of the residual is residual + i * residual_stride elements; the
// output's streams are `hidden` apart.
struct PostRow {
  int32_t dtype, n;
  int64_t hidden;
  const void *x, *x2;  // x2 may be nullptr
  const void *residual;
  int64_t residual_stride;
  const float *post, *comb;  // comb may be nullptr: identity
  void *out;
  bool stream;  // past the caches: worth it when `out` is large, written once, and not `residual`
};
// Columns [begin, end). A column's inputs are all read before its outputs are written.
void post_row(const PostRow &row, int64_t begin, int64_t end);

// One token of the collapse, and of the norm folded into it.
struct CollapseRow {
  int32_t dtype, n;
  int64_t hidden;
  const void *residual;
  int64_t residual_stride;
  const float *pre;  // nullptr: stream 0, bit for bit
  int32_t weight_dtype;
  const void *weight;  // nullptr: no norm
  float norm_eps;
  void *out;
};
void collapse_row(const CollapseRow &row);

// `n` copies of the row x, out_i = out + i * bytes.
void expand_row(const void *x, int64_t bytes, int32_t n, void *out, bool stream);

// A NaN factor with the default payload; see Elements<PLAIT_DTYPE_BF16>::Round().
inline float clear_nan(float factor) { return factor == factor ? factor : float_of(0x7FC00000); }

// Makes streamed stores visible to other threads; call it on the thread that streamed.
void finish_streams();

// Whether streaming pays for an output of this many bytes.
constexpr bool worth_streaming(int64_t bytes) { return bytes >= (int64_t{8} << 20); }

}  // namespace plait::cpu::mhc

#endif
