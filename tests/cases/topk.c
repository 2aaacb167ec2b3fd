// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../common/number.h"
#include "../common/random.h"
#include "../common/suite.h"
#include "../common/topk_case.h"

// What the values are like.
typedef enum pattern {
  NORMAL,
  ONE_BIN,      // all inside one half-precision bin
  BAND,         // distinct, within a relative band of 2^-6
  THRESHOLD,    // `above` values above, the rest inside one bin, a few distinct
  RELU,         // `above` positive values, then exact zeros of both signs
  CONSTANT,     // one value
  FEW_INF,      // three +inf among finite values
  HALF_NAN,     // `above` per cent NaN
  LOW_BITS,     // all bits equal but the lowest ten
  HUGE_VALUES,  // past +-65504
  ALL_LEAST,    // all -inf
  TIES,         // bf16-rounded: many equal to the threshold
  RISING,
  FALLING
} pattern;

// Which columns a row covers.
typedef enum span {
  WHOLE,    // row_start and row_end NULL
  LENGTHS,  // row_end only
  RANGES,   // both
  PACKED,   // case 33: three packed requests
  PADDED,   // case 34: the last three rows are padding
  EMPTY,    // case 35
  SHORT     // case 10: starts 1, 2, 3; lengths below 8
} span;

typedef struct topk_row {
  row_head head;
  int64_t columns, k, above, fixed_length;
  pattern values;
  span span;
  int32_t order, dtype;
  int slots;  // ask for slots and values_out
} topk_row;

#define INDEX PLAIT_ORDER_INDEX
#define DESCENDING PLAIT_ORDER_DESCENDING

