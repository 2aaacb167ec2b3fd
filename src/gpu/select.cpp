// SPDX-License-Identifier: MIT
// Select on a GPU: as many rows at a time as the budget holds logits of, then their top-k. The
// logits kernel and the top-k are those of the separate calls, so the bits are too.
//
//     workspace   [rows of a round, max_keys] logits   |   top-k's own
#include <algorithm>

#include "src/gpu/lists.h"
#include "src/gpu/logits.h"
#include "src/gpu/topk.h"

namespace plait::gpu {
namespace {

using Problem = plait_indexer_plan_desc;

TopkProblem topk_of(const Problem &p) { return {p.max_keys, p.topk, p.order, p.logits_dtype}; }

// Elements between rows of logits: whole vectors.
int64_t stride_of(const Problem &p) { return (p.max_keys + 7) / 8 * 8; }

int64_t bytes_of(const Device &device, const Problem &p, int64_t rows) {
  const int64_t element = p.logits_dtype == PLAIT_DTYPE_BF16 ? 2 : 4;
  return round_to_workspace(rows * stride_of(p) * element) +
         topk::workspace(device, topk_of(p), rows);
}

// Rows of a round within the budget, in steps of `unit`; 0: not one step. Monotonic sizes allow a
// bisection.
int64_t rows_of(const Device &device, const Problem &p, int64_t unit, int64_t rows) {
  const int64_t budget =
      static_cast<int64_t>(std::min<uint64_t>(p.select_budget, static_cast<uint64_t>(INT64_MAX)));
  int64_t low = 0, high = std::min<int64_t>((rows + unit - 1) / unit, 65536);
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    if (bytes_of(device, p, middle * unit) <= budget)
      low = middle;
    else
      high = middle - 1;
  }
  return low * unit;
}

// A round takes whole requests.
template <int32_t op>
int64_t unit_of(const Problem &p) {
  return op == PLAIT_OP_SELECT_PAGED ? p.next_n : 1;
}

template <int32_t op>
int64_t least(const Device &device, const Problem &p) {
  return p.topk == 0 ? 0 : bytes_of(device, p, unit_of<op>(p));
}

template <int32_t op, const LogitsKernel &kernel>
plait_status can_run(const Device &device, const Problem &p, Reason &reason) {
  if (const plait_status status = kernel.can_run(device, p, reason)) return status;
  if (p.topk == 0 || static_cast<uint64_t>(least<op>(device, p)) <= p.select_budget)
    return PLAIT_OK;
  reason.set("select_budget %zu is below the least, %lld bytes", p.select_budget,
             static_cast<long long>(least<op>(device, p)));
  return status_of(PLAIT_ERROR_BUDGET_TOO_SMALL, PLAIT_ARG_SELECT_BUDGET);
}

template <int32_t op>
int64_t workspace(const Device &device, const Problem &p, int64_t rows) {
  if (p.topk == 0 || rows == 0) return 0;
  return bytes_of(device, p, rows_of(device, p, unit_of<op>(p), rows));
}

template <const LogitsKernel &kernel>
plait_status prepare(Device &device, const Problem &p, Failure &failure) {
  if (p.topk == 0) return PLAIT_OK;
  {
    const CurrentDevice current(device);
    if (current.status() != hipSuccess) return runtime(current.status(), "hipSetDevice", failure);
    if (const plait_status status =
            runtime(kernel.prepare(device, p), "hipFuncSetAttribute", failure))
      return status;
  }
  return topk::prepare(device, topk_of(p), failure);
}

template <class Args>
kernels::TopkOutput output_of(const Problem &p, const Args &a, int64_t table_rows) {
  kernels::TopkOutput o{};
  o.k = p.topk;
  o.order = p.order;
  o.values_f32 = 1;
  o.indices = static_cast<int32_t *>(a.indices.data);
  o.indices_stride = a.indices_stride;
  o.values = a.values_out.data;
  o.values_stride = a.values_out_stride;
  o.slots = static_cast<int32_t *>(a.slots.data);
  o.slots_stride = a.slots_stride;
  o.table = {static_cast<const int32_t *>(a.block_table.data), table_rows, a.block_table_columns,
             a.block_table_stride, p.page_entries};
  o.rows_per_table = p.next_n;
  return o;
}

// The ranges of the logits' rows, for rows from `row` on, which is the first of a request.
kernels::TopkInput input_of(const Problem &p, const kernels::Logits &l, int64_t row) {
  kernels::TopkInput in{};
  in.values = l.logits;
  in.stride = l.stride;
  in.rows = l.last_row - row;
  in.columns = l.columns;
  in.dtype = p.logits_dtype;
  if (!l.cache) {
    in.start = l.start + row;
    in.end = l.end + row;
  } else if (l.per_request) {
    in.end = l.lengths + row / l.next_n;
    in.next_n = l.next_n;
  } else {
    in.end = l.lengths + row;
  }
  return in;
}

kernels::TopkOutput output_from(const kernels::TopkOutput &all, int64_t row) {
  kernels::TopkOutput o = all;
  o.indices += row * o.indices_stride;
  if (o.values) o.values = static_cast<float *>(o.values) + row * o.values_stride;
  if (o.slots) o.slots += row * o.slots_stride;
  if (o.table_row) {
    o.table_row += row;
  } else if (o.slots) {
    o.table.ids += row / o.rows_per_table * o.table.stride;
    o.table.rows -= row / o.rows_per_table;
  }
  return o;
}

template <int32_t op, const LogitsKernel &kernel>
plait_status rounds(const Device &device, const Problem &p, kernels::Logits l,
                    const kernels::TopkOutput &output, const plait_buffer &buffer, void *stream) {
  const int64_t round = rows_of(device, p, unit_of<op>(p), l.rows), all = l.rows;
  l.logits = buffer.data;
  l.stride = stride_of(p);
  l.bf16 = p.logits_dtype == PLAIT_DTYPE_BF16;
  void *topk_workspace = static_cast<uint8_t *>(buffer.data) + bytes_of(device, p, round) -
                         topk::workspace(device, topk_of(p), round);
  return run_on(device, [&] {
    for (int64_t row = 0; row < all; row += round) {
      l.first_row = row;
      l.last_row = std::min(row + round, all);
      if (l.columns > 0)
        if (const hipError_t error = kernel.run(device, p, l, stream)) return error;
      if (const hipError_t error = topk::run(device, topk_of(p), input_of(p, l, row),
                                             output_from(output, row), topk_workspace, stream))
        return error;
    }
    return hipSuccess;
  });
}

template <const LogitsKernel &kernel>
plait_status run_ragged(const Device &device, const Problem &p,
                        const plait_indexer_select_ragged_args &a, void *stream) {
  kernels::TopkOutput output = output_of(p, a, a.table_count);
  output.table_row = static_cast<const int32_t *>(a.table_row.data);
  return rounds<PLAIT_OP_SELECT_RAGGED, kernel>(device, p, ragged_logits(p, a), output, a.workspace,
                                                stream);
}

template <const LogitsKernel &kernel>
plait_status run_paged(const Device &device, const Problem &p,
                       const plait_indexer_select_paged_args &a, void *stream) {
  return rounds<PLAIT_OP_SELECT_PAGED, kernel>(device, p, paged_logits(p, a),
                                               output_of(p, a, a.requests), a.workspace, stream);
}

template <const LogitsKernel &kernel>
constexpr Implementation ragged(const char *name) {
  constexpr int32_t op = PLAIT_OP_SELECT_RAGGED;
  return Define<op>::make<can_run<op, kernel>, workspace<op>, run_ragged<kernel>, prepare<kernel>,
                          least<op>>(name);
}

template <const LogitsKernel &kernel>
constexpr Implementation paged(const char *name) {
  constexpr int32_t op = PLAIT_OP_SELECT_PAGED;
  return Define<op>::make<can_run<op, kernel>, workspace<op>, run_paged<kernel>, prepare<kernel>,
                          least<op>>(name);
}

}  // namespace

namespace select_ragged {
const Implementation sm90 = ragged<kLogitsSm90>("wgmma");
const Implementation tile = ragged<kLogitsTile>("matrix");
const Implementation generic = ragged<kLogitsGeneric>("generic");
}  // namespace select_ragged

namespace select_paged {
const Implementation sm90 = paged<kLogitsSm90>("wgmma");
const Implementation tile = paged<kLogitsTile>("matrix");
const Implementation generic = paged<kLogitsGeneric>("generic");
}  // namespace select_paged

}  // namespace plait::gpu
