// SPDX-License-Identifier: MIT
// The mHC plan: its descriptor and its sizes.
#include <algorithm>
#include <cstring>

#include "src/mhc_args.h"
#include "src/plan_desc.h"

using namespace plait;

void plait_mhc_plan_desc_init(plait_mhc_plan_desc *desc, size_t struct_size) {
  if (!desc || struct_size < sizeof(plait_mhc_plan_desc)) return;
  memset(static_cast<void *>(desc), 0, struct_size);
  desc->struct_size = struct_size;
  desc->hc_mult = 4;
  desc->dtype = PLAIT_DTYPE_BF16;
  desc->fn_dtype = PLAIT_DTYPE_F32;
  desc->norm_weight_dtype = PLAIT_DTYPE_BF16;
  desc->sinkhorn_iters = 20;
  desc->rms_eps = desc->pre_eps = desc->sinkhorn_eps = desc->norm_eps = 1e-6f;
  desc->post_mult = 2.0f;
}

plait_status plait_mhc_plan_create(plait_context *context, const plait_mhc_plan_desc *desc,
                                   plait_plan **plan, plait_error *error) {
  plait_mhc_plan_desc d;
  plait_mhc_plan_desc_init(&d, sizeof d);
  const plait_status status = begin_plan(context, desc, d, plan, error);
  if (status) return status;
  DescCheck check(error);
  check.range(d.hidden, 1, PLAIT_MHC_MAX_HIDDEN, PLAIT_ARG_HIDDEN);
  check.range(d.hc_mult, 1, PLAIT_MHC_MAX_STREAMS, PLAIT_ARG_HC_MULT);
  check.dtype(d.dtype, PLAIT_ARG_DTYPE);
  check.dtype(d.fn_dtype, PLAIT_ARG_FN_DTYPE);
  check.range(d.collapse, PLAIT_MHC_COLLAPSE_CURRENT, PLAIT_MHC_COLLAPSE_DELAYED,
              PLAIT_ARG_COLLAPSE);
  check.range(d.norm, 0, PLAIT_MHC_NORM_LAYER_INPUT | PLAIT_MHC_NORM_HEAD, PLAIT_ARG_NORM);
  check.dtype(d.norm_weight_dtype, PLAIT_ARG_NORM_WEIGHT_DTYPE);
  check.range(d.sinkhorn_iters, 1, PLAIT_MHC_MAX_SINKHORN_ITERS, PLAIT_ARG_SINKHORN_ITERS);
  check.eps(d.rms_eps, PLAIT_ARG_RMS_EPS);
  check.eps(d.pre_eps, PLAIT_ARG_PRE_EPS);
  check.eps(d.sinkhorn_eps, PLAIT_ARG_SINKHORN_EPS);
  check.eps(d.norm_eps, PLAIT_ARG_NORM_EPS);
  if (!std::isfinite(d.post_mult)) check.fail(PLAIT_ARG_POST_MULT, "post_mult must be finite");
  if (check.status()) return check.status();

  const char *name = d.implementation;
  d.implementation = nullptr;
  static constexpr int32_t kOps[] = {PLAIT_OP_MHC_PRE, PLAIT_OP_MHC_POST, PLAIT_OP_MHC_POST_PRE,
                                     PLAIT_OP_MHC_HEAD, PLAIT_OP_MHC_EXPAND};
  return make_plan(context, PLAIT_PLAN_MHC, &d, sizeof d, name, kOps, 5, nullptr, plan, error);
}

plait_status plait_mhc_plan_sizes(const plait_plan *plan, int64_t tokens, plait_mhc_sizes *sizes) {
  const plait_status status = begin_sizes(plan, PLAIT_PLAN_MHC, tokens, PLAIT_ARG_TOKENS, sizes);
  if (status) return status;
  const plait_mhc_plan_desc &p = plan->problem.mhc;
  const mhc::Shape s(p);
  const int64_t fn = dtype_size(p.fn_dtype);
  SizeMath math;
  const auto bytes = [&math](auto... factors) {
    return static_cast<size_t>(math.product(factors...));
  };
  plait_mhc_sizes r{};
  r.residual = bytes(tokens, s.n, s.h, s.element);
  r.hidden = bytes(tokens, s.h, s.element);
  r.pre_mix = r.post_mix = bytes(tokens, s.n, 4);
  r.comb_mix = bytes(tokens, s.n, s.n, 4);
  r.fn = bytes(s.m, s.n, s.h, fn);
  r.base = bytes(s.m, 4);
  r.scale = 12;
  r.head_fn = bytes(s.n, s.n, s.h, fn);
  r.head_base = bytes(s.n, 4);
  r.head_scale = 4;
  r.norm_weight = bytes(s.h, dtype_size(p.norm_weight_dtype));
  bool overflow = math.overflow();
  if (!overflow) {
    const auto take = [&](int32_t op) {
      return take_workspace(workspace_of(*plan, op, tokens), overflow);
    };
    r.workspace_pre = take(PLAIT_OP_MHC_PRE);
    r.workspace_post = take(PLAIT_OP_MHC_POST);
    r.workspace_post_pre = take(PLAIT_OP_MHC_POST_PRE);
    r.workspace_head = take(PLAIT_OP_MHC_HEAD);
    r.workspace_expand = take(PLAIT_OP_MHC_EXPAND);
    r.workspace = std::max({r.workspace_pre, r.workspace_post, r.workspace_post_pre,
                            r.workspace_head, r.workspace_expand});
  }
  if (overflow) return status_of(PLAIT_ERROR_SIZE_OVERFLOW, PLAIT_ARG_TOKENS);
  store(sizes, r);
  return PLAIT_OK;
}
