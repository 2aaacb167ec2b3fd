// SPDX-License-Identifier: MIT
// The fast select, ragged and paged. A group of rows goes through its columns in steps: first all
// threads compute the logits of a step into a small matrix, then they feed them to the rows'
// selectors. The budget decides how many rows a group has; any division gives the same result.
#ifndef PLAIT_SRC_CPU_INDEXER_FAST_SELECT_H
#define PLAIT_SRC_CPU_INDEXER_FAST_SELECT_H

#include <atomic>
#include <new>

#include "src/cpu/device.h"
#include "src/cpu/indexer/scorer.h"
#include "src/cpu/indexer/select.h"
#include "src/cpu/ranking/selector.h"

namespace plait::cpu {

// Division of the workspace:
//
//     | lanes * (a scorer's scratch, a selector's scratch) |
//     | group * (a selector, its memory, a row of the matrix) |
//
// A lane is what one thread needs to work.
struct SelectLayout {
  SelectorSize selector;
  int64_t lane_bytes, row_bytes;
  int64_t lanes = 0, width = 0, group = 0;  // threads, columns of a step, rows

  static constexpr int64_t kLeastWidth = 512;

  // group == 0: the budget is too small. `rows` limits the group and nothing else.
  SelectLayout(const Device &device, const plait_indexer_plan_desc &p, int64_t rows)
      : selector(SelectorSize::of(p.topk, p.max_keys)),
        lane_bytes(Scorer::bytes(p) + selector.scratch_bytes()),
        row_bytes(round_up(sizeof(Selector)) + selector.bytes()) {
    const int64_t budget =
        static_cast<int64_t>(std::min(p.select_budget, static_cast<size_t>(int64_t{1} << 62)));
    if (budget < least()) return;
    const int64_t threads = device.info.threads;
    lanes = std::clamp<int64_t>((budget - row_bytes - 4 * kLeastWidth) / lane_bytes, 1, threads);
    const int64_t left = budget - lanes * lane_bytes;
    // Four tasks for each thread, of a step of one row or of one column range, if that fits.
    const int64_t wanted_width = std::min(4 * lanes * kTaskColumns, (p.max_keys + 63) / 64 * 64);
    width = std::clamp(std::min(wanted_width, (left - row_bytes) / 4 / 64 * 64), kLeastWidth,
                       std::max(wanted_width, kLeastWidth));
    const int64_t wanted_group = 4 * lanes * block_rows(p);
    group = std::min({rows, wanted_group, left / (row_bytes + 4 * width)});
  }

  int64_t least() const { return lane_bytes + row_bytes + 4 * kLeastWidth; }
  int64_t total() const { return lanes * lane_bytes + group * (row_bytes + 4 * width); }
};

inline int64_t fast_select_least(const Device &device, const plait_indexer_plan_desc &p) {
  return p.topk == 0 ? 0 : SelectLayout(device, p, 1).least();
}

inline plait_status fast_select_can_run(const Device &device, const plait_indexer_plan_desc &p,
                                        Reason &reason) {
  const int64_t least = fast_select_least(device, p);
  if (p.select_budget >= static_cast<uint64_t>(least)) return PLAIT_OK;
  reason.set("select_budget %zu is below the least, %lld bytes", p.select_budget,
             static_cast<long long>(least));
  return status_of(PLAIT_ERROR_BUDGET_TOO_SMALL, PLAIT_ARG_SELECT_BUDGET);
}

inline int64_t fast_select_workspace(const Device &device, const plait_indexer_plan_desc &p,
                                     int64_t rows) {
  return p.topk == 0 || rows == 0 ? 0 : SelectLayout(device, p, rows).total();
}

template <class TableRow>
class FastSelect {
 public:
  FastSelect(const Device &device, const Scoring &s, const RankingOutput &output,
             const plait_buffer &workspace, const TableRow &table_row)
      : device_(device),
        s_(s),
        p_(*s.plan),
        output_(output),
        table_row_(table_row),
        layout_(device, p_, s.rows),
        lanes_(static_cast<uint8_t *>(workspace.data)),
        rows_(lanes_ + layout_.lanes * layout_.lane_bytes),
        matrix_(rows_ + layout_.group * layout_.row_bytes) {}

