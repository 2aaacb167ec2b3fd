// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/mhc_case.h"
#include "../common/number.h"

#define F32 PLAIT_DTYPE_F32
#define F16 PLAIT_DTYPE_F16
#define BF16 PLAIT_DTYPE_BF16
#define NORM PLAIT_MHC_NORM_LAYER_INPUT
#define DELAYED PLAIT_MHC_COLLAPSE_DELAYED

static const mhc_row rows[] = {
    {{"the usual small shape", 5, 0}, .hidden = 320},
    {{"case 71: hidden 4096", 3, ROW_AGAIN}, .hidden = 4096},
    {{"case 71: hidden 7168", 2, ROW_AGAIN}, .hidden = 7168},
    {{"case 71: hidden 6144", 2, 0}, .hidden = 6144},
    {{"case 71: hidden 5120", 2, 0}, .hidden = 5120},
    {{"case 71: hidden 2560", 2, 0}, .hidden = 2560},
    {{"case 71: hidden 1280", 3, 0}, .hidden = 1280},
    {{"case 71: hidden 360", 5, 0}, .hidden = 360},
    {{"case 71: hidden 8", 9, 0}, .hidden = 8},
    {{"case 71: hidden 1", 9, 0}, .hidden = 1},
    {{"case 71: hidden 333, odd", 4, 0}, .hidden = 333},
    {{"case 75: one stream", 4, 0}, .hidden = 192, .n = 1},
    {{"case 75: two streams", 4, 0}, .hidden = 192, .n = 2},
    {{"case 75: three streams", 4, 0}, .hidden = 192, .n = 3},
    {{"case 75: eight streams", 4, 0}, .hidden = 192, .n = 8},
    {{"case 75: seven streams, hidden 5", 4, 0}, .hidden = 5, .n = 7},
    {{"f32 residual", 3, 0}, .hidden = 512, .dtype = F32},
    {{"f16 residual", 3, 0}, .hidden = 512, .dtype = F16},
    {{"bf16 fn", 3, 0}, .hidden = 512, .fn_dtype = BF16},
    {{"f16 fn, f32 residual", 3, 0}, .hidden = 96, .dtype = F32, .fn_dtype = F16},
    {{"f16 everywhere, n 3, hidden 50", 3, 0}, .hidden = 50, .n = 3, .dtype = F16, .fn_dtype = F16},
    {{"case 76: one iteration", 4, 0}, .hidden = 128, .iters = 1},
    {{"case 76: two iterations", 4, 0}, .hidden = 128, .iters = 2},
    {{"case 76: 1000 iterations", 2, 0}, .hidden = 128, .iters = 1000},
    {{"case 76: eps 0", 4, 0}, .hidden = 128, .options = MHC_ZERO_EPS},
    {{"case 76: eps 0, one iteration", 4, 0}, .hidden = 128, .iters = 1, .options = MHC_ZERO_EPS},
    {{"case 76: rms_eps 1e-20, a zero row", 3, 0},
     .hidden = 512,
     .rms_eps = 1e-20f,
     .options = MHC_ZERO_ROW},
    {{"post_mult 1.25", 3, 0}, .hidden = 64, .post_mult = 1.25f},
    {{"post_mult -3", 3, 0}, .hidden = 64, .post_mult = -3, .mix_tolerance = 3e-6},
    {{"case 13b: residuals of 3e4", 3, 0}, .hidden = 256, .residual_scale = 2e4},
    {{"case 13b: residuals of 1e-30", 3, 0}, .hidden = 256, .residual_scale = 1e-30},
    {{"case 13b: fn of 1e3, saturated gates", 3, 0},
     .hidden = 256,
     .fn_scale = 1e3,
     .mix_tolerance = 2e-3},
    {{"norm folded in", 3, 0}, .hidden = 320, .norm = NORM},
    {{"norm folded in, hidden 7, f32 weight", 6, 0}, .hidden = 7, .norm = NORM, .norm_dtype = F32},
    {{"norm folded in, f32, f16 weight", 3, 0},
     .hidden = 1000,
     .dtype = F32,
     .norm = NORM,
     .norm_dtype = F16},
    {{"delayed", 4, 0}, .hidden = 320, .collapse = DELAYED},
    {{"delayed, first layer", 4, 0}, .hidden = 320, .collapse = DELAYED, .options = MHC_NO_PREV},
    {{"delayed, norm folded in", 4, 0}, .hidden = 320, .collapse = DELAYED, .norm = NORM},
    {{"broadcast", 4, 0}, .hidden = 320, .options = MHC_BROADCAST},
    {{"broadcast, delayed, first layer, norm", 4, 0},
     .hidden = 41,
     .n = 3,
     .collapse = DELAYED,
     .norm = NORM,
     .options = MHC_BROADCAST | MHC_NO_PREV},
    {{"pre_mix not asked for", 4, 0}, .hidden = 320, .options = MHC_NO_PRE_MIX},
    {{"case 74: 8192 tokens", 8192, 0}, .hidden = 8},
    {{"case 74: 32768 tokens", 32768, ROW_LONG}, .hidden = 64},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const mhc_row *row = at;
  random_state r = {row->hidden * 31 + row->n};
  mhc_spec(row, spec);
  call_init(c, PLAIT_OP_MHC_PRE);
  call_set64(c, "tokens", count);
  mhc_fill_residual(row, count, spec, c, &r);
  CALL_ARGS(c, plait_mhc_pre_args)->broadcast = row->options & MHC_BROADCAST ? 1 : 0;
  mhc_fill_pre(row, count, spec, c, &r);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const mhc_row *row = at;
  mhc_verify_pre(row, &spec->desc.mhc, c, "residual", (row->options & MHC_BROADCAST) != 0,
                 "post_mix", "comb_mix", label);
}

