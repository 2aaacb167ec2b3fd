// SPDX-License-Identifier: MIT
// The K first of a row that comes in pieces, in memory that depends on K alone.
//
// A buffer of K and some more candidates fills up; whenever it is full, all but the K first are
// thrown out, and the last of those becomes the threshold that later values must pass. Values come
// in the order of their indices, so a later value equal to the threshold cannot enter, and the
// buffer stays in index order. Exact for any data; linear in the length of the row at worst.
#ifndef PLAIT_SRC_CPU_RANKING_SELECTOR_H
#define PLAIT_SRC_CPU_RANKING_SELECTOR_H

#include "src/cpu/ranking/kernels.h"
#include "src/cpu/ranking/order.h"
#include "src/cpu/ranking/workspace.h"

namespace plait::cpu {

// How much a selector keeps. `k` is at most `longest`, the most values that a row may have.
struct SelectorSize {
  int64_t k;
  int64_t capacity;

  static SelectorSize of(int64_t k, int64_t longest) {
    const int64_t room = k + std::max<int64_t>(k, 4096);
    return {kept(k, longest), std::min(room, std::max<int64_t>(longest, 512))};
  }
  // Values and indices of one selector.
  int64_t bytes() const { return 2 * array(); }
  // Shared by the selectors that one thread works on.
  int64_t scratch_bytes() const { return 4 * array() + round_up(kBins * 4); }

  static constexpr int64_t kBins = 2048;
  int64_t array() const { return round_up((capacity + kAppendOverrun) * 4); }
};

// A candidate's sort key and its position in the buffer.
struct Place {
  uint32_t key;
  uint32_t position;
};

// To find the k-th:  | ranks | collected |   -   |   -   | counters |
// to sort:           | places            | sorted        |
struct SelectorScratch {
  SelectorScratch(const SelectorSize &size, void *memory)
      : bytes_(static_cast<uint8_t *>(memory)), array_(size.array()) {}

  int32_t *ranks() const { return at<int32_t>(0); }
  int32_t *collected() const { return at<int32_t>(1); }
  Place *places() const { return at<Place>(0); }
  Place *sorted() const { return at<Place>(2); }
  uint32_t *counters() const { return at<uint32_t>(4); }

 private:
  template <class T>
  T *at(int64_t part) const {
    void *start = bytes_ + part * array_;
    return static_cast<T *>(start);
  }
  uint8_t *bytes_;
  int64_t array_;
};

class Selector {
 public:
  // in_order: whether values come by ascending index. Otherwise ties are settled by sorting.
  Selector(const SelectorSize &size, void *memory, bool in_order = true)
      : size_(size), values_(static_cast<float *>(memory)), in_order_(in_order) {
    void *second = static_cast<uint8_t *>(memory) + size.array();
    indices_ = static_cast<int32_t *>(second);
  }

  // A whole row at once, on an empty selector, with a guess of the threshold from a sample of it.
  void add_row(int32_t dtype, const void *values, int64_t n, int64_t first_index,
               const SelectorScratch &scratch);
  void add_values(int32_t dtype, const void *values, int64_t n, int64_t first_index,
                  const SelectorScratch &scratch);
  void add_pairs(int32_t dtype, const void *values, const int32_t *indices, int64_t n,
                 const SelectorScratch &scratch);

  // Leaves the outcome, in index order: at most k candidates.
  void finish(const SelectorScratch &scratch);
  int64_t count() const { return count_; }
  const float *values() const { return values_; }
  const int32_t *indices() const { return indices_; }

  // After finish(): the outcome as RankingOutput wants it, in the order asked for.
  void write(const RankingOutput &output, int64_t row, int64_t table_row, int32_t order,
             const SelectorScratch &scratch) const;

 private:
  template <class Append>
  void add(int64_t n, const SelectorScratch &scratch, const Append &append);
  void guess(int32_t dtype, const void *values, int64_t n, const SelectorScratch &scratch);
  void shrink(const SelectorScratch &scratch);
  void sort_by_index(const SelectorScratch &scratch);

  SelectorSize size_;
  float *values_;
  int32_t *indices_;
  bool in_order_;
  int64_t count_ = 0;
  Gate gate_{true, false, 0};
};

}  // namespace plait::cpu

#endif
