// SPDX-License-Identifier: MIT
// Memory that notices when it is touched where it should not be.
//
//   host:    | no access | canary … | data | no access |     data ends at the page's end; where an
//                                                            alignment forbids it, canaries between
//   device:  | canary 512 | data | canary … |                memory of plait_memory_alloc()
#ifndef PLAIT_TESTS_GUARD_H
#define PLAIT_TESTS_GUARD_H

#include <plait/plait.h>
#include <stddef.h>

typedef struct guard {
  unsigned char *data;  // host or device
  size_t size;
  unsigned char *base;  // all that may be accessed, canaries included
  size_t base_size;
  void *map;  // host: the mapping
  size_t map_size;
  plait_context *context;  // device memory: its owner
} guard;

// `align` a power of two. The data lands on an odd multiple of it where size allows, never on more.
void guard_alloc(guard *g, plait_context *context, size_t size, size_t align);
void guard_free(guard *g);
void guard_write(guard *g, const void *from);  // all `size` bytes
void guard_read(const guard *g, void *to);
void guard_fill(guard *g, int byte);
// 0, or the distance in bytes from the data of a canary that died (< 0 before, > 0 past the start).
long guard_check(const guard *g);

#endif
