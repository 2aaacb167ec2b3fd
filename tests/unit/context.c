// SPDX-License-Identifier: MIT
// Contexts: backends, policies, the environment, the log.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../common/env.h"

static const char *const variables[] = {"PLAIT_BACKEND", "PLAIT_BACKEND_DIR", "PLAIT_THREADS",
                                        "PLAIT_IMPLEMENTATION", "PLAIT_LOG"};

static int clear_environment(void **state) {
  (void)state;
  for (int i = 0; i < 5; i++) unsetenv(variables[i]);
  return 0;
}

typedef struct log_lines {
  int count;
  int32_t most;  // the chattiest level
  char all[8192];
} log_lines;

static void take_line(void *user, int32_t level, const char *line) {
  log_lines *lines = user;
  lines->count++;
  if (level > lines->most) lines->most = level;
  const size_t used = strlen(lines->all);
  snprintf(lines->all + used, sizeof lines->all - used, "%s\n", line);
}

static plait_context_desc defaults(void) {
  plait_context_desc desc;
  plait_context_desc_init(&desc, sizeof desc);
  return desc;
}

static plait_status create(const plait_context_desc *desc, plait_context **context,
                           plait_error *error) {
  plait_error_init(error, sizeof *error);
  return plait_context_create(desc, context, error);
}

static void init_gives_defaults(void **state) {
  (void)state;
  plait_context_desc desc = defaults();
  assert_int_equal(desc.struct_size, sizeof desc);
  assert_int_equal(desc.backend, PLAIT_BACKEND_AUTO);
  assert_int_equal(desc.policy, PLAIT_POLICY_STRICT);
  assert_int_equal(desc.device, -1);
  assert_int_equal(desc.threads, 0);
  assert_int_equal(desc.log_level, PLAIT_LOG_SILENT);
  assert_null(desc.log);
  plait_context_desc_init(NULL, sizeof desc);
}

static void cpu(void **state) {
  (void)state;
  plait_context_desc desc = defaults();
  plait_context *context;
  plait_error error;
  desc.backend = PLAIT_BACKEND_CPU;
  desc.threads = 3;
  assert_int_equal(create(&desc, &context, &error), PLAIT_OK);
  assert_string_equal(error.message, "");
  plait_context_info info = {.struct_size = sizeof info};
  assert_int_equal(plait_context_get_info(context, &info), PLAIT_OK);
  assert_int_equal(info.backend, PLAIT_BACKEND_CPU);
  assert_int_equal(info.asked_backend, PLAIT_BACKEND_CPU);
  assert_int_equal(info.threads, 3);
  assert_string_equal(info.fallback_reason, "");
  assert_true(strlen(info.architecture) > 0);
  assert_true(strlen(info.device_name) > 0);
  assert_true(info.wave_size >= 1);
  plait_context_destroy(context);
}

static void automatic_always_works(void **state) {
  (void)state;
  plait_context *context;
  assert_int_equal(plait_context_create(NULL, &context, NULL), PLAIT_OK);
  plait_context_info info = {.struct_size = sizeof info};
  assert_int_equal(plait_context_get_info(context, &info), PLAIT_OK);
  assert_int_equal(info.asked_backend, PLAIT_BACKEND_AUTO);
  assert_string_equal(info.fallback_reason, "");
  plait_context_destroy(context);
}

