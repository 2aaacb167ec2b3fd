// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "allocation.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

static atomic_int armed;
static atomic_long allocations, frees, live, locks, environments, failing;

void allocation_begin(long fail_at) {
  allocations = frees = live = locks = environments = 0;
  failing = fail_at;
  armed = 1;
}

allocation_counts allocation_end(void) {
  armed = 0;
  return (allocation_counts){allocations, frees, live, locks, environments};
}

#if !defined(SANITIZED) && defined(__GLIBC__)

int allocation_watched(void) { return 1; }

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);
void *memalign(size_t alignment, size_t size);

static int refused(void) {
  if (!armed) return 0;
  if (atomic_fetch_add(&allocations, 1) != failing) return 0;
  errno = ENOMEM;
  return 1;
}

static void *counted(void *memory) {
  if (armed && memory) live++;
  return memory;
}

void *malloc(size_t size) { return refused() ? NULL : counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) {
  return refused() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size) {
  if (refused()) return NULL;
  void *moved = __libc_realloc(memory, size);
  return memory ? moved : counted(moved);
}

void *memalign(size_t alignment, size_t size) {
  return refused() ? NULL : counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *made = memalign(alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}

void free(void *memory) {
  if (armed && memory) {
    frees++;
    live--;
  }
  __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static _Atomic(uintptr_t) real;
  int (*lock)(pthread_mutex_t *);
  if (armed) locks++;
  if (!real) real = (uintptr_t)dlsym(RTLD_NEXT, "pthread_mutex_lock");
  const uintptr_t address = real;
  memcpy(&lock, &address, sizeof lock);
  return lock(mutex);
}

char *getenv(const char *name) {
  static _Atomic(uintptr_t) real;
  char *(*get)(const char *);
  if (armed) environments++;
  if (!real) real = (uintptr_t)dlsym(RTLD_NEXT, "getenv");
  const uintptr_t address = real;
  memcpy(&get, &address, sizeof get);
  return get(name);
}

#else

int allocation_watched(void) { return 0; }

#endif
