// SPDX-License-Identifier: MIT
// The fast logits of a block of rows over a range of columns: what the fast logits and select calls
// have in common. The products of heads and keys stay in registers.
//
// A thread works on one block at a time, in its scratch:
//
//     | q of the block, f32 | a panel, f32 | the panel's keys: chunks | scales | sums and more |
//
// The panel (12 KiB for 24 keys and D = 128) stays in the first cache level while the rows of the
// block, whose queries stay in the second, pass over it.
#ifndef PLAIT_SRC_CPU_INDEXER_SCORER_H
#define PLAIT_SRC_CPU_INDEXER_SCORER_H

#include <cmath>

#include "src/cpu/indexer/kernels.h"
#include "src/cpu/indexer/scoring.h"
#include "src/cpu/ranking/workspace.h"
#include "src/number.h"

namespace plait::cpu {

// The fewest columns that a task covers: each decodes the queries of its block again.
constexpr int64_t kTaskColumns = 1536;

// How many ranges the columns are cut into: eight tasks for each thread, if the blocks of rows are
// not enough of them.
inline int64_t column_ranges(int64_t columns, int64_t blocks, int64_t threads) {
  const int64_t wanted = (8 * threads + blocks - 1) / blocks;
  return std::clamp<int64_t>(columns / kTaskColumns, 1, wanted);
}

// Rows whose queries fit 256 KiB: 1 … 8.
inline int64_t block_rows(const plait_indexer_plan_desc &p) {
  const int64_t row = int64_t{p.heads} * p.head_dim * 4;
  return std::clamp<int64_t>((256 << 10) / row, 1, 8);
}

// Rows first … last - 1 in blocks that do not cross a request, whose rows share their keys. The
// blocks of the first and last request may be cut, or empty.
struct RowBlocks {
  int64_t first, last;
  int64_t origin;  // where the request of `first` starts
  int64_t shared;  // rows of a request; ragged rows all share their keys
  int64_t block;

  static RowBlocks of(const Scoring &s, int64_t first, int64_t last) {
    const int64_t block = block_rows(*s.plan), n = s.plan->next_n;
    if (!s.paged()) return {first, last, first, last - first, block};
    return {first, last, first / n * n, n, block};
  }
  int64_t per_request() const { return (shared + block - 1) / block; }
  int64_t count() const { return (last - origin + shared - 1) / shared * per_request(); }
  int64_t begin(int64_t i) const { return std::max(first, start(i)); }
  int64_t end(int64_t i) const {
    const int64_t request_end = origin + (i / per_request() + 1) * shared;
    return std::min({start(i) + block, request_end, last});
  }

 private:
  int64_t start(int64_t i) const {
    return origin + i / per_request() * shared + i % per_request() * block;
  }
};

class Scorer {
 public:
  static int64_t bytes(const plait_indexer_plan_desc &p) { return Parts(p).total; }

  Scorer(const Scoring &scoring, void *memory)
      : s_(scoring), p_(*scoring.plan), memory_(static_cast<uint8_t *>(memory)), parts_(p_) {}

  // Calls write(row, column, logits, n) for the parts of rows first … last - 1 (of one block) that
  // lie in columns begin … end - 1.
  template <class Write>
  void score(int64_t first, int64_t last, int64_t begin, int64_t end, const Write &write) const {
    bool decoded = false;
    for (int64_t column = begin; column < end; column += keys()) {
      const int64_t stop = std::min(column + keys(), end);
      int64_t covered = column;  // one past the last column of any row
      for (int64_t r = first; r < last; ++r) {
        const Scoring::Range range = s_.range(r);
        if (range.begin < stop) covered = std::max(covered, std::min(range.end, stop));
      }
      if (covered == column) continue;
      if (!decoded) decode_queries(first, last);
      decoded = true;
      load_panel(first, column, covered);
      for (int64_t r = first; r < last; ++r) {
        const Scoring::Range range = s_.range(r);
        const int64_t from = std::max(column, range.begin), to = std::min(stop, range.end);
        if (from >= to) continue;
        score_panel(p_, q() + (r - first) * p_.heads * p_.head_dim,
                    s_.weights + r * s_.weights_stride, panel(), sums());
        for (int64_t i = 0; i < to - column; ++i)
          sums()[i] = missing()[i] ? -INFINITY : k_scale()[i] * sums()[i];
        write(r, from, sums() + (from - column), to - from);
      }
    }
  }

