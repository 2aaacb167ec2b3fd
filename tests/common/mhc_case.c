// SPDX-License-Identifier: MIT
#include "mhc_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

void mhc_spec(const mhc_row *row, plan_spec *spec) {
  spec_init(spec, PLAIT_PLAN_MHC);
  plait_mhc_plan_desc *d = &spec->desc.mhc;
  d->hidden = row->hidden;
  if (row->n) d->hc_mult = row->n;
  if (row->dtype) d->dtype = row->dtype;
  if (row->fn_dtype) d->fn_dtype = row->fn_dtype;
  if (row->norm_dtype) d->norm_weight_dtype = row->norm_dtype;
  if (row->iters) d->sinkhorn_iters = row->iters;
  if (row->rms_eps > 0) d->rms_eps = row->rms_eps;
  if (row->post_mult != 0) d->post_mult = row->post_mult;
  if (row->options & MHC_ZERO_EPS) d->pre_eps = d->sinkhorn_eps = 0;
  d->norm = row->norm;
  d->collapse = row->collapse;
}

static void fill(call *c, const char *slot, int64_t rows, int64_t row, int32_t dtype, double scale,
                 random_state *r) {
  void *data = call_tensor(c, slot, rows, row, dtype_size(dtype), 0);
  for (int64_t i = 0; i < rows * row; i++) store_element(data, dtype, i, scale * random_normal(r));
}

void mhc_fill_floats(call *c, const char *slot, int64_t rows, int64_t row, double scale,
                     random_state *r) {
  fill(c, slot, rows, row, PLAIT_DTYPE_F32, scale, r);
}

static double or_one(double value) { return value > 0 ? value : 1; }

void mhc_fill_residual(const mhc_row *row, int64_t count, const plan_spec *spec, call *c,
                       random_state *r) {
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  const int64_t length = row->options & MHC_BROADCAST ? d->hidden : d->hc_mult * d->hidden;
  fill(c, "residual", count, length, d->dtype, 1.5 * or_one(row->residual_scale), r);
  if (row->options & MHC_ZERO_ROW && count > 1)
    memset(call_row(c, "residual", 1), 0, (size_t)length * dtype_size(d->dtype));
}

void mhc_fill_post(const mhc_row *row, int64_t count, const plan_spec *spec, call *c,
                   random_state *r) {
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  const int64_t n = d->hc_mult;
  fill(c, "x", count, d->hidden, d->dtype, 1, r);
  if (row->options & MHC_X2) fill(c, "x2", count, d->hidden, d->dtype, 1, r);
  mhc_fill_floats(c, "post_mix", count, n, 0.7, r);
  if (!(row->options & MHC_NO_COMB)) {
    mhc_fill_floats(c, "comb_mix", count, n * n, 0.4, r);
    if (row->options & MHC_ASYMMETRIC)
      for (int64_t t = 0; t < count; t++)
        for (int64_t i = 0; i < n; i++)
          for (int64_t j = 0; j < n; j++)
            ((float *)call_row(c, "comb_mix", t))[i * n + j] = i < j ? 0.9f : -0.1f;
  }
  call_tensor(c, "residual_out", count, n * d->hidden, dtype_size(d->dtype), 0);
}

void mhc_fill_fn(const mhc_row *row, int64_t rows, const plan_spec *spec, call *c,
                 random_state *r) {
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  const int64_t length = d->hc_mult * d->hidden;
  fill(c, "fn", 1, rows * length, d->fn_dtype, 1.3 / sqrt((double)length) * or_one(row->fn_scale),
       r);
}

