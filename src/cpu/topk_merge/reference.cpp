// SPDX-License-Identifier: MIT
#include "src/cpu/device.h"
#include "src/cpu/lists.h"
#include "src/cpu/topk_merge/call.h"

namespace plait::cpu::topk_merge {
namespace {

// A heap for each worker.
int64_t heap_bytes(const Op::P &p) {
  return round_up(kept(p.k, p.max_columns) * static_cast<int64_t>(sizeof(Candidate)));
}

int64_t workspace(const Device &device, const Op::P &p, int64_t rows) {
  return rows == 0 ? 0 : device.info.threads * heap_bytes(p);
}

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const int32_t *indices = static_cast<const int32_t *>(a.indices.data);
  const RankingOutput output = output_of(p, a);
  uint8_t *heaps = static_cast<uint8_t *>(a.workspace.data);
  parallel_for_workers(device, a.rows, 1, [&](int64_t worker, int64_t begin, int64_t end) {
    void *heap = heaps + worker * heap_bytes(p);
    for (int64_t r = begin; r < end; ++r) {
      KeepFirst first{static_cast<Candidate *>(heap), kept(p.k, p.max_columns)};
      for (int64_t s = 0; s < a.shards; ++s)
        for (int64_t c = 0; c < a.candidates; ++c) {
          const int32_t index = indices[s * a.indices_shard_stride + r * a.indices_stride + c];
          if (index < 0) continue;
          first.add(
              {load(p.dtype, a.values.data, s * a.values_shard_stride + r * a.values_stride + c),
               index});
        }
      sort_for_output(first.heap, first.count, p.order);
      output.write(r, 0, first.count, [&](int64_t place) { return first.heap[place]; });
    }
  });
  return PLAIT_OK;
}

}  // namespace

const Implementation reference = Op::make<nullptr, workspace, run>("reference");

}  // namespace plait::cpu::topk_merge
