// SPDX-License-Identifier: MIT
// fn . v and sum(v^2) of a tile of tokens over one chunk of columns.
//
// A chunk is up to kChunk columns of one stream. One row and token is summed in kLanes f32 numbers
// within a chunk, at whose end they become kParts, and in kParts doubles over the chunks, in order:
//
//     part p of a chunk = (lane p + lane p+8) + (lane p+4 + lane p+12)
//     sum = (part 0 + part 2) + (part 1 + part 3)
//
// One tree, set by n and H alone.
#ifndef PLAIT_SRC_CPU_MHC_PRODUCTS_H
#define PLAIT_SRC_CPU_MHC_PRODUCTS_H

#include "src/backend.h"

namespace plait::cpu::mhc {

constexpr int64_t kLanes = 16;       // f32 accumulators of one row and token
constexpr int64_t kParts = 4;        // that they are added into at the end of a chunk
constexpr int64_t kChunk = 512;      // columns; two kilobytes of f32
constexpr int64_t kTileTokens = 32;  // most tokens of a tile
constexpr int64_t kTileRows = 6;     // rows of fn that share a pass over the tokens

struct ProductChunk {
  int32_t dtype, fn_dtype;
  int32_t rows;             // of fn
  const void *fn;           // first row, first column of the chunk
  int64_t fn_stride;        // elements between rows
  const void *residual;     // first token, first column
  int64_t residual_stride;  // elements between tokens
  int64_t tokens;           // 1 … kTileTokens
  int64_t columns;          // 1 … kChunk
};

// Local memory of one call: f32 copies of the tile's and of kTileRows rows' columns.
constexpr int64_t kProductScratch = (kTileTokens + kTileRows) * kChunk;  // floats, aligned to 64

// partial[(t * rows + r) * kParts + l], squares[t]; both are written, not added to.
void product_chunk(const ProductChunk &chunk, float *scratch, float *partial, double *squares);

// sums[k] += partial[k].
void add_partial(const float *partial, int64_t count, double *sums);

}  // namespace plait::cpu::mhc

#endif
