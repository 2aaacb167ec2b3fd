// SPDX-License-Identifier: MIT
#include "topk_case.h"

#include <math.h>
#include <plait/plait.h>
#include <stdlib.h>

#include "env.h"
#include "number.h"

uint64_t order_key(double value, int64_t index) {
  uint32_t place = UINT32_MAX;  // NaN
  if (!isnan(value)) {
    // Bits of a float, turned so that larger values get smaller numbers.
    const uint32_t bits = value == 0 ? 0 : float_bits((float)value);
    place = bits & 0x80000000u ? bits : 0x7FFFFFFFu - bits;
  }
  return (uint64_t)place << 32 | (uint64_t)index;
}

// The answer is a set S of |S| different columns; it is the first |S| exactly when |S| columns of
// the row are not after the last of S.
void check_selection(const void *values, int32_t dtype, int64_t start, int64_t end,
                     const int32_t *indices, int64_t k, int32_t order, const char *label,
                     int64_t row) {
  const int64_t length = end > start ? end - start : 0, chosen = k < length ? k : length;
  const long long r = (long long)row;
  unsigned char *seen = calloc(1, (size_t)length + 1);
  uint64_t last = 0, before = 0;
  for (int64_t i = 0; i < k; i++) {
    if (i >= chosen) {
      CHECK(indices[i] == -1, "%s: row %lld: slot %lld holds %d, not -1", label, r, (long long)i,
            (int)indices[i]);
      continue;
    }
    const int64_t index = indices[i];
    CHECK(index >= 0 && index < length, "%s: row %lld of length %lld: slot %lld holds %lld", label,
          r, (long long)length, (long long)i, (long long)index);
    CHECK(!seen[index], "%s: row %lld: index %lld twice", label, r, (long long)index);
    seen[index] = 1;
    const uint64_t key = order_key(load_element(values, dtype, start + index), index);
    if (key > last) last = key;
    if (order == PLAIT_ORDER_INDEX && i > 0)
      CHECK(index > indices[i - 1], "%s: row %lld: not by index at %lld", label, r, (long long)i);
    if (order == PLAIT_ORDER_DESCENDING && i > 0)
      CHECK(key > before, "%s: row %lld: not descending at %lld", label, r, (long long)i);
    before = key;
  }
  free(seen);
  int64_t not_after = 0;
  for (int64_t i = 0; i < length; i++)
    not_after += order_key(load_element(values, dtype, start + i), i) <= last;
  CHECK(chosen == 0 || not_after == chosen,
        "%s: row %lld of length %lld: %lld chosen, but %lld come no later than the last", label, r,
        (long long)length, (long long)chosen, (long long)not_after);
}

int32_t expected_slot(const int32_t *table, int64_t columns, int64_t page_entries, int64_t i) {
  if (!table || i < 0 || i / page_entries >= columns) return -1;
  const int64_t page = table[i / page_entries];
  const int64_t slot = page * page_entries + i % page_entries;
  return page < 0 || slot > INT32_MAX ? -1 : (int32_t)slot;
}
