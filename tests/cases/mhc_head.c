// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "../common/mhc_case.h"
#include "../common/number.h"

#define F32 PLAIT_DTYPE_F32
#define F16 PLAIT_DTYPE_F16
#define BF16 PLAIT_DTYPE_BF16
#define NORM PLAIT_MHC_NORM_HEAD
#define DELAYED PLAIT_MHC_COLLAPSE_DELAYED

static const mhc_row rows[] = {
    {{"the usual small shape", 5, 0}, .hidden = 320},
    {{"case 71: hidden 4096", 3, 0}, .hidden = 4096},
    {{"case 71: hidden 7168", 2, 0}, .hidden = 7168},
    {{"case 71: hidden 360", 5, 0}, .hidden = 360},
    {{"case 71: hidden 8", 9, 0}, .hidden = 8},
    {{"case 71: hidden 1", 9, 0}, .hidden = 1},
    {{"case 75: one stream", 4, 0}, .hidden = 190, .n = 1},
    {{"case 75: three streams", 4, 0}, .hidden = 190, .n = 3},
    {{"case 75: eight streams", 4, 0}, .hidden = 190, .n = 8},
    {{"f32, bf16 fn", 3, 0}, .hidden = 500, .dtype = F32, .fn_dtype = BF16},
    {{"f16, f16 fn", 3, 0}, .hidden = 500, .dtype = F16, .fn_dtype = F16},
    {{"norm folded in", 3, 0}, .hidden = 320, .norm = NORM},
    {{"norm folded in, hidden 7", 3, 0}, .hidden = 7, .norm = NORM, .norm_dtype = F32},
    {{"delayed", 3, 0}, .hidden = 320, .collapse = DELAYED},
    {{"delayed, first layer", 3, 0}, .hidden = 320, .collapse = DELAYED, .options = MHC_NO_PREV},
    {{"delayed, norm", 3, 0}, .hidden = 320, .collapse = DELAYED, .norm = NORM},
    {{"case 76: rms_eps 1e-20, a zero row", 3, 0},
     .hidden = 512,
     .rms_eps = 1e-20f,
     .options = MHC_ZERO_ROW},
    {{"case 74: 8192 tokens", 8192, 0}, .hidden = 8},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const mhc_row *row = at;
  random_state r = {row->hidden * 43 + row->n};
  mhc_spec(row, spec);
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  call_init(c, PLAIT_OP_MHC_HEAD);
  call_set64(c, "tokens", count);
  mhc_fill_residual(row, count, spec, c, &r);
  if (d->collapse == DELAYED) {
    if (!(row->options & MHC_NO_PREV)) mhc_fill_floats(c, "prev_pre", count, d->hc_mult, 0.5, &r);
  } else {
    mhc_fill_fn(row, d->hc_mult, spec, c, &r);
    mhc_fill_floats(c, "base", 1, d->hc_mult, 0.9, &r);
    *(float *)call_tensor(c, "scale", 1, 1, 4, 0) = 0.8f;
  }
  if (d->norm) {
    void *weight = call_tensor(c, "norm_weight", 1, d->hidden, dtype_size(d->norm_weight_dtype), 0);
    for (int64_t e = 0; e < d->hidden; e++)
      store_element(weight, d->norm_weight_dtype, e, random_normal(&r));
  }
  call_tensor(c, "out", count, d->hidden, dtype_size(d->dtype), 0);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  (void)at;
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  const int64_t n = d->hc_mult;
  const int delayed = d->collapse == DELAYED, given = call_const(c, "prev_pre")->present;
  double *fn =
      delayed ? NULL : load_doubles(call_const(c, "fn")->host, d->fn_dtype, n * n * d->hidden);
  for (int64_t t = 0; t < call_get64(c, "tokens"); t++) {
    mhc_mixes mixes = {.pre = {1}};
    double *v = mhc_load_residual(d, c, "residual", t, 0);
    if (!delayed)
      mhc_oracle_mixes(d, n, v, fn, (const float *)(const void *)call_const(c, "base")->host,
                       (const float *)(const void *)call_const(c, "scale")->host, &mixes);
    for (int64_t i = 0; i < n && given; i++)
      mixes.pre[i] = (double)((const float *)call_row(c, "prev_pre", t))[i];
    mhc_verify_collapse(d, mixes.pre, v, d->norm ? call_const(c, "norm_weight")->host : NULL,
                        call_row(c, "out", t), t, label);
    free(v);
  }
  free(fn);
}

int main(void) {
  const op_suite suite = {
      PLAIT_OP_MHC_HEAD, 0, rows, sizeof *rows, sizeof rows / sizeof *rows, build, verify, NULL, 0};
  return suite_main(&suite);
}
