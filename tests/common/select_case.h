// SPDX-License-Identifier: MIT
// What both select calls are held to: the logits call of the same plan, then the order of top-k.
#ifndef PLAIT_TESTS_SELECT_CASE_H
#define PLAIT_TESTS_SELECT_CASE_H

#include "indexer_case.h"

// Outputs of a select call for `rows` rows, and its block table if `slots` are asked for.
void select_outputs(const indexer_row *row, call *c, const plait_indexer_plan_desc *d,
                    int64_t rows);
// The name within the brackets that end a label.
const char *label_implementation(const char *label);
// Checks row `i`: logits[start … end - 1] are those of the separate call.
void select_verify_row(const indexer_row *row, const plait_indexer_plan_desc *d, const call *c,
                       const void *logits, int64_t i, int64_t start, int64_t end,
                       const int32_t *table, const char *label);
// Plans with ever smaller budgets: the workspace stays within, or the status says so (case 52).
void select_check_budget(const indexer_row *row, const op_type *type);

#endif