void mhc_fill_pre(const mhc_row *row, int64_t count, const plan_spec *spec, call *c,
                  random_state *r) {
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  const int64_t n = d->hc_mult, m = n * (n + 2);
  const int post_pre = c->type->op == PLAIT_OP_MHC_POST_PRE;
  mhc_fill_fn(row, m, spec, c, r);
  mhc_fill_floats(c, "base", 1, m, 0.9, r);
  float *scale = call_tensor(c, "scale", 1, 3, 4, 0);
  for (int i = 0; i < 3; i++) scale[i] = (float)(0.4 + random_uniform(r));
  if (d->norm & PLAIT_MHC_NORM_LAYER_INPUT)
    fill(c, "norm_weight", 1, d->hidden, d->norm_weight_dtype, 1, r);
  if (d->collapse == PLAIT_MHC_COLLAPSE_DELAYED && !(row->options & MHC_NO_PREV))
    mhc_fill_floats(c, "prev_pre", count, n, 0.5, r);
  if (!(row->options & MHC_NO_PRE_MIX)) call_tensor(c, "pre_mix", count, n, 4, 0);
  call_tensor(c, post_pre ? "next_post_mix" : "post_mix", count, n, 4, 0);
  call_tensor(c, post_pre ? "next_comb_mix" : "comb_mix", count, n * n, 4, 0);
  call_tensor(c, "layer_input", count, d->hidden, dtype_size(d->dtype), 0);
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

void mhc_oracle_sinkhorn(const plait_mhc_plan_desc *d, double *comb) {
  const int n = d->hc_mult;
  const double eps = (double)d->sinkhorn_eps;
  for (int i = 0; i < n; i++) {
    double most = -INFINITY, sum = 0;
    for (int j = 0; j < n; j++) most = fmax(most, comb[i * n + j]);
    for (int j = 0; j < n; j++) sum += comb[i * n + j] = exp(comb[i * n + j] - most);
    for (int j = 0; j < n; j++) comb[i * n + j] = comb[i * n + j] / sum + eps;
  }
  for (int step = 0; step < 2 * d->sinkhorn_iters - 1; step++) {
    const int columns = step % 2 == 0;
    for (int a = 0; a < n; a++) {
      double sum = 0;
      for (int b = 0; b < n; b++) sum += comb[columns ? b * n + a : a * n + b];
      for (int b = 0; b < n; b++) comb[columns ? b * n + a : a * n + b] /= sum + eps;
    }
  }
}

void mhc_oracle_mixes(const plait_mhc_plan_desc *d, int64_t rows, const double *v, const double *fn,
                      const float *base, const float *scale, mhc_mixes *mixes) {
  const int64_t n = d->hc_mult, length = n * d->hidden;
  double squares = 0;
  for (int64_t e = 0; e < length; e++) squares += v[e] * v[e];
  const double g = 1 / sqrt(squares / (double)length + (double)d->rms_eps);
  for (int64_t row = 0; row < rows; row++) {
    double dot = 0;
    for (int64_t e = 0; e < length; e++) dot += fn[row * length + e] * v[e];
    const double m = dot * g;
    const double at = (double)base[row];
    if (row < n)
      mixes->pre[row] = sigmoid(m * (double)scale[0] + at) + (double)d->pre_eps;
    else if (row < 2 * n)
      mixes->post[row - n] = (double)d->post_mult * sigmoid(m * (double)scale[1] + at);
    else
      mixes->comb[row - 2 * n] = m * (double)scale[2] + at;
  }
  if (rows > n) mhc_oracle_sinkhorn(d, mixes->comb);
}

double *load_doubles(const void *data, int32_t dtype, int64_t count) {
  double *values = malloc((size_t)count * sizeof *values + 1);
  for (int64_t i = 0; i < count; i++) values[i] = load_element(data, dtype, i);
  return values;
}

double *mhc_load_residual(const plait_mhc_plan_desc *d, const call *c, const char *slot,
                          int64_t token, int broadcast) {
  const int64_t n = d->hc_mult, h = d->hidden;
  double *v = malloc((size_t)(n * h) * sizeof *v);
  for (int64_t i = 0; i < n; i++)
    for (int64_t e = 0; e < h; e++)
      v[i * h + e] = load_element(call_row(c, slot, token), d->dtype, broadcast ? e : i * h + e);
  return v;
}

void mhc_verify_post(const plait_mhc_plan_desc *d, const call *c, int broadcast,
                     const char *label) {
  const int64_t n = d->hc_mult, h = d->hidden;
  const int x2 = call_const(c, "x2")->present, comb = call_const(c, "comb_mix")->present;
  const int64_t count = call_get64(c, "tokens");
  for (int64_t t = 0; t < count; t++) {
    double *v = mhc_load_residual(d, c, "residual", t, broadcast);
    const float *post_mix = call_row(c, "post_mix", t);
    const float *comb_mix = comb ? call_row(c, "comb_mix", t) : NULL;
    const void *out = call_row(c, "residual_out", t);
    for (int64_t j = 0; j < n; j++)
      for (int64_t e = 0; e < h; e++) {
        double x = load_element(call_row(c, "x", t), d->dtype, e);
        double size = fabs((double)post_mix[j] * x);
        if (x2) {
          const double second = load_element(call_row(c, "x2", t), d->dtype, e);
          size += fabs((double)post_mix[j] * second);
          x += second;
        }
        double sum = (double)post_mix[j] * x;
        for (int64_t i = 0; i < n; i++) {
          const double factor = comb ? (double)comb_mix[i * n + j] : i == j;
          sum += factor * v[i * h + e];
          size += fabs(factor * v[i * h + e]);
        }
        const double got = load_element(out, d->dtype, j * h + e);
        CHECK(fabs(got - sum) <= ulp(sum, d->dtype) + 1e-6 * size,
              "%s: residual_out[%lld,%lld,%lld] is %.9g, not %.9g", label, (long long)t,
              (long long)j, (long long)e, got, sum);
      }
    free(v);
  }
}

void mhc_verify_collapse(const plait_mhc_plan_desc *d, const double *p, const double *v,
                         const void *norm_weight, const void *out, int64_t token,
                         const char *label) {
  const int64_t n = d->hc_mult, h = d->hidden;
  double *y = malloc((size_t)h * sizeof *y), *slack = malloc((size_t)h * sizeof *slack);
  double squares = 0;
  for (int64_t e = 0; e < h; e++) {
    double sum = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
      sum += p[i] * v[i * h + e];
      size += fabs(p[i] * v[i * h + e]);
    }
    y[e] = sum;
    slack[e] = ulp(sum, d->dtype) + 1e-6 * size;
    squares += sum * sum;
  }
  const double factor = 1 / sqrt(squares / (double)h + (double)d->norm_eps);
  for (int64_t e = 0; e < h; e++) {
    double expected = y[e], tolerance = slack[e];
    if (norm_weight) {
      // The norm sees the rounded y: its rounding is part of the tolerance.
      const double w = load_element(norm_weight, d->norm_weight_dtype, e);
      expected = y[e] * factor * w;
      tolerance = slack[e] * factor * fabs(w) + ulp(expected, d->dtype) +
                  fabs(expected) * (d->dtype == PLAIT_DTYPE_F32 ? 2e-6 : 2e-3);
    }
    const double got = load_element(out, d->dtype, e);
    CHECK(fabs(got - expected) <= tolerance, "%s: output [%lld,%lld] is %.9g, not %.9g", label,
          (long long)token, (long long)e, got, expected);
  }
  free(y);
  free(slack);
}

