// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/indexer_case.h"
#include "../common/number.h"

static const indexer_row rows[] = {
    {{"the usual small shape", 3, 0}, .keys = 100},
    {{"P 64", 4, 0}, .keys = 500, .page_entries = 64},
    {{"case 61: P 1", 4, 0}, .keys = 60, .page_entries = 1},
    {{"P 7, wide pages", 4, 0}, .keys = 200, .page_entries = 7, .page_extra = 100},
    {{"tiled", 4, 0}, .keys = 200, .layout = TILED},
    {{"tiled, P 64, head_dim 96, wide pages", 4, 0},
     .keys = 500,
     .layout = TILED,
     .page_entries = 64,
     .head_dim = 96,
     .page_extra = 64},
    {{"mxfp4", 4, 0}, .keys = 200, .format = MXFP4},
    {{"mxfp4, P 5", 4, 0}, .keys = 200, .format = MXFP4, .page_entries = 5},
    {{"case 51: page ids outside the pool", 4, 0}, .keys = 300, .options = INDEXER_BAD_PAGES},
    {{"case 51: mxfp4", 4, 0}, .keys = 300, .format = MXFP4, .options = INDEXER_BAD_PAGES},
    {{"one request", 1, 0}, .keys = 33},
    {{"case 35: no keys at all", 4, 0}, .keys = 30, .options = INDEXER_EMPTY},
};

// The outputs have room for `keys` rows; the requests bring a little less, or more.
static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const indexer_row *row = at;
  random_state r = {83};
  indexer_spec(row, spec);
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int fp8 = d->format != MXFP4;
  // A paged call brings the pool and the table; only these two are taken.
  call paged;
  call_init(&paged, PLAIT_OP_LOGITS_PAGED);
  fill_paged(row, &paged, d, count, &r);
  call_init(c, PLAIT_OP_GATHER_K);
  call_set64(c, "requests", count);
  call_set64(c, "keys", row->keys);
  c->size_rows = row->keys;
  const tensor *cache = call_const(&paged, "cache"), *table = call_const(&paged, "block_table");
  memcpy(call_tensor(c, "cache", 1, cache->row, 1, 0), cache->host, cache->bytes);
  call_find(c, "cache")->align = cache->align;
  memcpy(call_tensor(c, "block_table", count, table->row, 4, 0), table->host, table->bytes);
  call_set64(c, "block_table_columns", table->row);
  call_free(&paged);
  int32_t *lengths = call_tensor(c, "cu_lengths", 1, count + 1, 4, 0);
  for (int64_t b = 1; b <= count; b++) {
    const int64_t most = row->keys / count;
    int64_t length = b == 2 ? 0 : most - random_below(&r, most / 2 + 1);
    if (b == count && count == 3) length += row->keys;  // past the outputs' end
    lengths[b] = row->options & INDEXER_EMPTY ? 0 : lengths[b - 1] + (int32_t)length;
  }
  call_tensor(c, "k_values", row->keys, value_bytes(d), 1, 0);
  call_tensor(c, "k_scale", row->keys, fp8 ? 1 : scale_bytes(d), fp8 ? 4 : 1, 0);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  (void)at;
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t v = value_bytes(d), s = scale_bytes(d), keys = call_get64(c, "keys");
  const int32_t *lengths = call_row(c, "cu_lengths", 0);
  int64_t request = 0;
  for (int64_t i = 0; i < keys; i++) {
    uint8_t values[PLAIT_INDEXER_MAX_HEAD_DIM], scale[8];
    memset(values, UNWRITTEN, sizeof values);
    memset(scale, UNWRITTEN, sizeof scale);
    const uint8_t *got = call_row(c, "k_values", i), *got_scale = call_row(c, "k_scale", i);
    const long long at_row = (long long)i;
    int nan = 0;
    while (request < call_get64(c, "requests") && i >= lengths[request + 1]) request++;
    if (request < call_get64(c, "requests")) {
      int64_t entry;
      const uint8_t *page = paged_key(c, d, request, i - lengths[request], &entry);
      if (page) {
        for (int64_t b = 0; b < v; b++) values[b] = page[value_offset(d, entry, b)];
        memcpy(scale, page + scale_offset(d, entry), (size_t)s);
      } else {
        memset(values, 0, sizeof values);
        memset(scale, 0xFF, sizeof scale);
        nan = d->format != MXFP4;
      }
    }
    CHECK(memcmp(got, values, (size_t)v) == 0, "%s: values of row %lld", label, at_row);
    if (nan)
      CHECK(isnan(*(const float *)(const void *)got_scale), "%s: scale of row %lld is not NaN",
            label, at_row);
    else
      CHECK(memcmp(got_scale, scale, (size_t)s) == 0, "%s: scale of row %lld", label, at_row);
  }
}

