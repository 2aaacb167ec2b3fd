// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/number.h"
#include "../common/random.h"
#include "../common/suite.h"
#include "../common/topk_case.h"

typedef struct merge_row {
  row_head head;
  int64_t shards, candidates, k;
  int32_t order, dtype;
  int levels;      // distinct values; 0: a normal distribution
  int holes;       // per cent of empty places (negative indices)
  int nans;        // per cent of NaN
  int values_out;  // asked for
} merge_row;

static const merge_row rows[] = {
    {{"the usual small shape", 7, 0},
     .shards = 3,
     .candidates = 20,
     .k = 25,
     .holes = 10,
     .values_out = 1},
    {{"eight shards of K 512", 5, 0}, .shards = 8, .candidates = 512, .k = 512},
    {{"eight shards of K 2048, descending", 3, 0},
     .shards = 8,
     .candidates = 2048,
     .k = 2048,
     .order = PLAIT_ORDER_DESCENDING,
     .values_out = 1},
    {{"by index", 5, 0},
     .shards = 4,
     .candidates = 300,
     .k = 200,
     .order = PLAIT_ORDER_INDEX,
     .values_out = 1},
    {{"ties", 5, 0},
     .shards = 4,
     .candidates = 300,
     .k = 200,
     .levels = 3,
     .holes = 5,
     .order = PLAIT_ORDER_DESCENDING},
    {{"all equal", 5, 0}, .shards = 4, .candidates = 300, .k = 200, .levels = 1},
    {{"NaN", 5, 0},
     .shards = 4,
     .candidates = 300,
     .k = 800,
     .nans = 40,
     .holes = 10,
     .order = PLAIT_ORDER_DESCENDING,
     .values_out = 1},
    {{"mostly empty places", 5, 0},
     .shards = 4,
     .candidates = 300,
     .k = 400,
     .holes = 90,
     .values_out = 1},
    {{"all empty", 5, 0}, .shards = 2, .candidates = 30, .k = 40, .holes = 100, .values_out = 1},
    {{"K above all candidates", 5, 0}, .shards = 2, .candidates = 30, .k = 100, .values_out = 1},
    {{"one shard of one", 5, 0}, .shards = 1, .candidates = 1, .k = 1},
    {{"bf16", 5, 0},
     .shards = 3,
     .candidates = 100,
     .k = 50,
     .dtype = PLAIT_DTYPE_BF16,
     .values_out = 1,
     .order = PLAIT_ORDER_DESCENDING},
    {{"f16", 5, 0},
     .shards = 3,
     .candidates = 100,
     .k = 50,
     .dtype = PLAIT_DTYPE_F16,
     .values_out = 1},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const merge_row *row = at;
  random_state r = {row->shards * 59 + row->k};
  const int64_t all = row->shards * row->candidates;
  spec_init(spec, PLAIT_PLAN_TOPK);
  plait_topk_plan_desc *d = &spec->desc.topk;
  d->max_columns = all;
  d->k = row->k;
  d->order = row->order;
  if (row->dtype) d->dtype = row->dtype;
  call_init(c, PLAIT_OP_TOPK_MERGE);
  call_set64(c, "rows", count);
  call_set64(c, "shards", row->shards);
  call_set64(c, "candidates", row->candidates);
  void *values =
      call_tensor(c, "values", row->shards * count, row->candidates, dtype_size(d->dtype), 0);
  int32_t *indices = call_tensor(c, "indices", row->shards * count, row->candidates, 4, 0);
  for (int64_t i = 0; i < all * count; i++) {
    const double value = row->levels ? (double)random_below(&r, row->levels) : random_normal(&r);
    store_element(values, d->dtype, i, random_below(&r, 100) < row->nans ? (double)NAN : value);
  }
  // Each row's global indices are a shuffle of 7, 10, 13, …
  for (int64_t t = 0; t < count; t++) {
    int32_t *order = malloc((size_t)all * sizeof *order);
    for (int64_t i = 0; i < all; i++) order[i] = (int32_t)(7 + 3 * i);
    for (int64_t i = all - 1; i > 0; i--) {
      const int64_t j = random_below(&r, i + 1);
      const int32_t swap = order[i];
      order[i] = order[j];
      order[j] = swap;
    }
    for (int64_t i = 0; i < all; i++) {
      const int64_t shard = i / row->candidates, place = i % row->candidates;
      indices[(shard * count + t) * row->candidates + place] =
          random_below(&r, 100) < row->holes ? -1 - (int32_t)random_below(&r, 5) : order[i];
    }
    free(order);
  }
  call_tensor(c, "indices_out", count, row->k, 4, 0);
  if (row->values_out) call_tensor(c, "values_out", count, row->k, dtype_size(d->dtype), 0);
}

