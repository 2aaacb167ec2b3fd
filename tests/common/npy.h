// SPDX-License-Identifier: MIT
// Reads one .npy array, and numbers out of a flat case.json.
#ifndef PLAIT_TESTS_NPY_H
#define PLAIT_TESTS_NPY_H

#include <stddef.h>
#include <stdint.h>

typedef struct npy {
  void *data;      // malloc'd; element type as `type` says
  char type[8];    // "f4", "u2", "u1", "i4", "i8"
  int dims;        // 0 … 4
  int64_t dim[4];  // row-major
  int64_t count;   // elements
  size_t element;  // bytes of an element
} npy;

// Loads <folder>/<name>.npy; 0 when it is not there or not understood. The test then fails.
int npy_load(npy *array, const char *folder, const char *name);
void npy_free(npy *array);

// The number after "key": in <folder>/case.json; `missing` when the key is not there.
double case_number(const char *folder, const char *key, double missing);
// 1 when "key": "text" stands in <folder>/case.json.
int case_has(const char *folder, const char *key, const char *text);

#endif
