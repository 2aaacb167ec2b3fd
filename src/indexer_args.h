// SPDX-License-Identifier: MIT
// Checks that the indexer calls share.
#ifndef PLAIT_SRC_INDEXER_ARGS_H
#define PLAIT_SRC_INDEXER_ARGS_H

#include "src/indexer_layout.h"
#include "src/select_args.h"

namespace plait::indexer {

using Problem = plait_indexer_plan_desc;

// positions and cos_sin, read only when there is a rotation.
template <class Args>
void rope(Check &check, const Problem &p, const Args &a) {
  if (p.rope_mode == PLAIT_ROPE_NONE) return;
  check.input(a.positions, PLAIT_ARG_POSITIONS, a.tokens, 8);
  // As many rows as the buffer holds, one at least; all of them count when overlaps are looked for.
  const size_t rows = a.cos_sin.size / (size_t{4} * static_cast<size_t>(p.rope_dim));
  const int64_t counted = rows == 0 ? 1 : static_cast<int64_t>(rows > INT64_MAX ? INT64_MAX : rows);
  check.input(a.cos_sin, PLAIT_ARG_COS_SIN, counted, p.rope_dim, p.rope_dim, 4);
}

// A page pool of at least one page; all of it counts when overlaps are looked for. Gives its bytes.
inline int64_t cache_bytes(Check &check, const Problem &p, const void *data, size_t size,
                           int32_t argument) {
  check.require(data != nullptr, PLAIT_ERROR_NULL_ARGUMENT, argument);
  check.require(page_count(p, size) > 0, PLAIT_ERROR_BUFFER_TOO_SMALL, argument);
  return static_cast<int64_t>(size > INT64_MAX ? INT64_MAX : size);
}
inline void cache(Check &check, const Problem &p, const plait_const_buffer &c, int32_t argument) {
  const int64_t bytes = cache_bytes(check, p, c.data, c.size, argument);
  check.input(c, argument, 1, bytes, bytes, 1, page_alignment(p));
}
inline void cache(Check &check, const Problem &p, const plait_buffer &c, int32_t argument) {
  const int64_t bytes = cache_bytes(check, p, c.data, c.size, argument);
  check.output(c, argument, 1, bytes, bytes, 1, page_alignment(p));
}

// Rows of quantised values [rows, V] with scales of S bytes; fp8 scales are f32.
inline void values_in(Check &check, const Problem &p, const plait_const_buffer &v, int32_t argument,
                      int64_t rows) {
  check.input(v, argument, rows, value_bytes(p), value_bytes(p), 1);
}
inline int64_t scale_element(const Problem &p) { return is_fp8(p.format) ? 4 : 1; }

// q_values, q_scale and weights of a logits or select call.
template <class Args>
void queries(Check &check, const Problem &p, Args &a, int64_t rows) {
  const int64_t v = p.heads * value_bytes(p), s = p.heads * scale_bytes(p);
  check.input(a.q_values, PLAIT_ARG_Q_VALUES, rows, v, v, 1);
  if (!is_fp8(p.format)) check.input(a.q_scale, PLAIT_ARG_Q_SCALE, rows, s, s, 1);
  check.stride(a.weights_stride, p.heads, PLAIT_ARG_WEIGHTS);
  check.input(a.weights, PLAIT_ARG_WEIGHTS, rows, a.weights_stride, p.heads, 4);
}

// Contiguous keys and row ranges.
template <class Args>
void ragged(Check &check, const Problem &p, Args &a) {
  check.require(a.keys >= 0 && a.keys <= INT32_MAX, PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_KEYS);
  queries(check, p, a, a.rows);
  values_in(check, p, a.k_values, PLAIT_ARG_K_VALUES, a.keys);
  const int64_t element = scale_element(p), row = scale_bytes(p) / element;
  check.input(a.k_scale, PLAIT_ARG_K_SCALE, a.keys, row, row, element);
  check.input(a.row_start, PLAIT_ARG_ROW_START, a.rows, 4);
  check.input(a.row_end, PLAIT_ARG_ROW_END, a.rows, 4);
}

// Paged keys and lengths. `rows` receives B * N.
template <class Args>
void paged(Check &check, const Problem &p, Args &a, int64_t &rows) {
  SizeMath math;
  rows = math.mul(a.requests, p.next_n);
  check.require(!math.overflow(), PLAIT_ERROR_SIZE_OVERFLOW, PLAIT_ARG_REQUESTS);
  check.require(a.columns >= 0 && a.columns <= INT32_MAX, PLAIT_ERROR_INVALID_VALUE,
                PLAIT_ARG_COLUMNS);
  queries(check, p, a, rows);
  cache(check, p, a.cache, PLAIT_ARG_CACHE);
  block_table(check, a, a.requests);
  check.flag(a.lengths_per_request, PLAIT_ARG_LENGTHS_PER_REQUEST);
  check.input(a.lengths, PLAIT_ARG_LENGTHS, a.lengths_per_request ? a.requests : rows, 4);
}

// The logits matrix.
template <class Args>
void logits(Check &check, const Problem &p, Args &a, int64_t rows, int64_t columns) {
  check.flag(a.fill, PLAIT_ARG_FILL);
  check.stride(a.logits_stride, columns, PLAIT_ARG_LOGITS);
  check.output(a.logits, PLAIT_ARG_LOGITS, rows, a.logits_stride, columns,
               dtype_size(p.logits_dtype));
}

}  // namespace plait::indexer

#endif
