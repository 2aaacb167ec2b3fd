// SPDX-License-Identifier: MIT
// Memory, streams, events and graphs of device.h, on the backend under test.
#include <stdint.h>
#include <string.h>

#include "../common/env.h"

static void memory(void **state) {
  (void)state;
  plait_context *c = test_context(0);
  unsigned char host[1000], back[1000];
  void *a, *b;
  for (int i = 0; i < 1000; i++) host[i] = (unsigned char)(i * 7);
  assert_int_equal(plait_memory_alloc(c, 1000, &a, NULL), PLAIT_OK);
  assert_int_equal(plait_memory_alloc(c, 1000, &b, NULL), PLAIT_OK);
  assert_int_equal((uintptr_t)a % 256, 0);
  assert_int_equal(plait_memory_copy(c, a, host, 1000, NULL), PLAIT_OK);
  assert_int_equal(plait_memory_copy_async(c, b, a, 1000, NULL), PLAIT_OK);
  assert_int_equal(plait_memory_copy(c, back, b, 1000, NULL), PLAIT_OK);
  assert_memory_equal(host, back, 1000);
  assert_int_equal(plait_memory_fill(c, (char *)b + 1, 0x5A, 998, NULL), PLAIT_OK);
  assert_int_equal(plait_memory_copy(c, back, b, 1000, NULL), PLAIT_OK);
  assert_int_equal(back[0], host[0]);
  assert_int_equal(back[999], host[999]);
  for (int i = 1; i < 999; i++) assert_int_equal(back[i], 0x5A);
  plait_memory_free(c, a);
  plait_memory_free(c, b);
  a = &back;
  assert_int_equal(plait_memory_alloc(c, 0, &a, NULL), PLAIT_OK);
  assert_null(a);
  plait_memory_free(c, NULL);
}

static void too_much_memory(void **state) {
  (void)state;
  static const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 60};
  for (int i = 0; i < 3; i++) {
    plait_error error;
    void *data = &error;
    plait_error_init(&error, sizeof error);
    const plait_status status = plait_memory_alloc(test_context(0), sizes[i], &data, &error);
    CHECK(plait_status_code(status) == PLAIT_ERROR_OUT_OF_MEMORY, "%zu bytes: %s", sizes[i],
          status_text(status));
    assert_null(data);
    assert_int_equal(error.status, status);
  }
}

static void streams_and_events(void **state) {
  (void)state;
  plait_context *c = test_context(0);
  void *stream, *start, *stop;
  double microseconds = -1;
  assert_int_equal(plait_stream_create(c, &stream, NULL), PLAIT_OK);
  assert_int_equal(plait_event_create(c, &start, NULL), PLAIT_OK);
  assert_int_equal(plait_event_create(c, &stop, NULL), PLAIT_OK);
  assert_int_equal(plait_event_record(c, start, stream), PLAIT_OK);
  assert_int_equal(plait_event_record(c, stop, stream), PLAIT_OK);
  assert_int_equal(plait_event_elapsed(c, start, stop, &microseconds), PLAIT_OK);
  assert_true(microseconds >= 0 && microseconds < 1e7);
  assert_int_equal(plait_stream_synchronize(c, stream), PLAIT_OK);
  plait_event_destroy(c, start);
  plait_event_destroy(c, stop);
  plait_event_destroy(c, NULL);
  plait_stream_destroy(c, stream);
  plait_stream_destroy(c, NULL);
}

static void graphs(void **state) {
  (void)state;
  plait_context *c = test_context(0);
  plait_error error;
  plait_graph *graph = (plait_graph *)&error;
  plait_error_init(&error, sizeof error);
  if (test_gpu()) test_skip("the case suites record every operation");
  assert_int_equal(plait_status_code(plait_graph_begin(c, NULL, &error)),
                   PLAIT_ERROR_UNSUPPORTED_OPERATION);
  assert_true(strlen(error.message) > 5);
  assert_int_equal(plait_status_code(plait_graph_end(c, NULL, &graph, NULL)),
                   PLAIT_ERROR_UNSUPPORTED_OPERATION);
  assert_null(graph);
  plait_graph_destroy(c, NULL);
}

static void null_arguments(void **state) {
  (void)state;
  plait_context *c = test_context(0);
  char memory_of_two[2];
  void *out = memory_of_two;
  plait_graph *graph;
  double time;
#define EXPECT_NULL(call, argument) \
  assert_int_equal(call, make_status(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_##argument))
  EXPECT_NULL(plait_memory_alloc(NULL, 1, &out, NULL), CONTEXT);
  EXPECT_NULL(plait_memory_alloc(c, 1, NULL, NULL), RESULT);
  EXPECT_NULL(plait_memory_copy(NULL, out, out, 1, NULL), CONTEXT);
  EXPECT_NULL(plait_memory_copy(c, NULL, memory_of_two, 1, NULL), DST);
  EXPECT_NULL(plait_memory_copy(c, memory_of_two, NULL, 1, NULL), SRC);
  EXPECT_NULL(plait_memory_copy_async(c, NULL, memory_of_two, 1, NULL), DST);
  EXPECT_NULL(plait_memory_copy_async(c, memory_of_two, NULL, 1, NULL), SRC);
  EXPECT_NULL(plait_memory_fill(c, NULL, 0, 1, NULL), DST);
  EXPECT_NULL(plait_stream_create(NULL, &out, NULL), CONTEXT);
  EXPECT_NULL(plait_stream_create(c, NULL, NULL), RESULT);
  EXPECT_NULL(plait_stream_synchronize(NULL, NULL), CONTEXT);
  EXPECT_NULL(plait_event_create(NULL, &out, NULL), CONTEXT);
  EXPECT_NULL(plait_event_create(c, NULL, NULL), RESULT);
  EXPECT_NULL(plait_event_record(c, NULL, NULL), EVENT);
  EXPECT_NULL(plait_event_elapsed(c, NULL, NULL, &time), EVENT);
  EXPECT_NULL(plait_graph_begin(NULL, NULL, NULL), CONTEXT);
  EXPECT_NULL(plait_graph_end(NULL, NULL, &graph, NULL), CONTEXT);
  EXPECT_NULL(plait_graph_launch(c, NULL, NULL), GRAPH);
  plait_memory_free(NULL, NULL);
  plait_stream_destroy(NULL, NULL);
  plait_event_destroy(NULL, NULL);
  plait_graph_destroy(NULL, NULL);
}

int main(void) {
  test_require_backend();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory),
      cmocka_unit_test(too_much_memory),
      cmocka_unit_test(streams_and_events),
      cmocka_unit_test(graphs),
      cmocka_unit_test(null_arguments),
  };
  const int failed = cmocka_run_group_tests_name("device", tests, NULL, NULL);
  test_contexts_destroy();
  return failed ? 1 : 0;
}
