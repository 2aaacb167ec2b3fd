// SPDX-License-Identifier: MIT
// Golden vectors made by other implementations. Tolerances: mixes 3e-6 absolute (they are f32),
// layer_input and residual_out one bf16 ulp plus 1e-6 of the summed absolute terms, bytes and index
// lists exact, logits 1e-6 of the absolute terms.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/indexer_case.h"
#include "../common/mhc_case.h"
#include "../common/npy.h"
#include "../common/number.h"
#include "../common/topk_case.h"

#define BF16 PLAIT_DTYPE_BF16

static const char *folder_of(const char *name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", VECTORS_DIR, name);
  return path;
}

static npy load(const char *name, const char *array) {
  npy a;
  CHECK(npy_load(&a, folder_of(name), array), "%s/%s.npy cannot be read", name, array);
  return a;
}

// Gives a slot the contents of an array, as `rows` rows.
static void give(call *c, const char *slot, const char *name, const char *array, int64_t rows) {
  npy a = load(name, array);
  memcpy(call_tensor(c, slot, rows, a.count / rows, a.element, 0), a.data,
         (size_t)a.count * a.element);
  npy_free(&a);
}

typedef void (*vector_body)(const char *name, plait_plan *plan, const plan_spec *spec,
                            const char *label);

// `body` with a plan for every implementation of `op`.
static void each(const char *name, int32_t op, const plan_spec *spec, vector_body body) {
  plait_plan *best = spec_plan(test_context(0), spec, NULL);
  int found = 0;
  for (; usable_candidate(best, op, found); found++) {
    const char *implementation = usable_candidate(best, op, found);
    char label[160];
    snprintf(label, sizeof label, "%s: %s [%s]", name, plait_op_name(op), implementation);
    plait_plan *plan = spec_plan(test_context(0), spec, implementation);
    body(name, plan, spec, label);
    plait_plan_destroy(plan);
  }
  plait_plan_destroy(best);
  CHECK(found > 0, "%s: no implementation of %s", name, plait_op_name(op));
}

static void expect_floats(const call *c, const char *slot, const char *name, const char *array,
                          const char *label) {
  npy a = load(name, array);
  const float *expected = a.data, *got = (const float *)(const void *)call_const(c, slot)->host;
  for (int64_t i = 0; i < a.count; i++)
    CHECK(fabs((double)got[i] - (double)expected[i]) <= 3e-6, "%s: %s[%lld] is %.9g, not %.9g",
          label, slot, (long long)i, (double)got[i], (double)expected[i]);
  npy_free(&a);
}

// `terms` gives the summed absolute terms of element (token, index).
static void expect_bf16(const call *c, const char *slot, const char *name, const char *array,
                        const double *terms, const char *label) {
  npy a = load(name, array);
  for (int64_t i = 0; i < a.count; i++) {
    const double expected = load_element(a.data, BF16, i);
    const double got = load_element(call_const(c, slot)->host, BF16, i);
    CHECK(fabs(got - expected) <= ulp(expected, BF16) + 1e-6 * terms[i],
          "%s: %s[%lld] is %.9g, not %.9g", label, slot, (long long)i, got, expected);
  }
  npy_free(&a);
}

// sum_i |p_i| |v_i| for every token and element; p about 1.
static double *collapse_terms(const call *c, const char *slot, const plait_mhc_plan_desc *d) {
  const int64_t tokens = call_get64(c, "tokens"), n = d->hc_mult, h = d->hidden;
  double *terms = calloc((size_t)(tokens * h), sizeof *terms);
  for (int64_t t = 0; t < tokens; t++)
    for (int64_t i = 0; i < n * h; i++)
      terms[t * h + i % h] += fabs(load_element(call_row(c, slot, t), BF16, i));
  return terms;
}