 private:
  struct Parts {
    int64_t keys, q, panel, chunks, scales, floats, total;
    explicit Parts(const plait_indexer_plan_desc &p) {
      keys = panel_keys();
      q = 0;
      panel = q + round_up(block_rows(p) * p.heads * p.head_dim * 4);
      chunks = panel + round_up(keys * p.head_dim * 4);
      scales = chunks + round_up(chunk_offset(keys, value_bytes(p) / 16, 0));
      floats = scales + round_up(keys * scale_bytes(p));
      total = floats + round_up(keys * 12);
    }
  };

  template <class T>
  T *at(int64_t offset) const {
    void *start = memory_ + offset;
    return static_cast<T *>(start);
  }
  int64_t keys() const { return parts_.keys; }
  float *q() const { return at<float>(parts_.q); }
  float *panel() const { return at<float>(parts_.panel); }
  uint8_t *chunks() const { return at<uint8_t>(parts_.chunks); }
  uint8_t *scales() const { return at<uint8_t>(parts_.scales); }
  float *sums() const { return at<float>(parts_.floats); }
  float *k_scale() const { return sums() + keys(); }
  int32_t *missing() const { return at<int32_t>(parts_.floats + 8 * keys()); }

  void decode_queries(int64_t first, int64_t last) const {
    const uint8_t *q_scale = s_.q_scale ? s_.q_scale + first * s_.q_scale_bytes() : nullptr;
    decode_rows(p_, s_.q_values + first * s_.q_bytes(), q_scale, (last - first) * p_.heads, q());
  }

  // Keys begin … end - 1, as `row` sees them; the rest of the panel is zero.
  void load_panel(int64_t row, int64_t begin, int64_t end) const {
    const int64_t s = scale_bytes(p_);
    for (int64_t i = 0; i < keys(); ++i) {
      const uint8_t *values = nullptr, *scale = nullptr;  // of a key that is not there
      int64_t chunk_stride = 16;
      if (begin + i < end) find_key(row, begin + i, &values, &scale, &chunk_stride);
      missing()[i] = values == nullptr;
      for (int64_t c = 0; c < value_bytes(p_) / 16; ++c) {
        uint8_t *to = chunks() + chunk_offset(keys(), c, i);
        values ? memcpy(to, values + c * chunk_stride, 16) : memset(to, 0, 16);
      }
      uint8_t *to = scales() + i * s;
      scale ? memcpy(to, scale, static_cast<size_t>(s)) : memset(to, 0, static_cast<size_t>(s));
      k_scale()[i] = 1;  // mxfp4: the scales are in the panel
      if (is_fp8(p_.format)) memcpy(k_scale() + i, to, sizeof(float));
    }
    decode_panel(p_, chunks(), scales(), panel());
  }

  void find_key(int64_t row, int64_t key, const uint8_t **values, const uint8_t **scale,
                int64_t *chunk_stride) const {
    if (!s_.paged()) {
      *values = s_.k_values + key * value_bytes(p_);
      *scale = s_.k_scale + key * scale_bytes(p_);
      return;
    }
    const int64_t page = s_.page_of(row, key), entry = key % p_.page_entries;
    if (page < 0) return;
    *values = s_.cache.page(page) + value_offset(p_, entry, 0);
    *scale = s_.cache.page(page) + scale_offset(p_, entry);
    *chunk_stride = value_offset(p_, entry, 16) - value_offset(p_, entry, 0);
  }

  const Scoring &s_;
  const plait_indexer_plan_desc &p_;
  uint8_t *memory_;
  Parts parts_;
};

}  // namespace plait::cpu

#endif
