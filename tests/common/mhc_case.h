// SPDX-License-Identifier: MIT
// Cases of the five mHC operations: one kind of row, its data, and a float64 evaluation of
// docs/contract.md that shares no code with the library.
#ifndef PLAIT_TESTS_MHC_CASE_H
#define PLAIT_TESTS_MHC_CASE_H

#include "random.h"
#include "suite.h"

enum {
  MHC_BROADCAST = 1,    // residual is [T, H]
  MHC_NO_COMB = 2,      // comb_mix NULL: identity
  MHC_X2 = 4,           // a second block input
  MHC_NO_PREV = 8,      // delayed, prev_pre NULL: stream 0
  MHC_NO_PRE_MIX = 16,  // pre_mix is not asked for
  MHC_ZERO_ROW = 32,    // token 1 is all zero
  MHC_ASYMMETRIC = 64,  // comb far from its transpose
  MHC_ZERO_EPS = 128    // pre_eps and sinkhorn_eps are 0
};

// Zero stands for the default of every field.
typedef struct mhc_row {
  row_head head;
  int64_t hidden;
  int32_t n, dtype, fn_dtype, norm, norm_dtype, collapse, iters;
  unsigned options;
  float rms_eps, post_mult;
  double residual_scale, fn_scale;  // factors on the usual magnitudes
  double mix_tolerance;             // 0: the contract's 2e-6
} mhc_row;

void mhc_spec(const mhc_row *row, plan_spec *spec);

// Random contents of the slots that an operation has, by name.
void mhc_fill_residual(const mhc_row *row, int64_t count, const plan_spec *spec, call *c,
                       random_state *r);
void mhc_fill_post(const mhc_row *row, int64_t count, const plan_spec *spec, call *c,
                   random_state *r);
void mhc_fill_pre(const mhc_row *row, int64_t count, const plan_spec *spec, call *c,
                  random_state *r);  // fn, base, scale, norm_weight, prev_pre, outputs
// fn as [rows, n * H], spread so that the products have the goldens' size.
void mhc_fill_fn(const mhc_row *row, int64_t rows, const plan_spec *spec, call *c, random_state *r);
void mhc_fill_floats(call *c, const char *slot, int64_t rows, int64_t row, double scale,
                     random_state *r);

typedef struct mhc_mixes {
  double pre[PLAIT_MHC_MAX_STREAMS];
  double post[PLAIT_MHC_MAX_STREAMS];
  double comb[PLAIT_MHC_MAX_STREAMS * PLAIT_MHC_MAX_STREAMS];
} mhc_mixes;

// `rows` of mixes: n * (n + 2) for pre, n for head (fills pre only).
void mhc_oracle_mixes(const plait_mhc_plan_desc *d, int64_t rows, const double *v, const double *fn,
                      const float *base, const float *scale, mhc_mixes *mixes);
// comb from its logits.
void mhc_oracle_sinkhorn(const plait_mhc_plan_desc *d, double *comb);

// Elements [first, first + count) of a host array as doubles; malloc'd.
double *load_doubles(const void *data, int32_t dtype, int64_t count);
// The n * H elements of a token's residual, broadcast resolved.
double *mhc_load_residual(const plait_mhc_plan_desc *d, const call *c, const char *slot,
                          int64_t token, int broadcast);

// Verifiers, each of one stage.
void mhc_verify_post(const plait_mhc_plan_desc *d, const call *c, int broadcast, const char *label);
// `residual` names the slot that pre reads; `post` and `comb` its outputs.
void mhc_verify_pre(const mhc_row *row, const plait_mhc_plan_desc *d, const call *c,
                    const char *residual, int broadcast, const char *post, const char *comb,
                    const char *label);
// out = round(sum_i p_i * v_i), then the norm when `norm_weight` is not NULL.
void mhc_verify_collapse(const plait_mhc_plan_desc *d, const double *p, const double *v,
                         const void *norm_weight, const void *out, int64_t token,
                         const char *label);

#endif
