// SPDX-License-Identifier: MIT
// The indexer plan: its descriptor and its sizes.
#include <algorithm>
#include <cstring>

#include "src/indexer_layout.h"
#include "src/plan_desc.h"

using namespace plait;

void plait_indexer_plan_desc_init(plait_indexer_plan_desc *desc, size_t struct_size) {
  if (!desc || struct_size < sizeof(plait_indexer_plan_desc)) return;
  memset(static_cast<void *>(desc), 0, struct_size);
  desc->struct_size = struct_size;
  desc->heads = 64;
  desc->head_dim = 128;
  desc->format = PLAIT_FORMAT_FP8_E4M3FN;
  desc->layout = PLAIT_LAYOUT_BLOCK_FLAT;
  desc->page_entries = 64;
  desc->rope_mode = PLAIT_ROPE_INTERLEAVED;
  desc->rope_dim = 64;
  desc->rope_placement = PLAIT_ROPE_LAST;
  desc->weights_dtype = PLAIT_DTYPE_F32;
  desc->logits_dtype = PLAIT_DTYPE_F32;
  desc->next_n = 1;
  desc->max_keys = 1048576;
  desc->select_budget = size_t{256} << 20;
  desc->order = PLAIT_ORDER_ANY;
}

namespace {

int64_t rounded_page(const plait_indexer_plan_desc &p) {
  const int64_t unit = page_alignment(p);
  return (page_bytes(p) + unit - 1) / unit * unit;
}

void check_head(DescCheck &check, const plait_indexer_plan_desc &d) {
  check.range(d.heads, 1, PLAIT_INDEXER_MAX_HEADS, PLAIT_ARG_HEADS);
  check.range(d.head_dim, 32, PLAIT_INDEXER_MAX_HEAD_DIM, PLAIT_ARG_HEAD_DIM);
  if (d.head_dim % 32 != 0)
    check.fail(PLAIT_ARG_HEAD_DIM, "head_dim %d is not a multiple of 32", d.head_dim);
  check.range(d.hadamard, 0, 1, PLAIT_ARG_HADAMARD);
  if (d.hadamard && (d.head_dim & (d.head_dim - 1)) != 0)
    check.fail(PLAIT_ARG_HEAD_DIM, "head_dim %d is not a power of two, which hadamard needs",
               d.head_dim);
  check.range(d.rope_mode, PLAIT_ROPE_NONE, PLAIT_ROPE_HALF_SPLIT, PLAIT_ARG_ROPE_MODE);
  check.range(d.rope_placement, PLAIT_ROPE_FIRST, PLAIT_ROPE_LAST, PLAIT_ARG_ROPE_PLACEMENT);
  if (d.rope_mode != PLAIT_ROPE_NONE) {
    check.range(d.rope_dim, 2, d.head_dim, PLAIT_ARG_ROPE_DIM);
    if (d.rope_dim % 2 != 0) check.fail(PLAIT_ARG_ROPE_DIM, "rope_dim %d is odd", d.rope_dim);
  }
}

void check_pages(DescCheck &check, const plait_indexer_plan_desc &d) {
  check.range(d.format, PLAIT_FORMAT_FP8_E4M3FN, PLAIT_FORMAT_MXFP4, PLAIT_ARG_FORMAT);
  check.range(d.layout, PLAIT_LAYOUT_BLOCK_FLAT, PLAIT_LAYOUT_TILED, PLAIT_ARG_LAYOUT);
  check.range(d.page_entries, 1, PLAIT_INDEXER_MAX_PAGE_ENTRIES, PLAIT_ARG_PAGE_ENTRIES);
  if (d.layout == PLAIT_LAYOUT_TILED && !is_fp8(d.format))
    check.fail(PLAIT_ARG_LAYOUT, "the tiled layout is for the fp8 formats");
  if (d.layout == PLAIT_LAYOUT_TILED && d.page_entries % 16 != 0)
    check.fail(PLAIT_ARG_PAGE_ENTRIES,
               "page_entries %d is not a multiple of 16, which the tiled layout needs",
               d.page_entries);
}

plait_status check_stride(plait_indexer_plan_desc &d, plait_error *error) {
  if (d.page_stride == 0) d.page_stride = rounded_page(d);
  if (d.page_stride < page_bytes(d))
    return report(error, status_of(PLAIT_ERROR_STRIDE, PLAIT_ARG_PAGE_STRIDE), 0,
                  "page_stride %lld is below the %lld bytes of a page",
                  static_cast<long long>(d.page_stride), static_cast<long long>(page_bytes(d)));
  if (d.page_stride % page_alignment(d) != 0)
    return report(error, status_of(PLAIT_ERROR_MISALIGNED, PLAIT_ARG_PAGE_STRIDE), 0,
                  "page_stride %lld is not a multiple of %lld",
                  static_cast<long long>(d.page_stride), static_cast<long long>(page_alignment(d)));
  return PLAIT_OK;
}

plait_status opt_out(const void *problem, int32_t op, Reason &reason) {
  const plait_indexer_plan_desc &p = *static_cast<const plait_indexer_plan_desc *>(problem);
  if ((op == PLAIT_OP_SELECT_RAGGED || op == PLAIT_OP_SELECT_PAGED) && p.topk == 0) {
    reason.set("topk is 0: the plan has no select");
    return status_of(PLAIT_ERROR_WRONG_PLAN, PLAIT_ARG_TOPK);
  }
  if ((op == PLAIT_OP_CONVERT_K || op == PLAIT_OP_CONVERT_CACHE) && !is_fp8(p.format)) {
    reason.set("format is not an fp8 one: nothing to convert");
    return status_of(PLAIT_ERROR_WRONG_PLAN, PLAIT_ARG_FORMAT);
  }
  return PLAIT_OK;
}

// The least budget that the plan's select operations can work with.
int64_t select_least(const plait_plan &plan) {
  int64_t least = 0;
  static constexpr int32_t kOps[] = {PLAIT_OP_SELECT_RAGGED, PLAIT_OP_SELECT_PAGED};
  for (int32_t op : kOps) {
    const Choice *choice = plan.choice(op);
    if (choice && choice->chosen && choice->chosen->least_budget)
      least = std::max(least, choice->chosen->least_budget(plan.device(), &plan.problem));
  }
  return least;
}

}  // namespace

