// SPDX-License-Identifier: MIT
#include "select_case.h"

#include <math.h>
#include <string.h>

#include "number.h"
#include "topk_case.h"

void select_outputs(const indexer_row *row, call *c, const plait_indexer_plan_desc *d,
                    int64_t rows) {
  call_tensor(c, "indices", rows, d->topk, 4, 0);
  if (!(row->options & INDEXER_SLOTS)) return;
  call_tensor(c, "values_out", rows, d->topk, 4, 0);
  call_tensor(c, "slots", rows, d->topk, 4, 0);
}

const char *label_implementation(const char *label) {
  static char name[64];
  const char *open = strrchr(label, '[');
  snprintf(name, sizeof name, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
  return name;
}

void select_verify_row(const indexer_row *row, const plait_indexer_plan_desc *d, const call *c,
                       const void *logits, int64_t i, int64_t start, int64_t end,
                       const int32_t *table, const char *label) {
  const int32_t *indices = call_row(c, "indices", i);
  check_selection(logits, d->logits_dtype, start, end, indices, d->topk, d->order, label, i);
  if (!(row->options & INDEXER_SLOTS)) return;
  const float *values = call_row(c, "values_out", i);
  const int32_t *slots = call_row(c, "slots", i);
  for (int64_t k = 0; k < d->topk; k++) {
    const double expected = indices[k] < 0
                                ? -(double)INFINITY
                                : load_element(logits, d->logits_dtype, start + indices[k]);
    CHECK((double)values[k] == expected, "%s: values_out[%lld,%lld] is %.9g, not %.9g", label,
          (long long)i, (long long)k, (double)values[k], expected);
    const int32_t slot =
        expected_slot(table, call_get64(c, "block_table_columns"), d->page_entries, indices[k]);
    CHECK(slots[k] == slot, "%s: slots[%lld,%lld] is %d, not %d", label, (long long)i, (long long)k,
          (int)slots[k], (int)slot);
  }
}

void select_check_budget(const indexer_row *row, const op_type *type) {
  plan_spec spec;
  indexer_spec(row, &spec);
  plait_plan *best = spec_plan(test_context(0), &spec, NULL);
  for (int i = 0; usable_candidate(best, type->op, i); i++) {
    const char *name = usable_candidate(best, type->op, i);
    plait_indexer_sizes sizes = {.struct_size = sizeof sizes};
    plait_plan *plan = spec_plan(test_context(0), &spec, name);
    CHECK(plait_indexer_plan_sizes(plan, 2048, &sizes) == PLAIT_OK, "%s: sizes", name);
    plait_plan_destroy(plan);
    const size_t least = sizes.select_least;
    const size_t budgets[] = {least, least + 1, 2 * least + 4096, (size_t)1 << 40};
    for (int k = 0; k < 4; k++) {
      spec.desc.indexer.select_budget = budgets[k];
      plan = spec_plan(test_context(0), &spec, name);
      const int64_t many[] = {1, 7, 2048, 1 << 20};
      for (int m = 0; m < 4; m++) {
        CHECK(plait_indexer_plan_sizes(plan, many[m], &sizes) == PLAIT_OK, "%s: sizes", name);
        CHECK(sizes.workspace_select <= budgets[k], "%s: %zu bytes of workspace, a budget of %zu",
              name, sizes.workspace_select, budgets[k]);
      }
      plait_plan_destroy(plan);
    }
    if (least == 0) continue;
    plait_error error;
    plait_error_init(&error, sizeof error);
    spec.desc.indexer.select_budget = least - 1;
    const plait_status status = spec_create(test_context(0), &spec, name, &plan, &error);
    CHECK(status == make_status(PLAIT_ERROR_BUDGET_TOO_SMALL, PLAIT_ARG_SELECT_BUDGET),
          "%s: a budget of %zu, the least is %zu: %s", name, least - 1, least, status_text(status));
    char number[32];
    snprintf(number, sizeof number, "%zu", least);
    CHECK(strstr(error.message, number), "%s: the message does not say the least (%s): %s", name,
          number, error.message);
    spec.desc.indexer.select_budget = (size_t)256 << 20;
  }
  plait_plan_destroy(best);
}
