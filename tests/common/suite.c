// SPDX-License-Identifier: MIT
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "checks.h"

#define MOST_TESTS 256

static const op_suite *current;

const op_suite *suite_current(void) { return current; }

static const row_head *row_at(int index) {
  return (const row_head *)(const void *)((const unsigned char *)current->rows +
                                          (size_t)index * current->row_size);
}

typedef void (*with_candidate)(const row_head *row, plait_context *context, const plait_plan *plan,
                               const plan_spec *spec, const char *implementation, call *c,
                               const char *label);

// `body` for each implementation that can run the row. Fails when there is none.
static void each_candidate(const row_head *row, int64_t count, with_candidate body) {
  plan_spec spec;
  call c;
  char names[8][64];
  int found = 0;
  memset(&c, 0, sizeof c);
  current->build(row, count, &spec, &c);
  plait_context *context = test_context(0);
  plait_plan *plan = spec_plan(context, &spec, NULL);
  for (; found < 8; found++) {
    const char *name = usable_candidate(plan, current->op, found);
    if (!name) break;
    snprintf(names[found], sizeof names[found], "%s", name);
  }
  plait_plan_destroy(plan);
  CHECK(found > 0, "%s: no implementation of %s", row->name, plait_op_name(current->op));
  for (int i = 0; i < found; i++) {
    char label[160];
    snprintf(label, sizeof label, "%s [%s]", row->name, names[i]);
    plan = spec_plan(context, &spec, names[i]);
    body(row, context, plan, &spec, names[i], &c, label);
    plait_plan_destroy(plan);
  }
  call_free(&c);
}

static void run_and_verify(const row_head *row, plait_context *context, const plait_plan *plan,
                           const plan_spec *spec, const char *implementation, call *c,
                           const char *label) {
  (void)implementation;
  // Outputs that keep what they held start from what build() put there.
  unsigned char *saved[MOST_TENSORS] = {0};
  for (int i = 0; c->type->slots[i].name; i++)
    if (c->tensors[i].present && c->type->slots[i].flags & SLOT_INOUT) {
      saved[i] = malloc(c->tensors[i].bytes + 1);
      memcpy(saved[i], c->tensors[i].host, c->tensors[i].bytes);
    }
  call_run(c, context, plan, label);
  current->verify(row, spec, c, label);
  for (int i = 0; i < MOST_TENSORS; i++)
    if (saved[i]) {
      memcpy(c->tensors[i].host, saved[i], c->tensors[i].bytes);
      free(saved[i]);
    }
}

static void test_row(void **state) {
  const row_head *row = *state;
  each_candidate(row, row->count, run_and_verify);
}

#define GENERIC(name, call_of_it)                                                              \
  static void body_##name(const row_head *row, plait_context *context, const plait_plan *plan, \
                          const plan_spec *spec, const char *implementation, call *c,          \
                          const char *label) {                                                 \
    (void)row, (void)context, (void)plan, (void)spec, (void)implementation, (void)c;           \
    call_of_it;                                                                                \
  }                                                                                            \
  static void test_##name(void **state) {                                                      \
    const row_head *row = *state;                                                              \
    each_candidate(row, generic_count_##name(row), body_##name);                               \
  }
#define OWN_COUNT(name) \
  static int64_t generic_count_##name(const row_head *row) { return row->count; }

OWN_COUNT(bad_arguments)
OWN_COUNT(zero)
OWN_COUNT(runs)
OWN_COUNT(strides)
OWN_COUNT(in_place)
OWN_COUNT(modes)
OWN_COUNT(graph)
OWN_COUNT(concurrent_as_is)
OWN_COUNT(no_allocation)
static int64_t generic_count_counts(const row_head *row) {
  (void)row;
  return allocation_watched() ? 1031 : 131;  // not watched: a sanitizer's build, and slow
}
// Enough items that every thread of seven has work.
static int64_t generic_count_threads(const row_head *row) {
  return current->flags & SUITE_NO_SLICE ? row->count : 97;
}
static int64_t generic_count_concurrent(const row_head *row) { return generic_count_threads(row); }

GENERIC(bad_arguments, check_bad_arguments(context, plan, c, label))
GENERIC(zero, check_zero(context, plan, c, label))
GENERIC(runs, check_runs(context, plan, c, label))
GENERIC(counts, check_counts(context, plan, c, label))
GENERIC(threads, check_threads(spec, implementation, c, label))
GENERIC(strides, check_strides(context, plan, c, label))
GENERIC(in_place, check_in_place(context, plan, c, label))
GENERIC(concurrent, check_concurrent(context, plan, c, label))
GENERIC(concurrent_as_is, check_concurrent(context, plan, c, label))
GENERIC(modes, check_modes(context, plan, c, label))
GENERIC(no_allocation, check_no_allocation(spec, implementation, c, label))
GENERIC(graph, check_graph(context, plan, c, label))

