// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "../common/mhc_case.h"
#include "../common/number.h"

#define F32 PLAIT_DTYPE_F32
#define F16 PLAIT_DTYPE_F16

static const mhc_row rows[] = {
    {{"the usual small shape", 5, 0}, .hidden = 320, .options = MHC_X2},
    {{"case 68: asymmetric comb", 7, 0}, .hidden = 96, .options = MHC_ASYMMETRIC},
    {{"case 80: comb NULL", 5, 0}, .hidden = 96, .options = MHC_NO_COMB},
    {{"case 80: comb NULL, x2", 5, 0}, .hidden = 96, .options = MHC_NO_COMB | MHC_X2},
    {{"case 71: hidden 4096", 3, ROW_AGAIN}, .hidden = 4096},
    {{"case 71: hidden 7168", 2, ROW_AGAIN}, .hidden = 7168},
    {{"case 71: hidden 5120", 2, 0}, .hidden = 5120},
    {{"case 71: hidden 6144", 2, 0}, .hidden = 6144},
    {{"case 71: hidden 2560", 2, 0}, .hidden = 2560},
    {{"case 71: hidden 1280", 2, 0}, .hidden = 1280},
    {{"case 71: hidden 360", 5, 0}, .hidden = 360},
    {{"case 71: hidden 8", 9, 0}, .hidden = 8},
    {{"case 71: hidden 1", 9, 0}, .hidden = 1},
    {{"case 75: one stream", 4, 0}, .hidden = 200, .n = 1},
    {{"case 75: two streams", 4, 0}, .hidden = 200, .n = 2},
    {{"case 75: three streams, x2", 4, 0}, .hidden = 200, .n = 3, .options = MHC_X2},
    {{"case 75: eight streams, asymmetric", 4, 0},
     .hidden = 200,
     .n = 8,
     .options = MHC_ASYMMETRIC},
    {{"f32", 3, 0}, .hidden = 333, .dtype = F32, .options = MHC_X2},
    {{"f16", 3, 0}, .hidden = 333, .dtype = F16, .options = MHC_X2},
    {{"case 13b: residuals of 1e4", 3, 0}, .hidden = 100, .residual_scale = 1e4},
    {{"case 13b: residuals of 1e-30", 3, 0}, .hidden = 100, .residual_scale = 1e-30},
    {{"broadcast", 4, 0}, .hidden = 100, .options = MHC_BROADCAST},
    {{"broadcast, comb NULL", 4, 0}, .hidden = 100, .options = MHC_BROADCAST | MHC_NO_COMB},
    {{"case 74: 8192 tokens", 8192, 0}, .hidden = 8},
    {{"case 74: 32768 tokens", 32768, ROW_LONG}, .hidden = 64},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const mhc_row *row = at;
  random_state r = {row->hidden * 37 + row->n};
  mhc_spec(row, spec);
  call_init(c, PLAIT_OP_MHC_POST);
  call_set64(c, "tokens", count);
  mhc_fill_residual(row, count, spec, c, &r);
  CALL_ARGS(c, plait_mhc_post_args)->broadcast = row->options & MHC_BROADCAST ? 1 : 0;
  mhc_fill_post(row, count, spec, c, &r);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const mhc_row *row = at;
  mhc_verify_post(&spec->desc.mhc, c, (row->options & MHC_BROADCAST) != 0, label);
}

static void nan_stays_in_its_token(void **state) {
  (void)state;
  plan_spec spec;
  call clean, poisoned;
  build(&rows[0], 50, &spec, &clean);
  build(&rows[0], 50, &spec, &poisoned);
  store_element(call_row(&poisoned, "x", 20), PLAIT_DTYPE_BF16, 3, (double)NAN);
  ((float *)call_row(&poisoned, "post_mix", 30))[1] = (float)INFINITY;
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  call_run(&clean, test_context(0), plan, "clean");
  call_run(&poisoned, test_context(0), plan, "poisoned");
  plait_plan_destroy(plan);
  for (int64_t t = 0; t < 50; t++) {
    call part;
    if (t == 20 || t == 30) continue;
    call_slice(&part, &poisoned, t, 1);
    call_same(&clean, t, &part, "case 14b");
    call_free(&part);
  }
  CHECK(isnan(load_element(call_row(&poisoned, "residual_out", 20), PLAIT_DTYPE_BF16, 3)),
        "the NaN got lost");
  call_free(&clean);
  call_free(&poisoned);
}

static const struct CMUnitTest extras[] = {cmocka_unit_test(nan_stays_in_its_token)};

int main(void) {
  const op_suite suite = {PLAIT_OP_MHC_POST,
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