static void verify_mix(const float *got, const double *expected, int64_t count, double tolerance,
                       int64_t token, const char *what, const char *label) {
  for (int64_t i = 0; i < count; i++)
    CHECK(fabs((double)got[i] - expected[i]) <= tolerance,
          "%s: %s[%lld,%lld] is %.9g, not %.9g (off by %.3g)", label, what, (long long)token,
          (long long)i, (double)got[i], expected[i], (double)got[i] - expected[i]);
}

void mhc_verify_pre(const mhc_row *row, const plait_mhc_plan_desc *d, const call *c,
                    const char *residual, int broadcast, const char *post, const char *comb,
                    const char *label) {
  const int64_t n = d->hc_mult, m = n * (n + 2), count = call_get64(c, "tokens");
  const double tolerance = row->mix_tolerance > 0 ? row->mix_tolerance : 2e-6;
  double *fn = load_doubles(call_const(c, "fn")->host, d->fn_dtype, m * n * d->hidden);
  const float *base = (const float *)(const void *)call_const(c, "base")->host;
  const float *scale = (const float *)(const void *)call_const(c, "scale")->host;
  const void *weight =
      call_const(c, "norm_weight")->present ? call_const(c, "norm_weight")->host : NULL;
  for (int64_t t = 0; t < count; t++) {
    mhc_mixes mixes;
    double *v = mhc_load_residual(d, c, residual, t, broadcast), p[PLAIT_MHC_MAX_STREAMS] = {1};
    mhc_oracle_mixes(d, m, v, fn, base, scale, &mixes);
    verify_mix(call_row(c, post, t), mixes.post, n, tolerance, t, post, label);
    verify_mix(call_row(c, comb, t), mixes.comb, n * n, tolerance, t, comb, label);
    const int given = call_const(c, "pre_mix")->present;
    if (given) verify_mix(call_row(c, "pre_mix", t), mixes.pre, n, tolerance, t, "pre_mix", label);
    // The collapse is held to the mixes that the call itself returned: stage by stage.
    if (d->collapse == PLAIT_MHC_COLLAPSE_CURRENT) {
      for (int64_t i = 0; i < n; i++)
        p[i] = given ? (double)((const float *)call_row(c, "pre_mix", t))[i] : mixes.pre[i];
    } else if (call_const(c, "prev_pre")->present) {
      for (int64_t i = 0; i < n; i++) p[i] = (double)((const float *)call_row(c, "prev_pre", t))[i];
    }
    mhc_verify_collapse(d, p, v, weight, call_row(c, "layer_input", t), t, label);
    free(v);
  }
  free(fn);
}