// What this machine has decides which half of the rule shows.
static void strict_and_fallback(void **state) {
  (void)state;
  for (int32_t backend = PLAIT_BACKEND_HIP; backend <= PLAIT_BACKEND_CUDA; backend++) {
    plait_backend_info probe = {.struct_size = sizeof probe};
    assert_int_equal(plait_backend_probe(backend, NULL, &probe), PLAIT_OK);
    plait_context_desc desc = defaults();
    plait_context *context = (plait_context *)&desc;
    plait_error error;
    desc.backend = backend;
    const plait_status strict = create(&desc, &context, &error);
    if (probe.available) {
      CHECK(strict == PLAIT_OK, "available, but %s: %s", status_text(strict), error.message);
      plait_context_destroy(context);
      continue;
    }
    assert_true(strlen(probe.reason) > 0);
    const int32_t code = plait_status_code(strict);
    CHECK(code >= PLAIT_ERROR_UNSUPPORTED_DEVICE && code <= PLAIT_ERROR_BACKEND_VERSION, "got %s",
          status_text(strict));
    assert_int_equal(error.status, strict);
    assert_true(strlen(error.message) > 10);
    assert_null(context);

    log_lines lines = {0};
    desc.policy = PLAIT_POLICY_FALLBACK;
    desc.log_level = PLAIT_LOG_WARN;
    desc.log = take_line;
    desc.log_user = &lines;
    assert_int_equal(create(&desc, &context, &error), PLAIT_OK);
    plait_context_info info = {.struct_size = sizeof info};
    assert_int_equal(plait_context_get_info(context, &info), PLAIT_OK);
    assert_int_equal(info.backend, PLAIT_BACKEND_CPU);
    assert_int_equal(info.asked_backend, backend);
    assert_true(strlen(info.fallback_reason) > 10);
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.all, backend == PLAIT_BACKEND_HIP ? "hip" : "cuda"));
    plait_context_destroy(context);
  }
}

static void a_folder_without_backends(void **state) {
  (void)state;
  plait_backend_info probe = {.struct_size = sizeof probe};
  assert_int_equal(plait_backend_probe(PLAIT_BACKEND_HIP, "/nonexistent/folder", &probe), PLAIT_OK);
  assert_int_equal(probe.available, 0);
  assert_int_equal(probe.device_count, 0);
  assert_non_null(strstr(probe.path, "/nonexistent/folder"));
  assert_true(strlen(probe.reason) > 0);
  memset(&probe, 0, sizeof probe);
  probe.struct_size = sizeof probe;
  assert_int_equal(plait_backend_probe(PLAIT_BACKEND_CPU, NULL, &probe), PLAIT_OK);
  assert_int_equal(probe.available, 1);
  assert_int_equal(probe.device_count, 1);
  assert_string_equal(probe.path, "");
  assert_string_equal(probe.reason, "");
  static const int32_t wrong[] = {-1, PLAIT_BACKEND_AUTO, 4, INT32_MAX};
  for (int i = 0; i < 4; i++)
    assert_int_equal(plait_backend_probe(wrong[i], NULL, &probe),
                     make_status(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_BACKEND));
  assert_int_equal(plait_status_code(plait_backend_probe(1, NULL, NULL)),
                   PLAIT_ERROR_NULL_ARGUMENT);
  probe.struct_size = 8;
  assert_int_equal(plait_status_code(plait_backend_probe(1, NULL, &probe)),
                   PLAIT_ERROR_STRUCT_SIZE);
}

// A library that is no backend, and one of another version, are refused with a reason.
static void not_a_backend(void **state) {
  (void)state;
  char folder[] = "/tmp/plait-test-XXXXXX", path[128];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/libplait-hip.so", folder);
  FILE *file = fopen(path, "w");
  fputs("not a shared object", file);
  fclose(file);
  plait_context_desc desc = defaults();
  plait_context *context;
  plait_error error;
  desc.backend = PLAIT_BACKEND_HIP;
  desc.backend_dir = folder;
  quiet_begin();
  const plait_status status = create(&desc, &context, &error);
  const long printed = quiet_end();
  remove(path);
  remove(folder);
  assert_int_not_equal(status, PLAIT_OK);
  assert_int_equal(printed, 0);
  assert_non_null(strstr(error.message, "libplait-hip.so"));
}

