/* SPDX-License-Identifier: MIT */
/* What the two programs need beside plait: stop on an error, read a .npy file, compare. */
#ifndef PLAIT_EXAMPLES_COMMON_H
#define PLAIT_EXAMPLES_COMMON_H

#include <plait/plait.h>

/* Ends the program with a message unless `status` is PLAIT_OK. */
void must(plait_status status, const char *what);
void must_with(plait_status status, const char *what, const plait_error *error);

/* --backend NAME and one folder of vectors, in any order. Makes the context and says what it is. */
plait_context *open_context(int argc, char **argv, const char **vectors);

/* Device memory, with or without initial contents. The program ends when there is none. */
plait_buffer device_new(plait_context *context, size_t size);
plait_buffer device_copy(plait_context *context, const void *host, size_t size);
void device_free(plait_context *context, plait_buffer *buffer);
void device_read(plait_context *context, void *host, plait_buffer buffer);
plait_const_buffer reads(plait_buffer buffer); /* the same memory as an input */

/* An array of a golden case, in host memory. */
struct array {
  int rank;
  int64_t shape[4];
  size_t item;   /* bytes of an element */
  int64_t count; /* elements */
  size_t size;   /* bytes */
  void *data;
};
struct array load(const char *vectors, const char *name, const char *array);
void unload(struct array *array);
/* A number of the case's case.json. */
double parameter(const char *vectors, const char *name, const char *key);

float from_bf16(uint16_t bits);
uint16_t to_bf16(float value);

/* Compare, print one line, and count what is outside the tolerance; the program returns the count.
 */
int report_f32(const char *what, const float *got, const float *want, int64_t count,
               double tolerance);
int report_bf16(const char *what, const uint16_t *got, const uint16_t *want, int64_t count);
int report_equal(const char *what, const void *got, const void *want, size_t size);

/* Prints `checksum`, the FNV-1a of the bytes and what they are: the same programs in other
 * languages print the same lines on the CPU. */
void checksum(const char *what, const void *data, size_t size);

/* Every operation of a plan with the implementation that was chosen. */
void print_choice(const plait_plan *plan);

/* A fixed sequence of numbers in (-1, 1). */
float noise(uint64_t *state);

void *allocate(size_t size);

#endif
