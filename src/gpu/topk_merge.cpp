// SPDX-License-Identifier: MIT
#include "kernels/topk_merge.h"

#include <algorithm>

#include "src/gpu/lists.h"
#include "src/gpu/topk.h"

namespace plait::gpu::topk_merge {
namespace {

using Op = Define<PLAIT_OP_TOPK_MERGE>;

constexpr int64_t kStaticShared = 10240;
constexpr int64_t kSlabs = 64;

// Ranks in shared memory: k and room to stream, or the row's all. 0: too many.
int64_t shared_capacity(const Device &device, const Op::P &p) {
  const int64_t most = (device.info.shared_bytes - kStaticShared) / 8;
  const int64_t all = power_of_two_from(p.max_columns);
  const int64_t wanted = std::max<int64_t>({3 * p.k, power_of_two_from(p.k), 2048});
  const int64_t capacity = std::min({wanted, all, most});
  return capacity == all || (capacity > p.k + 512 && capacity >= power_of_two_from(p.k)) ? capacity
                                                                                         : 0;
}

plait_status can_run(const Device &, const Op::P &p, Reason &reason) {
  if (p.max_columns <= int64_t{1} << 30) return PLAIT_OK;
  reason.set("more than 2^30 candidates a row");
  return status_of(PLAIT_ERROR_UNSUPPORTED_SHAPE, PLAIT_ARG_MAX_COLUMNS);
}

// With too large a k every candidate of a row is sorted, in a slab.
int64_t workspace(const Device &device, const Op::P &p, int64_t rows) {
  if (shared_capacity(device, p) > 0) return 0;
  return std::min(rows, kSlabs) * power_of_two_from(p.max_columns) * 8;
}

plait_status prepare(Device &device, const Op::P &, Failure &failure) {
  const CurrentDevice current(device);
  if (current.status() != hipSuccess) return runtime(current.status(), "hipSetDevice", failure);
  return runtime(kernels::topk_merge_allow_shared(device.info.wave_size,
                                                  static_cast<size_t>(device.info.shared_bytes)),
                 "hipFuncSetAttribute", failure);
}

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *stream) {
  const int64_t capacity = shared_capacity(device, p);
  kernels::TopkMerge m{};
  m.values = a.values.data;
  m.values_stride = a.values_stride;
  m.values_shard_stride = a.values_shard_stride;
  m.indices = static_cast<const int32_t *>(a.indices.data);
  m.indices_stride = a.indices_stride;
  m.indices_shard_stride = a.indices_shard_stride;
  m.rows = a.rows;
  m.shards = a.shards;
  m.candidates = a.candidates;
  m.k = p.k;
  m.dtype = p.dtype;
  m.order = p.order;
  m.indices_out = static_cast<int32_t *>(a.indices_out.data);
  m.indices_out_stride = a.indices_out_stride;
  m.values_out = a.values_out.data;
  m.values_out_stride = a.values_out_stride;
  m.capacity = static_cast<uint32_t>(capacity ? capacity : power_of_two_from(p.max_columns));
  m.ranks = capacity ? nullptr : static_cast<uint64_t *>(a.workspace.data);
  m.slabs = kSlabs;
  return run_on(device, [&] { return kernels::topk_merge(m, device.info.wave_size, stream); });
}

}  // namespace

const Implementation generic = Op::make<can_run, workspace, run, prepare>("generic");

}  // namespace plait::gpu::topk_merge