static void bad_descriptors(void **state) {
  (void)state;
  static const struct {
    size_t offset;
    int32_t value, argument;
  } rows[] = {
      {offsetof(plait_context_desc, backend), -1, PLAIT_ARG_BACKEND},
      {offsetof(plait_context_desc, backend), 4, PLAIT_ARG_BACKEND},
      {offsetof(plait_context_desc, policy), 2, PLAIT_ARG_POLICY},
      {offsetof(plait_context_desc, policy), -1, PLAIT_ARG_POLICY},
      {offsetof(plait_context_desc, device), -2, PLAIT_ARG_DEVICE},
      {offsetof(plait_context_desc, threads), -1, PLAIT_ARG_THREADS},
      {offsetof(plait_context_desc, threads), 1025, PLAIT_ARG_THREADS},
      {offsetof(plait_context_desc, log_level), 4, PLAIT_ARG_LOG_LEVEL},
      {offsetof(plait_context_desc, log_level), -1, PLAIT_ARG_LOG_LEVEL},
  };
  plait_context *context;
  plait_error error;
  quiet_begin();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    plait_context_desc desc = defaults();
    memcpy((char *)&desc + rows[i].offset, &rows[i].value, sizeof rows[i].value);
    context = (plait_context *)&desc;
    const plait_status status = create(&desc, &context, &error);
    CHECK(status == make_status(PLAIT_ERROR_INVALID_VALUE, rows[i].argument), "row %zu: %s", i,
          status_text(status));
    CHECK(!context && error.status == status && *error.message, "row %zu: record", i);
  }
  plait_context_desc desc = defaults();
  desc.backend = PLAIT_BACKEND_CPU;
  desc.device = 1;
  CHECK(plait_status_code(create(&desc, &context, &error)) == PLAIT_ERROR_NO_DEVICE,
        "CPU device 1");
  desc = defaults();
  desc.reserved = 1;
  CHECK(plait_status_code(create(&desc, &context, &error)) == PLAIT_ERROR_UNKNOWN_FIELD,
        "reserved");
  desc = defaults();
  desc.struct_size = 4;
  CHECK(plait_status_code(create(&desc, &context, &error)) == PLAIT_ERROR_STRUCT_SIZE, "size");
  desc = defaults();
  char longest[65];
  memset(longest, 'x', 64);
  longest[64] = 0;
  desc.implementation = longest;
  CHECK(create(&desc, &context, &error) ==
            make_status(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_IMPLEMENTATION),
        "implementation");
  desc = defaults();
  CHECK(plait_status_code(plait_context_create(&desc, NULL, &error)) == PLAIT_ERROR_NULL_ARGUMENT,
        "context NULL");
  struct {
    plait_context_desc desc;
    char tail[32];
  } longer = {.desc = defaults()};
  longer.desc.struct_size = sizeof longer;
  CHECK(create(&longer.desc, &context, &error) == PLAIT_OK, "zero tail");
  plait_context_destroy(context);
  longer.tail[31] = 1;
  CHECK(plait_status_code(create(&longer.desc, &context, &error)) == PLAIT_ERROR_UNKNOWN_FIELD,
        "a tail");
  const long printed = quiet_end();
  assert_int_equal(printed, 0);
  plait_context_destroy(NULL);
  assert_int_equal(plait_status_code(plait_context_get_info(NULL, NULL)),
                   PLAIT_ERROR_NULL_ARGUMENT);
}

static int32_t threads_of(plait_context *context) {
  plait_context_info info = {.struct_size = sizeof info};
  assert_int_equal(plait_context_get_info(context, &info), PLAIT_OK);
  return info.threads;
}

