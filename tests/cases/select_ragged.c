// SPDX-License-Identifier: MIT
#include <string.h>

#include "../common/number.h"
#include "../common/select_case.h"

#define BF16 PLAIT_DTYPE_BF16
#define INDEX PLAIT_ORDER_INDEX
#define DESCENDING PLAIT_ORDER_DESCENDING
#define TABLES 5

static const indexer_row rows[] = {
    {{"the usual small shape", 6, 0}, .keys = 90, .topk = 20, .options = INDEXER_SLOTS},
    {{"64 heads, K 512 of 2100", 4, ROW_AGAIN}, .heads = 64, .keys = 2100, .topk = 512},
    {{"32 heads, by index", 4, 0},
     .heads = 32,
     .keys = 1000,
     .topk = 100,
     .order = INDEX,
     .options = INDEXER_SLOTS},
    {{"descending", 6, 0},
     .heads = 8,
     .keys = 1000,
     .topk = 100,
     .order = DESCENDING,
     .options = INDEXER_SLOTS},
    {{"K 1", 6, 0}, .keys = 700, .topk = 1},
    {{"K above the keys", 6, 0}, .keys = 70, .topk = 200, .options = INDEXER_SLOTS},
    {{"mxfp4", 6, 0}, .heads = 8, .format = MXFP4, .keys = 500, .topk = 64, .order = DESCENDING},
    {{"e4m3fnuz", 6, 0}, .heads = 8, .format = FNUZ, .keys = 500, .topk = 64},
    {{"bf16 logits: ranked as rounded", 6, 0},
     .heads = 8,
     .logits_dtype = BF16,
     .keys = 1500,
     .topk = 64,
     .order = DESCENDING,
     .options = INDEXER_SLOTS},
    {{"case 33: three packed requests", 12, ROW_AGAIN},
     .heads = 2,
     .keys = 6000,
     .topk = 64,
     .options = INDEXER_PACKED},
    {{"case 35: all rows empty", 9, 0},
     .keys = 50,
     .topk = 10,
     .options = INDEXER_EMPTY | INDEXER_SLOTS},
    {{"case 52: the least workspace", 40, 0},
     .heads = 2,
     .keys = 3000,
     .topk = 256,
     .order = DESCENDING,
     .options = INDEXER_LEAST_BUDGET},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const indexer_row *row = at;
  random_state r = {109};
  indexer_spec(row, spec);
  plait_indexer_plan_desc *d = &spec->desc.indexer;
  if (row->options & INDEXER_LEAST_BUDGET) {
    plait_plan *plan = spec_plan(test_context(0), spec, NULL);
    plait_indexer_sizes sizes = {.struct_size = sizeof sizes};
    CHECK(plait_indexer_plan_sizes(plan, count, &sizes) == PLAIT_OK, "sizes");
    plait_plan_destroy(plan);
    if (sizes.select_least) d->select_budget = sizes.select_least;
  }
  call_init(c, PLAIT_OP_SELECT_RAGGED);
  call_set64(c, "rows", count);
  fill_queries(c, d, count, &r);
  fill_ragged(row, c, d, count, &r);
  select_outputs(row, c, d, count);
  if (!(row->options & INDEXER_SLOTS)) return;
  const int64_t pages = row->keys / d->page_entries;
  call_set64(c, "table_count", TABLES);
  call_set64(c, "block_table_columns", pages);
  int32_t *table = call_tensor(c, "block_table", TABLES, pages, 4, 0);
  for (int64_t i = 0; i < TABLES * pages; i++)
    table[i] = i % 7 == 3 ? -1 : (int32_t)random_below(&r, 1000);
  int32_t *table_row = call_tensor(c, "table_row", count, 1, 4, 0);
  for (int64_t i = 0; i < count; i++) table_row[i] = (int32_t)random_below(&r, TABLES + 2) - 1;
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const indexer_row *row = at;
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t count = call_get64(c, "rows");
  static const char *const inputs[] = {"q_values", "q_scale",   "weights", "k_values",
                                       "k_scale",  "row_start", "row_end"};
  plait_plan *plan = spec_plan(test_context(0), spec, label_implementation(label));
  call logits;
  call_init(&logits, PLAIT_OP_LOGITS_RAGGED);
  call_set64(&logits, "rows", count);
  call_set64(&logits, "keys", row->keys);
  for (int i = 0; i < 7; i++) {
    const tensor *t = call_const(c, inputs[i]);
    if (t->present)
      memcpy(call_tensor(&logits, inputs[i], t->rows, t->row, t->element, 0), t->host, t->bytes);
  }
  call_tensor(&logits, "logits", count, row->keys, dtype_size(d->logits_dtype), 0);
  call_run(&logits, test_context(0), plan, label);
  plait_plan_destroy(plan);
  for (int64_t i = 0; i < count; i++) {
    const int64_t start = *(int32_t *)call_row(c, "row_start", i);
    int64_t end = *(int32_t *)call_row(c, "row_end", i);
    if (end > row->keys) end = row->keys;
    const int32_t *table = NULL;
    if (row->options & INDEXER_SLOTS) {
      const int32_t at_table = *(int32_t *)call_row(c, "table_row", i);
      if (at_table >= 0 && at_table < TABLES) table = call_row(c, "block_table", at_table);
    }
    select_verify_row(row, d, c, call_row(&logits, "logits", i), i, start, end, table, label);
  }
  call_free(&logits);
}

static void case_52_budget(void **state) {
  (void)state;
  const indexer_row row = {
      {"case 52", 1, 0}, .heads = 64, .page_entries = 64, .keys = 131072, .topk = 2048};
  select_check_budget(&row, op_find(PLAIT_OP_SELECT_RAGGED));
}

static void a_plan_without_select(void **state) {
  (void)state;
  plan_spec spec;
  call c;
  build(&rows[0], 6, &spec, &c);
  spec.desc.indexer.topk = 0;
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  const plait_status status = call_execute(&c, plan, NULL);
  CHECK(status == make_status(PLAIT_ERROR_WRONG_PLAN, PLAIT_ARG_TOPK), "%s", status_text(status));
  plait_plan_destroy(plan);
  call_free(&c);
}

static const struct CMUnitTest extras[] = {cmocka_unit_test(case_52_budget),
                                           cmocka_unit_test(a_plan_without_select)};

int main(void) {
  const op_suite suite = {PLAIT_OP_SELECT_RAGGED,
                          0,
                          rows,
                          sizeof *rows,
                          sizeof rows / sizeof *rows,
                          build,
                          verify,
                          extras,
                          2};
  return suite_main(&suite);
}