  void run() const {
    for (int64_t first = 0; first < s_.rows; first += layout_.group)
      run_group(first, std::min(first + layout_.group, s_.rows));
  }

 private:
  // body(lane, task) for every task, on as many threads as there are lanes.
  template <class Body>
  void on_lanes(int64_t tasks, const Body &body) const {
    std::atomic<int64_t> next{0};
    parallel_for(device_, std::min(layout_.lanes, tasks), 1, [&](int64_t begin, int64_t end) {
      for (int64_t lane = begin; lane < end; ++lane)
        for (int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;)
          body(lane, task);
    });
  }

  void *lane(int64_t i) const { return lanes_ + i * layout_.lane_bytes; }
  SelectorScratch scratch(int64_t i) const {
    return {layout_.selector, lanes_ + i * layout_.lane_bytes + Scorer::bytes(p_)};
  }
  void *row_memory(int64_t i) const { return rows_ + i * layout_.row_bytes; }
  Selector &selector(int64_t i) const { return *static_cast<Selector *>(row_memory(i)); }
  float *matrix_row(int64_t i) const {
    void *start = matrix_ + i * layout_.width * 4;
    return static_cast<float *>(start);
  }

  void run_group(int64_t first, int64_t last) const {
    int64_t begin = INT64_MAX, end = 0;
    for (int64_t r = first; r < last; ++r) {
      uint8_t *memory = static_cast<uint8_t *>(row_memory(r - first));
      new (memory) Selector(layout_.selector, memory + round_up(sizeof(Selector)));
      const Scoring::Range range = s_.range(r);
      if (range.length() == 0) continue;
      begin = std::min(begin, range.begin);
      end = std::max(end, range.end);
    }
    for (int64_t c = begin; c < end; c += layout_.width)
      step(first, last, c, std::min(c + layout_.width, end));
    on_lanes(last - first, [&](int64_t lane, int64_t i) {
      selector(i).finish(scratch(lane));
      selector(i).write(output_, first + i, table_row_(first + i), p_.order, scratch(lane));
    });
  }

  void step(int64_t first, int64_t last, int64_t begin, int64_t end) const {
    const RowBlocks blocks = RowBlocks::of(s_, first, last);
    const int64_t columns = end - begin;
    const int64_t ranges = column_ranges(columns, blocks.count(), layout_.lanes);
    on_lanes(blocks.count() * ranges, [&](int64_t l, int64_t task) {
      const int64_t block = task / ranges, range = task % ranges;
      const Scorer scorer(s_, lane(l));
      scorer.score(blocks.begin(block), blocks.end(block), begin + columns * range / ranges,
                   begin + columns * (range + 1) / ranges,
                   [&](int64_t row, int64_t column, const float *logits, int64_t n) {
                     float *to = matrix_row(row - first) + (column - begin);
                     for (int64_t j = 0; j < n; ++j) to[j] = as_stored(p_, logits[j]);
                   });
    });
    on_lanes(last - first, [&](int64_t lane, int64_t i) {
      const Scoring::Range range = s_.range(first + i);
      const int64_t from = std::max(begin, range.begin), to = std::min(end, range.end);
      if (from < to)
        selector(i).add_values(PLAIT_DTYPE_F32, matrix_row(i) + (from - begin), to - from,
                               from - range.begin, scratch(lane));
    });
  }

  const Device &device_;
  const Scoring &s_;
  const plait_indexer_plan_desc &p_;
  const RankingOutput &output_;
  const TableRow &table_row_;
  SelectLayout layout_;
  uint8_t *lanes_;
  uint8_t *rows_;
  uint8_t *matrix_;
};

// `table_row(row)`: the row of the block table that maps slots.
template <class TableRow>
void fast_select(const Device &device, const Scoring &s, const RankingOutput &output,
                 const plait_buffer &workspace, const TableRow &table_row) {
  FastSelect<TableRow>(device, s, output, workspace, table_row).run();
}

}  // namespace plait::cpu

#endif
