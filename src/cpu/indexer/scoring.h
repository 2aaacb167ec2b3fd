// SPDX-License-Identifier: MIT
// What logits and select have in common, ragged or paged: which keys a row covers, and where the
// bytes of a key are.
#ifndef PLAIT_SRC_CPU_INDEXER_SCORING_H
#define PLAIT_SRC_CPU_INDEXER_SCORING_H

#include <algorithm>

#include "src/backend.h"
#include "src/cpu/indexer/cache.h"
#include "src/cpu/ranking/ranges.h"

namespace plait::cpu {

struct Scoring {
  const plait_indexer_plan_desc *plan;
  int64_t rows;
  int64_t columns;  // of the logits: keys, or the longest row
  const uint8_t *q_values;
  const uint8_t *q_scale;  // mxfp4 only
  const float *weights;
  int64_t weights_stride;
  // Ragged: contiguous keys; nullptr when paged.
  const uint8_t *k_values;
  const uint8_t *k_scale;
  const int32_t *row_start;
  const int32_t *row_end;
  // Paged: keys of request row / next_n.
  Cache<const uint8_t> cache;
  BlockTable table;
  const int32_t *lengths;
  bool lengths_per_request;

  bool paged() const { return lengths != nullptr; }
  int64_t request(int64_t row) const { return row / plan->next_n; }
  int64_t q_bytes() const { return plan->heads * value_bytes(*plan); }
  int64_t q_scale_bytes() const { return plan->heads * scale_bytes(*plan); }

  // The keys of a row: columns begin … end - 1.
  struct Range {
    int64_t begin, end;
    int64_t length() const { return end - begin; }
  };
  Range range(int64_t row) const {
    if (!paged()) {
      const int64_t begin = row_start[row], end = std::min<int64_t>(row_end[row], columns);
      return {begin, std::max(begin, end)};
    }
    const int64_t n = plan->next_n;
    const int64_t length =
        lengths_per_request ? lengths[row / n] - n + row % n + 1 : int64_t{lengths[row]};
    return {0, std::clamp<int64_t>(length, 0, columns)};
  }

  // Page of a key of a paged row; -1 when it has none.
  int64_t page_of(int64_t row, int64_t key) const {
    const int64_t page = table.page_of(request(row), key);
    return page < cache.pages ? std::max<int64_t>(page, -1) : -1;
  }
};

// Ragged logits and select name these fields alike; so do the paged two.
template <class Args>
void set_queries(Scoring &s, const Args &a) {
  s.q_values = static_cast<const uint8_t *>(a.q_values.data);
  s.q_scale = static_cast<const uint8_t *>(a.q_scale.data);
  s.weights = static_cast<const float *>(a.weights.data);
  s.weights_stride = a.weights_stride;
}

template <class Args>
Scoring ragged_scoring(const plait_indexer_plan_desc &p, const Args &a) {
  Scoring s{};
  s.plan = &p;
  s.rows = a.rows;
  s.columns = a.keys;
  set_queries(s, a);
  s.k_values = static_cast<const uint8_t *>(a.k_values.data);
  s.k_scale = static_cast<const uint8_t *>(a.k_scale.data);
  s.row_start = static_cast<const int32_t *>(a.row_start.data);
  s.row_end = static_cast<const int32_t *>(a.row_end.data);
  return s;
}

template <class Args>
Scoring paged_scoring(const plait_indexer_plan_desc &p, const Args &a) {
  Scoring s{};
  s.plan = &p;
  s.rows = a.requests * p.next_n;
  s.columns = a.columns;
  set_queries(s, a);
  s.cache = cache_of(p, a.cache);
  s.table = block_table_of(a, a.requests, p.page_entries);
  s.lengths = static_cast<const int32_t *>(a.lengths.data);
  s.lengths_per_request = a.lengths_per_request != 0;
  return s;
}

}  // namespace plait::cpu

#endif
