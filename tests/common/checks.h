// SPDX-License-Identifier: MIT
// What every operation must pass, written once over a call of it.
#ifndef PLAIT_TESTS_CHECKS_H
#define PLAIT_TESTS_CHECKS_H

#include "call.h"

// Each wrong argument gives its status and names itself, outputs stay as they were, nothing is
// printed. `c` is a valid call that is not placed.
void check_bad_arguments(plait_context *context, const plait_plan *plan, call *c,
                         const char *label);
// A call of zero items, even with NULL everywhere else, is OK.
void check_zero(plait_context *context, const plait_plan *plan, const call *c, const char *label);
// Twenty runs, the same bits.
void check_runs(plait_context *context, const plait_plan *plan, const call *c, const char *label);
// Items of `c` (many) alone, in short calls, and at other positions: the same bits.
void check_counts(plait_context *context, const plait_plan *plan, const call *c, const char *label);
// Contexts with 1, 2, 3 and 7 threads.
void check_threads(const plan_spec *spec, const char *implementation, const call *c,
                   const char *label);
// Longer strides, with NaN in the gaps.
void check_strides(plait_context *context, const plait_plan *plan, const call *c,
                   const char *label);
// In place, where a field allows it.
void check_in_place(plait_context *context, const plait_plan *plan, const call *c,
                    const char *label);
// The same plan from two threads (on a GPU: two streams) at once.
void check_concurrent(plait_context *context, const plait_plan *plan, const call *c,
                      const char *label);
// A caller that flushes denormals and rounds towards zero; its modes are still set afterwards.
void check_modes(plait_context *context, const plait_plan *plan, const call *c, const char *label);
// No allocation, no lock, no look at the environment while it executes; on a GPU, the first two are
// the runtime's own business.
void check_no_allocation(const plan_spec *spec, const char *implementation, const call *c,
                         const char *label);
// Recorded into a graph once, launched with other inputs in the same places each time: the bits of
// a call with those inputs.
void check_graph(plait_context *context, const plait_plan *plan, const call *c, const char *label);

#endif
