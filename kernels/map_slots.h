// SPDX-License-Identifier: MIT
#ifndef PLAIT_KERNELS_MAP_SLOTS_H
#define PLAIT_KERNELS_MAP_SLOTS_H

#include "block_table.h"

namespace plait::kernels {

struct MapSlots {
  int64_t rows, columns;
  const int32_t *indices;
  int64_t indices_stride;
  BlockTable table;
  const int32_t *table_row;  // may be nullptr: row / next_n
  int64_t next_n;
  int32_t *slots;  // may be `indices`
  int64_t slots_stride;
};

hipError_t map_slots(const MapSlots &args, void *stream);

}  // namespace plait::kernels

#endif