static const topk_row rows[] = {
    {{"the usual small shape", 6, 0}, .columns = 300, .k = 40, .span = RANGES, .slots = 1},
    {{"case 1: one half-precision bin, 1048576 columns", 2, 0},
     .columns = 1048576,
     .k = 2048,
     .values = ONE_BIN},
    {{"case 1: 64 rows", 64, ROW_LONG}, .columns = 1048576, .k = 2048, .values = ONE_BIN},
    {{"case 2: more than 2048 distinct in a band of 2^-6", 2, 0},
     .columns = 30000,
     .k = 2048,
     .values = BAND},
    {{"case 3: length 7613, 889 above the threshold", 2, 0},
     .columns = 8192,
     .k = 2048,
     .above = 889,
     .fixed_length = 7613,
     .values = THRESHOLD,
     .span = LENGTHS},
    {{"case 4: 100 positive scores, 8220 zeros", 2, 0},
     .columns = 8320,
     .k = 2048,
     .above = 100,
     .values = RELU,
     .order = INDEX},
    {{"case 4: the same, descending", 2, 0},
     .columns = 8320,
     .k = 2048,
     .above = 100,
     .values = RELU,
     .order = DESCENDING},
    {{"case 6: 9407 candidates in the threshold bin", 2, 0},
     .columns = 12000,
     .k = 512,
     .above = 100,
     .fixed_length = 9507,
     .values = THRESHOLD,
     .span = LENGTHS},
    {{"case 7: lengths 1 to 8192, holes in the page table", 200, 0},
     .columns = 8192,
     .k = 1024,
     .span = LENGTHS,
     .slots = 1},
    {{"case 7: 32768 rows", 32768, ROW_LONG},
     .columns = 8192,
     .k = 1024,
     .span = LENGTHS,
     .slots = 1},
    {{"case 9: 4096 rows of 262209", 4096, ROW_LONG}, .columns = 262209, .k = 2048},
    {{"case 10: row start misaligned by 1, 2, 3", 9, 0}, .columns = 16, .k = 3, .span = SHORT},
    {{"case 11: three +inf", 3, 0}, .columns = 5000, .k = 512, .values = FEW_INF},
    {{"case 11: K 3", 3, 0}, .columns = 5000, .k = 3, .values = FEW_INF},
    {{"case 16: no NaN", 500, 0}, .columns = 1243, .k = 512, .above = 0, .values = HALF_NAN},
    {{"case 16: half NaN", 500, 0}, .columns = 1243, .k = 512, .above = 50, .values = HALF_NAN},
    {{"case 16: 83 % NaN", 4869, 0}, .columns = 1243, .k = 512, .above = 83, .values = HALF_NAN},
    {{"case 16: all NaN", 500, 0},
     .columns = 1243,
     .k = 512,
     .above = 100,
     .values = HALF_NAN,
     .order = DESCENDING},
    {{"case 19: constant, K 1", 3, 0}, .columns = 777, .k = 1, .values = CONSTANT},
    {{"case 19: constant, K 17", 3, 0}, .columns = 777, .k = 17, .values = CONSTANT},
    {{"case 19: constant, K n - 1", 3, 0}, .columns = 777, .k = 776, .values = CONSTANT},
    {{"case 19: constant, K n", 3, 0}, .columns = 777, .k = 777, .values = CONSTANT},
    {{"case 20: bf16-rounded scores, ties at the threshold", 4, ROW_AGAIN},
     .columns = 20000,
     .k = 1024,
     .values = TIES},
    {{"case 20: bf16 values", 4, 0},
     .columns = 20000,
     .k = 1024,
     .values = TIES,
     .dtype = PLAIT_DTYPE_BF16,
     .slots = 1},
    {{"case 22: equal scores, K above half the length", 4, 0},
     .columns = 1000,
     .k = 600,
     .fixed_length = 900,
     .values = CONSTANT,
     .span = LENGTHS},
    {{"case 30: length 100, K 512", 4, 0},
     .columns = 1000,
     .k = 512,
     .fixed_length = 100,
     .span = LENGTHS,
     .order = INDEX},
    {{"case 33: three packed requests", 9, 0}, .columns = 9000, .k = 256, .span = PACKED},
    {{"case 34: 5 rows padded to 8", 8, 0}, .columns = 512, .k = 64, .span = PADDED, .slots = 1},
    {{"case 35: all lengths 0", 6, 0}, .columns = 512, .k = 64, .span = EMPTY, .slots = 1},
    {{"case 53: K 1024 of 1024", 2, 0}, .columns = 1024, .k = 1024},
    {{"case 53: K 1024 of 1025", 2, 0}, .columns = 1025, .k = 1024},
    {{"case 53: K 1024 of 262144", 2, 0}, .columns = 262144, .k = 1024},
    {{"case 53: K 4096", 2, 0}, .columns = 50000, .k = 4096, .order = DESCENDING},
    {{"case 53: K 1", 7, 0}, .columns = 50000, .k = 1},
    {{"K 50000 of 100000", 2, 0}, .columns = 100000, .k = 50000, .order = DESCENDING},
    {{"one column", 5, 0}, .columns = 1, .k = 1},
    {{"one column, K 9", 5, 0}, .columns = 1, .k = 9},
    {{"all bits equal but the lowest ten", 3, 0}, .columns = 20000, .k = 2048, .values = LOW_BITS},
    {{"the same, descending", 3, 0},
     .columns = 20000,
     .k = 2048,
     .values = LOW_BITS,
     .order = DESCENDING},
    {{"past 65504", 3, 0}, .columns = 20000, .k = 512, .values = HUGE_VALUES, .order = DESCENDING},
    {{"all -inf", 3, 0}, .columns = 2000, .k = 512, .values = ALL_LEAST},
    {{"rising", 3, 0}, .columns = 70000, .k = 512, .values = RISING, .order = DESCENDING},
    {{"falling", 3, 0}, .columns = 70000, .k = 512, .values = FALLING, .order = INDEX},
    {{"f16 values", 5, 0},
     .columns = 3000,
     .k = 100,
     .dtype = PLAIT_DTYPE_F16,
     .span = RANGES,
     .order = DESCENDING,
     .slots = 1},
    {{"bf16 values, NaN", 5, 0},
     .columns = 3000,
     .k = 1600,
     .above = 50,
     .values = HALF_NAN,
     .dtype = PLAIT_DTYPE_BF16,
     .order = DESCENDING},
    {{"ranges, by index", 40, 0},
     .columns = 3000,
     .k = 300,
     .span = RANGES,
     .order = INDEX,
     .slots = 1},
    {{"ranges, descending", 40, ROW_AGAIN},
     .columns = 3000,
     .k = 300,
     .span = RANGES,
     .order = DESCENDING,
     .slots = 1},
};