// The first row on another description: outputs of one run by the named implementation.
static void run_variant(const mhc_row *row, int64_t count, const char *implementation, call *c,
                        plan_spec *spec) {
  build(row, count, spec, c);
  plait_plan *plan = spec_plan(test_context(0), spec, implementation);
  call_run(c, test_context(0), plan, row->head.name);
  plait_plan_destroy(plan);
}

static const char *candidate(int index) {
  static char name[64];
  plan_spec spec;
  mhc_spec(&rows[0], &spec);
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  const char *found = usable_candidate(plan, PLAIT_OP_MHC_PRE, index);
  if (found) snprintf(name, sizeof name, "%s", found);
  plait_plan_destroy(plan);
  return found ? name : NULL;
}

// z of a plan without the norm, normed here, is the output of the plan with it.
static void norm_is_the_separate_one(void **state) {
  (void)state;
  static const int64_t widths[] = {1, 7, 320, 1280};
  for (int k = 0; k < 4; k++)
    for (int i = 0; candidate(i); i++) {
      const char *name = candidate(i);
      mhc_row row = {{"folded norm", 6, 0}, .hidden = widths[k]};
      plan_spec spec;
      call plain, folded;
      run_variant(&row, 6, name, &plain, &spec);
      row.norm = NORM;
      run_variant(&row, 6, name, &folded, &spec);
      const int64_t h = widths[k];
      for (int64_t t = 0; t < 6; t++) {
        double squares = 0;
        const void *z = call_row(&plain, "layer_input", t);
        for (int64_t e = 0; e < h; e++) squares += pow(load_element(z, BF16, e), 2);
        const double g = 1 / sqrt(squares / (double)h + 1e-6);
        for (int64_t e = 0; e < h; e++) {
          const double w = load_element(call_const(&folded, "norm_weight")->host, BF16, e);
          const double expected = load_element(z, BF16, e) * g * w;
          const double got = load_element(call_row(&folded, "layer_input", t), BF16, e);
          // Half an ulp is the rounding; the rest covers f32 evaluation.
          CHECK(fabs(got - expected) <= 0.5 * ulp(expected, BF16) + 1e-6 * fabs(expected),
                "%s: hidden %lld: [%lld,%lld] is %.9g, not %.9g", name, (long long)h, (long long)t,
                (long long)e, got, expected);
        }
        CHECK(memcmp(call_row(&plain, "comb_mix", t), call_row(&folded, "comb_mix", t), 64) == 0,
              "%s: the norm changed comb_mix", name);
      }
      call_free(&plain);
      call_free(&folded);
    }
}

// The delayed form with the current pre given is the current form.
static void delayed_equals_current(void **state) {
  (void)state;
  for (int i = 0; candidate(i); i++) {
    mhc_row row = rows[0];
    plan_spec spec;
    call current, delayed;
    run_variant(&row, 5, candidate(i), &current, &spec);
    row.collapse = DELAYED;
    row.options = MHC_NO_PREV;  // the same random numbers as `current`
    build(&row, 5, &spec, &delayed);
    memcpy(call_tensor(&delayed, "prev_pre", 5, 4, 4, 0), call_const(&current, "pre_mix")->host,
           5 * 4 * 4);
    plait_plan *plan = spec_plan(test_context(0), &spec, candidate(i));
    call_run(&delayed, test_context(0), plan, "delayed");
    call_same(&current, 0, &delayed, "delayed form with the current pre");
    plait_plan_destroy(plan);
    call_free(&current);
    call_free(&delayed);
  }
}

