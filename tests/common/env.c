// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "env.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_THREADS 16

static plait_context *contexts[MOST_THREADS];

int32_t test_backend(void) {
  const char *name = getenv("PLAIT_TEST_BACKEND");
  if (name && strcmp(name, "hip") == 0) return PLAIT_BACKEND_HIP;
  if (name && strcmp(name, "cuda") == 0) return PLAIT_BACKEND_CUDA;
  return PLAIT_BACKEND_CPU;
}

int test_gpu(void) { return test_backend() != PLAIT_BACKEND_CPU; }

int test_long(void) {
  const char *text = getenv("PLAIT_TEST_LONG");
  return text && *text && *text != '0';
}

static plait_status create(int32_t threads, plait_context **context, plait_error *error) {
  plait_context_desc desc;
  plait_context_desc_init(&desc, sizeof desc);
  plait_error_init(error, sizeof *error);
  desc.backend = test_backend();
  desc.policy = PLAIT_POLICY_STRICT;
  desc.threads = threads;
  return plait_context_create(&desc, context, error);
}

void test_require_backend(void) {
  plait_error error;
  if (contexts[0]) return;
  const plait_status status = create(0, &contexts[0], &error);
  if (status == PLAIT_OK) return;
  if (test_gpu()) {
    printf("skipped: no %s device here: %s\n", test_backend() == PLAIT_BACKEND_HIP ? "HIP" : "CUDA",
           error.message);
    exit(EXIT_SKIPPED);
  }
  printf("no CPU context: %s: %s\n", status_text(status), error.message);
  exit(1);
}

plait_context *test_context(int32_t threads) {
  if (test_gpu()) threads = 0;
  if (!contexts[threads]) {
    plait_error error;
    const plait_status status = create(threads, &contexts[threads], &error);
    if (status != PLAIT_OK)
      test_fail("context of %d threads: %s: %s", (int)threads, status_text(status), error.message);
  }
  return contexts[threads];
}

void test_contexts_destroy(void) {
  for (int i = 0; i < MOST_THREADS; i++) {
    plait_context_destroy(contexts[i]);
    contexts[i] = NULL;
  }
}

void test_fail(const char *format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  quiet_end();
  fail_msg("%s", text);
  abort();  // not reached: fail_msg() jumps back to the runner
}

void test_skip(const char *reason) {
  printf("skip reason: %s\n", reason);
  skip();
  abort();  // not reached
}

const char *status_text(plait_status status) {
  static char texts[4][128];
  static int next;
  char *text = texts[next++ % 4];
  const char *argument = plait_argument_name(plait_status_argument(status));
  snprintf(text, sizeof texts[0], "%s%s%s%s", plait_status_name(status), *argument ? " (" : "",
           argument, *argument ? ")" : "");
  return text;
}

plait_status make_status(int32_t code, int32_t argument) { return code | argument << 16; }

static int quiet_file = -1, saved_out = -1, saved_err = -1;

void quiet_begin(void) {
  fflush(stdout);
  fflush(stderr);
  quiet_file = memfd_create("quiet", 0);
  saved_out = dup(1);
  saved_err = dup(2);
  dup2(quiet_file, 1);
  dup2(quiet_file, 2);
}

long quiet_end(void) {
  if (quiet_file < 0) return 0;
  fflush(stdout);
  fflush(stderr);
  dup2(saved_out, 1);
  dup2(saved_err, 2);
  close(saved_out);
  close(saved_err);
  const long written = (long)lseek(quiet_file, 0, SEEK_END);
  // What should not have been printed is shown.
  char text[2048];
  const ssize_t start = pread(quiet_file, text, sizeof text, 0);
  if (start > 0) fwrite(text, 1, (size_t)start, stdout);
  close(quiet_file);
  quiet_file = -1;
  return written;
}