#define PAGE 16

static double value_of(const topk_row *row, int64_t column, random_state *r) {
  switch (row->values) {
    case ONE_BIN: return 1 + random_uniform(r) * 0x1p-11;
    case BAND: return 2 + random_uniform(r) * 0x1p-5;
    case THRESHOLD:
      // 1536 and more candidates between two neighbouring half-precision values.
      return random_below(r, 8000) < row->above ? 3 + random_uniform(r)
                                                : 1 + random_uniform(r) * 0x1p-12;
    case RELU: {
      // Exactly `above` positive ones, spread evenly.
      const int64_t step = row->columns / row->above;
      if (column % step == 0 && column / step < row->above) return 0.1 + random_uniform(r);
      return random_bits(r) & 1 ? 0.0 : -0.0;
    }
    case CONSTANT: return -0.75;
    case FEW_INF: return column % (row->columns / 3) == 7 ? (double)INFINITY : random_normal(r);
    case HALF_NAN: return random_below(r, 100) < row->above ? (double)NAN : random_normal(r);
    case LOW_BITS: return (double)bits_float(0x40490000u | (uint32_t)random_below(r, 1024));
    case HUGE_VALUES: return random_normal(r) * 1e30;
    case ALL_LEAST: return -(double)INFINITY;
    case TIES: return (double)bf16_float(float_bf16((float)(random_normal(r) * 0.01 + 5)));
    case RISING: return (double)column * 0.25;
    case FALLING: return (double)-column * 0.25;
    default: return random_normal(r);
  }
}

