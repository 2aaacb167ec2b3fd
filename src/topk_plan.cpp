// SPDX-License-Identifier: MIT
// The top-k plan: its descriptor and its sizes.
#include <algorithm>
#include <cstring>

#include "src/plan_desc.h"

using namespace plait;

void plait_topk_plan_desc_init(plait_topk_plan_desc *desc, size_t struct_size) {
  if (!desc || struct_size < sizeof(plait_topk_plan_desc)) return;
  memset(static_cast<void *>(desc), 0, struct_size);
  desc->struct_size = struct_size;
  desc->order = PLAIT_ORDER_ANY;
  desc->dtype = PLAIT_DTYPE_F32;
  desc->page_entries = 64;
}

plait_status plait_topk_plan_create(plait_context *context, const plait_topk_plan_desc *desc,
                                    plait_plan **plan, plait_error *error) {
  plait_topk_plan_desc d;
  plait_topk_plan_desc_init(&d, sizeof d);
  const plait_status status = begin_plan(context, desc, d, plan, error);
  if (status) return status;
  DescCheck check(error);
  check.range(d.max_columns, 1, INT32_MAX, PLAIT_ARG_MAX_COLUMNS);
  check.range(d.k, 1, INT32_MAX, PLAIT_ARG_K);
  check.range(d.order, PLAIT_ORDER_ANY, PLAIT_ORDER_DESCENDING, PLAIT_ARG_ORDER);
  check.dtype(d.dtype, PLAIT_ARG_DTYPE);
  check.range(d.page_entries, 1, PLAIT_INDEXER_MAX_PAGE_ENTRIES, PLAIT_ARG_PAGE_ENTRIES);
  if (check.status()) return check.status();
  if (d.reserved != 0)
    return report(error, status_of(PLAIT_ERROR_UNKNOWN_FIELD, PLAIT_ARG_DESC), 0,
                  "reserved must be 0");

  const char *name = d.implementation;
  d.implementation = nullptr;
  static constexpr int32_t kOps[] = {PLAIT_OP_TOPK, PLAIT_OP_TOPK_MERGE};
  return make_plan(context, PLAIT_PLAN_TOPK, &d, sizeof d, name, kOps, 2, nullptr, plan, error);
}

plait_status plait_topk_plan_sizes(const plait_plan *plan, int64_t rows, plait_topk_sizes *sizes) {
  const plait_status status = begin_sizes(plan, PLAIT_PLAN_TOPK, rows, PLAIT_ARG_ROWS, sizes);
  if (status) return status;
  const plait_topk_plan_desc &p = plan->problem.topk;
  SizeMath math;
  plait_topk_sizes r{};
  r.indices = static_cast<size_t>(math.product(rows, p.k, 4));
  r.values = static_cast<size_t>(math.product(rows, p.k, dtype_size(p.dtype)));
  bool overflow = math.overflow();
  if (!overflow) {
    r.workspace_topk = take_workspace(workspace_of(*plan, PLAIT_OP_TOPK, rows), overflow);
    r.workspace_merge = take_workspace(workspace_of(*plan, PLAIT_OP_TOPK_MERGE, rows), overflow);
    r.workspace = std::max(r.workspace_topk, r.workspace_merge);
  }
  if (overflow) return status_of(PLAIT_ERROR_SIZE_OVERFLOW, PLAIT_ARG_ROWS);
  store(sizes, r);
  return PLAIT_OK;
}
