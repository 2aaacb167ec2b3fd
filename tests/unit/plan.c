// SPDX-License-Identifier: MIT
// Plans: descriptors, candidates, explain, sizes, lifetimes.
#include <math.h>
#include <string.h>

#include "../common/call.h"
#include "../common/env.h"

static plan_spec valid(int32_t kind) {
  plan_spec spec;
  spec_init(&spec, kind);
  if (kind == PLAIT_PLAN_MHC) spec.desc.mhc.hidden = 320;
  if (kind == PLAIT_PLAN_INDEXER) spec.desc.indexer.topk = 64;
  if (kind == PLAIT_PLAN_TOPK) {
    spec.desc.topk.max_columns = 1000;
    spec.desc.topk.k = 10;
  }
  return spec;
}

typedef struct bad_field {
  int32_t kind;
  size_t offset;
  int bytes;  // 4 or 8; 0: a float
  int64_t value;
  float number;
  int32_t code, argument;
} bad_field;

#define INVALID PLAIT_ERROR_INVALID_VALUE
#define M(field, value, arg) \
  { PLAIT_PLAN_MHC, offsetof(plait_mhc_plan_desc, field), 4, value, 0, INVALID, PLAIT_ARG_##arg }
#define M64(field, value, arg) \
  { PLAIT_PLAN_MHC, offsetof(plait_mhc_plan_desc, field), 8, value, 0, INVALID, PLAIT_ARG_##arg }
#define MF(field, number, arg) \
  { PLAIT_PLAN_MHC, offsetof(plait_mhc_plan_desc, field), 0, 0, number, INVALID, PLAIT_ARG_##arg }
#define I(field, value, arg)                                                            \
  {                                                                                     \
    PLAIT_PLAN_INDEXER, offsetof(plait_indexer_plan_desc, field), 4, value, 0, INVALID, \
        PLAIT_ARG_##arg                                                                 \
  }
#define I64(field, value, arg, code)                                                 \
  {                                                                                  \
    PLAIT_PLAN_INDEXER, offsetof(plait_indexer_plan_desc, field), 8, value, 0, code, \
        PLAIT_ARG_##arg                                                              \
  }
#define T(field, value, arg) \
  { PLAIT_PLAN_TOPK, offsetof(plait_topk_plan_desc, field), 4, value, 0, INVALID, PLAIT_ARG_##arg }
#define T64(field, value, arg) \
  { PLAIT_PLAN_TOPK, offsetof(plait_topk_plan_desc, field), 8, value, 0, INVALID, PLAIT_ARG_##arg }

static const bad_field bad_fields[] = {
    M64(hidden, 0, HIDDEN),
    M64(hidden, -1, HIDDEN),
    M64(hidden, PLAIT_MHC_MAX_HIDDEN + 1, HIDDEN),
    M64(hidden, INT64_MAX, HIDDEN),
    M(hc_mult, 0, HC_MULT),
    M(hc_mult, -4, HC_MULT),
    M(hc_mult, PLAIT_MHC_MAX_STREAMS + 1, HC_MULT),
    M(dtype, 0, DTYPE),
    M(dtype, 4, DTYPE),
    M(fn_dtype, -1, FN_DTYPE),
    M(collapse, 2, COLLAPSE),
    M(norm, 4, NORM),
    M(norm, -1, NORM),
    M(norm_weight_dtype, 9, NORM_WEIGHT_DTYPE),
    M(sinkhorn_iters, 0, SINKHORN_ITERS),
    M(sinkhorn_iters, PLAIT_MHC_MAX_SINKHORN_ITERS + 1, SINKHORN_ITERS),
    MF(rms_eps, -1e-6f, RMS_EPS),
    MF(rms_eps, (float)NAN, RMS_EPS),
    MF(pre_eps, (float)INFINITY, PRE_EPS),
    MF(sinkhorn_eps, -1, SINKHORN_EPS),
    MF(post_mult, (float)NAN, POST_MULT),
    MF(post_mult, -(float)INFINITY, POST_MULT),
    MF(norm_eps, -1, NORM_EPS),
    I(heads, 0, HEADS),
    I(heads, PLAIT_INDEXER_MAX_HEADS + 1, HEADS),
    I(head_dim, 0, HEAD_DIM),
    I(head_dim, 48, HEAD_DIM),
    I(head_dim, 288, HEAD_DIM),
    I(format, 0, FORMAT),
    I(format, 4, FORMAT),
    I(layout, 0, LAYOUT),
    I(layout, 3, LAYOUT),
    I(page_entries, 0, PAGE_ENTRIES),
    I(page_entries, PLAIT_INDEXER_MAX_PAGE_ENTRIES + 1, PAGE_ENTRIES),
    I(rope_mode, 3, ROPE_MODE),
    I(rope_mode, -1, ROPE_MODE),
    I(rope_dim, 0, ROPE_DIM),
    I(rope_dim, 63, ROPE_DIM),
    I(rope_dim, 130, ROPE_DIM),
    I(rope_placement, 2, ROPE_PLACEMENT),
    I(hadamard, 2, HADAMARD),
    I(weights_dtype, 0, WEIGHTS_DTYPE),
    I(logits_dtype, PLAIT_DTYPE_F16, LOGITS_DTYPE),
    I(next_n, 0, NEXT_N),
    I(next_n, PLAIT_INDEXER_MAX_NEXT_N + 1, NEXT_N),
    I(order, 3, ORDER),
    I64(page_stride, -8448, PAGE_STRIDE, PLAIT_ERROR_STRIDE),
    I64(page_stride, 8447, PAGE_STRIDE, PLAIT_ERROR_STRIDE),
    I64(page_stride, 8449, PAGE_STRIDE, PLAIT_ERROR_MISALIGNED),
    I64(topk, -1, TOPK, INVALID),
    I64(topk, (int64_t)1 << 31, TOPK, INVALID),
    I64(max_keys, 0, MAX_KEYS, INVALID),
    I64(max_keys, (int64_t)1 << 31, MAX_KEYS, INVALID),
    T64(max_columns, 0, MAX_COLUMNS),
    T64(max_columns, (int64_t)1 << 31, MAX_COLUMNS),
    T64(k, 0, K),
    T64(k, -1, K),
    T64(k, (int64_t)1 << 31, K),
    T(order, 3, ORDER),
    T(dtype, 7, DTYPE),
    T(page_entries, 0, PAGE_ENTRIES),
};

static void bad_descriptors(void **state) {
  (void)state;
  quiet_begin();
  for (size_t i = 0; i < sizeof bad_fields / sizeof *bad_fields; i++) {
    const bad_field *b = &bad_fields[i];
    plan_spec spec = valid(b->kind);
    char *at = (char *)&spec.desc + b->offset;
    const int32_t narrow = (int32_t)b->value;
    if (b->bytes == 8) memcpy(at, &b->value, 8);
    if (b->bytes == 4) memcpy(at, &narrow, 4);
    if (b->bytes == 0) memcpy(at, &b->number, 4);
    plait_plan *plan = (plait_plan *)&spec;
    plait_error error;
    plait_error_init(&error, sizeof error);
    const plait_status status = spec_create(test_context(0), &spec, NULL, &plan, &error);
    CHECK(status == make_status(b->code, b->argument), "row %zu: got %s, not %s", i,
          status_text(status), status_text(make_status(b->code, b->argument)));
    CHECK(!plan && error.status == status && *error.message, "row %zu: the record", i);
  }
  const long printed = quiet_end();
  assert_int_equal(printed, 0);
}

static void combinations(void **state) {
  (void)state;
  // hadamard needs a power of two; TILED needs fp8 and P a multiple of 16.
  plan_spec spec = valid(PLAIT_PLAN_INDEXER);
  plait_plan *plan;
  spec.desc.indexer.head_dim = 96;
  spec.desc.indexer.hadamard = 1;
  assert_int_not_equal(spec_create(test_context(0), &spec, NULL, &plan, NULL), PLAIT_OK);
  assert_null(plan);
  spec = valid(PLAIT_PLAN_INDEXER);
  spec.desc.indexer.layout = PLAIT_LAYOUT_TILED;
  spec.desc.indexer.page_entries = 24;
  assert_int_not_equal(spec_create(test_context(0), &spec, NULL, &plan, NULL), PLAIT_OK);
  spec.desc.indexer.page_entries = 32;
  spec.desc.indexer.format = PLAIT_FORMAT_MXFP4;
  assert_int_not_equal(spec_create(test_context(0), &spec, NULL, &plan, NULL), PLAIT_OK);
  // rope_dim is ignored without a rotation.
  spec = valid(PLAIT_PLAN_INDEXER);
  spec.desc.indexer.rope_mode = PLAIT_ROPE_NONE;
  spec.desc.indexer.rope_dim = 77;
  plait_plan_destroy(spec_plan(test_context(0), &spec, NULL));
}

static void structs(void **state) {
  (void)state;
  for (int32_t kind = PLAIT_PLAN_MHC; kind <= PLAIT_PLAN_TOPK; kind++) {
    plan_spec spec = valid(kind);
    plait_plan *plan;
    plait_error error;
    plait_error_init(&error, sizeof error);
    // struct_size is the first member of every descriptor.
    const size_t size = spec.desc.mhc.struct_size;
    plait_status status = spec_create(NULL, &spec, NULL, &plan, &error);
    CHECK(status == make_status(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_CONTEXT), "%s",
          status_text(status));
    status = spec_create(test_context(0), &spec, NULL, NULL, &error);
    CHECK(status == make_status(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_PLAN), "%s",
          status_text(status));
    spec.desc.mhc.struct_size = size - 1;
    status = spec_create(test_context(0), &spec, NULL, &plan, &error);
    CHECK(plait_status_code(status) == PLAIT_ERROR_STRUCT_SIZE, "%s", status_text(status));
    spec.desc.mhc.struct_size = 0;
    status = spec_create(test_context(0), &spec, NULL, &plan, &error);
    CHECK(plait_status_code(status) == PLAIT_ERROR_STRUCT_SIZE, "%s", status_text(status));
    plait_plan_destroy(NULL);
  }
  plait_plan *plan;
  const plait_status status = plait_mhc_plan_create(test_context(0), NULL, &plan, NULL);
  assert_int_equal(status, make_status(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_DESC));
}

static void candidates_and_explain(void **state) {
  (void)state;
  for (int32_t kind = PLAIT_PLAN_MHC; kind <= PLAIT_PLAN_TOPK; kind++) {
    plan_spec spec = valid(kind);
    plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
    assert_int_equal(plait_plan_kind(plan), kind);
    size_t needed = 0;
    char text[8192];
    assert_int_equal(plait_plan_explain(plan, text, sizeof text, &needed), PLAIT_OK);
    assert_int_equal(needed, strlen(text) + 1);
    for (int32_t op = -2; op < PLAIT_OP_COUNT + 3; op++) {
      const op_type *type = op_find(op);
      int chosen = 0;
      for (int32_t i = 0; i < 20; i++) {
        plait_candidate candidate = {.struct_size = sizeof candidate};
        const plait_status status = plait_plan_candidate(plan, op, i, &candidate);
        if (!type || type->plan_kind != kind) {
          assert_int_equal(status, make_status(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_OP));
          continue;
        }
        if (status) {
          assert_int_equal(status, make_status(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_INDEX));
          assert_true(i > 0 || test_gpu());  // a backend may lack an operation
          if (i == 0) chosen = 1;
          break;
        }
        chosen += candidate.chosen;
        if (candidate.chosen) {
          assert_int_equal(candidate.usable, 1);
          assert_string_equal(candidate.reason, "");
          char line[96];
          snprintf(line, sizeof line, "%s: %s on ", type->name, candidate.name);
          CHECK(strstr(text, line), "explain lacks '%s'", line);
        } else {
          assert_true(strlen(candidate.reason) > 0);
        }
      }
      if (type && type->plan_kind == kind) assert_int_equal(chosen, 1);
    }
    // Cut texts are cut at the size given, zero-terminated, and say so.
    for (size_t size = 0; size < 40; size++) {
      char cut[64];
      memset(cut, 'x', sizeof cut);
      size_t whole = 0;
      const plait_status status = plait_plan_explain(plan, size ? cut : NULL, size, &whole);
      assert_int_equal(plait_status_code(status), PLAIT_ERROR_BUFFER_TOO_SMALL);
      assert_int_equal(whole, needed);
      if (size) assert_int_equal(strlen(cut), size - 1);
      assert_int_equal(cut[size], 'x');
    }
    assert_int_equal(plait_plan_explain(plan, text, sizeof text, NULL), PLAIT_OK);
    plait_plan_destroy(plan);
  }
  assert_int_equal(plait_plan_kind(NULL), 0);
  assert_int_equal(plait_plan_explain(NULL, NULL, 0, NULL),
                   make_status(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_PLAN));
}

static void naming_an_implementation(void **state) {
  (void)state;
  plan_spec spec = valid(PLAIT_PLAN_MHC);
  plait_plan *plan;
  plait_error error;
  plait_error_init(&error, sizeof error);
  const plait_status status =
      spec_create(test_context(0), &spec, "no such implementation", &plan, &error);
  assert_int_equal(status, make_status(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_IMPLEMENTATION));
  assert_non_null(strstr(error.message, "no such implementation"));
  assert_null(plan);
  plait_plan_destroy(spec_plan(test_context(0), &spec, ""));
  plait_plan *best = spec_plan(test_context(0), &spec, NULL);
  plait_plan_destroy(
      spec_plan(test_context(0), &spec, usable_candidate(best, PLAIT_OP_MHC_EXPAND, 0)));
  plait_plan_destroy(best);
}

// All size_t members after the struct_size, of two results.
static void expect_monotonic(const void *small, const void *large, size_t bytes) {
  const size_t *a = small, *b = large;
  for (size_t i = 1; i < bytes / sizeof(size_t); i++)
    CHECK(a[i] <= b[i], "member %zu shrank from %zu to %zu", i, a[i], b[i]);
}

typedef union any_sizes {
  size_t struct_size;
  plait_mhc_sizes mhc;
  plait_indexer_sizes indexer;
  plait_topk_sizes topk;
} any_sizes;

static size_t sizes_bytes(int32_t kind) {
  return kind == PLAIT_PLAN_MHC       ? sizeof(plait_mhc_sizes)
         : kind == PLAIT_PLAN_INDEXER ? sizeof(plait_indexer_sizes)
                                      : sizeof(plait_topk_sizes);
}

static plait_status get_sizes(int32_t kind, const plait_plan *plan, int64_t count,
                              any_sizes *sizes) {
  switch (kind) {
    case PLAIT_PLAN_MHC: return plait_mhc_plan_sizes(plan, count, &sizes->mhc);
    case PLAIT_PLAN_INDEXER: return plait_indexer_plan_sizes(plan, count, &sizes->indexer);
    default: return plait_topk_plan_sizes(plan, count, &sizes->topk);
  }
}

static void sizes(void **state) {
  (void)state;
  static const int64_t counts[] = {
      0, 1, 2, 15, 16, 17, 64, 65, 1000, 65536, 1 << 20, 1 << 26, (int64_t)1 << 31};
  for (int32_t kind = PLAIT_PLAN_MHC; kind <= PLAIT_PLAN_TOPK; kind++) {
    plan_spec spec = valid(kind);
    plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
    const size_t bytes = sizes_bytes(kind);
    any_sizes before, now;
    memset(&before, 0, sizeof before);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      memset(&now, 0xEE, sizeof now);
      now.struct_size = bytes;
      const plait_status status = get_sizes(kind, plan, counts[i], &now);
      CHECK(status == PLAIT_OK, "%lld rows: %s", (long long)counts[i], status_text(status));
      assert_int_equal(now.struct_size, bytes);
      expect_monotonic(&before, &now, bytes);
      before = now;
    }
    // Errors leave zeros.
    static const int64_t wrong[] = {-1, INT64_MIN, INT64_MAX, (int64_t)1 << 60};
    for (int i = 0; i < 4; i++) {
      memset(&now, 0xEE, sizeof now);
      now.struct_size = bytes;
      const plait_status status = get_sizes(kind, plan, wrong[i], &now);
      CHECK(plait_status_code(status) ==
                (i < 2 ? PLAIT_ERROR_INVALID_VALUE : PLAIT_ERROR_SIZE_OVERFLOW),
            "%lld rows: %s", (long long)wrong[i], status_text(status));
      for (size_t k = 1; k < bytes / sizeof(size_t); k++) assert_int_equal(((size_t *)&now)[k], 0);
    }
    memset(&now, 0xEE, sizeof now);
    now.struct_size = bytes;
    assert_int_equal(get_sizes(kind, NULL, 1, &now),
                     make_status(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_PLAN));
    assert_int_equal(((size_t *)&now)[1], 0);
    now.struct_size = bytes - 1;
    assert_int_equal(plait_status_code(get_sizes(kind, plan, 1, &now)), PLAIT_ERROR_STRUCT_SIZE);
    const int32_t other = kind == PLAIT_PLAN_MHC ? PLAIT_PLAN_TOPK : PLAIT_PLAN_MHC;
    now.struct_size = sizes_bytes(other);
    assert_int_equal(get_sizes(other, plan, 1, &now),
                     make_status(PLAIT_ERROR_WRONG_PLAN, PLAIT_ARG_PLAN));
    plait_plan_destroy(plan);
  }
}

static void plan_outlives_its_context(void **state) {
  (void)state;
  plait_context_desc desc;
  plait_context *context;
  plait_context_desc_init(&desc, sizeof desc);
  desc.backend = test_backend();
  desc.threads = test_gpu() ? 0 : 2;
  assert_int_equal(plait_context_create(&desc, &context, NULL), PLAIT_OK);
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_MHC);
  spec.desc.mhc.hidden = 16;
  plait_plan *plan = spec_plan(context, &spec, NULL);
  call c;
  call_init(&c, PLAIT_OP_MHC_EXPAND);
  call_set64(&c, "tokens", 3);
  memset(call_tensor(&c, "x", 3, 16, 2, 0), 0x3C, 96);
  call_tensor(&c, "residual_out", 3, 64, 2, 0);
  call_place(&c, test_context(0), plan);
  plait_context_destroy(context);
  assert_int_equal(call_execute(&c, plan, NULL), PLAIT_OK);
  assert_int_equal(plait_stream_synchronize(test_context(0), NULL), PLAIT_OK);
  call_collect(&c, "outlives");
  for (size_t i = 0; i < call_const(&c, "residual_out")->bytes; i++)
    assert_int_equal(call_const(&c, "residual_out")->host[i], 0x3C);
  call_free(&c);
  plait_plan_destroy(plan);
}

int main(void) {
  test_require_backend();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_descriptors),
      cmocka_unit_test(combinations),
      cmocka_unit_test(structs),
      cmocka_unit_test(candidates_and_explain),
      cmocka_unit_test(naming_an_implementation),
      cmocka_unit_test(sizes),
      cmocka_unit_test(plan_outlives_its_context),
  };
  const int failed = cmocka_run_group_tests_name("plan", tests, NULL, NULL);
  test_contexts_destroy();
  return failed ? 1 : 0;
}