static void range_of(const topk_row *row, int64_t index, random_state *r, int32_t *start,
                     int32_t *end) {
  const int64_t c = row->columns;
  *start = 0;
  *end = (int32_t)c;
  switch (row->span) {
    case LENGTHS:
      *end = (int32_t)(row->fixed_length ? row->fixed_length : 1 + random_below(r, c));
      break;
    case RANGES:
      *start = (int32_t)random_below(r, c);
      *end = (int32_t)(*start + random_below(r, c - *start + 1));
      break;
    case PACKED: {
      static const int32_t starts[] = {0, 1000, 5000}, ends[] = {1000, 5000, 9000};
      *start = starts[index / 3];
      *end = ends[index / 3] - (int32_t)(2 - index % 3);
      break;
    }
    case PADDED: *end = index < 5 ? (int32_t)(100 * index + 1) : 0; break;
    case EMPTY: *end = *start = (int32_t)(index * 3); break;
    case SHORT:
      *start = (int32_t)(1 + index % 3);
      *end = *start + 4 + (int32_t)(index % 4);
      break;
    case WHOLE: break;
  }
}

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const topk_row *row = at;
  random_state r = {row->columns * 53 + row->k};
  spec_init(spec, PLAIT_PLAN_TOPK);
  plait_topk_plan_desc *d = &spec->desc.topk;
  d->max_columns = row->columns;
  d->k = row->k;
  d->order = row->order;
  d->page_entries = PAGE;
  if (row->dtype) d->dtype = row->dtype;
  const size_t element = dtype_size(d->dtype);

  call_init(c, PLAIT_OP_TOPK);
  call_set64(c, "rows", count);
  call_set64(c, "columns", row->columns);
  void *values = call_tensor(c, "values", count, row->columns, element, 0);
  int32_t *start = NULL, *end = NULL;
  if (row->span != WHOLE) end = call_tensor(c, "row_end", count, 1, 4, 0);
  if (row->span >= RANGES) start = call_tensor(c, "row_start", count, 1, 4, 0);
  for (int64_t i = 0; i < count; i++) {
    int32_t from, to;
    range_of(row, i, &r, &from, &to);
    if (start) start[i] = from;
    if (end) end[i] = to;
    for (int64_t j = 0; j < row->columns; j++) {
      // Case 39: what lies outside a row's range must not be read for its value.
      const double poison = random_bits(&r) & 1 ? (double)NAN : (double)INFINITY;
      const double value = value_of(row, j, &r);
      store_element(values, d->dtype, i * row->columns + j, j < from || j >= to ? poison : value);
    }
  }
  call_tensor(c, "indices", count, row->k, 4, 0);
  if (!row->slots) return;
  call_tensor(c, "values_out", count, row->k, element, 0);
  call_tensor(c, "slots", count, row->k, 4, 0);
  // Fewer pages than the rows need, holes, and pages whose slots pass int32.
  const int64_t pages = row->columns / PAGE, tables = 5;
  int32_t *table = call_tensor(c, "block_table", tables, pages, 4, 0);
  for (int64_t i = 0; i < tables * pages; i++)
    table[i] = i % 11 == 3 ? -1 : i % 13 == 5 ? INT32_MAX : (int32_t)random_below(&r, 1 << 20);
  call_set64(c, "block_table_columns", pages);
  call_set64(c, "table_count", tables);
  int32_t *table_row = call_tensor(c, "table_row", count, 1, 4, 0);
  for (int64_t i = 0; i < count; i++) table_row[i] = (int32_t)random_below(&r, tables + 2) - 1;
}

static void verify_slots(const plait_topk_plan_desc *d, const call *c, int64_t i,
                         const char *label) {
  const int32_t *indices = call_row(c, "indices", i), *slots = call_row(c, "slots", i);
  const int32_t table = *(int32_t *)call_row(c, "table_row", i);
  const int inside = table >= 0 && table < call_get64(c, "table_count");
  const int32_t *pages = inside ? call_row(c, "block_table", table) : NULL;
  const int32_t *start = call_const(c, "row_start")->present ? call_row(c, "row_start", i) : NULL;
  const void *values = call_row(c, "values", i), *out = call_row(c, "values_out", i);
  for (int64_t k = 0; k < d->k; k++) {
    const int32_t expected =
        expected_slot(pages, call_get64(c, "block_table_columns"), PAGE, indices[k]);
    CHECK(slots[k] == expected, "%s: slots[%lld,%lld] is %d, not %d", label, (long long)i,
          (long long)k, (int)slots[k], (int)expected);
    const double value = load_element(out, d->dtype, k);
    const double wanted = indices[k] < 0
                              ? -(double)INFINITY
                              : load_element(values, d->dtype, (start ? *start : 0) + indices[k]);
    CHECK(value == wanted || (isnan(value) && isnan(wanted)),
          "%s: values_out[%lld,%lld] is %.9g, not %.9g", label, (long long)i, (long long)k, value,
          wanted);
  }
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const topk_row *row = at;
  const plait_topk_plan_desc *d = &spec->desc.topk;
  for (int64_t i = 0; i < call_get64(c, "rows"); i++) {
    int32_t start = 0, end = (int32_t)row->columns;
    if (call_const(c, "row_start")->present) start = *(int32_t *)call_row(c, "row_start", i);
    if (call_const(c, "row_end")->present) end = *(int32_t *)call_row(c, "row_end", i);
    check_selection(call_row(c, "values", i), d->dtype, start, end, call_row(c, "indices", i), d->k,
                    d->order, label, i);
    if (row->slots) verify_slots(d, c, i, label);
  }
}