static void pre(const char *name, plait_plan *plan, const plan_spec *spec, const char *label) {
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  const int64_t n = d->hc_mult, tokens = (int64_t)case_number(folder_of(name), "tokens", 0);
  call c;
  call_init(&c, PLAIT_OP_MHC_PRE);
  call_set64(&c, "tokens", tokens);
  give(&c, "residual", name, "residual", tokens);
  give(&c, "fn", name, "fn", 1);
  give(&c, "base", name, "base", 1);
  give(&c, "scale", name, "scale", 1);
  call_tensor(&c, "pre_mix", tokens, n, 4, 0);
  call_tensor(&c, "post_mix", tokens, n, 4, 0);
  call_tensor(&c, "comb_mix", tokens, n * n, 4, 0);
  call_tensor(&c, "layer_input", tokens, d->hidden, 2, 0);
  call_run(&c, test_context(0), plan, label);
  double *terms = collapse_terms(&c, "residual", d);
  expect_floats(&c, "pre_mix", name, "mixes_pre", label);
  expect_floats(&c, "post_mix", name, "post_mix", label);
  expect_floats(&c, "comb_mix", name, "comb_mix", label);
  expect_bf16(&c, "layer_input", name, "layer_input", terms, label);
  free(terms);
  call_free(&c);
}

// The absolute terms of post; comb and post are about 1 at most 2.
static double *post_terms(const call *c, const plait_mhc_plan_desc *d) {
  const int64_t tokens = call_get64(c, "tokens"), n = d->hc_mult, h = d->hidden;
  double *terms = calloc((size_t)(tokens * n * h), sizeof *terms);
  for (int64_t t = 0; t < tokens; t++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t e = 0; e < h; e++) {
        double sum = fabs((double)((float *)call_row(c, "post_mix", t))[j] *
                          load_element(call_row(c, "x", t), BF16, e));
        for (int64_t i = 0; i < n; i++)
          sum += fabs((double)((float *)call_row(c, "comb_mix", t))[i * n + j] *
                      load_element(call_row(c, "residual", t), BF16, i * h + e));
        terms[(t * n + j) * h + e] = sum;
      }
  return terms;
}

static void give_post(call *c, const char *name, const plait_mhc_plan_desc *d, int64_t tokens) {
  static const char *const inputs[] = {"x", "residual", "post_mix", "comb_mix"};
  call_set64(c, "tokens", tokens);
  for (int i = 0; i < 4; i++) give(c, inputs[i], name, inputs[i], tokens);
  call_tensor(c, "residual_out", tokens, d->hc_mult * d->hidden, 2, 0);
}

static void post(const char *name, plait_plan *plan, const plan_spec *spec, const char *label) {
  call c;
  call_init(&c, PLAIT_OP_MHC_POST);
  give_post(&c, name, &spec->desc.mhc, (int64_t)case_number(folder_of(name), "tokens", 0));
  call_run(&c, test_context(0), plan, label);
  double *terms = post_terms(&c, &spec->desc.mhc);
  expect_bf16(&c, "residual_out", name, "residual_out", terms, label);
  free(terms);
  call_free(&c);
}

static void post_pre(const char *name, plait_plan *plan, const plan_spec *spec, const char *label) {
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  const int64_t n = d->hc_mult, tokens = (int64_t)case_number(folder_of(name), "tokens", 0);
  call c;
  call_init(&c, PLAIT_OP_MHC_POST_PRE);
  give_post(&c, name, d, tokens);
  give(&c, "fn", name, "next_fn", 1);
  give(&c, "base", name, "base", 1);
  give(&c, "scale", name, "scale", 1);
  call_tensor(&c, "next_post_mix", tokens, n, 4, 0);
  call_tensor(&c, "next_comb_mix", tokens, n * n, 4, 0);
  call_tensor(&c, "layer_input", tokens, d->hidden, 2, 0);
  call_run(&c, test_context(0), plan, label);
  double *terms = post_terms(&c, d);
  expect_bf16(&c, "residual_out", name, "residual_out", terms, label);
  free(terms);
  // A residual off by an ulp moves what follows by more than the rounding of an f32 reference.
  npy golden = load(name, "residual_out");
  const int same = memcmp(golden.data, call_const(&c, "residual_out")->host,
                          call_const(&c, "residual_out")->bytes) == 0;
  npy_free(&golden);
  if (same) {
    expect_floats(&c, "next_post_mix", name, "next_post_mix", label);
    expect_floats(&c, "next_comb_mix", name, "next_comb_mix", label);
  }
  terms = collapse_terms(&c, "residual_out", d);
  // Where a residual differs by its last bit, so may the sums over it.
  for (int64_t i = 0; i < tokens * d->hidden && !same; i++) terms[i] *= 8000;
  expect_bf16(&c, "layer_input", name, "next_layer_input", terms, label);
  free(terms);
  call_free(&c);
}

