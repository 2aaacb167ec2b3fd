// SPDX-License-Identifier: MIT
// Where a logits kernel finds the keys of its rows, and where it puts the logits.
#ifndef PLAIT_KERNELS_LOGITS_KEYS_H
#define PLAIT_KERNELS_LOGITS_KEYS_H

#include "logits.h"
#include "src/number.h"

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

// Key of a request (paged), or of the whole (ragged).
__device__ inline Key find_key(const Logits &a, int64_t request, int64_t key) {
  const int32_t v = value_bytes(a), s = scale_bytes(a);
  if (a.cache == nullptr) return {a.k + key * v, a.k_scale + key * s};
  const int32_t id = a.table.page_of(request, static_cast<uint32_t>(key));
  if (id < 0 || id >= a.pages) return {nullptr, nullptr};
  const uint8_t *page = a.cache + id * a.page_stride;
  const int32_t p = a.table.page_entries;
  const int32_t e = static_cast<int32_t>(static_cast<uint32_t>(key) % static_cast<uint32_t>(p));
  const int64_t at = a.tiled ? static_cast<int64_t>(e / 16) * 16 * a.head_dim + e % 16 * 16
                             : static_cast<int64_t>(e) * v;
  return {page + at, page + static_cast<int64_t>(p) * v + static_cast<int64_t>(e) * s};
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
