// SPDX-License-Identifier: MIT
// Indexer cases: queries, the key cache, slots.
#include <algorithm>
#include <cmath>

#include "src/cli/cases_indexer.h"

namespace plait::cli::indexer {
namespace {

Problem read(int32_t op, Shape &shape) {
  Problem p = {};
  plait_indexer_plan_desc &d = p.desc;
  plait_indexer_plan_desc_init(&d, sizeof d);
  const bool logits = op >= PLAIT_OP_LOGITS_RAGGED && op <= PLAIT_OP_SELECT_PAGED;
  const bool select = op == PLAIT_OP_SELECT_RAGGED || op == PLAIT_OP_SELECT_PAGED;
  const bool quantize = op == PLAIT_OP_QUANTIZE_Q || op == PLAIT_OP_WRITE_K;
  d.format = 1 + shape.word("format", {"e4m3fn", "e4m3fnuz", "mxfp4"}, 0);
  d.head_dim = static_cast<int32_t>(shape.get("D", 128, 32, PLAIT_INDEXER_MAX_HEAD_DIM));
  if (logits || op == PLAIT_OP_QUANTIZE_Q)
    d.heads = static_cast<int32_t>(shape.get("heads", 64, 1, PLAIT_INDEXER_MAX_HEADS));
  d.layout = 1 + shape.word("layout", {"flat", "tiled"}, 0);
  d.page_entries = static_cast<int32_t>(shape.get("P", 64, 1, PLAIT_INDEXER_MAX_PAGE_ENTRIES));
  if (quantize) {
    d.rope_mode = shape.word("rope", {"none", "interleaved", "half"}, PLAIT_ROPE_INTERLEAVED);
    d.rope_dim = static_cast<int32_t>(shape.get("rope_dim", 64, 2, d.head_dim));
    d.rope_placement = shape.word("place", {"first", "last"}, PLAIT_ROPE_LAST);
    d.hadamard = static_cast<int32_t>(shape.get("hadamard", 0, 0, 1));
  }
  if (logits) d.logits_dtype = shape.dtype("logits", PLAIT_DTYPE_F32);
  if (op == PLAIT_OP_LOGITS_PAGED || op == PLAIT_OP_SELECT_PAGED)
    d.next_n = static_cast<int32_t>(shape.get("N", 1, 1, PLAIT_INDEXER_MAX_NEXT_N));
  if (select) {
    d.topk = shape.get("K", 2048, 1, INT32_MAX);
    d.order = shape.word("order", {"any", "index", "descending"}, PLAIT_ORDER_ANY);
    d.select_budget = static_cast<size_t>(shape.get("budget_mib", 256, 0, 1 << 20)) << 20;
  }
  if (!quantize) d.rope_mode = PLAIT_ROPE_NONE;
  p.D = d.head_dim;
  p.fp4 = d.format == PLAIT_FORMAT_MXFP4;
  p.V = p.fp4 ? p.D / 2 : p.D;
  p.S = p.fp4 ? p.D / 32 : 4;
  return p;
}

}  // namespace

Tensor bytes_of(const Problem &p, const char *name, int64_t rows, int64_t row, uint64_t seed) {
  Tensor t(name, Element::U8, rows, row);
  if (p.fp4)
    for (int64_t i = 0; i < t.count(); ++i) {
      uint8_t byte = static_cast<uint8_t>(random_bits(seed, static_cast<uint64_t>(i)));
      if ((byte & 15) == 8) byte &= 0xF0;  // e2m1 as it is written has no -0
      if ((byte >> 4) == 8) byte &= 0x0F;
      t.as<uint8_t>()[i] = byte;
    }
  else
    fill_bytes_fp8(t, seed);
  return t;
}

// Scales of `entries` rows: powers of two, different ones.
Tensor scales_of(const Problem &p, const char *name, int64_t rows, int64_t entries, uint64_t seed) {
  Tensor t(name, p.fp4 ? Element::U8 : Element::F32, rows, p.fp4 ? entries * p.S : entries);
  for (int64_t i = 0; i < t.count(); ++i) {
    const int32_t e = static_cast<int32_t>(random_bits(seed, static_cast<uint64_t>(i)) % 5) - 9;
    t.set(i, p.fp4 ? 127 + e + 7 : std::ldexp(1.0, e));
  }
  return t;
}

Tensor cache_of(const Problem &p, int64_t pages) {
  const int64_t stride = p.page(), values = p.P() * p.V;
  Tensor cache("cache", Element::U8, 0, pages * stride);
  const Tensor bytes = bytes_of(p, "", 0, pages * values, 31);
  const Tensor scales = scales_of(p, "", 0, pages * p.P(), 32);
  for (int64_t page = 0; page < pages; ++page) {
    uint8_t *to = cache.as<uint8_t>() + page * stride;
    std::copy_n(bytes.as<uint8_t>() + page * values, values, to);
    std::copy_n(scales.data.data() + page * p.P() * p.S, p.P() * p.S, to + values);
  }
  return cache;
}

// Pages in a scattered order: page i is (i * step) % pages for a step that shares no factor with
// it.
int64_t scattered(int64_t i, int64_t pages) {
  int64_t step = pages / 3 * 2 + 1;
  const auto shares = [&](int64_t a, int64_t b) {
    while (b) std::swap(a %= b, b);
    return a != 1;
  };
  while (shares(step, pages)) ++step;
  return i % pages * step % pages;
}

Tensor table_of(int64_t rows, int64_t columns, int64_t pages) {
  Tensor table("block_table", Element::I32, rows, columns);
  for (int64_t i = 0; i < table.count(); ++i)
    table.set(i, static_cast<double>(scattered(i, pages)));
  return table;
}

Tensor normal(const char *name, Element element, int64_t rows, int64_t row, uint64_t seed,
              double deviation) {
  Tensor t(name, element, rows, row);
  fill_normal(t, seed, deviation);
  return t;
}

namespace {

void add_positions(Case &c, const Problem &p, int64_t tokens) {
  if (p.desc.rope_mode == PLAIT_ROPE_NONE) return;
  const int64_t table = std::max<int64_t>(tokens, 16);
  Tensor positions("positions", Element::I64, tokens, 1);
  for (int64_t i = 0; i < tokens; ++i) positions.set(i, static_cast<double>((i * 7 + 3) % table));
  Tensor cos_sin("cos_sin", Element::F32, 0, table * p.desc.rope_dim);
  const int64_t half = p.desc.rope_dim / 2;
  for (int64_t row = 0; row < table; ++row)
    for (int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(row) *
                           std::pow(1e4, -static_cast<double>(i) / static_cast<double>(half));
      cos_sin.set(row * p.desc.rope_dim + i, std::cos(angle));
      cos_sin.set(row * p.desc.rope_dim + half + i, std::sin(angle));
    }
  c.inputs.push_back(std::move(positions));
  c.inputs.push_back(std::move(cos_sin));
}

// A transform in f32 may round a value near a tie the other way than the reference in double.
Output quantised(const Problem &p, const char *name, Element element, int64_t rows, int64_t row) {
  return {name,
          element,
          rows,
          row,
          p.desc.hadamard ? Rule::Near : Rule::Exact,
          p.desc.hadamard ? 2e-3 : 0};
}

Case quantize_q(const Problem &p, Shape &shape) {
  const int64_t tokens = shape.get("T", 64, 0, int64_t{1} << 31), heads = p.desc.heads;
  Case c;
  c.rows = tokens;
  c.inputs.push_back(normal("q", Element::BF16, tokens, heads * p.D, 33, 1.5));
  add_positions(c, p, tokens);
  c.inputs.push_back(normal("weights", Element::F32, tokens, heads, 34, 1));
  c.outputs.push_back(quantised(p, "q_values", Element::U8, tokens, heads * p.V));
  c.outputs.push_back(quantised(p, "q_scale", p.fp4 ? Element::U8 : Element::F32, tokens,
                                p.fp4 ? heads * p.S : heads));
  c.outputs.push_back(quantised(p, "weights_out", Element::F32, tokens, heads));
  c.bind = [](const Bound &b) {
    plait_indexer_quantize_q_args a = {};
    a.struct_size = sizeof a;
    a.tokens = b.rows();
    a.q = b.in("q");
    a.positions = b.in("positions");
    a.cos_sin = b.in("cos_sin");
    a.weights = b.in("weights");
    a.q_values = b.out("q_values");
    a.q_scale = b.out("q_scale");
    a.weights_out = b.out("weights_out");
    a.workspace = b.workspace();
    return [a](const plait_plan *plan, void *s) { return plait_indexer_quantize_q(plan, &a, s); };
  };
  return c;
}

Case write_k(const Problem &p, Shape &shape) {
  const int64_t tokens = shape.get("T", 64, 0, int64_t{1} << 31);
  const int64_t pages = tokens / p.P() + 2;
  Case c;
  c.rows = tokens;
  c.rows_independent = false;  // but their order does not matter: each has its own slot
  c.inputs.push_back(normal("k", Element::BF16, tokens, p.D, 35, 1.5));
  add_positions(c, p, tokens);
  Tensor slots("slot_mapping", Element::I64, tokens, 1);
  for (int64_t i = 0; i < tokens; ++i)
    slots.set(i, i % 9 == 8 ? -1 : static_cast<double>(scattered(i, pages * p.P())));
  c.inputs.push_back(std::move(slots));
  c.outputs.push_back(quantised(p, "cache", Element::U8, 0, pages * p.page()));
  c.bytes = static_cast<double>(tokens * (2 * p.D + 8 + p.V + p.S));
  c.bind = [](const Bound &b) {
    plait_indexer_write_k_args a = {};
    a.struct_size = sizeof a;
    a.tokens = b.rows();
    a.k = b.in("k");
    a.positions = b.in("positions");
    a.cos_sin = b.in("cos_sin");
    a.slot_mapping = b.in("slot_mapping");
    a.cache = b.out("cache");
    a.workspace = b.workspace();
    return [a](const plait_plan *plan, void *s) { return plait_indexer_write_k(plan, &a, s); };
  };
  return c;
}

Case gather_k(const Problem &p, Shape &shape) {
  const int64_t requests = shape.get("B", 4, 1, 65536);
  const int64_t length = shape.get("keys", 1000, 1, INT32_MAX);  // of the longest request
  const int64_t columns = (length + p.P() - 1) / p.P(), pages = requests * columns;
  Tensor lengths("cu_lengths", Element::I32, 0, requests + 1);
  int64_t total = 0;
  for (int64_t b = 0; b < requests; ++b) {
    total += length - b * length / (2 * requests);
    lengths.set(b + 1, static_cast<double>(total));
  }
  Case c;
  c.rows = requests;
  c.rows_independent = false;
  c.inputs.push_back(cache_of(p, pages));
  c.inputs.push_back(table_of(requests, columns, pages));
  c.inputs.push_back(std::move(lengths));
  c.outputs.push_back({"k_values", Element::U8, 0, total * p.V, Rule::Exact});
  c.outputs.push_back(
      {"k_scale", p.fp4 ? Element::U8 : Element::F32, 0, p.fp4 ? total * p.S : total, Rule::Exact});
  c.bytes = 2.0 * static_cast<double>(total * (p.V + p.S));
  c.bind = [total, columns](const Bound &b) {
    plait_indexer_gather_k_args a = {};
    a.struct_size = sizeof a;
    a.requests = b.rows();
    a.keys = total;
    a.cache = b.in("cache");
    a.block_table = b.in("block_table");
    a.block_table_columns = columns;
    a.cu_lengths = b.in("cu_lengths");
    a.k_values = b.out("k_values");
    a.k_scale = b.out("k_scale");
    a.workspace = b.workspace();
    return [a](const plait_plan *plan, void *s) { return plait_indexer_gather_k(plan, &a, s); };
  };
  return c;
}

Case convert_k(const Problem &p, Shape &shape) {
  const int64_t rows = shape.get("rows", 1024, 0, int64_t{1} << 31);
  const int32_t from = 1 + shape.word("from", {"e4m3fn", "e4m3fnuz"}, 1);
  Case c;
  c.rows = rows;
  Tensor values("src_values", Element::U8, rows, p.D);
  for (int64_t i = 0; i < values.count(); ++i) values.as<uint8_t>()[i] = static_cast<uint8_t>(i);
  c.inputs.push_back(std::move(values));
  c.inputs.push_back(scales_of(p, "src_scale", rows, 1, 36));
  c.outputs.push_back({"dst_values", Element::U8, rows, p.D, Rule::Exact});
  c.outputs.push_back({"dst_scale", Element::F32, rows, 1, Rule::Exact});
  c.bind = [from](const Bound &b) {
    plait_indexer_convert_k_args a = {};
    a.struct_size = sizeof a;
    a.rows = b.rows();
    a.from_format = from;
    a.src_values = b.in("src_values");
    a.src_scale = b.in("src_scale");
    a.dst_values = b.out("dst_values");
    a.dst_scale = b.out("dst_scale");
    a.workspace = b.workspace();
    return [a](const plait_plan *plan, void *s) { return plait_indexer_convert_k(plan, &a, s); };
  };
  return c;
}

Case convert_cache(const Problem &p, Shape &shape) {
  const int64_t pages = shape.get("pages", 64, 1, 1 << 24);
  const int32_t from = 1 + shape.word("from", {"e4m3fn", "e4m3fnuz"}, 1);
  Case c;
  c.rows = pages;
  c.inputs.push_back(cache_of(p, pages));
  c.inputs.back().name = "src_cache";
  c.inputs.back().rows = pages;
  c.inputs.back().row = p.page();
  c.outputs.push_back({"cache", Element::U8, pages, p.page(), Rule::Exact});
  c.bind = [from](const Bound &b) {
    plait_indexer_convert_cache_args a = {};
    a.struct_size = sizeof a;
    a.from_format = from;
    a.src_cache = b.in("src_cache");
    a.cache = b.out("cache");
    a.workspace = b.workspace();
    return
        [a](const plait_plan *plan, void *s) { return plait_indexer_convert_cache(plan, &a, s); };
  };
  return c;
}

Case map_slots(const Problem &p, Shape &shape) {
  const int64_t rows = shape.get("rows", 64, 0, int64_t{1} << 31);
  const int64_t columns = shape.get("K", 2048, 1, INT32_MAX);
  constexpr int64_t pages = 40;
  Case c;
  c.rows = rows;
  Tensor indices("indices", Element::I32, rows, columns);
  for (int64_t i = 0; i < indices.count(); ++i)
    indices.set(i, i % 13 == 12 ? -1
                                : static_cast<double>(random_bits(37, static_cast<uint64_t>(i)) %
                                                      static_cast<uint64_t>(pages * p.P() + 5)));
  c.inputs.push_back(std::move(indices));
  c.inputs.push_back(table_of(rows, pages, 1 << 20));
  c.outputs.push_back({"slots", Element::I32, rows, columns, Rule::Exact});
  c.bind = [columns](const Bound &b) {
    plait_indexer_map_slots_args a = {};
    a.struct_size = sizeof a;
    a.rows = b.rows();
    a.columns = columns;
    a.indices = b.in("indices");
    a.block_table = b.in("block_table");
    a.block_table_columns = pages;
    a.table_count = b.rows();
    a.slots = b.out("slots");
    a.workspace = b.workspace();
    return [a](const plait_plan *plan, void *s) { return plait_indexer_map_slots(plan, &a, s); };
  };
  return c;
}

}  // namespace
}  // namespace plait::cli::indexer