static void lengths_not_ascending(void **state) {
  (void)state;
  if (test_gpu()) test_skip("a GPU does not look at the values before it runs");
  static const int32_t wrong[][4] = {{1, 10, 20, 30}, {0, 10, 5, 30}, {0, -1, 5, 30}};
  for (int i = 0; i < 3; i++) {
    plan_spec spec;
    call c;
    build(&rows[0], 3, &spec, &c);
    memcpy(call_row(&c, "cu_lengths", 0), wrong[i], sizeof wrong[i]);
    plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
    call_place(&c, test_context(0), plan);
    const plait_status status = call_execute(&c, plan, NULL);
    CHECK(status == make_status(PLAIT_ERROR_RANGE, PLAIT_ARG_CU_LENGTHS), "lengths %d: %s", i,
          status_text(status));
    call_collect(&c, "lengths");
    for (size_t b = 0; b < call_const(&c, "k_values")->bytes; b++)
      CHECK(call_const(&c, "k_values")->host[b] == UNWRITTEN, "an error wrote");
    call_free(&c);
    plait_plan_destroy(plan);
  }
}

// Case 61: what both layouts hold comes out equal; one read as the other does not.
static void case_61_layouts(void **state) {
  (void)state;
  enum { TOKENS = 64, P = 16, PAGES = TOKENS / P };
  random_state r = {89};
  uint16_t k[TOKENS * 128];
  uint8_t out[3][TOKENS * 128];
  float scales[3][TOKENS];
  for (int i = 0; i < TOKENS * 128; i++) k[i] = float_bf16((float)random_normal(&r));
  call write[2];
  plan_spec spec[2];
  for (int layout = 0; layout < 2; layout++) {
    const indexer_row row = {{"case 61", 1, 0}, .page_entries = P, .layout = layout ? TILED : 0};
    indexer_spec(&row, &spec[layout]);
    const plait_indexer_plan_desc *d = &spec[layout].desc.indexer;
    call *c = &write[layout];
    call_init(c, PLAIT_OP_WRITE_K);
    call_set64(c, "tokens", TOKENS);
    memcpy(call_tensor(c, "k", TOKENS, 128, 2, 0), k, sizeof k);
    int64_t *slots = call_tensor(c, "slot_mapping", TOKENS, 1, 8, 0);
    for (int i = 0; i < TOKENS; i++) slots[i] = i;
    call_tensor(c, "cache", 1, PAGES * page_stride(d), 1, 0);
    call_find(c, "cache")->align = 16;
    plait_plan *plan = spec_plan(test_context(0), &spec[layout], NULL);
    call_run(c, test_context(0), plan, "case 61");
    plait_plan_destroy(plan);
  }
  // Flat by flat, tiled by tiled, flat by tiled.
  for (int i = 0; i < 3; i++) {
    const call *from = &write[i == 1];
    call c;
    call_init(&c, PLAIT_OP_GATHER_K);
    call_set64(&c, "requests", 1);
    call_set64(&c, "keys", TOKENS);
    c.size_rows = TOKENS;
    const tensor *cache = call_const(from, "cache");
    memcpy(call_tensor(&c, "cache", 1, cache->row, 1, 0), cache->host, cache->bytes);
    call_find(&c, "cache")->align = 16;
    int32_t *table = call_tensor(&c, "block_table", 1, PAGES, 4, 0);
    for (int p = 0; p < PAGES; p++) table[p] = p;
    call_set64(&c, "block_table_columns", PAGES);
    ((int32_t *)call_tensor(&c, "cu_lengths", 1, 2, 4, 0))[1] = TOKENS;
    call_tensor(&c, "k_values", TOKENS, 128, 1, 0);
    call_tensor(&c, "k_scale", TOKENS, 1, 4, 0);
    plait_plan *plan = spec_plan(test_context(0), &spec[i > 0], NULL);
    call_run(&c, test_context(0), plan, "case 61");
    plait_plan_destroy(plan);
    memcpy(out[i], call_const(&c, "k_values")->host, sizeof out[i]);
    memcpy(scales[i], call_const(&c, "k_scale")->host, sizeof scales[i]);
    call_free(&c);
  }
  CHECK(memcmp(out[0], out[1], sizeof out[0]) == 0, "flat and tiled differ through gather");
  CHECK(memcmp(scales[0], scales[1], sizeof scales[0]) == 0, "scales differ through gather");
  CHECK(memcmp(out[0], out[2], sizeof out[0]) != 0, "mixing the layouts goes unseen");
  call_free(&write[0]);
  call_free(&write[1]);
}

static const struct CMUnitTest extras[] = {cmocka_unit_test(lengths_not_ascending),
                                           cmocka_unit_test(case_61_layouts)};

int main(void) {
  const op_suite suite = {PLAIT_OP_GATHER_K,
                          SUITE_NO_SLICE,
                          rows,
                          sizeof *rows,
                          sizeof rows / sizeof *rows,
                          build,
                          verify,
                          extras,
                          2};
  return suite_main(&suite);
}
