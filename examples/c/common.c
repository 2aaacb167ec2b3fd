/* SPDX-License-Identifier: MIT */
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

void must(plait_status status, const char *what) { must_with(status, what, NULL); }

void must_with(plait_status status, const char *what, const plait_error *error) {
  if (!status) return;
  fprintf(stderr, "%s: %s %s: %s\n", what, plait_status_name(status),
          plait_argument_name(plait_status_argument(status)),
          error && error->message[0] ? error->message : plait_status_description(status));
  exit(1);
}

plait_context *open_context(int argc, char **argv, const char **vectors) {
  plait_context_desc desc;
  plait_context_desc_init(&desc, sizeof desc);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--backend") != 0) {
      *vectors = argv[i];
    } else if (++i < argc) {
      static const char *const names[] = {"auto", "cpu", "hip", "cuda"};
      desc.backend = -1;
      for (int32_t b = 0; b < 4; b++)
        if (!strcmp(argv[i], names[b])) desc.backend = b;
      if (desc.backend < 0) stop(argv[i], "no such backend: auto, cpu, hip or cuda");
    } else {
      stop("--backend", "needs a name");
    }
  }
  plait_error error;
  plait_error_init(&error, sizeof error);
  plait_context *context = NULL;
  must_with(plait_context_create(&desc, &context, &error), "context", &error);

  plait_context_info info = {.struct_size = sizeof info};
  must(plait_context_get_info(context, &info), "context info");
  printf("plait %s on %s (%s)\n", plait_version_string(), info.device_name, info.architecture);
  return context;
}

plait_buffer device_new(plait_context *context, size_t size) {
  plait_buffer buffer = {NULL, size};
  plait_error error;
  plait_error_init(&error, sizeof error);
  must_with(plait_memory_alloc(context, size, &buffer.data, &error), "memory", &error);
  return buffer;
}

plait_buffer device_copy(plait_context *context, const void *host, size_t size) {
  plait_buffer buffer = device_new(context, size);
  must(plait_memory_copy(context, buffer.data, host, size, NULL), "copy");
  return buffer;
}

void device_free(plait_context *context, plait_buffer *buffer) {
  plait_memory_free(context, buffer->data);
  *buffer = (plait_buffer){NULL, 0};
}

void device_read(plait_context *context, void *host, plait_buffer buffer) {
  must(plait_memory_copy(context, host, buffer.data, buffer.size, NULL), "copy");
}

plait_const_buffer reads(plait_buffer buffer) {
  return (plait_const_buffer){buffer.data, buffer.size};
}

void *allocate(size_t size) {
  void *data = calloc(1, size ? size : 1);
  if (!data) stop("memory", "out of it");
  return data;
}

/* A .npy file: magic, version, the length of a header, the header (a Python literal), the data. */
struct array load(const char *vectors, const char *name, const char *array) {
  char path[1024], header[1025];
  snprintf(path, sizeof path, "%s/%s/%s.npy", vectors, name, array);
  FILE *file = fopen(path, "rb");
  if (!file) stop(path, "cannot be opened");
  unsigned char start[10];
  if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY\x01", 7) != 0)
    stop(path, "is not a .npy file of version 1");
  const size_t length = (size_t)start[8] + 256u * start[9];
  if (length >= sizeof header || fread(header, 1, length, file) != length)
    stop(path, "has an unreadable header");
  header[length] = 0;
  const char *descr = strstr(header, "'descr': '");
  const char *shape = strstr(header, "'shape': (");
  if (!descr || !shape || strstr(header, "'fortran_order': True"))
    stop(path, "has an unreadable header");

  struct array a = {.count = 1};
  a.item = (size_t)(descr[12] - '0'); /* '<f4', '|u1', … */
  for (const char *p = shape + 10; *p && *p != ')' && a.rank < 4;) {
    char *end;
    a.shape[a.rank] = strtoll(p, &end, 10);
    if (end == p) break;
    a.count *= a.shape[a.rank++];
    p = end + strspn(end, ", ");
  }
  a.size = (size_t)a.count * a.item;
  a.data = allocate(a.size);
  if (fread(a.data, 1, a.size, file) != a.size) stop(path, "is too short");
  fclose(file);
  return a;
}

void unload(struct array *array) {
  free(array->data);
  array->data = NULL;
}

double parameter(const char *vectors, const char *name, const char *key) {
  char path[1024], text[4096], quoted[64];
  snprintf(path, sizeof path, "%s/%s/case.json", vectors, name);
  FILE *file = fopen(path, "rb");
  if (!file) stop(path, "cannot be opened");
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *found = strstr(text, quoted);
  if (!found) stop(path, "lacks a number");
  return strtod(found + strlen(quoted), NULL);
}

float from_bf16(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

uint16_t to_bf16(float value) {
  uint32_t wide;
  memcpy(&wide, &value, sizeof wide);
  return (uint16_t)((wide + 0x7FFF + ((wide >> 16) & 1)) >> 16); /* to nearest, ties to even */
}

static int verdict(const char *what, double worst, int64_t bad, int64_t count) {
  printf("  %-28s worst error %-9.2g %s", what, worst, bad ? "WRONG" : "ok");
  if (bad) printf(": %lld of %lld", (long long)bad, (long long)count);
  printf("\n");
  return bad != 0;
}

int report_f32(const char *what, const float *got, const float *want, int64_t count,
               double tolerance) {
  double worst = 0;
  int64_t bad = 0;
  for (int64_t i = 0; i < count; i++) {
    if (got[i] == want[i]) continue; /* infinities too */
    const double error = fabs((double)got[i] - (double)want[i]);
    if (!(error <= tolerance)) bad++;
    if (!(error <= worst)) worst = error;
  }
  return verdict(what, worst, bad, count);
}

/* One unit in the last place, and room for results that are small because terms cancelled. */
int report_bf16(const char *what, const uint16_t *got, const uint16_t *want, int64_t count) {
  double largest = 0, worst = 0;
  int64_t bad = 0;
  for (int64_t i = 0; i < count; i++) largest = fmax(largest, fabs((double)from_bf16(want[i])));
  for (int64_t i = 0; i < count; i++) {
    const double w = (double)from_bf16(want[i]);
    const double error = fabs((double)from_bf16(got[i]) - w);
    const double ulp = ldexp(1.0, (w != 0 ? ilogb(w) : -126) - 7);
    if (!(error <= ulp + 1e-5 * largest)) bad++;
    if (!(error <= worst)) worst = error;
  }
  return verdict(what, worst, bad, count);
}

int report_equal(const char *what, const void *got, const void *want, size_t size) {
  const int same = memcmp(got, want, size) == 0;
  printf("  %-28s %s\n", what, same ? "equal bytes" : "DIFFERENT");
  return !same;
}

void checksum(const char *what, const void *data, size_t size) {
  const unsigned char *bytes = data;
  uint64_t hash = 0xCBF29CE484222325u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001B3u;
  printf("checksum %016llx %s\n", (unsigned long long)hash, what);
}

void print_choice(const plait_plan *plan) {
  size_t needed = 0;
  plait_plan_explain(plan, NULL, 0, &needed);
  char *text = allocate(needed);
  must(plait_plan_explain(plan, text, needed, NULL), "explain");
  printf("%s", text);
  free(text);
}

float noise(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (float)((double)(*state >> 40) / (1 << 23) - 1.0);
}
