// SPDX-License-Identifier: MIT
// Setup calls with an allocator that fails once: always a status, nothing leaks, nothing crashes.
#include <string.h>

#include "../common/allocation.h"
#include "../common/call.h"
#include "../common/env.h"

static int watched(void **state) {
  (void)state;
  if (!allocation_watched()) {
    printf("skipped: the sanitizer brings its own allocator\n");
    return -1;
  }
  return 0;
}

// One setup call and its release. Returns the status.
typedef plait_status (*setup_fn)(void *user, plait_error *error);

// Fails allocation 0, 1, 2, … until the call succeeds without one failing.
static void fail_each(setup_fn setup, void *user, const char *what) {
  plait_error error;
  int refused = 0;
  for (long i = 0; i < 1000; i++) {
    plait_error_init(&error, sizeof error);
    quiet_begin();
    allocation_begin(i);
    const plait_status status = setup(user, &error);
    const allocation_counts counts = allocation_end();
    const long printed = quiet_end();
    CHECK(printed == 0, "%s: allocation %ld failed: %ld bytes were printed", what, i, printed);
    CHECK(counts.live == 0, "%s: allocation %ld failed: %ld are left", what, i, counts.live);
    if (status) {
      refused++;
      const int32_t code = plait_status_code(status);
      CHECK(code == PLAIT_ERROR_OUT_OF_MEMORY || code == PLAIT_ERROR_THREADS,
            "%s: allocation %ld failed: %s", what, i, status_text(status));
      CHECK(error.status == status && *error.message, "%s: allocation %ld: no message", what, i);
    }
    if (counts.allocations <= i) {
      CHECK(status == PLAIT_OK, "%s: nothing failed, but %s", what, status_text(status));
      CHECK(refused > 0 || i == 0, "%s: allocations failed, and no status said so", what);
      return;
    }
  }
  test_fail("%s: does not end", what);
}

static plait_status make_context(void *user, plait_error *error) {
  plait_context_desc desc;
  plait_context *context = NULL;
  plait_context_desc_init(&desc, sizeof desc);
  desc.backend = PLAIT_BACKEND_CPU;
  desc.threads = *(int32_t *)user;
  const plait_status status = plait_context_create(&desc, &context, error);
  plait_context_destroy(context);
  return status;
}

static void contexts(void **state) {
  (void)state;
  int32_t one = 1;
  fail_each(make_context, &one, "context of one thread");
}

// Threads bring memory of libc's own, which it keeps: only crashes and statuses are looked at.
static void contexts_with_threads(void **state) {
  (void)state;
  int32_t three = 3;
  plait_error error;
  for (long i = 0; i < 40; i++) {
    plait_error_init(&error, sizeof error);
    allocation_begin(i);
    const plait_status status = make_context(&three, &error);
    allocation_end();
    CHECK(status == PLAIT_OK || plait_status_code(status) == PLAIT_ERROR_OUT_OF_MEMORY ||
              plait_status_code(status) == PLAIT_ERROR_THREADS,
          "allocation %ld: %s", i, status_text(status));
  }
}

static plait_status make_plan(void *user, plait_error *error) {
  plait_plan *plan = NULL;
  const plait_status status = spec_create(test_context(1), user, NULL, &plan, error);
  plait_plan_destroy(plan);
  return status;
}

static void plans(void **state) {
  (void)state;
  test_context(1);
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_MHC);
  spec.desc.mhc.hidden = 320;
  fail_each(make_plan, &spec, "mhc plan");
  spec_init(&spec, PLAIT_PLAN_INDEXER);
  spec.desc.indexer.topk = 64;
  fail_each(make_plan, &spec, "indexer plan");
  spec_init(&spec, PLAIT_PLAN_TOPK);
  spec.desc.topk.max_columns = 1000;
  spec.desc.topk.k = 10;
  fail_each(make_plan, &spec, "topk plan");
}

static plait_status make_memory(void *user, plait_error *error) {
  void *data = NULL;
  (void)user;
  const plait_status status = plait_memory_alloc(test_context(1), 5000, &data, error);
  plait_memory_free(test_context(1), data);
  return status;
}

static plait_status make_event(void *user, plait_error *error) {
  void *event = NULL;
  (void)user;
  const plait_status status = plait_event_create(test_context(1), &event, error);
  plait_event_destroy(test_context(1), event);
  return status;
}

static plait_status make_stream(void *user, plait_error *error) {
  void *stream = NULL;
  (void)user;
  const plait_status status = plait_stream_create(test_context(1), &stream, error);
  plait_stream_destroy(test_context(1), stream);
  return status;
}

static void device_objects(void **state) {
  (void)state;
  test_context(1);
  fail_each(make_memory, NULL, "memory");
  fail_each(make_event, NULL, "event");
  fail_each(make_stream, NULL, "stream");
}

static void queries_do_not_allocate(void **state) {
  (void)state;
  plan_spec spec;
  spec_init(&spec, PLAIT_PLAN_INDEXER);
  plait_plan *plan = spec_plan(test_context(1), &spec, NULL);
  plait_indexer_sizes sizes = {.struct_size = sizeof sizes};
  plait_candidate candidate = {.struct_size = sizeof candidate};
  char text[4096];
  allocation_begin(-1);
  plait_indexer_plan_sizes(plan, 100, &sizes);
  plait_plan_explain(plan, text, sizeof text, NULL);
  plait_plan_candidate(plan, PLAIT_OP_WRITE_K, 0, &candidate);
  plait_status_name(PLAIT_ERROR_STRIDE);
  const allocation_counts counts = allocation_end();
  assert_int_equal(counts.allocations, 0);
  plait_plan_destroy(plan);
}

int main(void) {
  if (watched(NULL)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contexts),
      cmocka_unit_test(contexts_with_threads),
      cmocka_unit_test(plans),
      cmocka_unit_test(device_objects),
      cmocka_unit_test(queries_do_not_allocate),
  };
  const int failed = cmocka_run_group_tests_name("allocation failure", tests, NULL, NULL);
  test_contexts_destroy();
  return failed ? 1 : 0;
}
