// SPDX-License-Identifier: MIT
// One selector a row. Rows fewer than threads are cut into segments, and the outcomes of a row's
// segments are ranked once more: the K first are unique, so they do not depend on the cut.
#include "src/cpu/device.h"
#include "src/cpu/lists.h"
#include "src/cpu/ranking/selector.h"
#include "src/cpu/topk/call.h"

namespace plait::cpu::topk {
namespace {

// Columns that are worth waking a thread for: about 40 us.
constexpr int64_t kThreadColumns = 131072;

// Workspace: | scratch of each thread | selectors |. Whole rows need a selector for each thread;
// segments, which are fewer than 2 * threads, one each, and the rows as many as threads.
int64_t workspace(const Device &device, const Op::P &p, int64_t rows) {
  const int64_t threads = device.info.threads;
  const SelectorSize size = SelectorSize::of(p.k, p.max_columns);
  const int64_t selectors = threads == 1 ? 1 : 3 * threads;
  return rows == 0 ? 0 : threads * size.scratch_bytes() + selectors * size.bytes();
}

struct Run {
  const Device &device;
  const Op::P &p;
  const Op::A &a;
  Call call;
  SelectorSize size;
  uint8_t *scratches;
  uint8_t *selectors;

  SelectorScratch scratch(int64_t worker) const {
    return {size, scratches + worker * size.scratch_bytes()};
  }
  void *selector(int64_t i) const { return selectors + i * size.bytes(); }

  // All of a row's places, without a look at its values where they are not asked for.
  bool write_short(int64_t row) const {
    const int64_t start = call.start(row), length = call.end(row) - start;
    if (length > p.k || p.order == PLAIT_ORDER_DESCENDING) return false;
    call.output.write(row, call.table_row_of(row), length, [&](int64_t i) {
      const bool wanted = call.output.values != nullptr;
      return Candidate{
          wanted ? load(p.dtype, a.values.data, row * a.values_stride + start + i) : 0.0f,
          static_cast<int32_t>(i)};
    });
    return true;
  }

  // Columns begin … end - 1, counted from the row's start.
  void add(Selector &to, int64_t row, int64_t begin, int64_t end, int64_t worker) const {
    if (begin >= end) return to.finish(scratch(worker));  // also where values may be NULL
    const int64_t first = row * a.values_stride + call.start(row) + begin;
    const uint8_t *values = static_cast<const uint8_t *>(a.values.data);
    to.add_row(p.dtype, values + first * dtype_bytes(p.dtype), end - begin, begin, scratch(worker));
    to.finish(scratch(worker));
  }

  void write(const Selector &from, int64_t row, int64_t worker) const {
    from.write(call.output, row, call.table_row_of(row), p.order, scratch(worker));
  }

  void whole_rows() const {
    const int64_t grain = std::max<int64_t>(1, kThreadColumns / std::max<int64_t>(1, a.columns));
    parallel_for_workers(device, a.rows, grain, [&](int64_t worker, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        if (write_short(r)) continue;
        Selector whole(size, selector(worker));
        add(whole, r, 0, call.end(r) - call.start(r), worker);
        write(whole, r, worker);
      }
    });
  }

  void cut_rows(int64_t segments) const {
    const auto cut = [&](int64_t row, int64_t segment) {
      return (call.end(row) - call.start(row)) * segment / segments;
    };
    const int64_t all = a.rows * segments;
    parallel_for_workers(device, all, 1, [&](int64_t worker, int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t r = i / segments, s = i % segments;
        Selector part(size, selector(i));
        add(part, r, cut(r, s), cut(r, s + 1), worker);
      }
    });
    parallel_for_workers(device, a.rows, 1, [&](int64_t worker, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        if (write_short(r)) continue;
        Selector whole(size, selector(all + worker));
        for (int64_t s = 0; s < segments; ++s) {
          const int64_t count = kept(p.k, cut(r, s + 1) - cut(r, s));
          const Selector part(size, selector(r * segments + s));
          whole.add_pairs(PLAIT_DTYPE_F32, part.values(), part.indices(), count, scratch(worker));
        }
        whole.finish(scratch(worker));
        write(whole, r, worker);
      }
    });
  }
};

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const Call call = call_of(p, a);
  if (const plait_status status = check_ranges(call.row_start, call.row_end, a.rows, a.columns))
    return status;
  const SelectorSize size = SelectorSize::of(p.k, p.max_columns);
  const int64_t threads = device.info.threads;
  uint8_t *scratches = static_cast<uint8_t *>(a.workspace.data);
  const Run run{device, p, a, call, size, scratches, scratches + threads * size.scratch_bytes()};
  const int64_t wanted = a.rows < threads ? (threads + a.rows - 1) / a.rows : 1;
  const int64_t segments = std::min(wanted, a.columns / kThreadColumns);
  if (segments > 1)
    run.cut_rows(segments);
  else
    run.whole_rows();
  return PLAIT_OK;
}

}  // namespace

const Implementation fast = Op::make<nullptr, workspace, run>("fast");

}  // namespace plait::cpu::topk