typedef struct candidate {
  uint64_t key;
  double value;
  int32_t index;
} candidate;

static int by_key(const void *a, const void *b) {
  const uint64_t x = ((const candidate *)a)->key, y = ((const candidate *)b)->key;
  return x < y ? -1 : x > y;
}

static int by_index(const void *a, const void *b) {
  return ((const candidate *)a)->index - ((const candidate *)b)->index;
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const merge_row *row = at;
  const plait_topk_plan_desc *d = &spec->desc.topk;
  const int64_t count = call_get64(c, "rows"), k = d->k;
  candidate *list = malloc((size_t)(row->shards * row->candidates) * sizeof *list);
  for (int64_t t = 0; t < count; t++) {
    int64_t found = 0;
    for (int64_t s = 0; s < row->shards; s++)
      for (int64_t i = 0; i < row->candidates; i++) {
        const int32_t index = ((int32_t *)call_row(c, "indices", s * count + t))[i];
        const double value = load_element(call_row(c, "values", s * count + t), d->dtype, i);
        if (index < 0) continue;
        list[found++] = (candidate){order_key(value, index), value, index};
      }
    qsort(list, (size_t)found, sizeof *list, by_key);
    if (found > k) found = k;
    if (d->order == PLAIT_ORDER_INDEX) qsort(list, (size_t)found, sizeof *list, by_index);
    const int32_t *got = call_row(c, "indices_out", t);
    int32_t *any = malloc((size_t)k * sizeof *any + 1);
    memcpy(any, got, (size_t)k * sizeof *any);
    if (d->order == PLAIT_ORDER_ANY) {
      // As sets: both by index.
      candidate *mine = malloc((size_t)k * sizeof *mine + 1);
      for (int64_t i = 0; i < found; i++) mine[i] = (candidate){0, 0, got[i]};
      qsort(mine, (size_t)found, sizeof *mine, by_index);
      qsort(list, (size_t)found, sizeof *list, by_index);
      for (int64_t i = 0; i < found; i++) any[i] = mine[i].index;
      free(mine);
    }
    for (int64_t i = 0; i < k; i++)
      CHECK(any[i] == (i < found ? list[i].index : -1), "%s: row %lld: place %lld is %d, not %d",
            label, (long long)t, (long long)i, (int)any[i], i < found ? (int)list[i].index : -1);
    free(any);
    for (int64_t i = 0; i < k && row->values_out; i++) {
      const double value = load_element(call_row(c, "values_out", t), d->dtype, i);
      double wanted = -(double)INFINITY;
      for (int64_t j = 0; j < found; j++)
        if (list[j].index == got[i]) wanted = list[j].value;
      CHECK(value == wanted || (isnan(value) && isnan(wanted)),
            "%s: row %lld: values_out[%lld] is %.9g, not %.9g", label, (long long)t, (long long)i,
            value, wanted);
    }
  }
  free(list);
}

