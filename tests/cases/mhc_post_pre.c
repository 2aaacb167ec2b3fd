// SPDX-License-Identifier: MIT
#include <string.h>

#include "../common/mhc_case.h"
#include "../common/number.h"

#define F32 PLAIT_DTYPE_F32
#define F16 PLAIT_DTYPE_F16
#define BF16 PLAIT_DTYPE_BF16
#define NORM PLAIT_MHC_NORM_LAYER_INPUT
#define DELAYED PLAIT_MHC_COLLAPSE_DELAYED

static const mhc_row rows[] = {
    {{"the usual small shape", 5, 0}, .hidden = 320, .options = MHC_X2},
    {{"case 78: hidden 4096", 2, ROW_AGAIN}, .hidden = 4096},
    {{"case 78: hidden 7168", 2, ROW_AGAIN}, .hidden = 7168},
    {{"case 78: hidden 1280", 3, 0}, .hidden = 1280},
    {{"case 78: hidden 360", 3, 0}, .hidden = 360},
    {{"case 78: hidden 8", 20, 0}, .hidden = 8},
    {{"case 78: hidden 1", 20, 0}, .hidden = 1},
    {{"case 78: one stream", 3, 0}, .hidden = 100, .n = 1},
    {{"case 78: two streams", 3, 0}, .hidden = 100, .n = 2},
    {{"case 78: three streams", 3, 0}, .hidden = 100, .n = 3},
    {{"case 78: eight streams", 3, 0}, .hidden = 100, .n = 8},
    {{"case 78: asymmetric comb", 3, 0}, .hidden = 100, .options = MHC_ASYMMETRIC},
    {{"case 78: comb NULL", 3, 0}, .hidden = 100, .options = MHC_NO_COMB},
    {{"case 78: norm folded in", 3, 0}, .hidden = 100, .norm = NORM, .options = MHC_X2},
    {{"case 78: delayed", 3, 0}, .hidden = 100, .collapse = DELAYED},
    {{"case 78: delayed, first layer, norm", 3, 0},
     .hidden = 100,
     .collapse = DELAYED,
     .norm = NORM,
     .options = MHC_NO_PREV},
    {{"case 78: broadcast", 3, 0}, .hidden = 100, .options = MHC_BROADCAST},
    {{"case 78: pre_mix not asked for", 3, 0}, .hidden = 100, .options = MHC_NO_PRE_MIX},
    {{"case 78: f32, f16 fn", 3, 0}, .hidden = 333, .dtype = F32, .fn_dtype = F16},
    {{"case 78: f16, bf16 fn", 3, 0}, .hidden = 333, .dtype = F16, .fn_dtype = BF16},
    {{"case 78: 8192 tokens", 8192, 0}, .hidden = 8},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const mhc_row *row = at;
  random_state r = {row->hidden * 41 + row->n};
  mhc_spec(row, spec);
  call_init(c, PLAIT_OP_MHC_POST_PRE);
  call_set64(c, "tokens", count);
  mhc_fill_residual(row, count, spec, c, &r);
  CALL_ARGS(c, plait_mhc_post_pre_args)->broadcast = row->options & MHC_BROADCAST ? 1 : 0;
  mhc_fill_post(row, count, spec, c, &r);
  mhc_fill_pre(row, count, spec, c, &r);
}

// The slots of `from` that `to` has too, under the name it has there.
static void take(call *to, const call *from, const char *slot, const char *source) {
  const tensor *t = call_const(from, source);
  if (!t->present) return;
  memcpy(call_tensor(to, slot, t->rows, t->row, t->element, 0), t->host, t->bytes);
}

static void expect_bits(const call *a, const char *slot, const call *b, const char *other,
                        const char *label) {
  const tensor *x = call_const(a, slot), *y = call_const(b, other);
  if (!x->present) return;
  CHECK(memcmp(x->host, y->host, x->bytes) == 0, "%s: %s differs from the separate calls'", label,
        slot);
}

// What the fused call returned against plait_mhc_post() then plait_mhc_pre(), by every other
// candidate of the fused call's name.
static void verify_unfused(const mhc_row *row, const plan_spec *spec, const call *c,
                           const char *label) {
  const int64_t count = row->head.count;
  char name[64];
  const char *open = strrchr(label, '[');
  snprintf(name, sizeof name, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
  plait_plan *plan = spec_plan(test_context(0), spec, name);
  call post, pre;
  call_init(&post, PLAIT_OP_MHC_POST);
  call_init(&pre, PLAIT_OP_MHC_PRE);
  call_set64(&post, "tokens", count);
  call_set64(&pre, "tokens", count);
  CALL_ARGS(&post, plait_mhc_post_args)->broadcast =
      CALL_ARGS(c, const plait_mhc_post_pre_args)->broadcast;
  static const char *const inputs[] = {"x", "x2", "residual", "post_mix", "comb_mix"};
  for (int i = 0; i < 5; i++) take(&post, c, inputs[i], inputs[i]);
  take(&post, c, "residual_out", "residual_out");
  call_run(&post, test_context(0), plan, label);
  expect_bits(c, "residual_out", &post, "residual_out", label);

  static const char *const weights[] = {"fn",       "base",    "scale",      "norm_weight",
                                        "prev_pre", "pre_mix", "layer_input"};
  take(&pre, &post, "residual", "residual_out");
  for (int i = 0; i < 7; i++) take(&pre, c, weights[i], weights[i]);
  take(&pre, c, "post_mix", "next_post_mix");
  take(&pre, c, "comb_mix", "next_comb_mix");
  call_run(&pre, test_context(0), plan, label);
  expect_bits(c, "next_post_mix", &pre, "post_mix", label);
  expect_bits(c, "next_comb_mix", &pre, "comb_mix", label);
  expect_bits(c, "pre_mix", &pre, "pre_mix", label);
  expect_bits(c, "layer_input", &pre, "layer_input", label);
  call_free(&post);
  call_free(&pre);
  plait_plan_destroy(plan);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const mhc_row *row = at;
  mhc_verify_post(&spec->desc.mhc, c, (row->options & MHC_BROADCAST) != 0, label);
  mhc_verify_pre(row, &spec->desc.mhc, c, "residual_out", 0, "next_post_mix", "next_comb_mix",
                 label);
  verify_unfused(row, spec, c, label);
}

int main(void) {
  const op_suite suite = {PLAIT_OP_MHC_POST_PRE,
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
