// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "../common/indexer_case.h"
#include "../common/number.h"

#define INTERLEAVED PLAIT_ROPE_INTERLEAVED
#define HALF_SPLIT PLAIT_ROPE_HALF_SPLIT
#define LAST PLAIT_ROPE_LAST
#define BF16 PLAIT_DTYPE_BF16
#define F16 PLAIT_DTYPE_F16
#define POSITIONS 300

static const indexer_row rows[] = {
    {{"the usual small shape (V4)", 5, 0}, .rope_mode = INTERLEAVED, .rope_placement = LAST},
    {{"64 heads", 3, 0}, .heads = 64, .rope_mode = INTERLEAVED, .rope_placement = LAST},
    {{"case 58: interleaved, first 64", 4, 0}, .rope_mode = INTERLEAVED},
    {{"case 58: half-split, first 64 (V3.2)", 4, 0}, .rope_mode = HALF_SPLIT},
    {{"case 58: half-split, last 64", 4, 0}, .rope_mode = HALF_SPLIT, .rope_placement = LAST},
    {{"no rope", 4, 0}, .heads = 3},
    {{"rope over all of D", 4, 0}, .rope_mode = INTERLEAVED, .rope_dim = 128},
    {{"rope_dim 2", 4, 0}, .rope_mode = HALF_SPLIT, .rope_dim = 2, .rope_placement = LAST},
    {{"case 60: hadamard", 4, 0}, .hadamard = 1},
    {{"case 60: rope and hadamard", 4, 0},
     .hadamard = 1,
     .rope_mode = INTERLEAVED,
     .rope_placement = LAST},
    {{"e4m3fnuz", 4, 0}, .format = FNUZ, .rope_mode = INTERLEAVED},
    {{"e4m3fnuz, hadamard", 4, 0}, .format = FNUZ, .hadamard = 1},
    {{"mxfp4", 4, 0}, .format = MXFP4},
    {{"mxfp4, rope, hadamard", 4, 0}, .format = MXFP4, .rope_mode = HALF_SPLIT, .hadamard = 1},
    {{"bf16 weights", 4, 0}, .heads = 32, .weights_dtype = BF16},
    {{"f16 weights, one head", 4, 0}, .heads = 1, .weights_dtype = F16},
    {{"head_dim 32", 4, 0}, .heads = 5, .head_dim = 32, .rope_mode = INTERLEAVED, .rope_dim = 16},
    {{"head_dim 96", 4, 0},
     .heads = 5,
     .head_dim = 96,
     .rope_mode = HALF_SPLIT,
     .rope_dim = 64,
     .rope_placement = LAST},
    {{"head_dim 256, hadamard", 4, 0}, .heads = 2, .head_dim = 256, .hadamard = 1},
    {{"head_dim 160, mxfp4", 4, 0}, .heads = 3, .head_dim = 160, .format = MXFP4},
    {{"q_scale not asked for", 4, 0}, .options = INDEXER_NO_SCALE},
    {{"17 heads, 70 tokens", 70, 0}, .heads = 17, .rope_mode = INTERLEAVED},
};

// Rows of every size: ordinary, zero, tiny, huge, on rounding ties, with -0.
static void fill_rows(uint16_t *q, int64_t count, const plait_indexer_plan_desc *d,
                      random_state *r) {
  const int64_t dim = d->head_dim;
  static const double sizes[] = {1, 0, 1e-6, 1e30, 0.01, 448, 1};
  for (int64_t i = 0; i < count; i++)
    for (int64_t e = 0; e < dim; e++) {
      // The sign of a transformed zero row is nobody's: it depends on the order of additions.
      double value = random_normal(r) * (d->hadamard && i % 7 == 1 ? 1 : sizes[i % 7]);
      if (i % 7 == 6) value = (double)random_below(r, 65) / 4 - 8;  // ties, and -0 below
      if (i % 7 == 6 && value == 0) value = -0.0;
      q[i * dim + e] = float_bf16((float)value);
    }
}

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const indexer_row *row = at;
  random_state r = {71};
  indexer_spec(row, spec);
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t v = value_bytes(d);
  call_init(c, PLAIT_OP_QUANTIZE_Q);
  call_set64(c, "tokens", count);
  fill_rows(call_tensor(c, "q", count, d->heads * d->head_dim, 2, 0), count * d->heads, d, &r);
  if (d->rope_mode != PLAIT_ROPE_NONE) {
    int64_t *positions = call_tensor(c, "positions", count, 1, 8, 0);
    for (int64_t i = 0; i < count; i++) positions[i] = random_below(&r, POSITIONS);
    fill_cos_sin(c, d, POSITIONS);
  }
  void *weights = call_tensor(c, "weights", count, d->heads, dtype_size(d->weights_dtype), 0);
  for (int64_t i = 0; i < count * d->heads; i++)
    store_element(weights, d->weights_dtype, i, random_normal(&r));
  call_tensor(c, "q_values", count, d->heads * v, 1, 0);
  if (d->format == MXFP4)
    call_tensor(c, "q_scale", count, d->heads * scale_bytes(d), 1, 0);
  else if (!(row->options & INDEXER_NO_SCALE))
    call_tensor(c, "q_scale", count, d->heads, 4, 0);
  call_tensor(c, "weights_out", count, d->heads, 4, 0);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  (void)at;
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t v = value_bytes(d), s = scale_bytes(d), dim = d->head_dim;
  const float by_dim = (float)(1 / sqrt((double)dim)), by_heads = (float)(1 / sqrt(d->heads));
  for (int64_t t = 0; t < call_get64(c, "tokens"); t++)
    for (int64_t h = 0; h < d->heads; h++) {
      uint16_t row[PLAIT_INDEXER_MAX_HEAD_DIM];
      uint8_t values[PLAIT_INDEXER_MAX_HEAD_DIM], scale[8];
      const float *table = NULL;
      if (d->rope_mode != PLAIT_ROPE_NONE)
        table = call_row(c, "cos_sin", *(int64_t *)call_row(c, "positions", t));
      oracle_transform(d, (uint16_t *)call_row(c, "q", t) + h * dim, table, row);
      const float q_scale = oracle_quantize(d, row, values, scale);
      const uint8_t *got = (uint8_t *)call_row(c, "q_values", t) + h * v;
      for (int64_t b = 0; b < v; b++)
        CHECK(got[b] == values[b], "%s: q_values[%lld,%lld] byte %lld is %#x, not %#x", label,
              (long long)t, (long long)h, (long long)b, got[b], values[b]);
      if (call_const(c, "q_scale")->present)
        CHECK(memcmp((uint8_t *)call_row(c, "q_scale", t) + h * s, scale, (size_t)s) == 0,
              "%s: q_scale[%lld,%lld]", label, (long long)t, (long long)h);
      const float w = (float)load_element(call_row(c, "weights", t), d->weights_dtype, h);
      float expected = d->format == MXFP4 ? w : w * q_scale;
      expected = expected * by_dim;
      expected = expected * by_heads;
      const float out = ((float *)call_row(c, "weights_out", t))[h];
      CHECK(float_bits(out) == float_bits(expected), "%s: weights_out[%lld,%lld] is %.9g, not %.9g",
            label, (long long)t, (long long)h, (double)out, (double)expected);
    }
}