static void head(const char *name, plait_plan *plan, const plan_spec *spec, const char *label) {
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  const int64_t tokens = (int64_t)case_number(folder_of(name), "tokens", 0);
  call c;
  call_init(&c, PLAIT_OP_MHC_HEAD);
  call_set64(&c, "tokens", tokens);
  give(&c, "residual", name, "residual", tokens);
  give(&c, "fn", name, "head_fn", 1);
  give(&c, "base", name, "head_base", 1);
  give(&c, "scale", name, "head_scale", 1);
  call_tensor(&c, "out", tokens, d->hidden, 2, 0);
  call_run(&c, test_context(0), plan, label);
  double *terms = collapse_terms(&c, "residual", d);
  expect_bf16(&c, "out", name, "head_out", terms, label);
  free(terms);
  call_free(&c);
}

static void mhc(void **state) {
  const char *name = *state, *folder = folder_of(name);
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_MHC);
  plait_mhc_plan_desc *d = &spec.desc.mhc;
  d->hidden = (int64_t)case_number(folder, "hidden", 0);
  d->hc_mult = (int32_t)case_number(folder, "hc_mult", 0);
  d->sinkhorn_iters = (int32_t)case_number(folder, "sinkhorn_iters", 0);
  d->post_mult = (float)case_number(folder, "post_mult", 0);
  d->rms_eps = (float)case_number(folder, "rms_eps", 0);
  d->pre_eps = (float)case_number(folder, "pre_eps", 0);
  d->sinkhorn_eps = (float)case_number(folder, "sinkhorn_eps", 0);
  each(name, PLAIT_OP_MHC_PRE, &spec, pre);
  each(name, PLAIT_OP_MHC_POST, &spec, post);
  each(name, PLAIT_OP_MHC_POST_PRE, &spec, post_pre);
  each(name, PLAIT_OP_MHC_HEAD, &spec, head);
}

static void write_k(const char *name, plait_plan *plan, const plan_spec *spec, const char *label) {
  (void)spec;
  npy k = load(name, "k"), cache = load(name, "cache");
  call c;
  call_init(&c, PLAIT_OP_WRITE_K);
  call_set64(&c, "tokens", k.dim[0]);
  give(&c, "k", name, "k", k.dim[0]);
  give(&c, "slot_mapping", name, "slot_mapping", k.dim[0]);
  memset(call_tensor(&c, "cache", 1, cache.count, 1, 0), 0xAB, (size_t)cache.count);
  call_find(&c, "cache")->align = 4;
  call_run(&c, test_context(0), plan, label);
  CHECK(memcmp(call_const(&c, "cache")->host, cache.data, (size_t)cache.count) == 0,
        "%s: the cache's bytes differ", label);
  call_free(&c);
  npy_free(&k);
  npy_free(&cache);
}

static void k_cache(void **state) {
  const char *name = *state, *folder = folder_of(name);
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_INDEXER);
  plait_indexer_plan_desc *d = &spec.desc.indexer;
  d->head_dim = (int32_t)case_number(folder, "head_dim", 0);
  d->page_entries = (int32_t)case_number(folder, "page_size", 0);
  d->format = case_has(folder, "fp8", "e4m3fnuz") ? FNUZ : FN;
  d->rope_mode = PLAIT_ROPE_NONE;
  each(name, PLAIT_OP_WRITE_K, &spec, write_k);
}

