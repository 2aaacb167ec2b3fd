// SPDX-License-Identifier: MIT
// The fast logits, ragged and paged: a task is a block of rows by a range of columns.
#ifndef PLAIT_SRC_CPU_INDEXER_FAST_LOGITS_H
#define PLAIT_SRC_CPU_INDEXER_FAST_LOGITS_H

#include "src/cpu/device.h"
#include "src/cpu/indexer/scorer.h"
#include "src/cpu/load.h"

namespace plait::cpu {

inline int64_t fast_logits_workspace(const Device &device, const plait_indexer_plan_desc &p,
                                     int64_t rows) {
  return rows == 0 ? 0 : device.info.threads * Scorer::bytes(p);
}

template <class Args>
void fast_logits(const Device &device, const Scoring &s, const Args &a) {
  const int32_t dtype = s.plan->logits_dtype;
  const RowBlocks blocks = RowBlocks::of(s, 0, s.rows);
  if (s.columns == 0) return;
  const int64_t ranges = column_ranges(s.columns, blocks.count(), device.info.threads);
  const auto fill = [&](int64_t row, int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c)
      store(dtype, a.logits.data, row * a.logits_stride + c, -INFINITY);
  };
  const auto task = [&](int64_t worker, int64_t i) {
    const Scorer scorer(s,
                        static_cast<uint8_t *>(a.workspace.data) + worker * Scorer::bytes(*s.plan));
    const int64_t block = i / ranges, begin = s.columns * (i % ranges) / ranges;
    const int64_t end = s.columns * (i % ranges + 1) / ranges;
    for (int64_t r = blocks.begin(block); a.fill && r < blocks.end(block); ++r) {
      const Scoring::Range range = s.range(r);
      fill(r, begin, std::min(end, range.begin));
      fill(r, std::max(begin, range.end), end);
    }
    scorer.score(blocks.begin(block), blocks.end(block), begin, end,
                 [&](int64_t row, int64_t column, const float *logits, int64_t n) {
                   const int64_t at = row * a.logits_stride + column;
                   if (dtype == PLAIT_DTYPE_F32)
                     memcpy(static_cast<float *>(a.logits.data) + at, logits,
                            static_cast<size_t>(n) * sizeof(float));
                   else
                     for (int64_t j = 0; j < n; ++j) store(dtype, a.logits.data, at + j, logits[j]);
                 });
  };
  parallel_for_workers(device, blocks.count() * ranges, 1,
                       [&](int64_t worker, int64_t begin, int64_t end) {
                         for (int64_t i = begin; i < end; ++i) task(worker, i);
                       });
}

}  // namespace plait::cpu

#endif
