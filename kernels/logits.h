// SPDX-License-Identifier: MIT
// Indexer logits, ragged and paged: what the host passes to the kernels.
#ifndef PLAIT_KERNELS_LOGITS_H
#define PLAIT_KERNELS_LOGITS_H

#include "block_table.h"

namespace plait::kernels {

struct Logits {
  const uint8_t *q;        // [rows, heads, V]
  const uint8_t *q_scale;  // mxfp4: [rows, heads, S]
  const float *weights;    // [rows, heads]
  int64_t weights_stride;
  int64_t rows, columns;
  int32_t heads, head_dim, format;
  // Ragged: contiguous keys, and the columns of each row.
  const uint8_t *k;
  const uint8_t *k_scale;
  const int32_t *start, *end;
  // Paged (cache not nullptr): keys of request row / next_n.
  const uint8_t *cache;
  int64_t pages, page_stride;
  BlockTable table;
  const int32_t *lengths;
  int32_t per_request, next_n, tiled;
  int32_t page_shift;  // log2 of page_entries, or -1
  // Output. Row `row` of the call goes to logits + (row - first_row) * stride, column c to
  // c - first_column of it.
  void *logits;
  int64_t stride;
  int32_t bf16;
  int64_t first_row, first_column;
  // The part of the matrix to compute.
  int64_t last_row, last_column;
};

// -inf in every column outside a row's range.
hipError_t logits_fill(const Logits &args, void *stream);

// Any shape.
hipError_t logits_generic(const Logits &args, void *stream);

// Matrix units through isa/mma.h: heads up to 128, head_dim 64 or 128; logits_tile.hip. `fp8`: the
// units take the keys' bytes as they are; else they are widened to bf16, which is exact.
enum class LogitsUnit { gfx90a, gfx942, gfx950, gfx11, gfx12, sm80, sm89 };
hipError_t logits_tile(LogitsUnit unit, bool fp8, const Logits &args, int32_t compute_units,
                       size_t shared_limit, void *stream);
hipError_t logits_tile_prepare(LogitsUnit unit, bool fp8, int32_t head_dim, size_t shared_limit);

// wgmma: e4m3fn, heads up to 128, head_dim 64 or 128; logits_sm90.cu.
hipError_t logits_sm90(const Logits &args, int32_t compute_units, void *stream);
hipError_t logits_sm90_prepare(int32_t heads, int32_t head_dim);

}  // namespace plait::kernels

#endif