// A query row of one head and weight 1: quantise only.
static void quantize_fp4(const char *name, plait_plan *plan, const plan_spec *spec,
                         const char *label) {
  (void)spec;
  npy x = load(name, "x"), packed = load(name, "packed"), scales = load(name, "scale_bytes");
  const int64_t rows = x.dim[0];
  call c;
  call_init(&c, PLAIT_OP_QUANTIZE_Q);
  call_set64(&c, "tokens", rows);
  give(&c, "q", name, "x", rows);
  call_tensor(&c, "weights", rows, 1, 4, 0);
  call_tensor(&c, "q_values", rows, packed.dim[1], 1, 0);
  call_tensor(&c, "q_scale", rows, scales.dim[1], 1, 0);
  call_tensor(&c, "weights_out", rows, 1, 4, 0);
  call_run(&c, test_context(0), plan, label);
  CHECK(memcmp(call_const(&c, "q_values")->host, packed.data, (size_t)packed.count) == 0,
        "%s: values differ", label);
  CHECK(memcmp(call_const(&c, "q_scale")->host, scales.data, (size_t)scales.count) == 0,
        "%s: scales differ", label);
  call_free(&c);
  npy_free(&x);
  npy_free(&packed);
  npy_free(&scales);
}

static void fp4(void **state) {
  const char *name = *state;
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_INDEXER);
  spec.desc.indexer.head_dim = (int32_t)case_number(folder_of(name), "head_dim", 0);
  spec.desc.indexer.heads = 1;
  spec.desc.indexer.format = MXFP4;
  spec.desc.indexer.rope_mode = PLAIT_ROPE_NONE;
  each(name, PLAIT_OP_QUANTIZE_Q, &spec, quantize_fp4);
}

// Against the float64 evaluation that was stored as f32.
static void expect_logit(const npy *golden, int64_t row, int64_t column, double got,
                         const logit_size *size, const char *label) {
  const double expected = (double)((const float *)golden->data)[row * golden->dim[1] + column];
  CHECK(fabs(got - expected) <= logit_tolerance(size, label) + ulp(expected, PLAIT_DTYPE_F32),
        "%s: [%lld,%lld] is %.9g, not %.9g", label, (long long)row, (long long)column, got,
        expected);
}

static void ragged(const char *name, plait_plan *plan, const plan_spec *spec, const char *label) {
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  npy golden = load(name, "logits_fp64");
  const int64_t rows = golden.dim[0], keys = golden.dim[1];
  call c;
  call_init(&c, PLAIT_OP_LOGITS_RAGGED);
  call_set64(&c, "rows", rows);
  call_set64(&c, "keys", keys);
  give(&c, "q_values", name, "q", rows);
  give(&c, "weights", name, "weights", rows);
  give(&c, "k_values", name, "k", keys);
  give(&c, "k_scale", name, "k_scale", keys);
  give(&c, "row_start", name, "row_start", rows);
  give(&c, "row_end", name, "row_end", rows);
  call_tensor(&c, "logits", rows, keys, 4, 0);
  call_run(&c, test_context(0), plan, label);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t s = *(int32_t *)call_row(&c, "row_start", i);
         s < *(int32_t *)call_row(&c, "row_end", i); s++) {
      logit_size size;
      oracle_logit(d, &c, i, call_row(&c, "k_values", s), call_row(&c, "k_scale", s), &size);
      expect_logit(&golden, i, s, (double)((float *)call_row(&c, "logits", i))[s], &size, label);
    }
  call_free(&c);
  npy_free(&golden);
}

static void paged(const char *name, plait_plan *plan, const plan_spec *spec, const char *label) {
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  npy golden = load(name, "logits_fp64"), table = load(name, "block_table");
  const int64_t rows = golden.dim[0], columns = golden.dim[1], requests = table.dim[0];
  call c;
  call_init(&c, PLAIT_OP_LOGITS_PAGED);
  call_set64(&c, "requests", requests);
  call_set64(&c, "columns", columns);
  c.size_rows = rows;
  give(&c, "q_values", name, "q", rows);
  give(&c, "weights", name, "weights", rows);
  give(&c, "cache", name, "cache", 1);
  call_find(&c, "cache")->align = 4;
  give(&c, "block_table", name, "block_table", requests);
  call_set64(&c, "block_table_columns", table.dim[1]);
  give(&c, "lengths", name, "context_lens", rows);
  call_tensor(&c, "logits", rows, columns, 4, 0);
  call_run(&c, test_context(0), plan, label);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t s = 0; s < *(int32_t *)call_row(&c, "lengths", i); s++) {
      uint8_t values[PLAIT_INDEXER_MAX_HEAD_DIM];
      int64_t entry;
      logit_size size;
      const uint8_t *page = paged_key(&c, d, i / d->next_n, s, &entry);
      CHECK(page, "%s: a golden key outside the pool", label);
      for (int64_t b = 0; b < d->head_dim; b++) values[b] = page[value_offset(d, entry, b)];
      oracle_logit(d, &c, i, values, page + scale_offset(d, entry), &size);
      expect_logit(&golden, i, s, (double)((float *)call_row(&c, "logits", i))[s], &size, label);
    }
  call_free(&c);
  npy_free(&golden);
  npy_free(&table);
}