// A call on `count` rows given as plain floats, by every candidate.
static void run_small(const float *values, int64_t columns, int64_t k, const int32_t *expected) {
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_TOPK);
  spec.desc.topk.max_columns = columns;
  spec.desc.topk.k = k;
  spec.desc.topk.order = PLAIT_ORDER_INDEX;
  plait_plan *best = spec_plan(test_context(0), &spec, NULL);
  for (int i = 0; usable_candidate(best, PLAIT_OP_TOPK, i); i++) {
    const char *name = usable_candidate(best, PLAIT_OP_TOPK, i);
    plait_plan *plan = spec_plan(test_context(0), &spec, name);
    call c;
    call_init(&c, PLAIT_OP_TOPK);
    call_set64(&c, "rows", 1);
    call_set64(&c, "columns", columns);
    memcpy(call_tensor(&c, "values", 1, columns, 4, 0), values, (size_t)columns * 4);
    call_tensor(&c, "indices", 1, k, 4, 0);
    call_run(&c, test_context(0), plan, name);
    CHECK(memcmp(call_row(&c, "indices", 0), expected, (size_t)k * 4) == 0, "%s: wrong indices",
          name);
    call_free(&c);
    plait_plan_destroy(plan);
  }
  plait_plan_destroy(best);
}

static void case_13_distinct_indices(void **state) {
  (void)state;
  const float inf = (float)INFINITY, nan = (float)NAN;
  const float least[] = {0.5f, -inf, -inf, -inf, -inf}, none[] = {0.5f, nan, nan, nan, nan};
  const float mixed[] = {nan, -inf, nan, -inf, nan}, zeros[] = {-0.0f, 0.0f, -0.0f, 0.0f, 1.0f};
  run_small(least, 5, 3, (const int32_t[]){0, 1, 2});
  run_small(none, 5, 3, (const int32_t[]){0, 1, 2});
  run_small(mixed, 5, 3, (const int32_t[]){0, 1, 3});
  run_small(zeros, 5, 3, (const int32_t[]){0, 1, 4});
}

static void wrong_ranges(void **state) {
  (void)state;
  if (test_gpu()) test_skip("a GPU does not look at the values before it runs");
  static const int32_t starts[] = {5, -1, INT32_MIN, 301};
  for (int k = 0; k < 4; k++) {
    plan_spec spec;
    call c;
    build(&rows[0], 6, &spec, &c);
    *(int32_t *)call_row(&c, "row_start", 3) = starts[k];
    *(int32_t *)call_row(&c, "row_end", 3) = 4;
    plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
    call_place(&c, test_context(0), plan);
    const plait_status status = call_execute(&c, plan, NULL);
    CHECK(status == make_status(PLAIT_ERROR_RANGE, PLAIT_ARG_ROW_START), "start %d, end 4: %s",
          (int)starts[k], status_text(status));
    call_collect(&c, "wrong range");
    const unsigned char *out = call_const(&c, "indices")->host;
    for (size_t i = 0; i < call_const(&c, "indices")->bytes; i++)
      CHECK(out[i] == UNWRITTEN, "a wrong range: the output was written");
    call_free(&c);
    plait_plan_destroy(plan);
  }
}

// A row end past the width is clamped to it.
static void row_end_is_clamped(void **state) {
  (void)state;
  plan_spec spec;
  call c;
  topk_row row = {{"clamped", 4, 0}, .columns = 100, .k = 7, .span = LENGTHS, .fixed_length = 100};
  build(&row, 4, &spec, &c);
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  for (int64_t i = 0; i < 4; i++) *(int32_t *)call_row(&c, "row_end", i) = 101 + (int32_t)i * 1000;
  call_run(&c, test_context(0), plan, "clamped");
  for (int64_t i = 0; i < 4; i++)
    check_selection(call_row(&c, "values", i), PLAIT_DTYPE_F32, 0, 100, call_row(&c, "indices", i),
                    7, PLAIT_ORDER_ANY, "clamped", i);
  call_free(&c);
  plait_plan_destroy(plan);
}

