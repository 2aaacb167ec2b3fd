// SPDX-License-Identifier: MIT
#include <string.h>

#include "../common/number.h"
#include "../common/select_case.h"

#define BF16 PLAIT_DTYPE_BF16
#define INDEX PLAIT_ORDER_INDEX
#define DESCENDING PLAIT_ORDER_DESCENDING

// count: requests.
static const indexer_row rows[] = {
    {{"the usual small shape", 4, 0},
     .keys = 90,
     .topk = 20,
     .next_n = 2,
     .options = INDEXER_SLOTS},
    {{"64 heads, P 64, K 512 of 1500", 3, ROW_AGAIN},
     .heads = 64,
     .keys = 1500,
     .topk = 512,
     .page_entries = 64},
    {{"32 heads, N 3, by index", 3, 0},
     .heads = 32,
     .keys = 600,
     .topk = 100,
     .next_n = 3,
     .order = INDEX,
     .options = INDEXER_SLOTS},
    {{"case 31: lengths per request, N 4", 12, ROW_AGAIN},
     .keys = 200,
     .topk = 30,
     .next_n = 4,
     .order = DESCENDING,
     .options = INDEXER_PER_REQUEST | INDEXER_SLOTS},
    {{"case 35: all lengths 0", 5, 0},
     .keys = 100,
     .topk = 16,
     .options = INDEXER_EMPTY | INDEXER_SLOTS},
    {{"case 51: page ids outside the pool", 9, 0},
     .keys = 200,
     .topk = 150,
     .options = INDEXER_BAD_PAGES | INDEXER_SLOTS},
    {{"case 51: descending", 9, 0},
     .keys = 200,
     .topk = 150,
     .order = DESCENDING,
     .options = INDEXER_BAD_PAGES},
    {{"P 1", 4, 0}, .keys = 100, .topk = 20, .page_entries = 1, .options = INDEXER_SLOTS},
    {{"tiled", 4, 0}, .heads = 8, .keys = 300, .topk = 20, .layout = TILED},
    {{"mxfp4", 4, 0}, .heads = 8, .keys = 300, .topk = 20, .format = MXFP4, .order = DESCENDING},
    {{"bf16 logits", 4, 0},
     .heads = 8,
     .keys = 900,
     .topk = 60,
     .logits_dtype = BF16,
     .order = DESCENDING,
     .options = INDEXER_SLOTS},
    {{"K above the keys", 4, 0}, .keys = 60, .topk = 100, .options = INDEXER_SLOTS},
    {{"case 52: the least workspace", 30, 0},
     .heads = 2,
     .keys = 3000,
     .topk = 256,
     .page_entries = 64,
     .order = DESCENDING,
     .options = INDEXER_LEAST_BUDGET},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const indexer_row *row = at;
  random_state r = {113};
  indexer_spec(row, spec);
  plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t n = d->next_n;
  if (row->options & INDEXER_LEAST_BUDGET) {
    plait_plan *plan = spec_plan(test_context(0), spec, NULL);
    plait_indexer_sizes sizes = {.struct_size = sizeof sizes};
    CHECK(plait_indexer_plan_sizes(plan, count * n, &sizes) == PLAIT_OK, "sizes");
    plait_plan_destroy(plan);
    if (sizes.select_least) d->select_budget = sizes.select_least;
  }
  call_init(c, PLAIT_OP_SELECT_PAGED);
  call_set64(c, "requests", count);
  c->size_rows = count * n;
  fill_queries(c, d, count * n, &r);
  fill_paged(row, c, d, count, &r);
  CALL_ARGS(c, plait_indexer_select_paged_args)->lengths_per_request =
      (row->options & INDEXER_PER_REQUEST) != 0;
  select_outputs(row, c, d, count * n);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const indexer_row *row = at;
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t n = d->next_n, count = call_get64(c, "requests");
  const int per_request = (row->options & INDEXER_PER_REQUEST) != 0;
  static const char *const inputs[] = {"q_values", "q_scale",     "weights",
                                       "cache",    "block_table", "lengths"};
  plait_plan *plan = spec_plan(test_context(0), spec, label_implementation(label));
  call logits;
  call_init(&logits, PLAIT_OP_LOGITS_PAGED);
  call_set64(&logits, "requests", count);
  call_set64(&logits, "columns", row->keys);
  call_set64(&logits, "block_table_columns", call_get64(c, "block_table_columns"));
  CALL_ARGS(&logits, plait_indexer_logits_paged_args)->lengths_per_request = per_request;
  logits.size_rows = count * n;
  for (int i = 0; i < 6; i++) {
    const tensor *t = call_const(c, inputs[i]);
    if (!t->present) continue;
    memcpy(call_tensor(&logits, inputs[i], t->rows, t->row, t->element, 0), t->host, t->bytes);
    call_find(&logits, inputs[i])->align = t->align;
  }
  call_tensor(&logits, "logits", count * n, row->keys, dtype_size(d->logits_dtype), 0);
  call_run(&logits, test_context(0), plan, label);
  plait_plan_destroy(plan);
  for (int64_t i = 0; i < count * n; i++)
    select_verify_row(row, d, c, call_row(&logits, "logits", i), i, 0,
                      paged_length(c, d, per_request, row->keys, i),
                      call_row(c, "block_table", i / n), label);
  call_free(&logits);
}

static void case_52_budget(void **state) {
  (void)state;
  const indexer_row row = {
      {"case 52", 1, 0}, .heads = 64, .page_entries = 64, .keys = 131072, .topk = 2048};
  select_check_budget(&row, op_find(PLAIT_OP_SELECT_PAGED));
}

static const struct CMUnitTest extras[] = {cmocka_unit_test(case_52_budget)};

int main(void) {
  const op_suite suite = {PLAIT_OP_SELECT_PAGED,
                          0,
                          rows,
                          sizeof *rows,
                          sizeof rows / sizeof *rows,
                          build,
                          verify,
                          extras,
                          1};
  return suite_main(&suite);
}