static void logits(void **state) {
  const char *name = *state, *folder = folder_of(name);
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_INDEXER);
  plait_indexer_plan_desc *d = &spec.desc.indexer;
  d->heads = (int32_t)case_number(folder, "heads", 0);
  d->head_dim = (int32_t)case_number(folder, "head_dim", 0);
  d->page_entries = (int32_t)case_number(folder, "page_size", 64);
  d->next_n = (int32_t)case_number(folder, "next_n", 1);
  d->rope_mode = PLAIT_ROPE_NONE;
  if (case_has(folder, "kind", "mqa_logits"))
    each(name, PLAIT_OP_LOGITS_RAGGED, &spec, ragged);
  else
    each(name, PLAIT_OP_LOGITS_PAGED, &spec, paged);
}

static void select_k(const char *name, plait_plan *plan, const plan_spec *spec, const char *label) {
  npy golden = load(name, "indices");
  const int64_t rows = golden.dim[0], k = golden.dim[1];
  call c;
  call_init(&c, PLAIT_OP_TOPK);
  call_set64(&c, "rows", rows);
  call_set64(&c, "columns", spec->desc.topk.max_columns);
  give(&c, "values", name, "logits", rows);
  give(&c, "row_start", name, "row_start", rows);
  give(&c, "row_end", name, "row_end", rows);
  call_tensor(&c, "indices", rows, k, 4, 0);
  call_run(&c, test_context(0), plan, label);
  CHECK(memcmp(call_const(&c, "indices")->host, golden.data, (size_t)golden.count * 4) == 0,
        "%s: the index lists differ", label);
  call_free(&c);
  npy_free(&golden);
}

static void topk(void **state) {
  const char *name = *state, *folder = folder_of(name);
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_TOPK);
  spec.desc.topk.max_columns = (int64_t)case_number(folder, "cols", 0);
  spec.desc.topk.k = (int64_t)case_number(folder, "k", 0);
  spec.desc.topk.order = PLAIT_ORDER_DESCENDING;
  each(name, PLAIT_OP_TOPK, &spec, select_k);
}

#define VECTOR(name, function) \
  { name, function, NULL, NULL, (void *)(uintptr_t)name }

static const struct CMUnitTest tests[] = {
    VECTOR("mhc_n2_h512", mhc),
    VECTOR("mhc_n4_h1280_odd_constants", mhc),
    VECTOR("mhc_n4_h256", mhc),
    VECTOR("mhc_n4_h360_not_multiple_of_256", mhc),
    VECTOR("mhc_n4_h4096_flash", mhc),
    VECTOR("mhc_n4_h512_zero_row_eps1e-20", mhc),
    VECTOR("mhc_n8_h128", mhc),
    VECTOR("kcache_e4m3fn_p64", k_cache),
    VECTOR("kcache_e4m3fnuz_p16", k_cache),
    VECTOR("mxfp4_32", fp4),
    VECTOR("logits_m16_n192_h64_ragged", logits),
    VECTOR("logits_m24_n128_h32_causal", logits),
    VECTOR("paged_b2_n2_h32", logits),
    VECTOR("paged_b3_n1_h64", logits),
    VECTOR("topk_r4_l1500_k700_inf", topk),
    VECTOR("topk_r6_l2500_k300_ties", topk),
    VECTOR("topk_r6_l3000_k512", topk),
};

int main(void) {
  test_require_backend();
  const int failed = cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
  test_contexts_destroy();
  return failed ? 1 : 0;
}