// Shards that bring their own top-k: merged, they are the top-k of the whole row.
static void merge_of_shards_is_the_whole(void **state) {
  (void)state;
  enum { COLUMNS = 6000, SHARDS = 4, K = 256, EACH = COLUMNS / SHARDS };
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_TOPK);
  spec.desc.topk.max_columns = COLUMNS;
  spec.desc.topk.k = K;
  spec.desc.topk.order = PLAIT_ORDER_DESCENDING;
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  random_state r = {61};
  call whole, merge;
  call_init(&whole, PLAIT_OP_TOPK);
  call_set64(&whole, "rows", 2);
  call_set64(&whole, "columns", COLUMNS);
  float *values = call_tensor(&whole, "values", 2, COLUMNS, 4, 0);
  for (int i = 0; i < 2 * COLUMNS; i++) values[i] = (float)random_below(&r, 900);
  call_tensor(&whole, "indices", 2, K, 4, 0);
  call_run(&whole, test_context(0), plan, "the whole");
  call_init(&merge, PLAIT_OP_TOPK_MERGE);
  call_set64(&merge, "rows", 2);
  call_set64(&merge, "shards", SHARDS);
  call_set64(&merge, "candidates", K);
  call_tensor(&merge, "values", SHARDS * 2, K, 4, 0);
  call_tensor(&merge, "indices", SHARDS * 2, K, 4, 0);
  call_tensor(&merge, "indices_out", 2, K, 4, 0);
  for (int s = 0; s < SHARDS; s++) {
    call part;
    call_init(&part, PLAIT_OP_TOPK);
    call_set64(&part, "rows", 2);
    call_set64(&part, "columns", EACH);
    float *mine = call_tensor(&part, "values", 2, EACH, 4, 0);
    for (int t = 0; t < 2; t++)
      memcpy(mine + t * EACH, values + t * COLUMNS + s * EACH, EACH * sizeof *mine);
    call_tensor(&part, "indices", 2, K, 4, 0);
    call_tensor(&part, "values_out", 2, K, 4, 0);
    call_run(&part, test_context(0), plan, "a shard");
    for (int t = 0; t < 2; t++) {
      memcpy(call_row(&merge, "values", s * 2 + t), call_row(&part, "values_out", t), K * 4);
      for (int i = 0; i < K; i++)
        ((int32_t *)call_row(&merge, "indices", s * 2 + t))[i] =
            ((int32_t *)call_row(&part, "indices", t))[i] + s * EACH;
    }
    call_free(&part);
  }
  call_run(&merge, test_context(0), plan, "merge");
  CHECK(memcmp(call_const(&merge, "indices_out")->host, call_const(&whole, "indices")->host,
               2 * K * 4) == 0,
        "the merge differs from the top-k of the whole row");
  call_free(&whole);
  call_free(&merge);
  plait_plan_destroy(plan);
}

// [rows, shards, candidates] through the two strides.
static void interleaved_shards(void **state) {
  (void)state;
  plan_spec spec;
  call apart, woven;
  const merge_row *row = &rows[0];
  const int64_t count = 7, s = row->shards, n = row->candidates;
  build(row, count, &spec, &apart);
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  call_run(&apart, test_context(0), plan, "apart");
  build(row, count, &spec, &woven);
  float *values = call_tensor(&woven, "values", count, s * n, 4, 0);
  int32_t *indices = call_tensor(&woven, "indices", count, s * n, 4, 0);
  for (int64_t t = 0; t < count; t++)
    for (int64_t i = 0; i < s; i++) {
      memcpy(values + (t * s + i) * n, call_row(&apart, "values", i * count + t), (size_t)n * 4);
      memcpy(indices + (t * s + i) * n, call_row(&apart, "indices", i * count + t), (size_t)n * 4);
    }
  plait_topk_merge_args *a = CALL_ARGS(&woven, plait_topk_merge_args);
  a->values_stride = a->indices_stride = s * n;
  a->values_shard_stride = a->indices_shard_stride = n;
  call_run(&woven, test_context(0), plan, "interleaved");
  call_same(&apart, 0, &woven, "interleaved shards");
  call_free(&apart);
  call_free(&woven);
  plait_plan_destroy(plan);
}

static const struct CMUnitTest extras[] = {cmocka_unit_test(merge_of_shards_is_the_whole),
                                           cmocka_unit_test(interleaved_shards)};

int main(void) {
  const op_suite suite = {PLAIT_OP_TOPK_MERGE,           SUITE_NO_SLICE, rows,   sizeof *rows,
                          sizeof rows / sizeof *rows,    build,          verify, extras,
                          sizeof extras / sizeof *extras};
  return suite_main(&suite);
}
