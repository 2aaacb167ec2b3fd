// SPDX-License-Identifier: MIT
// What the indexer's case files share.
#ifndef PLAIT_SRC_CLI_CASES_INDEXER_H
#define PLAIT_SRC_CLI_CASES_INDEXER_H

#include "src/cli/case.h"

namespace plait::cli::indexer {

struct Problem {
  plait_indexer_plan_desc desc;
  int64_t D, V, S;  // dimensions; bytes of a row's values and of its scales
  bool fp4;

  int64_t P() const { return desc.page_entries; }
  int64_t page() const {
    const int64_t grain = desc.layout == PLAIT_LAYOUT_TILED ? 16 : 4;
    return (P() * (V + S) + grain - 1) / grain * grain;
  }
};

// Made-up quantised rows: values, their scales, and pages of both.
Tensor bytes_of(const Problem &p, const char *name, int64_t rows, int64_t row, uint64_t seed);
Tensor scales_of(const Problem &p, const char *name, int64_t rows, int64_t entries, uint64_t seed);
Tensor cache_of(const Problem &p, int64_t pages);
Tensor table_of(int64_t rows, int64_t columns, int64_t pages);
Tensor normal(const char *name, Element element, int64_t rows, int64_t row, uint64_t seed,
              double deviation);

// cases_logits.cpp: logits or select. They set max_keys of the problem.
Case ragged(Problem &p, int32_t op, Shape &shape);
Case paged(Problem &p, int32_t op, Shape &shape);

}  // namespace plait::cli::indexer

#endif
