// SPDX-License-Identifier: MIT
// The vector loops of the fast logits. A panel is a few keys, transposed: element d of key i at
// d * panel_keys() + i, so that a vector holds one element of neighbouring keys.
#ifndef PLAIT_SRC_CPU_INDEXER_KERNELS_H
#define PLAIT_SRC_CPU_INDEXER_KERNELS_H

#include <plait/indexer.h>

namespace plait::cpu {

// Keys of a panel: three vectors.
int64_t panel_keys();

// Quantised rows as f32: fp8 without its scale, mxfp4 with its scales. `values` and `scales` are
// contiguous.
void decode_rows(const plait_indexer_plan_desc &p, const uint8_t *values, const uint8_t *scales,
                 int64_t rows, float *out);

// The same of the keys of a panel. Their values come in chunks of 16 bytes, so placed that one load
// takes the same chunk of every fourth key:
//
//     chunk 0 of keys 0 4 8 … | chunk 0 of keys 1 5 9 … | … 2 6 10 … | … 3 7 11 … | chunk 1 …
//
// Their scales are contiguous. Places without a key hold zero bytes.
void decode_panel(const plait_indexer_plan_desc &p, const uint8_t *chunks, const uint8_t *scales,
                  float *panel);

constexpr int64_t chunk_offset(int64_t keys, int64_t c, int64_t i) {
  const int64_t quarter = (keys + 3) / 4;
  return ((c * 4 + i % 4) * quarter + i / 4) * 16;
}

// sums[i] = sum_h weights[h] * relu(sum_d q[h * D + d] * panel[d][i]): one accumulator for d and
// one for h, each in ascending order, so that a sum depends on nothing but its row and key.
void score_panel(const plait_indexer_plan_desc &p, const float *q, const float *weights,
                 const float *panel, float *sums);

}  // namespace plait::cpu

#endif