// Case 9, addresses only: rows that lie more than 2^31 bytes and 2^31 elements apart.
static void case_9_far_rows(void **state) {
  (void)state;
  if (test_gpu() || sizeof(void *) < 8) test_skip("needs a sparse mapping of host memory");
  const int64_t stride = ((int64_t)1 << 31) + 5, columns = 3000;
  const size_t bytes = (size_t)(2 * stride + columns) * 4;
  float *values =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (values == MAP_FAILED) test_skip("no address space");
  random_state r = {9};
  for (int64_t i = 0; i < 3; i++)
    for (int64_t j = 0; j < columns; j++) values[i * stride + j] = (float)random_normal(&r);
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_TOPK);
  spec.desc.topk.max_columns = columns;
  spec.desc.topk.k = 100;
  plait_plan *best = spec_plan(test_context(0), &spec, NULL);
  for (int i = 0; usable_candidate(best, PLAIT_OP_TOPK, i); i++) {
    const char *name = usable_candidate(best, PLAIT_OP_TOPK, i);
    plait_plan *plan = spec_plan(test_context(0), &spec, name);
    int32_t indices[300];
    guard workspace;
    guard_alloc(&workspace, test_context(0), workspace_bytes(plan, op_find(PLAIT_OP_TOPK), 3), 256);
    const plait_topk_args args = {
        .struct_size = sizeof args,
        .rows = 3,
        .columns = columns,
        .values = {values, bytes},
        .values_stride = stride,
        .indices = {indices, sizeof indices},
        .workspace = {workspace.data, workspace.size},
    };
    const plait_status status = plait_topk(plan, &args, NULL);
    CHECK(status == PLAIT_OK, "%s: %s", name, status_text(status));
    for (int64_t row = 0; row < 3; row++)
      check_selection(values + row * stride, PLAIT_DTYPE_F32, 0, columns, indices + row * 100, 100,
                      PLAIT_ORDER_ANY, name, row);
    guard_free(&workspace);
    plait_plan_destroy(plan);
  }
  plait_plan_destroy(best);
  munmap(values, bytes);
}

// Case 24: launches back to back.
static void case_24_soak(void **state) {
  (void)state;
  if (!test_long()) test_skip("soak: meson test --setup=long --suite long");
  plan_spec spec;
  call c;
  topk_row row = {{"case 24", 4, 0}, .columns = 9000, .k = 512, .span = RANGES};
  build(&row, 4, &spec, &c);
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  call_place(&c, test_context(0), plan);
  for (int i = 0; i < 100000; i++) {
    const plait_status status = call_execute(&c, plan, NULL);
    CHECK(status == PLAIT_OK, "launch %d: %s", i, status_text(status));
  }
  CHECK(plait_stream_synchronize(test_context(0), NULL) == PLAIT_OK, "synchronize");
  call_collect(&c, "case 24");
  verify(&row, &spec, &c, "case 24");
  call_free(&c);
  plait_plan_destroy(plan);
}

static const struct CMUnitTest extras[] = {
    cmocka_unit_test(case_13_distinct_indices),
    cmocka_unit_test(wrong_ranges),
    cmocka_unit_test(row_end_is_clamped),
    cmocka_unit_test(case_9_far_rows),
    cmocka_unit_test(case_24_soak),
};

int main(void) {
  const op_suite suite = {PLAIT_OP_TOPK,
                          0,
                          rows,
                          sizeof *rows,
                          sizeof rows / sizeof *rows,
                          build,
                          verify,
                          extras,
                          sizeof extras / sizeof *extras};
  return suite_main(&suite);
}
