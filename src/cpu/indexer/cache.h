// SPDX-License-Identifier: MIT
// Rows in the pages of a key cache. The layout itself is src/indexer_layout.h.
#ifndef PLAIT_SRC_CPU_INDEXER_CACHE_H
#define PLAIT_SRC_CPU_INDEXER_CACHE_H

#include <cstring>

#include "src/indexer_layout.h"

namespace plait::cpu {

// Byte is uint8_t or const uint8_t.
template <class Byte>
struct Cache {
  const plait_indexer_plan_desc *plan;
  Byte *data;
  int64_t pages;

  Byte *page(int64_t id) const { return data + id * plan->page_stride; }

  // Row bytes that lie together: 16 in the tiled layout, else all of them.
  int64_t run() const { return plan->layout == PLAIT_LAYOUT_TILED ? 16 : value_bytes(*plan); }

  void read(int64_t id, int64_t entry, uint8_t *values, uint8_t *scale) const {
    for (int64_t b = 0; b < value_bytes(*plan); b += run())
      memcpy(values + b, page(id) + value_offset(*plan, entry, b), static_cast<size_t>(run()));
    memcpy(scale, page(id) + scale_offset(*plan, entry), static_cast<size_t>(scale_bytes(*plan)));
  }

  void write(int64_t id, int64_t entry, const uint8_t *values, const uint8_t *scale) const {
    for (int64_t b = 0; b < value_bytes(*plan); b += run())
      memcpy(page(id) + value_offset(*plan, entry, b), values + b, static_cast<size_t>(run()));
    memcpy(page(id) + scale_offset(*plan, entry), scale, static_cast<size_t>(scale_bytes(*plan)));
  }
};

inline Cache<const uint8_t> cache_of(const plait_indexer_plan_desc &p,
                                     const plait_const_buffer &buffer) {
  return {&p, static_cast<const uint8_t *>(buffer.data), page_count(p, buffer.size)};
}

inline Cache<uint8_t> cache_of(const plait_indexer_plan_desc &p, const plait_buffer &buffer) {
  return {&p, static_cast<uint8_t *>(buffer.data), page_count(p, buffer.size)};
}

// The block table: page ids of each request or row group.
struct BlockTable {
  const int32_t *ids;
  int64_t rows;
  int64_t columns;
  int64_t stride;
  int64_t page_entries;

  // Page of key i of a table row; -1 past the table. May be any other int32 as well.
  int64_t page_of(int64_t row, int64_t i) const {
    const int64_t column = i / page_entries;
    if (row < 0 || row >= rows || column >= columns) return -1;
    return ids[row * stride + column];
  }

  // Cache slot of key i; -1 for a negative page, past the table, or past int32.
  int32_t slot_of(int64_t row, int64_t i) const {
    const int64_t page = i < 0 ? -1 : page_of(row, i);
    const int64_t slot = page * page_entries + i % page_entries;
    return page < 0 || slot > INT32_MAX ? -1 : static_cast<int32_t>(slot);
  }
};

template <class Args>
BlockTable block_table_of(const Args &a, int64_t rows, int64_t page_entries) {
  return {static_cast<const int32_t *>(a.block_table.data), rows, a.block_table_columns,
          a.block_table_stride, page_entries};
}

}  // namespace plait::cpu

#endif
