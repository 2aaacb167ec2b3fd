// SPDX-License-Identifier: MIT
// Top-k and merge cases, with the distributions that have broken implementations elsewhere.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/cli/case.h"

namespace plait::cli {
namespace {

const std::vector<std::string> kData = {"normal", "relu", "equal", "narrow", "inf", "nan", "bf16"};

double sample(int32_t data, uint64_t i) {
  const double normal = random_normal(21, i);
  switch (data) {
    case 1: return normal > 1 ? normal : 0;  // the plateau of zeros
    case 2: return 0.25;
    case 3: return 1 + random_uniform(22, i) * 0x1p-10;  // one bin of a half-precision pass
    case 4:
      return i % 97 == 0  ? std::numeric_limits<double>::infinity()
             : i % 5 == 0 ? -std::numeric_limits<double>::infinity()
                          : normal;
    case 5: return random_bits(23, i) % 4 == 0 ? std::numeric_limits<double>::quiet_NaN() : normal;
    case 6: return std::round(normal * 16) / 16;  // many ties
    default: return normal;
  }
}

void fill(Tensor &t, int32_t data) {
  const int64_t count = t.count();
  for (int64_t i = 0; i < count; ++i) t.set(i, sample(data, static_cast<uint64_t>(i)));
}

// Rows of different ranges; every eighth row is empty.
void add_ranges(Case &c, int64_t rows, int64_t columns) {
  Tensor start("row_start", Element::I32, rows, 1), end("row_end", Element::I32, rows, 1);
  for (int64_t r = 0; r < rows; ++r) {
    const uint64_t u = static_cast<uint64_t>(r);
    const int64_t a =
        static_cast<int64_t>(random_uniform(24, u) * 0.3 * static_cast<double>(columns));
    const int64_t b =
        a + static_cast<int64_t>(random_uniform(25, u) * static_cast<double>(columns - a));
    start.set(r, static_cast<double>(a));
    end.set(r, static_cast<double>(r % 8 == 7 ? a : std::min(b + 1, columns)));
  }
  c.inputs.push_back(std::move(start));
  c.inputs.push_back(std::move(end));
}

size_t workspace(const plait_plan *plan, int64_t rows) {
  plait_topk_sizes sizes = {};
  sizes.struct_size = sizeof sizes;
  check(plait_topk_plan_sizes(plan, rows, &sizes), "sizes");
  return sizes.workspace;
}

void plan_from(Case &c, const plait_topk_plan_desc &desc) {
  c.make_plan = [desc](plait_context *context, const char *implementation, plait_plan **plan,
                       plait_error *error) {
    plait_topk_plan_desc d = desc;
    d.implementation = implementation;
    return plait_topk_plan_create(context, &d, plan, error);
  };
  c.workspace = workspace;
}

Case topk_case(Shape &shape) {
  plait_topk_plan_desc desc;
  plait_topk_plan_desc_init(&desc, sizeof desc);
  const int64_t rows = shape.get("rows", 64, 0, int64_t{1} << 31);
  const int64_t columns = shape.get("L", 131072, 1, INT32_MAX);
  desc.max_columns = columns;
  desc.k = shape.get("K", 2048, 1, INT32_MAX);
  desc.dtype = shape.dtype("dtype", PLAIT_DTYPE_F32);
  desc.order = shape.word("order", {"any", "index", "descending"}, PLAIT_ORDER_ANY);
  desc.page_entries = static_cast<int32_t>(shape.get("P", 64, 1, 65536));
  const bool ranges = shape.get("ranges", 0, 0, 1) != 0, values = shape.get("values", 0, 0, 1) != 0;
  const bool slots = shape.get("slots", 0, 0, 1) != 0;
  const int32_t data = shape.word("data", kData, 0);
  const int64_t pages = (columns + desc.page_entries - 1) / desc.page_entries;

  Case c;
  c.rows = rows;
  c.inputs.emplace_back("values", element_of_dtype(desc.dtype), rows, columns);
  fill(c.inputs.back(), data);
  if (ranges) add_ranges(c, rows, columns);
  if (slots) {
    Tensor table("block_table", Element::I32, rows, pages);
    for (int64_t i = 0; i < table.count(); ++i)
      table.set(i, i % 31 == 30
                       ? -1
                       : static_cast<double>(random_bits(26, static_cast<uint64_t>(i)) % 100000));
    c.inputs.push_back(std::move(table));
  }
  const Rule rule = desc.order == PLAIT_ORDER_ANY ? Rule::Set : Rule::Exact;
  c.outputs.push_back({"indices", Element::I32, rows, desc.k, rule});
  if (values) c.outputs.push_back({"values_out", c.inputs[0].element, rows, desc.k, rule});
  if (slots) c.outputs.push_back({"slots", Element::I32, rows, desc.k, rule});
  plan_from(c, desc);
  c.bind = [columns, pages](const Bound &b) {
    plait_topk_args a = {};
    a.struct_size = sizeof a;
    a.rows = b.rows();
    a.columns = columns;
    a.values = b.in("values");
    a.row_start = b.in("row_start");
    a.row_end = b.in("row_end");
    a.indices = b.out("indices");
    a.values_out = b.out("values_out");
    a.slots = b.out("slots");
    a.block_table = b.in("block_table");
    if (a.block_table.data) {
      a.block_table_columns = pages;
      a.table_count = b.rows();
    }
    a.workspace = b.workspace();
    return [a](const plait_plan *plan, void *stream) { return plait_topk(plan, &a, stream); };
  };
  return c;
}

// [rows, shards, candidates] by the strides, so that a row is contiguous. Half of the places of the
// last shard are empty.
Case merge_case(Shape &shape) {
  plait_topk_plan_desc desc;
  plait_topk_plan_desc_init(&desc, sizeof desc);
  const int64_t rows = shape.get("rows", 64, 0, int64_t{1} << 31);
  const int64_t shards = shape.get("shards", 8, 1, 65536);
  const int64_t candidates = shape.get("candidates", 2048, 1, INT32_MAX);
  desc.max_columns = shards * candidates;
  desc.k = shape.get("K", 2048, 1, INT32_MAX);
  desc.dtype = shape.dtype("dtype", PLAIT_DTYPE_F32);
  desc.order = shape.word("order", {"any", "index", "descending"}, PLAIT_ORDER_ANY);
  const int32_t data = shape.word("data", kData, 0);

  Case c;
  c.rows = rows;
  c.inputs.emplace_back("values", element_of_dtype(desc.dtype), rows, shards * candidates);
  fill(c.inputs.back(), data);
  Tensor indices("indices", Element::I32, rows, shards * candidates);
  for (int64_t i = 0; i < indices.count(); ++i) {
    const int64_t place = i % (shards * candidates);
    const bool empty = place / candidates == shards - 1 && place % 2 == 1;
    indices.set(i, empty ? -1 : static_cast<double>(3 * place + 1));
  }
  c.inputs.push_back(std::move(indices));
  const Rule rule = desc.order == PLAIT_ORDER_ANY ? Rule::Set : Rule::Exact;
  c.outputs.push_back({"indices_out", Element::I32, rows, desc.k, rule});
  c.outputs.push_back({"values_out", c.inputs[0].element, rows, desc.k, rule});
  plan_from(c, desc);
  c.bind = [shards, candidates](const Bound &b) {
    plait_topk_merge_args a = {};
    a.struct_size = sizeof a;
    a.rows = b.rows();
    a.shards = shards;
    a.candidates = candidates;
    a.values = b.in("values");
    a.indices = b.in("indices");
    a.values_stride = a.indices_stride = shards * candidates;
    a.values_shard_stride = a.indices_shard_stride = candidates;
    a.indices_out = b.out("indices_out");
    a.values_out = b.out("values_out");
    a.workspace = b.workspace();
    return [a](const plait_plan *plan, void *stream) { return plait_topk_merge(plan, &a, stream); };
  };
  return c;
}

}  // namespace

Case make_topk_case(int32_t op, Shape &shape) {
  return op == PLAIT_OP_TOPK ? topk_case(shape) : merge_case(shape);
}

}  // namespace plait::cli