static void case_58_modes_differ(void **state) {
  (void)state;
  plan_spec spec[2];
  call c[2];
  for (int i = 0; i < 2; i++) {
    build(&rows[2 + i], 4, &spec[i], &c[i]);
    plait_plan *plan = spec_plan(test_context(0), &spec[i], NULL);
    call_run(&c[i], test_context(0), plan, "case 58");
    plait_plan_destroy(plan);
  }
  CHECK(memcmp(call_const(&c[0], "q_values")->host, call_const(&c[1], "q_values")->host,
               call_const(&c[0], "q_values")->bytes) != 0,
        "both RoPE modes gave the same bytes");
  call_free(&c[0]);
  call_free(&c[1]);
}

static void positions_outside_the_table(void **state) {
  (void)state;
  if (test_gpu()) test_skip("a GPU does not look at the values before it runs");
  static const int64_t positions[] = {-1, POSITIONS, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 4; i++) {
    plan_spec spec;
    call c;
    build(&rows[0], 5, &spec, &c);
    *(int64_t *)call_row(&c, "positions", 3) = positions[i];
    plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
    call_place(&c, test_context(0), plan);
    const plait_status status = call_execute(&c, plan, NULL);
    CHECK(status == make_status(PLAIT_ERROR_INDEX_OUT_OF_RANGE, PLAIT_ARG_POSITIONS),
          "position %lld: %s", (long long)positions[i], status_text(status));
    call_collect(&c, "position outside");
    const uint8_t *out = call_const(&c, "q_values")->host;
    for (size_t b = 0; b < call_const(&c, "q_values")->bytes; b++)
      CHECK(out[b] == UNWRITTEN, "position outside: the output was written");
    call_free(&c);
    plait_plan_destroy(plan);
  }
}

static void nan_stays_in_its_token(void **state) {
  (void)state;
  plan_spec spec;
  call clean, poisoned;
  build(&rows[0], 40, &spec, &clean);
  build(&rows[0], 40, &spec, &poisoned);
  ((uint16_t *)call_row(&poisoned, "q", 17))[5] = 0x7FC0;
  ((uint16_t *)call_row(&poisoned, "q", 18))[5] = 0x7F80;
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  call_run(&clean, test_context(0), plan, "clean");
  call_run(&poisoned, test_context(0), plan, "poisoned");
  plait_plan_destroy(plan);
  for (int64_t t = 0; t < 40; t++) {
    call part;
    if (t == 17 || t == 18) continue;
    call_slice(&part, &poisoned, t, 1);
    call_same(&clean, t, &part, "case 14b");
    call_free(&part);
  }
  call_free(&clean);
  call_free(&poisoned);
}

// The table counts as a whole: weights_out may not lie on a later row of it.
static void output_on_the_tables_last_row(void **state) {
  (void)state;
  plan_spec spec;
  call c;
  build(&rows[0], 5, &spec, &c);
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  call_place(&c, test_context(0), plan);
  plait_indexer_quantize_q_args args = *CALL_ARGS(&c, plait_indexer_quantize_q_args);
  const plait_const_buffer table = args.cos_sin;
  const size_t size = args.weights_out.size;
  assert_true(table.size >= size + 4 * 64);
  args.weights_out.data = (unsigned char *)(uintptr_t)table.data + table.size - size;
  const plait_status status = plait_indexer_quantize_q(plan, &args, NULL);
  CHECK(status == make_status(PLAIT_ERROR_OVERLAP, PLAIT_ARG_WEIGHTS_OUT), "on cos_sin: %s",
        status_text(status));
  call_collect(&c, "on cos_sin");
  call_free(&c);
  plait_plan_destroy(plan);
}

static const struct CMUnitTest extras[] = {
    cmocka_unit_test(output_on_the_tables_last_row),
    cmocka_unit_test(case_58_modes_differ),
    cmocka_unit_test(positions_outside_the_table),
    cmocka_unit_test(nan_stays_in_its_token),
};

int main(void) {
  const op_suite suite = {PLAIT_OP_QUANTIZE_Q,           0,     rows,   sizeof *rows,
                          sizeof rows / sizeof *rows,    build, verify, extras,
                          sizeof extras / sizeof *extras};
  return suite_main(&suite);
}