// [T, H] stands for n equal streams.
static void broadcast_equals_copies(void **state) {
  (void)state;
  for (int i = 0; candidate(i); i++) {
    mhc_row row = rows[0];
    plan_spec spec;
    call narrow, wide;
    row.options = MHC_BROADCAST;
    run_variant(&row, 5, candidate(i), &narrow, &spec);
    call_restride(&wide, &narrow, 0, 0);
    CALL_ARGS(&wide, plait_mhc_pre_args)->broadcast = 0;
    const size_t bytes = (size_t)row.hidden * 2;
    call_tensor(&wide, "residual", 5, 4 * row.hidden, 2, 0);
    for (int64_t t = 0; t < 5; t++)
      for (size_t s = 0; s < 4; s++)
        memcpy((unsigned char *)call_row(&wide, "residual", t) + s * bytes,
               call_row(&narrow, "residual", t), bytes);
    plait_plan *plan = spec_plan(test_context(0), &spec, candidate(i));
    call_run(&wide, test_context(0), plan, "broadcast");
    call_same(&narrow, 0, &wide, "broadcast against copies");
    plait_plan_destroy(plan);
    call_free(&narrow);
    call_free(&wide);
  }
}

static void nan_stays_in_its_token(void **state) {
  (void)state;
  static const double poisons[] = {NAN, INFINITY};
  for (int k = 0; k < 2; k++)
    for (int i = 0; candidate(i); i++) {
      mhc_row row = {{"case 14b: a NaN token among 1000", 1000, 0}, .hidden = 64};
      plan_spec spec;
      call clean, poisoned;
      run_variant(&row, 1000, candidate(i), &clean, &spec);
      build(&row, 1000, &spec, &poisoned);
      store_element(call_row(&poisoned, "residual", 617), BF16, 77, poisons[k]);
      plait_plan *plan = spec_plan(test_context(0), &spec, candidate(i));
      call_run(&poisoned, test_context(0), plan, row.head.name);
      plait_plan_destroy(plan);
      for (int64_t t = 0; t < 1000; t++) {
        if (t == 617) continue;
        call part;
        call_slice(&part, &poisoned, t, 1);
        call_same(&clean, t, &part, row.head.name);
        call_free(&part);
      }
      const float *comb = call_row(&poisoned, "comb_mix", 617);
      CHECK(isnan(comb[0]), "%s: the poisoned token's comb is %g", candidate(i), (double)comb[0]);
      call_free(&clean);
      call_free(&poisoned);
    }
}

// One [T, M] record that holds pre, post and comb.
static void one_record(void **state) {
  (void)state;
  for (int i = 0; candidate(i); i++) {
    plan_spec spec;
    call c, apart;
    run_variant(&rows[0], 5, candidate(i), &apart, &spec);
    build(&rows[0], 5, &spec, &c);
    plait_plan *plan = spec_plan(test_context(0), &spec, candidate(i));
    call_place(&c, test_context(0), plan);
    guard record;
    guard_alloc(&record, test_context(0), 5 * 24 * 4, 4);
    plait_mhc_pre_args *a = CALL_ARGS(&c, plait_mhc_pre_args);
    a->pre_mix = (plait_buffer){record.data, record.size};
    a->post_mix = (plait_buffer){record.data + 16, record.size - 16};
    a->comb_mix = (plait_buffer){record.data + 32, record.size - 32};
    a->pre_mix_stride = a->post_mix_stride = a->comb_mix_stride = 24;
    const plait_status status = call_execute(&c, plan, NULL);
    CHECK(status == PLAIT_OK, "one record: %s", status_text(status));
    CHECK(plait_stream_synchronize(test_context(0), NULL) == PLAIT_OK, "synchronize");
    unsigned char got[5][96];
    guard_read(&record, got);
    CHECK(guard_check(&record) == 0, "one record: canary");
    for (int64_t t = 0; t < 5; t++) {
      CHECK(memcmp(got[t], call_row(&apart, "pre_mix", t), 16) == 0, "pre_mix in the record");
      CHECK(memcmp(got[t] + 16, call_row(&apart, "post_mix", t), 16) == 0, "post_mix");
      CHECK(memcmp(got[t] + 32, call_row(&apart, "comb_mix", t), 64) == 0, "comb_mix");
    }
    guard_free(&record);
    plait_plan_destroy(plan);
    call_free(&c);
    call_free(&apart);
  }
}

static const struct CMUnitTest extras[] = {
    cmocka_unit_test(norm_is_the_separate_one),
    cmocka_unit_test(delayed_equals_current),
    cmocka_unit_test(broadcast_equals_copies),
    cmocka_unit_test(nan_stays_in_its_token),
    cmocka_unit_test(one_record),
};

int main(void) {
  const op_suite suite = {PLAIT_OP_MHC_PRE,
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