static void test_not_watched(void **state) {
  (void)state;
  test_skip("the sanitizer brings its own allocator");
}

static struct CMUnitTest tests[MOST_TESTS];
static int test_count;

static void add(const char *name, CMUnitTestFunction function, const void *state) {
  if (test_count == MOST_TESTS) {
    printf("more than %d tests\n", MOST_TESTS);
    exit(1);
  }
  const struct CMUnitTest test = {name, function, NULL, NULL, (void *)(uintptr_t)state};
  tests[test_count++] = test;
}

// A backend may lack an operation; the CPU may not.
static void require_operation(void) {
  plan_spec spec;
  call c;
  memset(&c, 0, sizeof c);
  current->build(row_at(0), row_at(0)->count, &spec, &c);
  plait_plan *plan = NULL;
  plait_error error;
  plait_error_init(&error, sizeof error);
  const plait_status status = spec_create(test_context(0), &spec, NULL, &plan, &error);
  plait_candidate candidate = {.struct_size = sizeof candidate};
  const int there =
      status == PLAIT_OK && plait_plan_candidate(plan, current->op, 0, &candidate) == PLAIT_OK;
  plait_plan_destroy(plan);
  call_free(&c);
  if (there || !test_gpu()) return;
  printf("skipped: the backend does not have %s\n", plait_op_name(current->op));
  exit(EXIT_SKIPPED);
}

static int row_runs(const row_head *row) {
  if (row->flags & ROW_LONG && !test_long()) return 0;
  return !(row->flags & (test_gpu() ? ROW_CPU_ONLY : ROW_GPU_ONLY));
}

// The checks that a kernel may pass at one size and fail at another.
static void add_again(const row_head *row) {
  static char names[MOST_TESTS][120];
  static const struct {
    const char *name;
    CMUnitTestFunction function;
    int gpu_only;
  } checks[] = {{"the same bits in 20 runs", test_runs, 0},
                {"one plan from two threads", test_concurrent_as_is, 0},
                {"the same bits at any count and position", test_counts, 1},
                {"graph replay", test_graph, 1}};
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    if (checks[i].gpu_only && !test_gpu()) continue;
    if (checks[i].function == test_counts && current->flags & SUITE_NO_SLICE) continue;
    char *name = names[test_count % MOST_TESTS];
    snprintf(name, sizeof names[0], "%s: %s", row->name, checks[i].name);
    add(name, checks[i].function, row);
  }
}

int suite_main(const op_suite *suite) {
  current = suite;
  test_require_backend();
  require_operation();
  for (int i = 0; i < suite->row_count; i++) {
    const row_head *row = row_at(i);
    if (!row_runs(row)) continue;
    add(row->name, test_row, row);
  }
  for (int i = 0; i < suite->row_count; i++)
    if (row_at(i)->flags & ROW_AGAIN && row_runs(row_at(i))) add_again(row_at(i));
  const row_head *first = row_at(0);
  add("bad arguments", test_bad_arguments, first);
  add("case 43: zero items", test_zero, first);
  add("case 20: the same bits in 20 runs", test_runs, first);
  if (!(suite->flags & SUITE_NO_SLICE))
    add("case 74: the same bits at any count and position", test_counts, first);
  add("strides longer than the row", test_strides, first);
  add("in place", test_in_place, first);
  add("case 57: one plan from two threads", test_concurrent, first);
  if (test_gpu()) {
    add("graph replay", test_graph, first);
  } else {
    add("threads 1, 2, 3, 7", test_threads, first);
    add("case 44: no allocation, lock or environment in execute",
        allocation_watched() ? test_no_allocation : test_not_watched, first);
    add("floating point modes of the caller", test_modes, first);
  }
  for (int i = 0; i < suite->extra_count; i++)
    add(suite->extras[i].name, suite->extras[i].test_func, NULL);
  const char *only = getenv("PLAIT_TEST_ONLY");
  if (only && *only) cmocka_set_test_filter(only);
  const int failed =
      _cmocka_run_group_tests(op_find(suite->op)->name, tests, (size_t)test_count, NULL, NULL);
  test_contexts_destroy();
  return failed ? 1 : 0;
}
