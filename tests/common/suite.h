// SPDX-License-Identifier: MIT
// One table of cases drives everything that an operation must pass.
//
// Each row is built, run with every implementation that can run it, and verified against the test's
// own evaluation. PLAIT_TEST_ONLY picks tests by name, * for anything. The first row also goes
// through the checks of checks.h: bad arguments, canaries, runs, counts, positions, threads,
// strides, modes of the caller's floating point unit.
#ifndef PLAIT_TESTS_SUITE_H
#define PLAIT_TESTS_SUITE_H

#include "call.h"
#include "env.h"

enum {
  ROW_LONG = 1,      // soak: only with PLAIT_TEST_LONG
  ROW_CPU_ONLY = 2,  // what it shows exists on the CPU only
  ROW_GPU_ONLY = 4,  // blocks share work there, the CPU has nothing like it
  ROW_AGAIN = 8      // the first row's checks of runs, counts, streams and graphs too
};

// Every row of a table begins with these.
typedef struct row_head {
  const char *name;  // "case 68: asymmetric comb"
  int64_t count;     // items of the main count
  unsigned flags;    // ROW_…
} row_head;

enum {
  SUITE_NO_SLICE = 1  // an item's output is not a row of its own: no count and position checks
};

typedef struct op_suite {
  int32_t op;
  unsigned flags;
  const void *rows;
  size_t row_size;
  int row_count;
  // Makes the plan's description and the call for `count` items, from the row's own seed.
  void (*build)(const void *row, int64_t count, plan_spec *spec, call *c);
  // Compares the outputs with an independent evaluation; fails with the label.
  void (*verify)(const void *row, const plan_spec *spec, const call *c, const char *label);
  const struct CMUnitTest *extras;  // tests of this operation alone
  int extra_count;
} op_suite;

int suite_main(const op_suite *suite);

// The suite that runs.
const op_suite *suite_current(void);

#endif
