// SPDX-License-Identifier: MIT
// A small deterministic generator (splitmix64): the same numbers on every machine.
#ifndef PLAIT_TESTS_RANDOM_H
#define PLAIT_TESTS_RANDOM_H

#include <stdint.h>

typedef struct random_state {
  uint64_t state;
} random_state;

static inline uint64_t random_bits(random_state *r) {
  uint64_t z = (r->state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// 0 … bound - 1.
static inline int64_t random_below(random_state *r, int64_t bound) {
  return (int64_t)(random_bits(r) % (uint64_t)bound);
}

// [0, 1).
static inline double random_uniform(random_state *r) {
  return (double)(random_bits(r) >> 11) * 0x1p-53;
}

// Mean 0, variance 1, bounded by 6: the sum of twelve uniforms.
static inline double random_normal(random_state *r) {
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += random_uniform(r);
  return sum;
}

#endif
