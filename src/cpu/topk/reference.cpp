// SPDX-License-Identifier: MIT
#include "src/cpu/device.h"
#include "src/cpu/lists.h"
#include "src/cpu/topk/call.h"

namespace plait::cpu::topk {
namespace {

// A heap for each worker.
int64_t heap_bytes(const Op::P &p) {
  return round_up(kept(p.k, p.max_columns) * static_cast<int64_t>(sizeof(Candidate)));
}

int64_t workspace(const Device &device, const Op::P &p, int64_t rows) {
  return rows == 0 ? 0 : device.info.threads * heap_bytes(p);
}

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const Call call = call_of(p, a);
  if (const plait_status status = check_ranges(call.row_start, call.row_end, a.rows, a.columns))
    return status;
  uint8_t *heaps = static_cast<uint8_t *>(a.workspace.data);
  parallel_for_workers(device, a.rows, 1, [&](int64_t worker, int64_t begin, int64_t end) {
    void *heap = heaps + worker * heap_bytes(p);
    for (int64_t r = begin; r < end; ++r) {
      KeepFirst first{static_cast<Candidate *>(heap), kept(p.k, p.max_columns)};
      const int64_t start = call.start(r), length = call.end(r) - start;
      for (int64_t i = 0; i < length; ++i)
        first.add({load(p.dtype, a.values.data, r * a.values_stride + start + i),
                   static_cast<int32_t>(i)});
      sort_for_output(first.heap, first.count, p.order);
      call.output.write(r, call.table_row_of(r), first.count,
                        [&](int64_t place) { return first.heap[place]; });
    }
  });
  return PLAIT_OK;
}

}  // namespace

const Implementation reference = Op::make<nullptr, workspace, run>("reference");

}  // namespace plait::cpu::topk
