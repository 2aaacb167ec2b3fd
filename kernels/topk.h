// SPDX-License-Identifier: MIT
// Top-k of rows: what the host passes to the kernels.
#ifndef PLAIT_KERNELS_TOPK_H
#define PLAIT_KERNELS_TOPK_H

#include "block_table.h"

namespace plait::kernels {

struct TopkInput {
  const void *values;
  int64_t stride;
  const int32_t *start, *end;  // may be nullptr: 0, columns
  int32_t next_n;              // not 0: `end` has one length a request; see range_of()
  int64_t rows, columns;
  int32_t dtype;
};

struct TopkOutput {
  int64_t k;
  int32_t order;
  int32_t values_f32;  // values of 16 bits come out as f32
  int32_t *indices;
  int64_t indices_stride;
  void *values;  // may be nullptr
  int64_t values_stride;
  int32_t *slots;  // may be nullptr
  int64_t slots_stride;
  BlockTable table;
  const int32_t *table_row;  // may be nullptr: row / rows_per_table
  int64_t rows_per_table;
};

// Whole rows in registers: rows of up to topk_register_columns() elements.
constexpr int kTopkRegisterBits = 15;
constexpr int64_t kTopkRegisterColumns = 1 << kTopkRegisterBits;
hipError_t topk_registers(const TopkInput &input, const TopkOutput &output, bool many, int32_t wave,
                          void *stream);
// Dynamic shared memory that it needs.
size_t topk_registers_shared(int64_t columns, int64_t k, int32_t order);

// One pass over a row, which keeps what passes a threshold that a sample gave in a buffer of
// `capacity` > k candidates in shared memory. With `segments` > 1 several blocks share a row and
// leave their candidates in the workspace; a second launch joins them in a buffer of `joined` >=
// `capacity` and picks.
struct TopkFilter {
  uint32_t capacity, joined;
  uint32_t segments;
  uint64_t *candidates;  // [rows, segments, capacity]
  uint32_t *counts;      // [rows, segments]
};
hipError_t topk_filter(const TopkInput &input, const TopkOutput &output, const TopkFilter &filter,
                       int32_t wave, void *stream);
size_t topk_filter_shared(uint32_t capacity);

// Several passes over a row, for any k. Descending order sorts in a slab of `slab` ranks, a power
// of two not below min(k, columns), one for each of `slabs` blocks.
hipError_t topk_passes(const TopkInput &input, const TopkOutput &output, uint64_t *ranks,
                       int64_t slab, uint32_t slabs, int32_t wave, void *stream);

// Allows every kernel of this file that much dynamic shared memory. Setup.
hipError_t topk_allow_shared(int32_t dtype, int32_t wave, size_t bytes);

}  // namespace plait::kernels

#endif
