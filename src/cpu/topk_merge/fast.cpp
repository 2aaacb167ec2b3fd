// SPDX-License-Identifier: MIT
// One selector a row, fed shard by shard.
#include "src/cpu/device.h"
#include "src/cpu/lists.h"
#include "src/cpu/ranking/selector.h"
#include "src/cpu/topk_merge/call.h"

namespace plait::cpu::topk_merge {
namespace {

// Workspace: scratch and a selector for each thread.
int64_t workspace(const Device &device, const Op::P &p, int64_t rows) {
  const SelectorSize size = SelectorSize::of(p.k, p.max_columns);
  return rows == 0 ? 0 : device.info.threads * (size.scratch_bytes() + size.bytes());
}

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const SelectorSize size = SelectorSize::of(p.k, p.max_columns);
  const RankingOutput output = output_of(p, a);
  const int32_t *indices = static_cast<const int32_t *>(a.indices.data);
  const uint8_t *values = static_cast<const uint8_t *>(a.values.data);
  uint8_t *workspace = static_cast<uint8_t *>(a.workspace.data);
  parallel_for_workers(device, a.rows, 1, [&](int64_t worker, int64_t begin, int64_t end) {
    uint8_t *memory = workspace + worker * (size.scratch_bytes() + size.bytes());
    const SelectorScratch scratch(size, memory);
    for (int64_t r = begin; r < end; ++r) {
      Selector selector(size, memory + size.scratch_bytes(), false);
      for (int64_t s = 0; s < a.shards; ++s) {
        const int64_t value = s * a.values_shard_stride + r * a.values_stride;
        selector.add_pairs(p.dtype, values + value * dtype_bytes(p.dtype),
                           indices + s * a.indices_shard_stride + r * a.indices_stride,
                           a.candidates, scratch);
      }
      selector.finish(scratch);
      selector.write(output, r, 0, p.order, scratch);
    }
  });
  return PLAIT_OK;
}

}  // namespace

const Implementation fast = Op::make<nullptr, workspace, run>("fast");

}  // namespace plait::cpu::topk_merge
