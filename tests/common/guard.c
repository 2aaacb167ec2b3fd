// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "guard.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "env.h"

#define CANARY 0xA5
#define DEVICE_MARGIN 512

static size_t round_up(size_t value, size_t to) { return (value + to - 1) / to * to; }

static void device_copy(const guard *g, void *dst, const void *src, size_t size) {
  const plait_status status = size ? plait_memory_copy(g->context, dst, src, size, NULL) : PLAIT_OK;
  CHECK(status == PLAIT_OK, "copying %zu bytes: %s", size, status_text(status));
}

void guard_alloc(guard *g, plait_context *context, size_t size, size_t align) {
  memset(g, 0, sizeof *g);
  g->size = size;
  if (test_gpu()) {
    // Device memory is aligned to 256: an odd multiple of a smaller alignment is made by an offset.
    const size_t offset = DEVICE_MARGIN + (align < 256 ? align : 0);
    void *memory = NULL;
    g->context = context;
    g->base_size = round_up(offset + size, 256) + DEVICE_MARGIN;
    const plait_status status = plait_memory_alloc(context, g->base_size, &memory, NULL);
    CHECK(status == PLAIT_OK, "device memory of %zu bytes: %s", g->base_size, status_text(status));
    g->base = memory;
    g->data = g->base + offset;
    void *canaries = malloc(g->base_size);
    memset(canaries, CANARY, g->base_size);
    device_copy(g, g->base, canaries, g->base_size);
    free(canaries);
    return;
  }
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t padded = round_up(size, align);
  g->base_size = round_up(padded + 64, page);
  g->map_size = g->base_size + 2 * page;
  g->map = mmap(NULL, g->map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(g->map != MAP_FAILED, "no address space for %zu bytes", g->map_size);
  g->base = (unsigned char *)g->map + page;
  CHECK(mprotect(g->base, g->base_size, PROT_READ | PROT_WRITE) == 0, "mprotect failed");
  g->data = g->base + g->base_size - padded;
  memset(g->base, CANARY, (size_t)(g->data - g->base));
  memset(g->data + size, CANARY, padded - size);
}

void guard_free(guard *g) {
  if (g->context)
    plait_memory_free(g->context, g->base);
  else if (g->map)
    munmap(g->map, g->map_size);
  memset(g, 0, sizeof *g);
}

void guard_write(guard *g, const void *from) {
  if (g->context)
    device_copy(g, g->data, from, g->size);
  else if (g->size)
    memcpy(g->data, from, g->size);
}

void guard_read(const guard *g, void *to) {
  if (g->context)
    device_copy(g, to, g->data, g->size);
  else if (g->size)
    memcpy(to, g->data, g->size);
}

void guard_fill(guard *g, int byte) {
  if (g->context) {
    const plait_status status =
        g->size ? plait_memory_fill(g->context, g->data, byte, g->size, NULL) : PLAIT_OK;
    CHECK(status == PLAIT_OK, "filling %zu bytes: %s", g->size, status_text(status));
  } else {
    memset(g->data, byte, g->size);
  }
}

static long check(const unsigned char *base, size_t base_size, long offset, size_t size) {
  for (long i = 0; i < (long)base_size; i++) {
    if (i == offset) i += (long)size;
    if (i < (long)base_size && base[i] != CANARY) return i < offset ? i - offset : i - offset + 1;
  }
  return 0;
}

long guard_check(const guard *g) {
  const long offset = g->data - g->base;
  if (!g->context) return check(g->base, g->base_size, offset, g->size);
  unsigned char *copy = malloc(g->base_size);
  device_copy(g, copy, g->base, g->base_size);
  const long dead = check(copy, g->base_size, offset, g->size);
  free(copy);
  return dead;
}
