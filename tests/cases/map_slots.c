// SPDX-License-Identifier: MIT
#include <string.h>

#include "../common/indexer_case.h"
#include "../common/topk_case.h"

typedef struct map_row {
  row_head head;
  int64_t columns;
  int32_t page_entries, next_n;
  int table_row;
} map_row;

static const map_row rows[] = {
    {{"the usual small shape", 6, 0}, 40, 16, 1, 1},
    {{"rows share a table by next_n", 12, 0}, 40, 64, 3, 0},
    {{"P 1", 5, 0}, 300, 1, 1, 1},
    {{"P 65536", 5, 0}, 300, 65536, 1, 0},
    {{"one column", 5, 0}, 1, 7, 2, 0},
    {{"K 2048", 9, 0}, 2048, 64, 1, 1},
};
#define TABLE_COLUMNS 9

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const map_row *row = at;
  random_state r = {101};
  const indexer_row like = {
      {"map", 1, 0}, .page_entries = row->page_entries, .next_n = row->next_n};
  indexer_spec(&like, spec);
  const int64_t tables = row->table_row ? 4 : (count + row->next_n - 1) / row->next_n;
  call_init(c, PLAIT_OP_MAP_SLOTS);
  call_set64(c, "rows", count);
  call_set64(c, "columns", row->columns);
  call_set64(c, "block_table_columns", TABLE_COLUMNS);
  call_set64(c, "table_count", tables);
  int32_t *indices = call_tensor(c, "indices", count, row->columns, 4, 0);
  for (int64_t i = 0; i < count * row->columns; i++) {
    indices[i] = (int32_t)random_below(&r, (int64_t)(TABLE_COLUMNS + 1) * row->page_entries);
    if (i % 17 == 3) indices[i] = -1;
    if (i % 17 == 5) indices[i] = INT32_MIN;
    if (i % 17 == 7) indices[i] = INT32_MAX;
  }
  int32_t *table = call_tensor(c, "block_table", tables, TABLE_COLUMNS, 4, 0);
  for (int64_t i = 0; i < tables * TABLE_COLUMNS; i++)
    table[i] = i % 5 == 1   ? -7
               : i % 7 == 2 ? INT32_MAX
               : i % 7 == 4 ? INT32_MAX / row->page_entries
                            : (int32_t)random_below(&r, 30000);
  if (row->table_row) {
    int32_t *table_row = call_tensor(c, "table_row", count, 1, 4, 0);
    for (int64_t i = 0; i < count; i++)
      table_row[i] = i % 6 == 4 ? -1 : i % 6 == 5 ? 4 : (int32_t)random_below(&r, tables);
  }
  call_tensor(c, "slots", count, row->columns, 4, 0);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const map_row *row = at;
  (void)spec;
  for (int64_t i = 0; i < call_get64(c, "rows"); i++) {
    const int64_t table =
        row->table_row ? *(int32_t *)call_row(c, "table_row", i) : i / row->next_n;
    const int inside = table >= 0 && table < call_get64(c, "table_count");
    const int32_t *pages = inside ? call_row(c, "block_table", table) : NULL;
    for (int64_t k = 0; k < row->columns; k++) {
      const int32_t index = ((int32_t *)call_row(c, "indices", i))[k];
      const int32_t slot = ((int32_t *)call_row(c, "slots", i))[k];
      const int32_t expected = expected_slot(pages, TABLE_COLUMNS, row->page_entries, index);
      CHECK(slot == expected, "%s: [%lld,%lld]: index %d gave %d, not %d", label, (long long)i,
            (long long)k, (int)index, (int)slot, (int)expected);
    }
  }
}

int main(void) {
  const op_suite suite = {PLAIT_OP_MAP_SLOTS,
                          0,
                          rows,
                          sizeof *rows,
                          sizeof rows / sizeof *rows,
                          build,
                          verify,
                          NULL,
                          0};
  return suite_main(&suite);
}
