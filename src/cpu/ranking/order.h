// SPDX-License-Identifier: MIT
// The total order of top-k, and what every ranking writes in the end.
#ifndef PLAIT_SRC_CPU_RANKING_ORDER_H
#define PLAIT_SRC_CPU_RANKING_ORDER_H

#include <algorithm>
#include <cmath>

#include "src/cpu/indexer/cache.h"
#include "src/cpu/load.h"

namespace plait::cpu {

// A value and where it stands in its row.
struct Candidate {
  float value;
  int32_t index;
};

// A number that grows with the value's place in the order: NaN lowest, -0 as +0.
constexpr int32_t kNanRank = INT32_MIN;

inline int32_t rank_of(float value) {
  if (std::isnan(value)) return kNanRank;
  const uint32_t bits = bits_of(value + 0.0f);  // -0 + 0 = +0
  return static_cast<int32_t>(bits & 0x80000000 ? bits ^ 0x7FFFFFFF : bits);
}

// A value of that rank.
inline float value_of_rank(int32_t rank) {
  const uint32_t bits = static_cast<uint32_t>(rank);
  return float_of(rank < 0 ? bits ^ 0x7FFFFFFF : bits);
}

// The order: a larger value first; of equal values the lower index.
inline bool comes_before(const Candidate &a, const Candidate &b) {
  const int32_t ra = rank_of(a.value), rb = rank_of(b.value);
  return ra != rb ? ra > rb : a.index < b.index;
}

// Keeps the `capacity` first of the candidates it is given, in a heap with the last of them on top.
struct KeepFirst {
  Candidate *heap;
  int64_t capacity;
  int64_t count = 0;

  void add(const Candidate &candidate) {
    if (count < capacity) {
      heap[count++] = candidate;
      std::push_heap(heap, heap + count, comes_before);
    } else if (comes_before(candidate, heap[0])) {
      std::pop_heap(heap, heap + count, comes_before);
      heap[count - 1] = candidate;
      std::push_heap(heap, heap + count, comes_before);
    }
  }
};

// The order of an output row. ANY is ascending index here.
inline void sort_for_output(Candidate *candidates, int64_t count, int32_t order) {
  if (order == PLAIT_ORDER_DESCENDING)
    std::sort(candidates, candidates + count, comes_before);
  else
    std::sort(candidates, candidates + count,
              [](const Candidate &a, const Candidate &b) { return a.index < b.index; });
}

// Where a row's outcome goes.
struct RankingOutput {
  int64_t k;
  int32_t dtype;  // of values
  int32_t *indices;
  int64_t indices_stride;
  void *values;  // may be nullptr
  int64_t values_stride;
  int32_t *slots;  // may be nullptr
  int64_t slots_stride;
  BlockTable table;

  // candidate_at(i) for i < count; beyond: index -1, value -inf, slot -1.
  template <class CandidateAt>
  void write(int64_t row, int64_t table_row, int64_t count, const CandidateAt &candidate_at) const {
    for (int64_t i = 0; i < k; ++i) {
      const Candidate candidate = i < count ? candidate_at(i) : Candidate{-INFINITY, -1};
      indices[row * indices_stride + i] = candidate.index;
      if (values) store(dtype, values, row * values_stride + i, candidate.value);
      if (slots) slots[row * slots_stride + i] = table.slot_of(table_row, candidate.index);
    }
  }
};

}  // namespace plait::cpu

#endif