namespace plait::cli {

Case make_indexer_case(int32_t op, Shape &shape) {
  using namespace indexer;
  Problem p = read(op, shape);
  Case c;
  switch (op) {
    case PLAIT_OP_QUANTIZE_Q: c = quantize_q(p, shape); break;
    case PLAIT_OP_WRITE_K: c = write_k(p, shape); break;
    case PLAIT_OP_GATHER_K: c = gather_k(p, shape); break;
    case PLAIT_OP_CONVERT_K: c = convert_k(p, shape); break;
    case PLAIT_OP_CONVERT_CACHE: c = convert_cache(p, shape); break;
    case PLAIT_OP_MAP_SLOTS: c = map_slots(p, shape); break;
    case PLAIT_OP_LOGITS_RAGGED:
    case PLAIT_OP_SELECT_RAGGED: c = ragged(p, op, shape); break;
    default: c = paged(p, op, shape); break;
  }
  c.make_plan = [desc = p.desc](plait_context *context, const char *implementation,
                                plait_plan **plan, plait_error *error) {
    plait_indexer_plan_desc d = desc;
    d.implementation = implementation;
    return plait_indexer_plan_create(context, &d, plan, error);
  };
  c.workspace = [n = p.desc.next_n](const plait_plan *plan, int64_t rows) {
    plait_indexer_sizes sizes = {};
    sizes.struct_size = sizeof sizes;
    check(plait_indexer_plan_sizes(plan, rows * n, &sizes), "sizes");
    return sizes.workspace;
  };
  return c;
}

}  // namespace plait::cli
