// SPDX-License-Identifier: MIT
// The vector loops of the fast rankings. Candidates are two arrays, values and indices.
#ifndef PLAIT_SRC_CPU_RANKING_KERNELS_H
#define PLAIT_SRC_CPU_RANKING_KERNELS_H

#include <cstdint>

namespace plait::cpu {

// Kernels that append may write this many elements past what they append.
constexpr int64_t kAppendOverrun = 1;

// What is appended: values whose place in the order is above that of the threshold.
struct Gate {
  bool open;        // everything, NaN too
  bool or_equal;    // those equal to the threshold as well
  float threshold;  // NaN: every number is above it
};

// Appends values[i], for i < n, with indices first_index + i. Returns how many it appended.
int64_t append_values(int32_t dtype, const void *values, int64_t n, int32_t first_index,
                      const Gate &gate, float *values_out, int32_t *indices_out);

// Appends the pairs whose index is not negative.
int64_t append_pairs(int32_t dtype, const void *values, const int32_t *indices, int64_t n,
                     const Gate &gate, float *values_out, int32_t *indices_out);

// rank_of() of each value, and the least and the greatest of them. n > 0.
void rank_values(const float *values, int64_t n, int32_t *ranks, int32_t *least, int32_t *greatest);

// Copies the ranks within [least, greatest] to `out`, which may be `ranks` and has kAppendOverrun
// elements to spare; returns how many.
int64_t collect_ranks(const int32_t *ranks, int64_t n, int32_t least, int32_t greatest,
                      int32_t *out);

// Keeps the candidates with a rank above `rank`, and the first `equals` of those at it, in place
// and in their order; returns how many stay.
int64_t keep_ranks(const int32_t *ranks, int64_t n, int32_t rank, int64_t equals, float *values,
                   int32_t *indices);

}  // namespace plait::cpu

#endif
