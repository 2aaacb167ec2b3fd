// SPDX-License-Identifier: MIT
#ifndef PLAIT_SRC_CPU_RANKING_RANGES_H
#define PLAIT_SRC_CPU_RANKING_RANGES_H

#include "src/backend.h"

namespace plait::cpu {

// row_start > row_end or a negative row_start: RANGE. `row_start` may be nullptr (0 everywhere).
inline plait_status check_ranges(const int32_t *row_start, const int32_t *row_end, int64_t rows,
                                 int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t start = row_start ? row_start[r] : 0, end = row_end ? row_end[r] : columns;
    if (start < 0 || start > end)
      return status_of(PLAIT_ERROR_RANGE, row_start ? PLAIT_ARG_ROW_START : PLAIT_ARG_ROW_END);
  }
  return PLAIT_OK;
}

}  // namespace plait::cpu

#endif
