// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "../common/indexer_case.h"
#include "../common/number.h"

// `format` is that of dst; the other field says what src is.
typedef struct convert_row {
  row_head head;
  int32_t to, from, head_dim;
} convert_row;

static const convert_row rows[] = {
    {{"case 63: every byte, e4m3fn to e4m3fnuz", 4, 0}, FNUZ, FN, 128},
    {{"case 63: every byte, e4m3fnuz to e4m3fn", 4, 0}, FN, FNUZ, 128},
    {{"case 63: e4m3fn to itself", 4, 0}, FN, FN, 128},
    {{"case 63: e4m3fnuz to itself", 4, 0}, FNUZ, FNUZ, 128},
    {{"head_dim 96", 200, 0}, FNUZ, FN, 96},
    {{"head_dim 32", 200, 0}, FN, FNUZ, 32},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const convert_row *row = at;
  const indexer_row like = {{"convert", 1, 0}, .format = row->to, .head_dim = row->head_dim};
  indexer_spec(&like, spec);
  call_init(c, PLAIT_OP_CONVERT_K);
  call_set64(c, "rows", count);
  CALL_ARGS(c, plait_indexer_convert_k_args)->from_format = row->from;
  uint8_t *values = call_tensor(c, "src_values", count, row->head_dim, 1, 0);
  float *scale = call_tensor(c, "src_scale", count, 1, 4, 0);
  for (int64_t i = 0; i < count * row->head_dim; i++) values[i] = (uint8_t)i;
  for (int64_t i = 0; i < count; i++) scale[i] = (float)ldexp(1 + i % 3, (int)(i % 40) - 20);
  call_tensor(c, "dst_values", count, row->head_dim, 1, 0);
  call_tensor(c, "dst_scale", count, 1, 4, 0);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const convert_row *row = at;
  (void)spec;
  for (int64_t i = 0; i < call_get64(c, "rows"); i++) {
    const double before = (double)*(float *)call_row(c, "src_scale", i);
    const double after = (double)*(float *)call_row(c, "dst_scale", i);
    for (int64_t e = 0; e < row->head_dim; e++) {
      const uint8_t from = ((uint8_t *)call_row(c, "src_values", i))[e];
      const uint8_t to = ((uint8_t *)call_row(c, "dst_values", i))[e];
      const double old = fp8_value(from, row->from) * before, now = fp8_value(to, row->to) * after;
      const int saturates =
          row->from == FNUZ && row->to == FN && fabs(fp8_value(from, FNUZ)) == 240;
      if (isnan(old))
        CHECK(isnan(now), "%s: NaN %#x became %#x", label, from, to);
      else if (saturates)
        CHECK(to == (from == 0x7F ? 0x7E : 0xFE), "%s: %#x became %#x", label, from, to);
      else
        CHECK(old == now, "%s: %#x (%.9g) became %#x (%.9g)", label, from, old, to, now);
      CHECK(row->to != FNUZ || to != 0x80 || isnan(old), "%s: %#x became -0", label, from);
      if (row->from == row->to) CHECK(from == to, "%s: %#x became %#x", label, from, to);
    }
  }
}

static void mxfp4_has_no_conversion(void **state) {
  (void)state;
  const indexer_row like = {{"mxfp4", 1, 0}, .format = MXFP4};
  plan_spec spec, fp8;
  call c;
  build(&rows[0], 4, &fp8, &c);
  indexer_spec(&like, &spec);
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  plait_status status = call_execute(&c, plan, NULL);
  CHECK(plait_status_code(status) == PLAIT_ERROR_WRONG_PLAN, "mxfp4: %s", status_text(status));
  plait_plan_destroy(plan);
  plan = spec_plan(test_context(0), &fp8, NULL);
  call_place(&c, test_context(0), plan);
  static const int32_t formats[] = {0, MXFP4, 4, -1};
  for (int i = 0; i < 4; i++) {
    CALL_ARGS(&c, plait_indexer_convert_k_args)->from_format = formats[i];
    status = call_execute(&c, plan, NULL);
    CHECK(status == make_status(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_FROM_FORMAT), "format %d: %s",
          (int)formats[i], status_text(status));
  }
  plait_plan_destroy(plan);
  call_free(&c);
}

static const struct CMUnitTest extras[] = {cmocka_unit_test(mxfp4_has_no_conversion)};

int main(void) {
  const op_suite suite = {PLAIT_OP_CONVERT_K,
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
