// SPDX-License-Identifier: MIT
// Top-k on a GPU: which kernel takes which rows, and their workspace.
#include "src/gpu/topk.h"

#include <algorithm>

#include "src/gpu/lists.h"

namespace plait::gpu {

int64_t round_to_workspace(int64_t bytes) {
  return (bytes + PLAIT_WORKSPACE_ALIGNMENT - 1) / PLAIT_WORKSPACE_ALIGNMENT *
         PLAIT_WORKSPACE_ALIGNMENT;
}

int64_t power_of_two_from(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

namespace topk {
namespace {

using Op = Define<PLAIT_OP_TOPK>;

constexpr int64_t kStaticShared = 1024;  // more than any kernel's static shared memory but bins
constexpr int64_t kLeastSegment = 4096;  // elements of a row that are worth a block
constexpr int64_t kMostSegments = 256;   // of a row
constexpr int64_t kPassesSlabs = 64;

TopkProblem problem_of(const plait_topk_plan_desc &p) {
  return {p.max_columns, p.k, p.order, p.dtype};
}

int64_t most_candidates(const Device &device) {
  const int64_t window = static_cast<int64_t>(kernels::topk_filter_shared(0));
  return (device.info.shared_bytes - kStaticShared - window) / 8 / 32 * 32;
}

// Candidates that a block keeps: room for about half again what the sample lets through, and for
// the sort of k. 0: k is too large for shared memory.
int64_t capacity_of(const Device &device, const TopkProblem &p) {
  const int64_t most = most_candidates(device);
  if (p.k > most) return 0;
  const int64_t wanted = std::max<int64_t>(3 * p.k, 4096), sorted = power_of_two_from(p.k);
  const int64_t capacity = std::min(std::max(wanted, sorted), most);
  return capacity < sorted || capacity < p.k + 512 ? 0 : capacity / 32 * 32;
}

int64_t segments_of(const Device &device, int64_t rows, int64_t columns) {
  const int64_t blocks = 2 * device.info.compute_units;
  return std::max<int64_t>(1, std::min({blocks / rows, columns / kLeastSegment, kMostSegments}));
}

// Blocks of a call in segments, at most, for any row count up to `rows`.
int64_t most_blocks(const Device &device, const TopkProblem &p, int64_t rows) {
  const int64_t blocks = 2 * device.info.compute_units;
  const int64_t segments =
      std::max<int64_t>(1, std::min(p.max_columns / kLeastSegment, kMostSegments));
  return rows > blocks / segments ? blocks : rows * segments;
}

bool fits_registers(const Device &device, const TopkProblem &p, int64_t columns) {
  const int64_t shared =
      static_cast<int64_t>(kernels::topk_registers_shared(columns, p.k, p.order));
  return columns <= kernels::kTopkRegisterColumns &&
         shared + kStaticShared + 8192 <= device.info.shared_bytes;
}

}  // namespace

plait_status filter_can_run(const Device &device, const TopkProblem &p, Reason &reason) {
  if (capacity_of(device, p) > 0 || fits_registers(device, p, p.max_columns)) return PLAIT_OK;
  reason.set("k %lld is more than shared memory of %lld bytes holds", static_cast<long long>(p.k),
             static_cast<long long>(device.info.shared_bytes));
  return status_of(PLAIT_ERROR_UNSUPPORTED_SHAPE, PLAIT_ARG_K);
}

// The segments' candidates, then their counts.
int64_t filter_workspace(const Device &device, const TopkProblem &p, int64_t rows) {
  const int64_t capacity = capacity_of(device, p);
  if (rows == 0 || capacity == 0) return 0;
  return round_to_workspace(most_blocks(device, p, rows) * (capacity * 8 + 4));
}

hipError_t filter_run(const Device &device, const TopkProblem &p, const kernels::TopkInput &input,
                      const kernels::TopkOutput &output, void *workspace, void *stream) {
  const int32_t wave = device.info.wave_size;
  if (fits_registers(device, p, input.columns))
    return kernels::topk_registers(input, output, input.rows > device.info.compute_units, wave,
                                   stream);
  const int64_t capacity = capacity_of(device, p);
  const int64_t segments = segments_of(device, input.rows, input.columns);
  // A sample lets more through, relative to k, the longer the row.
  const int64_t joined = std::min(2 * capacity, most_candidates(device));
  kernels::TopkFilter split{static_cast<uint32_t>(capacity), static_cast<uint32_t>(joined),
                            static_cast<uint32_t>(segments), nullptr, nullptr};
  if (segments > 1) {
    split.candidates = static_cast<uint64_t *>(workspace);
    split.counts =
        reinterpret_cast<uint32_t *>(split.candidates + input.rows * segments * capacity);
  }
  return kernels::topk_filter(input, output, split, wave, stream);
}

int64_t passes_workspace(const Device &, const TopkProblem &p, int64_t rows) {
  if (p.order != PLAIT_ORDER_DESCENDING) return 0;
  return std::min(rows, kPassesSlabs) * power_of_two_from(std::min(p.k, p.max_columns)) * 8;
}

hipError_t passes_run(const Device &device, const TopkProblem &p, const kernels::TopkInput &input,
                      const kernels::TopkOutput &output, void *workspace, void *stream) {
  const bool sorts = p.order == PLAIT_ORDER_DESCENDING;
  const int64_t slab = sorts ? power_of_two_from(std::min(p.k, p.max_columns)) : 0;
  const uint32_t slabs = sorts ? kPassesSlabs : INT32_MAX;
  return kernels::topk_passes(input, output, static_cast<uint64_t *>(workspace), slab, slabs,
                              device.info.wave_size, stream);
}

int64_t workspace(const Device &device, const TopkProblem &p, int64_t rows) {
  Reason reason;
  return filter_can_run(device, p, reason) == PLAIT_OK ? filter_workspace(device, p, rows)
                                                       : passes_workspace(device, p, rows);
}

hipError_t run(const Device &device, const TopkProblem &p, const kernels::TopkInput &input,
               const kernels::TopkOutput &output, void *workspace, void *stream) {
  Reason reason;
  return filter_can_run(device, p, reason) == PLAIT_OK
             ? filter_run(device, p, input, output, workspace, stream)
             : passes_run(device, p, input, output, workspace, stream);
}

plait_status prepare(Device &device, const TopkProblem &p, Failure &failure) {
  const CurrentDevice current(device);
  if (current.status() != hipSuccess) return runtime(current.status(), "hipSetDevice", failure);
  return runtime(kernels::topk_allow_shared(p.dtype, device.info.wave_size,
                                            static_cast<size_t>(device.info.shared_bytes)),
                 "hipFuncSetAttribute", failure);
}

namespace {

kernels::TopkInput input_of(const Op::P &p, const Op::A &a) {
  return {a.values.data,
          a.values_stride,
          static_cast<const int32_t *>(a.row_start.data),
          static_cast<const int32_t *>(a.row_end.data),
          0,
          a.rows,
          a.columns,
          p.dtype};
}

kernels::TopkOutput output_of(const Op::P &p, const Op::A &a) {
  return {p.k,
          p.order,
          0,
          static_cast<int32_t *>(a.indices.data),
          a.indices_stride,
          a.values_out.data,
          a.values_out_stride,
          static_cast<int32_t *>(a.slots.data),
          a.slots_stride,
          {static_cast<const int32_t *>(a.block_table.data), a.table_count, a.block_table_columns,
           a.block_table_stride, p.page_entries},
          static_cast<const int32_t *>(a.table_row.data),
          std::max<int64_t>(a.rows_per_table, 1)};
}

plait_status can_run_filter(const Device &device, const Op::P &p, Reason &reason) {
  return filter_can_run(device, problem_of(p), reason);
}
int64_t workspace_filter(const Device &device, const Op::P &p, int64_t rows) {
  return filter_workspace(device, problem_of(p), rows);
}
plait_status prepare_filter(Device &device, const Op::P &p, Failure &failure) {
  return prepare(device, problem_of(p), failure);
}
plait_status run_filter(const Device &device, const Op::P &p, const Op::A &a, void *stream) {
  return run_on(device, [&] {
    return filter_run(device, problem_of(p), input_of(p, a), output_of(p, a), a.workspace.data,
                      stream);
  });
}

int64_t workspace_passes(const Device &device, const Op::P &p, int64_t rows) {
  return passes_workspace(device, problem_of(p), rows);
}
plait_status run_passes(const Device &device, const Op::P &p, const Op::A &a, void *stream) {
  return run_on(device, [&] {
    return passes_run(device, problem_of(p), input_of(p, a), output_of(p, a), a.workspace.data,
                      stream);
  });
}

}  // namespace

const Implementation filter =
    Op::make<can_run_filter, workspace_filter, run_filter, prepare_filter>("filter");
const Implementation passes = Op::make<nullptr, workspace_passes, run_passes>("passes");

}  // namespace topk
}  // namespace plait::gpu