static void environment_is_read_once(void **state) {
  (void)state;
  plait_context_desc desc = defaults();
  plait_context *context;
  plait_error error;
  setenv("PLAIT_BACKEND", "cpu", 1);
  setenv("PLAIT_THREADS", "5", 1);
  assert_int_equal(create(&desc, &context, &error), PLAIT_OK);
  setenv("PLAIT_THREADS", "2", 1);
  assert_int_equal(threads_of(context), 5);
  plait_context_destroy(context);
  // The API wins.
  desc.threads = 4;
  assert_int_equal(create(&desc, &context, &error), PLAIT_OK);
  assert_int_equal(threads_of(context), 4);
  plait_context_destroy(context);

  static const struct {
    const char *name, *value;
    int32_t argument;
  } bad[] = {
      {"PLAIT_THREADS", "0", PLAIT_ARG_THREADS},   {"PLAIT_THREADS", "1025", PLAIT_ARG_THREADS},
      {"PLAIT_THREADS", "two", PLAIT_ARG_THREADS}, {"PLAIT_THREADS", "3x", PLAIT_ARG_THREADS},
      {"PLAIT_BACKEND", "tpu", PLAIT_ARG_BACKEND}, {"PLAIT_LOG", "loud", PLAIT_ARG_LOG_LEVEL},
      {"PLAIT_LOG", "4", PLAIT_ARG_LOG_LEVEL},
  };
  for (int i = 0; i < 7; i++) {
    clear_environment(NULL);
    setenv(bad[i].name, bad[i].value, 1);
    desc = defaults();
    const plait_status status = create(&desc, &context, &error);
    CHECK(status == make_status(PLAIT_ERROR_INVALID_VALUE, bad[i].argument), "%s=%s: %s",
          bad[i].name, bad[i].value, status_text(status));
    CHECK(strstr(error.message, bad[i].name), "the message does not name %s: %s", bad[i].name,
          error.message);
  }
  // An empty variable is no variable.
  for (int i = 0; i < 5; i++) setenv(variables[i], "", 1);
  assert_int_equal(create(&desc, &context, &error), PLAIT_OK);
  plait_context_destroy(context);
  clear_environment(NULL);
}

static void environment_log_goes_to_stderr(void **state) {
  (void)state;
  plait_context *context;
  static const struct {
    const char *value;
    int prints;
  } rows[] = {{"info", 1}, {"2", 1}, {"silent", 0}, {"0", 0}, {NULL, 0}};
  for (int i = 0; i < 5; i++) {
    clear_environment(NULL);
    setenv("PLAIT_BACKEND", "cpu", 1);
    if (rows[i].value) setenv("PLAIT_LOG", rows[i].value, 1);
    quiet_begin();
    const plait_status status = plait_context_create(NULL, &context, NULL);
    const long printed = quiet_end();
    assert_int_equal(status, PLAIT_OK);
    CHECK((printed > 0) == rows[i].prints, "PLAIT_LOG=%s: %ld bytes",
          rows[i].value ? rows[i].value : "(unset)", printed);
    plait_context_destroy(context);
  }
  clear_environment(NULL);
}

static void environment_names_an_implementation(void **state) {
  (void)state;
  setenv("PLAIT_BACKEND", "cpu", 1);
  setenv("PLAIT_IMPLEMENTATION", "reference", 1);
  plait_context *context;
  assert_int_equal(plait_context_create(NULL, &context, NULL), PLAIT_OK);
  plait_mhc_plan_desc desc;
  plait_plan *plan;
  plait_mhc_plan_desc_init(&desc, sizeof desc);
  desc.hidden = 64;
  assert_int_equal(plait_mhc_plan_create(context, &desc, &plan, NULL), PLAIT_OK);
  for (int32_t i = 0;; i++) {
    plait_candidate candidate = {.struct_size = sizeof candidate};
    if (plait_plan_candidate(plan, PLAIT_OP_MHC_PRE, i, &candidate) != PLAIT_OK) break;
    assert_int_equal(candidate.chosen, strcmp(candidate.name, "reference") == 0);
  }
  plait_plan_destroy(plan);
  plait_context_destroy(context);
  clear_environment(NULL);
}