plait_status plait_indexer_plan_create(plait_context *context, const plait_indexer_plan_desc *desc,
                                       plait_plan **plan, plait_error *error) {
  plait_indexer_plan_desc d;
  plait_indexer_plan_desc_init(&d, sizeof d);
  plait_status status = begin_plan(context, desc, d, plan, error);
  if (status) return status;
  DescCheck check(error);
  check_head(check, d);
  check_pages(check, d);
  check.dtype(d.weights_dtype, PLAIT_ARG_WEIGHTS_DTYPE);
  if (d.logits_dtype != PLAIT_DTYPE_F32 && d.logits_dtype != PLAIT_DTYPE_BF16)
    check.fail(PLAIT_ARG_LOGITS_DTYPE, "logits_dtype must be F32 or BF16");
  check.range(d.next_n, 1, PLAIT_INDEXER_MAX_NEXT_N, PLAIT_ARG_NEXT_N);
  check.range(d.topk, 0, INT32_MAX, PLAIT_ARG_TOPK);
  check.range(d.order, PLAIT_ORDER_ANY, PLAIT_ORDER_DESCENDING, PLAIT_ARG_ORDER);
  check.range(d.max_keys, 1, INT32_MAX, PLAIT_ARG_MAX_KEYS);
  if (check.status()) return check.status();
  if (d.reserved != 0)
    return report(error, status_of(PLAIT_ERROR_UNKNOWN_FIELD, PLAIT_ARG_DESC), 0,
                  "reserved must be 0");
  status = check_stride(d, error);
  if (status) return status;

  const char *name = d.implementation;
  d.implementation = nullptr;
  static constexpr int32_t kOps[] = {
      PLAIT_OP_QUANTIZE_Q,    PLAIT_OP_WRITE_K,       PLAIT_OP_GATHER_K,     PLAIT_OP_CONVERT_K,
      PLAIT_OP_CONVERT_CACHE, PLAIT_OP_LOGITS_RAGGED, PLAIT_OP_LOGITS_PAGED, PLAIT_OP_SELECT_RAGGED,
      PLAIT_OP_SELECT_PAGED,  PLAIT_OP_MAP_SLOTS};
  return make_plan(context, PLAIT_PLAN_INDEXER, &d, sizeof d, name, kOps, 10, opt_out, plan, error);
}

plait_status plait_indexer_plan_sizes(const plait_plan *plan, int64_t rows,
                                      plait_indexer_sizes *sizes) {
  const plait_status status = begin_sizes(plan, PLAIT_PLAN_INDEXER, rows, PLAIT_ARG_ROWS, sizes);
  if (status) return status;
  const plait_indexer_plan_desc &p = plan->problem.indexer;
  SizeMath math;
  const auto bytes = [&math](auto... factors) {
    return static_cast<size_t>(math.product(factors...));
  };
  plait_indexer_sizes r{};
  r.q = bytes(rows, p.heads, p.head_dim, 2);
  r.q_values = bytes(rows, p.heads, value_bytes(p));
  r.q_scale = bytes(rows, p.heads, scale_bytes(p));
  r.weights = bytes(rows, p.heads, dtype_size(p.weights_dtype));
  r.weights_out = bytes(rows, p.heads, 4);
  r.k = bytes(rows, p.head_dim, 2);
  r.k_values = bytes(rows, value_bytes(p));
  r.k_scale = bytes(rows, scale_bytes(p));
  r.page = static_cast<size_t>(rounded_page(p));
  r.page_stride = static_cast<size_t>(p.page_stride);
  r.indices = bytes(rows, p.topk, 4);
  r.values = bytes(rows, p.topk, 4);
  bool overflow = math.overflow();
  if (!overflow) {
    const auto take = [&](int32_t op) {
      return take_workspace(workspace_of(*plan, op, rows), overflow);
    };
    r.workspace_logits = std::max(take(PLAIT_OP_LOGITS_RAGGED), take(PLAIT_OP_LOGITS_PAGED));
    r.workspace_select = std::max(take(PLAIT_OP_SELECT_RAGGED), take(PLAIT_OP_SELECT_PAGED));
    r.workspace_quantize = std::max({take(PLAIT_OP_QUANTIZE_Q), take(PLAIT_OP_WRITE_K),
                                     take(PLAIT_OP_GATHER_K), take(PLAIT_OP_CONVERT_K),
                                     take(PLAIT_OP_CONVERT_CACHE), take(PLAIT_OP_MAP_SLOTS)});
    r.workspace = std::max({r.workspace_logits, r.workspace_select, r.workspace_quantize});
    r.select_least = static_cast<size_t>(select_least(*plan));
  }
  if (overflow) return status_of(PLAIT_ERROR_SIZE_OVERFLOW, PLAIT_ARG_ROWS);
  store(sizes, r);
  return PLAIT_OK;
}
