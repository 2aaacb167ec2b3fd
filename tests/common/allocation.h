// SPDX-License-Identifier: MIT
// The allocator of the test programs: counts, and fails on request. Not there under sanitizers,
// which bring their own.
#ifndef PLAIT_TESTS_ALLOCATION_H
#define PLAIT_TESTS_ALLOCATION_H

// 1 when this build can watch allocations.
int allocation_watched(void);

// From here on: counts in every thread; the `fail_at`-th allocation (from 0) and none other gives
// NULL; -1: none does.
void allocation_begin(long fail_at);

typedef struct allocation_counts {
  long allocations;  // malloc, calloc, realloc, aligned_alloc, memalign, posix_memalign
  long frees;
  long live;          // allocations that were not freed again
  long locks;         // pthread_mutex_lock
  long environments;  // getenv
} allocation_counts;
allocation_counts allocation_end(void);

#endif
