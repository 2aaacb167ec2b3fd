// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "../common/indexer_case.h"
#include "../common/number.h"

#define BF16 PLAIT_DTYPE_BF16

static const indexer_row rows[] = {
    {{"the usual small shape", 6, 0}, .keys = 90},
    {{"64 heads", 4, ROW_AGAIN}, .heads = 64, .keys = 300},
    {{"32 heads, fill", 6, 0}, .heads = 32, .keys = 300, .options = INDEXER_FILL},
    {{"one head", 6, 0}, .heads = 1, .keys = 300},
    {{"17 heads", 6, 0}, .heads = 17, .keys = 131},
    {{"head_dim 32", 6, 0}, .heads = 8, .head_dim = 32, .keys = 131},
    {{"head_dim 96", 6, 0}, .heads = 8, .head_dim = 96, .keys = 131},
    {{"head_dim 256", 6, 0}, .heads = 8, .head_dim = 256, .keys = 131},
    {{"e4m3fnuz", 6, 0}, .heads = 8, .format = FNUZ, .keys = 131, .options = INDEXER_FILL},
    {{"mxfp4", 6, 0}, .heads = 8, .format = MXFP4, .keys = 131},
    {{"mxfp4, head_dim 160, fill", 6, 0},
     .heads = 5,
     .head_dim = 160,
     .format = MXFP4,
     .keys = 131,
     .options = INDEXER_FILL},
    {{"bf16 logits", 6, 0}, .heads = 32, .logits_dtype = BF16, .keys = 131},
    {{"bf16 logits, fill", 6, 0},
     .heads = 8,
     .logits_dtype = BF16,
     .keys = 131,
     .options = INDEXER_FILL},
    {{"case 33: three packed requests", 12, 0},
     .heads = 2,
     .keys = 6000,
     .options = INDEXER_PACKED},
    {{"case 35: all rows empty", 9, 0}, .keys = 50, .options = INDEXER_EMPTY},
    {{"case 35: all rows empty, fill", 9, 0}, .keys = 50, .options = INDEXER_EMPTY | INDEXER_FILL},
    {{"one key", 6, 0}, .keys = 1},
    {{"2100 keys", 5, ROW_AGAIN}, .heads = 16, .keys = 2100},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const indexer_row *row = at;
  random_state r = {103};
  indexer_spec(row, spec);
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  call_init(c, PLAIT_OP_LOGITS_RAGGED);
  call_set64(c, "rows", count);
  fill_queries(c, d, count, &r);
  fill_ragged(row, c, d, count, &r);
  CALL_ARGS(c, plait_indexer_logits_ragged_args)->fill = (row->options & INDEXER_FILL) != 0;
  call_tensor(c, "logits", count, row->keys, dtype_size(d->logits_dtype), 0);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const indexer_row *row = at;
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  for (int64_t i = 0; i < call_get64(c, "rows"); i++) {
    const int64_t start = *(int32_t *)call_row(c, "row_start", i);
    const int64_t end = *(int32_t *)call_row(c, "row_end", i);
    for (int64_t s = 0; s < row->keys; s++) {
      const void *logits = call_row(c, "logits", i);
      const double got = load_element(logits, d->logits_dtype, s);
      if (s < start || s >= end) {
        uint8_t untouched[4];
        memset(untouched, UNWRITTEN, 4);
        const size_t element = dtype_size(d->logits_dtype);
        if (row->options & INDEXER_FILL)
          CHECK(got == -(double)INFINITY, "%s: [%lld,%lld] outside is %g", label, (long long)i,
                (long long)s, got);
        else
          CHECK(memcmp((const uint8_t *)logits + (size_t)s * element, untouched, element) == 0,
                "%s: [%lld,%lld] outside was written", label, (long long)i, (long long)s);
        continue;
      }
      logit_size size;
      const double expected =
          oracle_logit(d, c, i, call_row(c, "k_values", s), call_row(c, "k_scale", s), &size);
      double tolerance = logit_tolerance(&size, label);
      if (d->logits_dtype == BF16) tolerance += 0.5 * ulp(expected, BF16) * 1.0001;
      CHECK(fabs(got - expected) <= tolerance, "%s: [%lld,%lld] is %.9g, not %.9g (size %.3g)",
            label, (long long)i, (long long)s, got, expected, size.all);
    }
  }
}

static void wrong_ranges(void **state) {
  (void)state;
  if (test_gpu()) test_skip("a GPU does not look at the values before it runs");
  static const int32_t starts[] = {5, -1, INT32_MIN};
  for (int k = 0; k < 3; k++) {
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
    for (size_t i = 0; i < call_const(&c, "logits")->bytes; i++)
      CHECK(call_const(&c, "logits")->host[i] == UNWRITTEN, "a wrong range: logits were written");
    call_free(&c);
    plait_plan_destroy(plan);
  }
}

// Case 39: keys outside every range hold NaN; the logits of the others do not change.
static void case_39_poisoned_keys(void **state) {
  (void)state;
  plan_spec spec;
  call clean, poisoned;
  build(&rows[0], 6, &spec, &clean);
  build(&rows[0], 6, &spec, &poisoned);
  for (int i = 0; i < 2; i++)
    for (int64_t t = 0; t < 6; t++) {
      call *c = i ? &poisoned : &clean;
      *(int32_t *)call_row(c, "row_start", t) = 20 + (int32_t)t;
      *(int32_t *)call_row(c, "row_end", t) = 70 - (int32_t)t;
    }
  for (int64_t s = 0; s < 90; s++) {
    if (s >= 20 && s < 70) continue;
    memset(call_row(&poisoned, "k_values", s), 0x7F, 128);
    *(float *)call_row(&poisoned, "k_scale", s) = s % 2 ? (float)NAN : (float)INFINITY;
  }
  plait_plan *best = spec_plan(test_context(0), &spec, NULL);
  for (int i = 0; usable_candidate(best, PLAIT_OP_LOGITS_RAGGED, i); i++) {
    const char *name = usable_candidate(best, PLAIT_OP_LOGITS_RAGGED, i);
    plait_plan *plan = spec_plan(test_context(0), &spec, name);
    call_run(&clean, test_context(0), plan, name);
    call_run(&poisoned, test_context(0), plan, name);
    call_same(&clean, 0, &poisoned, "case 39");
    plait_plan_destroy(plan);
  }
  plait_plan_destroy(best);
  call_free(&clean);
  call_free(&poisoned);
}

static const struct CMUnitTest extras[] = {cmocka_unit_test(wrong_ranges),
                                           cmocka_unit_test(case_39_poisoned_keys)};

int main(void) {
  const op_suite suite = {PLAIT_OP_LOGITS_RAGGED,
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
