// SPDX-License-Identifier: MIT
// The order of top-k and a check of an answer against it, shared by topk, merge and select.
#ifndef PLAIT_TESTS_TOPK_CASE_H
#define PLAIT_TESTS_TOPK_CASE_H

#include <stdint.h>

// A smaller key comes first: larger values, then lower indices; NaN after everything; +0 is -0.
uint64_t order_key(double value, int64_t index);

// Fails unless `indices` (relative to `start`) are the first min(k, end - start) of values[start …
// end - 1], each once, then -1, in the order asked for.
void check_selection(const void *values, int32_t dtype, int64_t start, int64_t end,
                     const int32_t *indices, int64_t k, int32_t order, const char *label,
                     int64_t row);

// The slot of index `i`; `table` NULL: outside the table.
int32_t expected_slot(const int32_t *table, int64_t columns, int64_t page_entries, int64_t i);

#endif
