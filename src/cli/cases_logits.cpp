// SPDX-License-Identifier: MIT
// Indexer cases: logits and select.
#include <algorithm>

#include "src/cli/cases_indexer.h"

namespace plait::cli::indexer {
namespace {

enum Ranges { kFull, kCausal, kRandom };

// One bf16 unit in the last place: a rounding that went the other way.
constexpr double kBf16Share = 0x1p-7;

void add_queries(Case &c, const Problem &p, int64_t rows, int64_t n) {
  const int64_t heads = p.desc.heads;
  c.inputs.push_back(bytes_of(p, "q_values", rows, n * heads * p.V, 38));
  if (p.fp4) c.inputs.push_back(scales_of(p, "q_scale", rows, n * heads, 39));
  c.inputs.push_back(normal("weights", Element::F32, rows, n * heads, 40, 0.01));
}

void add_logits(Case &c, const Problem &p, int64_t rows, int64_t n, int64_t columns) {
  const bool f32 = p.desc.logits_dtype == PLAIT_DTYPE_F32;
  c.outputs.push_back({"logits", element_of_dtype(p.desc.logits_dtype), rows, n * columns,
                       Rule::Share, f32 ? 1e-5 : kBf16Share});
}

void add_selected(Case &c, const Problem &p, int64_t rows, int64_t n) {
  const bool f32 = p.desc.logits_dtype == PLAIT_DTYPE_F32;
  c.outputs.push_back({"indices", Element::I32, rows, n * p.desc.topk, Rule::Overlap, 0.02});
  if (p.desc.order == PLAIT_ORDER_DESCENDING)  // comparable place by place
    c.outputs.push_back(
        {"values_out", Element::F32, rows, n * p.desc.topk, Rule::Share, f32 ? 1e-5 : kBf16Share});
}

// By the implementation of that name if top-k has one, else by its own choice.
Plan topk_plan(const Context &context, const Problem &p, const char *implementation,
               int64_t columns) {
  plait_topk_plan_desc desc;
  plait_topk_plan_desc_init(&desc, sizeof desc);
  desc.max_columns = columns;
  desc.k = p.desc.topk;
  desc.order = p.desc.order;
  desc.dtype = p.desc.logits_dtype;
  desc.implementation = implementation;
  plait_plan *plan = nullptr;
  plait_error error = no_error();
  plait_status status = plait_topk_plan_create(context.get(), &desc, &plan, &error);
  if (plait_status_code(status) == PLAIT_ERROR_INVALID_VALUE) {
    desc.implementation = nullptr;
    status = plait_topk_plan_create(context.get(), &desc, &plan, &error);
  }
  check(status, "top-k plan", error);
  return Plan(plan);
}

// Top-k over a logits matrix into the case's outputs.
void run_topk(const Context &context, const Problem &p, const char *implementation, const Bound &b,
              const Memory &logits, int64_t rows, int64_t columns, plait_const_buffer start,
              plait_const_buffer end) {
  const Plan plan = topk_plan(context, p, implementation, columns);
  plait_topk_sizes sizes = {};
  sizes.struct_size = sizeof sizes;
  check(plait_topk_plan_sizes(plan.get(), rows, &sizes), "sizes");
  const Memory workspace(context, sizes.workspace);
  const plait_buffer values_out = b.out("values_out");
  const bool convert = values_out.data && p.desc.logits_dtype != PLAIT_DTYPE_F32;
  const Memory narrow(context, convert ? sizes.values : 0);
  plait_topk_args a = {};
  a.struct_size = sizeof a;
  a.rows = rows;
  a.columns = columns;
  a.values = {logits.data(), logits.size()};
  a.row_start = start;
  a.row_end = end;
  a.indices = b.out("indices");
  a.values_out = convert ? plait_buffer{narrow.data(), narrow.size()} : values_out;
  a.workspace = {workspace.data(), workspace.size()};
  check(plait_topk(plan.get(), &a, nullptr), "topk");
  if (!convert) return;
  Tensor from("", element_of_dtype(p.desc.logits_dtype), 0, rows * p.desc.topk);
  Tensor to("", Element::F32, 0, rows * p.desc.topk);
  narrow.download(from.data.data(), from.data.size());
  for (int64_t i = 0; i < to.row; ++i) to.set(i, from.value(i));
  check(plait_memory_copy(context.get(), values_out.data, to.data.data(), to.data.size(), nullptr),
        "copy");
}

Plan indexer_plan(const Context &context, const Problem &p, const char *implementation) {
  plait_indexer_plan_desc desc = p.desc;
  desc.implementation = implementation;
  plait_plan *plan = nullptr;
  plait_error error = no_error();
  check(plait_indexer_plan_create(context.get(), &desc, &plan, &error), "plan", error);
  return Plan(plan);
}

plait_indexer_logits_ragged_args ragged_args(const Bound &b, int64_t keys, bool fill) {
  plait_indexer_logits_ragged_args a = {};
  a.struct_size = sizeof a;
  a.rows = b.rows();
  a.keys = keys;
  a.q_values = b.in("q_values");
  a.q_scale = b.in("q_scale");
  a.weights = b.in("weights");
  a.k_values = b.in("k_values");
  a.k_scale = b.in("k_scale");
  a.row_start = b.in("row_start");
  a.row_end = b.in("row_end");
  a.logits = b.out("logits");
  a.fill = fill;
  a.workspace = b.workspace();
  return a;
}

plait_indexer_logits_paged_args paged_args(const Bound &b, int64_t columns, int64_t pages,
                                           bool fill) {
  plait_indexer_logits_paged_args a = {};
  a.struct_size = sizeof a;
  a.requests = b.rows();
  a.columns = columns;
  a.q_values = b.in("q_values");
  a.q_scale = b.in("q_scale");
  a.weights = b.in("weights");
  a.cache = b.in("cache");
  a.block_table = b.in("block_table");
  a.block_table_columns = pages;
  a.lengths = b.in("lengths");
  a.logits = b.out("logits");
  a.fill = fill;
  a.workspace = b.workspace();
  return a;
}

}  // namespace

Case ragged(Problem &p, int32_t op, Shape &shape) {
  const int64_t rows = shape.get("rows", 256, 0, int64_t{1} << 31);
  const int64_t keys = shape.get("keys", 8192, 1, INT32_MAX);
  const int32_t ranges = shape.word("ranges", {"full", "causal", "random"}, kFull);
  const bool fill = shape.get("fill", 0, 0, 1) != 0;
  p.desc.max_keys = keys;
  Case c;
  c.rows = rows;
  add_queries(c, p, rows, 1);
  // Bytes before the first key, which a buffer does not align.
  const int64_t offset =
      op == PLAIT_OP_LOGITS_RAGGED ? shape.get("k_offset", 0, 0, 15) : int64_t{0};
  c.inputs.push_back(bytes_of(p, "k_values", 0, keys * p.V + offset, 41));
  c.inputs.push_back(scales_of(p, "k_scale", 0, keys, 42));
  Tensor start("row_start", Element::I32, rows, 1), end("row_end", Element::I32, rows, 1);
  double covered = 0;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t first = 0, last = keys;
    if (ranges == kCausal) last = (r + 1) * keys / rows;
    if (ranges == kRandom) {
      first = static_cast<int64_t>(random_bits(43, static_cast<uint64_t>(r)) %
                                   static_cast<uint64_t>(keys));
      last = r % 8 == 7 ? first
                        : first + 1 +
                              static_cast<int64_t>(random_bits(44, static_cast<uint64_t>(r)) %
                                                   static_cast<uint64_t>(keys - first));
    }
    start.set(r, static_cast<double>(first));
    end.set(r, static_cast<double>(last));
    covered += static_cast<double>(last - first);
  }
  c.inputs.push_back(std::move(start));
  c.inputs.push_back(std::move(end));
  c.flops = 2 * covered * p.desc.heads * static_cast<double>(p.D);
  if (op == PLAIT_OP_LOGITS_RAGGED) {
    add_logits(c, p, rows, 1, keys);
    c.bind = [keys, fill, offset](const Bound &b) {
      plait_indexer_logits_ragged_args a = ragged_args(b, keys, fill);
      a.k_values.data = static_cast<const uint8_t *>(a.k_values.data) + offset;
      a.k_values.size -= static_cast<size_t>(offset);
      return
          [a](const plait_plan *plan, void *s) { return plait_indexer_logits_ragged(plan, &a, s); };
    };
    return c;
  }
  add_selected(c, p, rows, 1);
  c.bind = [keys](const Bound &b) {
    plait_indexer_select_ragged_args a = {};
    a.struct_size = sizeof a;
    a.rows = b.rows();
    a.keys = keys;
    a.q_values = b.in("q_values");
    a.q_scale = b.in("q_scale");
    a.weights = b.in("weights");
    a.k_values = b.in("k_values");
    a.k_scale = b.in("k_scale");
    a.row_start = b.in("row_start");
    a.row_end = b.in("row_end");
    a.indices = b.out("indices");
    a.values_out = b.out("values_out");
    a.workspace = b.workspace();
    return
        [a](const plait_plan *plan, void *s) { return plait_indexer_select_ragged(plan, &a, s); };
  };
  c.separate = [p, keys](const Context &context, const char *implementation, const Bound &b) {
    const Plan plan = indexer_plan(context, p, implementation);
    const Memory logits(context, static_cast<size_t>(b.rows() * keys) *
                                     element_size(element_of_dtype(p.desc.logits_dtype)));
    plait_indexer_logits_ragged_args a = ragged_args(b, keys, false);
    a.logits = {logits.data(), logits.size()};
    check(plait_indexer_logits_ragged(plan.get(), &a, nullptr), "logits");
    run_topk(context, p, implementation, b, logits, b.rows(), keys, b.in("row_start"),
             b.in("row_end"));
  };
  return c;
}

