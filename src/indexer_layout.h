// SPDX-License-Identifier: MIT
// Byte layout of quantised rows and of cache pages, as include/plait/indexer.h states it.
#ifndef PLAIT_SRC_INDEXER_LAYOUT_H
#define PLAIT_SRC_INDEXER_LAYOUT_H

#include <plait/indexer.h>

namespace plait {

constexpr bool is_fp8(int32_t format) {
  return format == PLAIT_FORMAT_FP8_E4M3FN || format == PLAIT_FORMAT_FP8_E4M3FNUZ;
}

// V: bytes of a row's values.
constexpr int64_t value_bytes(const plait_indexer_plan_desc &p) {
  return is_fp8(p.format) ? p.head_dim : p.head_dim / 2;
}

// S: bytes of a row's scales.
constexpr int64_t scale_bytes(const plait_indexer_plan_desc &p) {
  return is_fp8(p.format) ? 4 : p.head_dim / 32;
}

// Bytes of a page that hold something.
constexpr int64_t page_bytes(const plait_indexer_plan_desc &p) {
  return p.page_entries * (value_bytes(p) + scale_bytes(p));
}

// What page_stride must be a multiple of, and the cache's alignment.
constexpr int64_t page_alignment(const plait_indexer_plan_desc &p) {
  return p.layout == PLAIT_LAYOUT_TILED ? 16 : 4;
}

// Pages in a cache of `size` bytes; the last needs its contents only. page_stride is resolved.
constexpr int64_t page_count(const plait_indexer_plan_desc &p, size_t size) {
  const int64_t bytes = static_cast<int64_t>(size > INT64_MAX ? INT64_MAX : size);
  return bytes < page_bytes(p) ? 0 : (bytes - page_bytes(p)) / p.page_stride + 1;
}

// Offset of the values of entry e within a block-flat page; TILED spreads an entry over the page.
constexpr int64_t scale_offset(const plait_indexer_plan_desc &p, int64_t entry) {
  return p.page_entries * value_bytes(p) + entry * scale_bytes(p);
}

// Offset within a page of value byte b of entry e.
constexpr int64_t value_offset(const plait_indexer_plan_desc &p, int64_t e, int64_t b) {
  if (p.layout == PLAIT_LAYOUT_TILED)
    return (e / 16) * 16 * p.head_dim + (b / 16) * 256 + (e % 16) * 16 + b % 16;
  return e * value_bytes(p) + b;
}

}  // namespace plait

#endif