static void log_callback_levels(void **state) {
  (void)state;
  int counts[4];
  for (int32_t level = PLAIT_LOG_SILENT; level <= PLAIT_LOG_DEBUG; level++) {
    log_lines lines = {0};
    plait_context_desc desc = defaults();
    plait_context *context;
    plait_plan *plan;
    plait_mhc_plan_desc mhc;
    desc.backend = PLAIT_BACKEND_CPU;
    desc.log_level = level;
    desc.log = take_line;
    desc.log_user = &lines;
    quiet_begin();
    const plait_status status = plait_context_create(&desc, &context, NULL);
    plait_mhc_plan_desc_init(&mhc, sizeof mhc);
    mhc.hidden = 64;
    const plait_status planned = plait_mhc_plan_create(context, &mhc, &plan, NULL);
    const long printed = quiet_end();
    assert_int_equal(status, PLAIT_OK);
    assert_int_equal(planned, PLAIT_OK);
    assert_int_equal(printed, 0);
    assert_true(lines.most <= level);
    counts[level] = lines.count;
    plait_plan_destroy(plan);
    plait_context_destroy(context);
  }
  assert_int_equal(counts[PLAIT_LOG_SILENT], 0);
  assert_int_equal(counts[PLAIT_LOG_WARN], 0);
  assert_true(counts[PLAIT_LOG_INFO] > 0);
  assert_true(counts[PLAIT_LOG_DEBUG] >= counts[PLAIT_LOG_INFO]);
}

static void thirty_two_contexts(void **state) {
  (void)state;
  plait_context *contexts[32];
  plait_plan *plans[32];
  for (int i = 0; i < 32; i++) {
    plait_context_desc desc = defaults();
    plait_topk_plan_desc topk;
    desc.backend = PLAIT_BACKEND_CPU;
    desc.threads = 1 + i % 3;
    assert_int_equal(plait_context_create(&desc, &contexts[i], NULL), PLAIT_OK);
    plait_topk_plan_desc_init(&topk, sizeof topk);
    topk.max_columns = 100;
    topk.k = 3;
    assert_int_equal(plait_topk_plan_create(contexts[i], &topk, &plans[i], NULL), PLAIT_OK);
  }
  // In any order: half of the contexts go first, the plans live on.
  for (int i = 0; i < 32; i += 2) plait_context_destroy(contexts[i]);
  for (int i = 31; i >= 0; i--) plait_plan_destroy(plans[i]);
  for (int i = 1; i < 32; i += 2) plait_context_destroy(contexts[i]);
}

static void *make_many(void *argument) {
  int *failures = argument;
  for (int i = 0; i < 30; i++) {
    plait_context_desc desc = defaults();
    plait_context *context;
    desc.backend = i % 3 ? PLAIT_BACKEND_CPU : PLAIT_BACKEND_AUTO;
    desc.threads = 2;
    if (plait_context_create(&desc, &context, NULL) != PLAIT_OK) ++*failures;
    plait_context_destroy(context);
  }
  return NULL;
}

static void contexts_from_four_threads(void **state) {
  (void)state;
  pthread_t threads[4];
  int failures[4] = {0};
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, make_many, &failures[i]);
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(failures[i], 0);
  }
}

int main(void) {
  clear_environment(NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(init_gives_defaults),
      cmocka_unit_test(cpu),
      cmocka_unit_test(automatic_always_works),
      cmocka_unit_test(strict_and_fallback),
      cmocka_unit_test(a_folder_without_backends),
      cmocka_unit_test(not_a_backend),
      cmocka_unit_test(bad_descriptors),
      cmocka_unit_test(environment_is_read_once),
      cmocka_unit_test(environment_log_goes_to_stderr),
      cmocka_unit_test(environment_names_an_implementation),
      cmocka_unit_test(log_callback_levels),
      cmocka_unit_test(thirty_two_contexts),
      cmocka_unit_test(contexts_from_four_threads),
  };
  return cmocka_run_group_tests_name("context", tests, clear_environment, NULL);
}
