// SPDX-License-Identifier: MIT
// Where a logits kernel finds the keys of its rows, and where it puts the logits.
#ifndef PLAIT_KERNELS_LOGITS_KEYS_H
#define PLAIT_KERNELS_LOGITS_KEYS_H

#include "kernels/isa/number.h"
#include "logits.h"

namespace plait::kernels {

struct KeyRange {
  int64_t begin, end;  // end >= begin
};

// The columns of a row, cut to those that the call computes.
__device__ inline KeyRange keys_of_row(const Logits &a, int64_t row) {
  int64_t begin = 0, end;
  if (a.cache == nullptr) {
    begin = a.start[row];
    end = a.end[row];
    if (begin < 0) end = begin = 0;
  } else {
    const int64_t request = row / a.next_n;
    end = a.per_request ? a.lengths[request] - a.next_n + row % a.next_n + 1
                        : static_cast<int64_t>(a.lengths[row]);
  }
  if (end > a.columns) end = a.columns;
  if (end > a.last_column) end = a.last_column;
  if (begin < a.first_column) begin = a.first_column;
  return {begin, end < begin ? begin : end};
}

// The query rows of a block: neighbours, and of one request when paged.
struct RowGroup {
  int64_t row0, request;
  int32_t rows;
};

__device__ inline RowGroup row_group(const Logits &a, int64_t group, int32_t group_rows,
                                     int32_t groups_per_request) {
  RowGroup g{a.first_row + group * group_rows, 0, group_rows};
  int64_t past = a.last_row;
  if (a.cache != nullptr) {
    g.request = a.first_row / a.next_n + group / groups_per_request;
    g.row0 = g.request * a.next_n + group % groups_per_request * group_rows;
    past = (g.request + 1) * a.next_n;
  }
  if (past - g.row0 < group_rows) g.rows = static_cast<int32_t>(past - g.row0);
  return g;
}

constexpr float kNoPage = -__builtin_inff();  // the logit of a key without a page

// A key's bytes: 16-byte chunk c of its values is at values + c * step. values is nullptr for a key
// without a page.
struct Key {
  const uint8_t *values;
  const uint8_t *scale;
};

// Bytes of a row's values and scales.
__device__ inline int32_t value_bytes(const Logits &a) {
  return a.format == 3 ? a.head_dim / 2 : a.head_dim;
}
__device__ inline int32_t scale_bytes(const Logits &a) {
  return a.format == 3 ? a.head_dim / 32 : 4;
}

__device__ inline int32_t chunk_step(const Logits &a) {
  return a.cache != nullptr && a.tiled ? 256 : 16;
}

// A key in page `id`; nullptr outside the cache.
__device__ inline Key key_of_page(const Logits &a, int32_t id, uint32_t key) {
  if (id < 0 || id >= a.pages) return {nullptr, nullptr};
  const uint8_t *page = a.cache + id * a.page_stride;
  const int32_t v = value_bytes(a), p = a.table.page_entries;
  const int32_t e = static_cast<int32_t>(key % static_cast<uint32_t>(p));
  const int64_t at = a.tiled ? static_cast<int64_t>(e / 16) * 16 * a.head_dim + e % 16 * 16
                             : static_cast<int64_t>(e) * v;
  return {page + at, page + static_cast<int64_t>(p) * v + static_cast<int64_t>(e) * scale_bytes(a)};
}

// Key of a request (paged), or of the whole (ragged).
__device__ inline Key find_key(const Logits &a, int64_t request, int64_t key) {
  if (a.cache == nullptr) return {a.k + key * value_bytes(a), a.k_scale + key * scale_bytes(a)};
  const uint32_t i = static_cast<uint32_t>(key);
  return key_of_page(a, a.table.page_of(request, i), i);
}

__device__ inline void put_logit(const Logits &a, int64_t row, int64_t key, float logit) {
  const int64_t at = (row - a.first_row) * a.stride + key - a.first_column;
  if (a.bf16)
    static_cast<uint16_t *>(a.logits)[at] = f32_to_bf16(logit);
  else
    static_cast<float *>(a.logits)[at] = logit;
}

}  // namespace plait::kernels

#endif