Case paged(Problem &p, int32_t op, Shape &shape) {
  const int64_t requests = shape.get("B", 4, 0, int64_t{1} << 24), n = p.desc.next_n;
  const int64_t keys = shape.get("keys", 8192, 1, INT32_MAX);  // of the longest row
  const bool full = shape.word("ranges", {"full", "causal", "random"}, kFull) == kFull;
  const bool fill = shape.get("fill", 0, 0, 1) != 0;
  const bool holes = shape.get("holes", 0, 0, 1) != 0;  // page ids outside the cache
  const int64_t columns = (keys + p.P() - 1) / p.P(),
                pages = std::max<int64_t>(requests, 1) * columns;
  p.desc.max_keys = keys;
  Case c;
  c.rows = requests;
  add_queries(c, p, requests, n);
  c.inputs.push_back(cache_of(p, pages));
  c.inputs.push_back(table_of(requests, columns, pages));
  if (holes)
    for (int64_t i = 2; i < c.inputs.back().count(); i += 7)
      c.inputs.back().set(i, i % 2 ? -1 : static_cast<double>(pages));
  Tensor lengths("lengths", Element::I32, requests, n);
  double covered = 0;
  for (int64_t i = 0; i < lengths.count(); ++i) {
    const int64_t b = i / n, t = i % n;
    int64_t length = keys - n + t + 1;
    if (!full)
      length = b % 4 == 3 ? 0
                          : static_cast<int64_t>(random_bits(45, static_cast<uint64_t>(i)) %
                                                 static_cast<uint64_t>(keys + 1));
    lengths.set(i, static_cast<double>(std::max<int64_t>(length, 0)));
    covered += lengths.value(i);
  }
  c.inputs.push_back(std::move(lengths));
  c.flops = 2 * covered * p.desc.heads * static_cast<double>(p.D);
  if (op == PLAIT_OP_LOGITS_PAGED) {
    add_logits(c, p, requests, n, keys);
    c.bind = [keys, columns, fill](const Bound &b) {
      const plait_indexer_logits_paged_args a = paged_args(b, keys, columns, fill);
      return
          [a](const plait_plan *plan, void *s) { return plait_indexer_logits_paged(plan, &a, s); };
    };
    return c;
  }
  add_selected(c, p, requests, n);
  c.bind = [keys, columns](const Bound &b) {
    plait_indexer_select_paged_args a = {};
    a.struct_size = sizeof a;
    a.requests = b.rows();
    a.columns = keys;
    a.q_values = b.in("q_values");
    a.q_scale = b.in("q_scale");
    a.weights = b.in("weights");
    a.cache = b.in("cache");
    a.block_table = b.in("block_table");
    a.block_table_columns = columns;
    a.lengths = b.in("lengths");
    a.indices = b.out("indices");
    a.values_out = b.out("values_out");
    a.workspace = b.workspace();
    return [a](const plait_plan *plan, void *s) { return plait_indexer_select_paged(plan, &a, s); };
  };
  c.separate = [p, keys, columns, n](const Context &context, const char *implementation,
                                     const Bound &b) {
    const Plan plan = indexer_plan(context, p, implementation);
    const Memory logits(context, static_cast<size_t>(b.rows() * n * keys) *
                                     element_size(element_of_dtype(p.desc.logits_dtype)));
    plait_indexer_logits_paged_args a = paged_args(b, keys, columns, false);
    a.logits = {logits.data(), logits.size()};
    check(plait_indexer_logits_paged(plan.get(), &a, nullptr), "logits");
    run_topk(context, p, implementation, b, logits, b.rows() * n, keys, {nullptr, 0},
             b.in("lengths"));
  };
  return c;
}

}  // namespace plait::cli::indexer
