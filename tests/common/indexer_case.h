// SPDX-License-Identifier: MIT
// Cases of the indexer operations: one kind of row, its data, and an evaluation of docs/contract.md
// that shares no code with the library.
#ifndef PLAIT_TESTS_INDEXER_CASE_H
#define PLAIT_TESTS_INDEXER_CASE_H

#include "random.h"
#include "suite.h"

enum {
  INDEXER_FILL = 1,           // -inf outside a row's range
  INDEXER_PER_REQUEST = 2,    // one length a request
  INDEXER_BAD_PAGES = 4,      // page ids outside the pool, keys past the table
  INDEXER_SLOTS = 8,          // select: slots and values_out
  INDEXER_LEAST_BUDGET = 16,  // select: the smallest workspace
  INDEXER_PACKED = 32,        // ragged: case 33
  INDEXER_EMPTY = 64,         // case 35: all lengths 0
  INDEXER_NO_SCALE = 128      // quantize_q: q_scale not asked for
};

// Zero stands for the default of every field.
typedef struct indexer_row {
  row_head head;
  int32_t heads, head_dim, format, layout, page_entries, rope_mode, rope_dim, rope_placement;
  int32_t hadamard, weights_dtype, logits_dtype, next_n, order;
  int64_t page_extra;  // bytes that page_stride has beyond the page
  int64_t keys;        // columns
  int64_t topk;
  unsigned options;
} indexer_row;

#define FN PLAIT_FORMAT_FP8_E4M3FN
#define FNUZ PLAIT_FORMAT_FP8_E4M3FNUZ
#define MXFP4 PLAIT_FORMAT_MXFP4
#define TILED PLAIT_LAYOUT_TILED

void indexer_spec(const indexer_row *row, plan_spec *spec);

// Bytes of one row's values (V) and scales (S).
int64_t value_bytes(const plait_indexer_plan_desc *d);
int64_t scale_bytes(const plait_indexer_plan_desc *d);
// Of a page, and between pages.
int64_t page_bytes(const plait_indexer_plan_desc *d);
int64_t page_stride(const plait_indexer_plan_desc *d);
// Where byte `b` of entry `e`'s values, and its scale, are within a page.
int64_t value_offset(const plait_indexer_plan_desc *d, int64_t e, int64_t b);
int64_t scale_offset(const plait_indexer_plan_desc *d, int64_t e);

// [positions, rope_dim] cos and sin; the number of positions is `positions`.
void fill_cos_sin(call *c, const plait_indexer_plan_desc *d, int64_t positions);

// One bf16 row after rotation and transform (D values), as bf16 bits.
void oracle_transform(const plait_indexer_plan_desc *d, const uint16_t *in, const float *cos_sin,
                      uint16_t *out);
// Its V value bytes and S scale bytes; returns the scale of an fp8 row.
float oracle_quantize(const plait_indexer_plan_desc *d, const uint16_t *row, uint8_t *values,
                      uint8_t *scale);

// Random quantised rows without NaN: values [rows, V] and scales [rows, S].
void random_quantized(const plait_indexer_plan_desc *d, int64_t rows, uint8_t *values,
                      uint8_t *scales, random_state *r);

// q_values, q_scale (mxfp4) and weights of `rows` query rows.
void fill_queries(call *c, const plait_indexer_plan_desc *d, int64_t rows, random_state *r);
// Contiguous keys, row_start and row_end of a ragged call.
void fill_ragged(const indexer_row *row, call *c, const plait_indexer_plan_desc *d, int64_t rows,
                 random_state *r);
// cache, block_table and lengths of a paged call.
void fill_paged(const indexer_row *row, call *c, const plait_indexer_plan_desc *d, int64_t requests,
                random_state *r);

// Columns that row `row` of a paged call has.
int64_t paged_length(const call *c, const plait_indexer_plan_desc *d, int per_request,
                     int64_t columns, int64_t row);

// How large a logit's terms are.
typedef struct logit_size {
  double all;    // sum of the absolute terms
  double steps;  // over the steps of 32 terms of each head, the largest term or sum before it
} logit_size;

// The logit of one query row and one key.
double oracle_logit(const plait_indexer_plan_desc *d, const call *c, int64_t row,
                    const uint8_t *values, const uint8_t *scale, logit_size *size);

// What a logit may be off by: rounding of f32 sums. Hopper's fp8 matrix units, `label` says
// [wgmma], line the 32 products of a step and the sum so far up with the largest of them and cut
// all of them off 13 bits below.
double logit_tolerance(const logit_size *size, const char *label);

// A page of a request's key; NULL when it is outside the table or the pool.
const uint8_t *paged_key(const call *c, const plait_indexer_plan_desc *d, int64_t request,
                         int64_t key, int64_t *entry);

#endif
