// SPDX-License-Identifier: MIT
// The device under test. PLAIT_TEST_BACKEND picks it (cpu, hip, cuda; default cpu), so the same
// tables of cases drive every backend.
#ifndef PLAIT_TESTS_ENV_H
#define PLAIT_TESTS_ENV_H

#include <plait/plait.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
// cmocka needs the four above.
#include <cmocka.h>

// Exit code by which Meson counts a test as skipped.
#define EXIT_SKIPPED 77

// PLAIT_BACKEND_… under test, and whether it is a GPU.
int32_t test_backend(void);
int test_gpu(void);
// 1 when PLAIT_TEST_LONG is set: soak rows run too.
int test_long(void);

// Ends the program with EXIT_SKIPPED and the reason when the device under test is not to be had.
void test_require_backend(void);

// The context with this many threads (0: the default; ignored by a GPU). Made once, kept.
plait_context *test_context(int32_t threads);
// Destroys all contexts of test_context().
void test_contexts_destroy(void);

// fail_msg() with a printf format that the compiler checks.
void test_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define CHECK(condition, ...)                 \
  do {                                        \
    if (!(condition)) test_fail(__VA_ARGS__); \
  } while (0)

// Leaves the running test as skipped, with the reason.
void test_skip(const char *reason) __attribute__((noreturn));

// "PLAIT_ERROR_STRIDE (comb_mix)", in one of a few static buffers.
const char *status_text(plait_status status);
plait_status make_status(int32_t code, int32_t argument);

// Sends stdout and stderr into a file until quiet_end(), which returns the bytes that were written.
void quiet_begin(void);
long quiet_end(void);

#endif
