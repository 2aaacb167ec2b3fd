// SPDX-License-Identifier: MIT
// The block table as kernels see it: page ids of requests.
#ifndef PLAIT_KERNELS_BLOCK_TABLE_H
#define PLAIT_KERNELS_BLOCK_TABLE_H

#include "isa/hip_compat.h"

namespace plait::kernels {

struct BlockTable {
  const int32_t *ids;
  int64_t rows, columns, stride;
  int32_t page_entries;

#if defined(__HIPCC__) || defined(__CUDACC__)
  // Page of key i of a table row; -1 past the table. May be any other int32 as well.
  __device__ int32_t page_of(int64_t row, uint32_t i) const {
    const int64_t column = i / static_cast<uint32_t>(page_entries);
    return row < 0 || row >= rows || column >= columns ? -1 : ids[row * stride + column];
  }

  // Cache slot of key i; -1 for i < 0, a negative page, past the table, or past int32.
  __device__ int32_t slot_of(int64_t row, int32_t i) const {
    if (i < 0) return -1;
    const int32_t page = page_of(row, static_cast<uint32_t>(i));
    const int64_t slot = static_cast<int64_t>(page) * page_entries + i % page_entries;
    return page < 0 || slot > INT32_MAX ? -1 : static_cast<int32_t>(slot);
  }
#endif
};

}  // namespace plait::kernels

#endif
