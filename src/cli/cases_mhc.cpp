// SPDX-License-Identifier: MIT
// mHC cases. Data at the scales of trained models: fn . v has a deviation of about 1.
#include <cmath>
#include <memory>

#include "src/cli/case.h"

namespace plait::cli {
namespace {

enum Collapse { kCurrent, kDelayed, kStreamZero };
enum Data { kNormal, kLarge, kTiny, kZero, kSaturated };

struct Problem {
  int64_t tokens, hidden, n;
  int32_t dtype, fn_dtype, collapse, data;
  bool norm, broadcast, x2, identity, in_place;
  plait_mhc_plan_desc desc;

  int64_t mixes() const { return n * (n + 2); }
};

Problem read(int32_t op, Shape &shape) {
  Problem p = {};
  const bool has_pre = op == PLAIT_OP_MHC_PRE || op == PLAIT_OP_MHC_POST_PRE;
  const bool has_post = op == PLAIT_OP_MHC_POST || op == PLAIT_OP_MHC_POST_PRE;
  p.tokens = shape.get("T", 16, 0, int64_t{1} << 31);
  p.hidden = shape.get("H", 4096, 1, PLAIT_MHC_MAX_HIDDEN);
  p.n = shape.get("n", 4, 1, PLAIT_MHC_MAX_STREAMS);
  p.dtype = shape.dtype("dtype", PLAIT_DTYPE_BF16);
  plait_mhc_plan_desc_init(&p.desc, sizeof p.desc);
  p.fn_dtype = PLAIT_DTYPE_F32;
  if (has_pre || op == PLAIT_OP_MHC_HEAD) {
    p.fn_dtype = shape.dtype("fn", PLAIT_DTYPE_F32);
    p.collapse = shape.word("collapse", {"current", "delayed", "stream0"}, kCurrent);
    p.norm = shape.get("norm", 0, 0, 1) != 0;
    if (p.norm) p.desc.norm_weight_dtype = shape.dtype("norm_weight", PLAIT_DTYPE_BF16);
  }
  const auto real = [&](const char *key, float &field) {
    field = static_cast<float>(shape.real(key, static_cast<double>(field)));
  };
  if (has_pre) {
    p.desc.sinkhorn_iters = static_cast<int32_t>(shape.get("iters", 20, 1, 1000));
    real("sinkhorn_eps", p.desc.sinkhorn_eps);
    real("post_mult", p.desc.post_mult);
  }
  if (has_pre || op == PLAIT_OP_MHC_HEAD) {
    real("rms_eps", p.desc.rms_eps);
    real("pre_eps", p.desc.pre_eps);
  }
  if (has_pre || has_post) p.broadcast = shape.get("broadcast", 0, 0, 1) != 0;
  if (has_post) {
    p.x2 = shape.get("x2", 0, 0, 1) != 0;
    p.identity = shape.get("identity", 0, 0, 1) != 0;
  }
  p.data = shape.word("data", {"normal", "large", "tiny", "zero", "saturated"}, kNormal);
  p.desc.hidden = p.hidden;
  p.desc.hc_mult = static_cast<int32_t>(p.n);
  p.desc.dtype = p.dtype;
  p.desc.fn_dtype = p.fn_dtype;
  p.desc.collapse =
      p.collapse == kCurrent ? PLAIT_MHC_COLLAPSE_CURRENT : PLAIT_MHC_COLLAPSE_DELAYED;
  if (p.norm)
    p.desc.norm = op == PLAIT_OP_MHC_HEAD ? PLAIT_MHC_NORM_HEAD : PLAIT_MHC_NORM_LAYER_INPUT;
  if (p.data == kZero) p.desc.rms_eps = 1e-20f;
  return p;
}

Tensor normal(const char *name, Element element, int64_t rows, int64_t row, uint64_t seed,
              double deviation) {
  Tensor t(name, element, rows, row);
  fill_normal(t, seed, deviation);
  return t;
}

void add_residual(Case &c, const Problem &p) {
  const double deviation = p.data == kLarge  ? (p.dtype == PLAIT_DTYPE_F16 ? 1e3 : 1e4)
                           : p.data == kTiny ? (p.dtype == PLAIT_DTYPE_F16 ? 1e-4 : 1e-30)
                                             : 1.4;
  c.inputs.push_back(normal("residual", element_of_dtype(p.dtype), p.tokens,
                            p.broadcast ? p.hidden : p.n * p.hidden, 1, deviation));
  if (p.data == kZero && p.tokens > 1) {  // the second token is all zeros
    Tensor &t = c.inputs.back();
    for (int64_t i = 0; i < t.row; ++i) t.set(t.row + i, 0);
  }
}

// fn, base, scale of `rows` mixes, with the names' prefix.
void add_weights(Case &c, const Problem &p, int64_t rows, int64_t scales) {
  const double deviation =
      p.data == kSaturated ? 1e3 : 1.28 / std::sqrt(static_cast<double>(p.n * p.hidden));
  c.inputs.push_back(
      normal("fn", element_of_dtype(p.fn_dtype), 0, rows * p.n * p.hidden, 2, deviation));
  c.inputs.push_back(normal("base", Element::F32, 0, rows, 3, 0.7));
  c.inputs.push_back(normal("scale", Element::F32, 0, scales, 4, 0.3));
  for (int64_t i = 0; i < scales; ++i) c.inputs.back().set(i, 0.8 + c.inputs.back().value(i));
}

void add_norm_weight(Case &c, const Problem &p) {
  if (!p.norm) return;
  c.inputs.push_back(
      normal("norm_weight", element_of_dtype(p.desc.norm_weight_dtype), 0, p.hidden, 5, 0.2));
  Tensor &w = c.inputs.back();
  for (int64_t i = 0; i < w.row; ++i) w.set(i, 1 + w.value(i));
}

void add_prev_pre(Case &c, const Problem &p) {
  if (p.collapse != kDelayed) return;
  c.inputs.push_back(normal("prev_pre", Element::F32, p.tokens, p.n, 6, 0.2));
}

// post_mix in (0, 2) and an asymmetric comb with rows that sum to about 1.
void add_mixes(Case &c, const Problem &p) {
  Tensor post("post_mix", Element::F32, p.tokens, p.n);
  for (int64_t i = 0; i < post.count(); ++i)
    post.set(i, 2 * random_uniform(7, static_cast<uint64_t>(i)));
  c.inputs.push_back(std::move(post));
  if (p.identity) return;
  Tensor comb("comb_mix", Element::F32, p.tokens, p.n * p.n);
  for (int64_t i = 0; i < comb.count(); ++i) {
    const double u = random_uniform(8, static_cast<uint64_t>(i));
    comb.set(i, u * u * 3 / static_cast<double>(p.n));
  }
  c.inputs.push_back(std::move(comb));
}

const Tensor *find(const std::vector<Tensor> &tensors, const char *name) {
  for (const Tensor &t : tensors)
    if (t.name == name) return &t;
  return nullptr;
}

constexpr double kMixBound = 2e-6;

// Absolute terms of a collapse sum_i p_i * v_i. Where the call computes p itself, p may be off by
// the mixes' own tolerance, times v.
std::vector<double> collapse_slack(const Problem &p, const Tensor &residual, const Tensor *mix,
                                   bool computed) {
  std::vector<double> slack(static_cast<size_t>(p.tokens * p.hidden));
  const bool wide = residual.row == p.n * p.hidden;
  for (int64_t t = 0; t < p.tokens; ++t)
    for (int64_t h = 0; h < p.hidden; ++h) {
      double sum = 0, values = 0;
      for (int64_t i = 0; i < p.n; ++i) {
        const double v =
            std::fabs(residual.value(t * residual.row + (wide ? i * p.hidden : 0) + h));
        const double m = mix ? std::fabs(mix->value(t * p.n + i)) : i == 0 ? 1.0 : 0.0;
        sum += m * v;
        values += v;
      }
      slack[static_cast<size_t>(t * p.hidden + h)] =
          1e-6 * sum + (computed ? kMixBound * values : 0);
    }
  return slack;
}

std::vector<double> post_slack(const Problem &p, const std::vector<Tensor> &in) {
  const Tensor &x = *find(in, "x"), &residual = *find(in, "residual"),
               &post = *find(in, "post_mix");
  const Tensor *x2 = find(in, "x2"), *comb = find(in, "comb_mix");
  std::vector<double> slack(static_cast<size_t>(p.tokens * p.n * p.hidden));
  for (int64_t t = 0; t < p.tokens; ++t)
    for (int64_t j = 0; j < p.n; ++j)
      for (int64_t h = 0; h < p.hidden; ++h) {
        double sum = std::fabs(x.value(t * p.hidden + h));
        if (x2) sum += std::fabs(x2->value(t * p.hidden + h));
        sum *= std::fabs(post.value(t * p.n + j));
        for (int64_t i = 0; i < p.n; ++i) {
          const double m = comb     ? std::fabs(comb->value((t * p.n + i) * p.n + j))
                           : i == j ? 1.0
                                    : 0.0;
          sum += m *
                 std::fabs(residual.value(t * residual.row + (p.broadcast ? 0 : i * p.hidden) + h));
        }
        slack[static_cast<size_t>((t * p.n + j) * p.hidden + h)] = 1e-6 * sum;
      }
  return slack;
}

// The norm multiplies an error of y by rsqrt(mean(z^2)) * w; bounded by the row's largest.
void through_norm(const Problem &p, const std::vector<Tensor> &in, const Tensor &collapsed_from,
                  const Tensor *mix, std::vector<double> &slack) {
  if (!p.norm) return;
  const Tensor &w = *find(in, "norm_weight");
  const bool wide = collapsed_from.row == p.n * p.hidden;
  for (int64_t t = 0; t < p.tokens; ++t) {
    double squares = 0;
    for (int64_t h = 0; h < p.hidden; ++h) {
      double y = 0;
      for (int64_t i = 0; i < p.n; ++i)
        y += (mix      ? mix->value(t * p.n + i)
              : i == 0 ? 1.0
                       : 0.0) *
             collapsed_from.value(t * collapsed_from.row + (wide ? i * p.hidden : 0) + h);
      squares += y * y;
    }
    const double r = 1 / std::sqrt(squares / static_cast<double>(p.hidden) +
                                   static_cast<double>(p.desc.norm_eps));
    for (int64_t h = 0; h < p.hidden; ++h)
      slack[static_cast<size_t>(t * p.hidden + h)] *= r * std::fabs(w.value(h));
  }
}

plait_mhc_pre_args pre_args(const Problem &p, const Bound &b) {
  plait_mhc_pre_args a = {};
  a.struct_size = sizeof a;
  a.tokens = b.rows();
  a.residual = b.in("residual");
  a.broadcast = p.broadcast;
  a.fn = b.in("fn");
  a.base = b.in("base");
  a.scale = b.in("scale");
  a.norm_weight = b.in("norm_weight");
  a.prev_pre = b.in("prev_pre");
  a.pre_mix = b.out("pre_mix");
  a.post_mix = b.out("next_post_mix");
  a.comb_mix = b.out("next_comb_mix");
  a.layer_input = b.out("layer_input");
  a.workspace = b.workspace();
  return a;
}

plait_mhc_post_args post_args(const Problem &p, const Bound &b) {
  plait_mhc_post_args a = {};
  a.struct_size = sizeof a;
  a.tokens = b.rows();
  a.x = b.in("x");
  a.x2 = b.in("x2");
  a.residual = b.in("residual");
  a.broadcast = p.broadcast;
  a.post_mix = b.in("post_mix");
  a.comb_mix = b.in("comb_mix");
  a.residual_out = b.out("residual_out");
  a.workspace = b.workspace();
  return a;
}

Call bind_pre(const Problem &p, const Bound &b) {
  const plait_mhc_pre_args a = pre_args(p, b);
  return [a](const plait_plan *plan, void *stream) { return plait_mhc_pre(plan, &a, stream); };
}

Call bind_post(const Problem &p, const Bound &b) {
  const plait_mhc_post_args a = post_args(p, b);
  return [a](const plait_plan *plan, void *stream) { return plait_mhc_post(plan, &a, stream); };
}

Call bind_post_pre(const Problem &p, const Bound &b) {
  plait_mhc_post_pre_args a = {};
  a.struct_size = sizeof a;
  a.tokens = b.rows();
  a.x = b.in("x");
  a.x2 = b.in("x2");
  a.residual = b.in("residual");
  a.broadcast = p.broadcast;
  a.post_mix = b.in("post_mix");
  a.comb_mix = b.in("comb_mix");
  a.residual_out = b.out("residual_out");
  a.fn = b.in("fn");
  a.base = b.in("base");
  a.scale = b.in("scale");
  a.norm_weight = b.in("norm_weight");
  a.prev_pre = b.in("prev_pre");
  a.pre_mix = b.out("pre_mix");
  a.next_post_mix = b.out("next_post_mix");
  a.next_comb_mix = b.out("next_comb_mix");
  a.layer_input = b.out("layer_input");
  a.workspace = b.workspace();
  return [a](const plait_plan *plan, void *stream) { return plait_mhc_post_pre(plan, &a, stream); };
}

Call bind_head(const Problem &p, const Bound &b) {
  plait_mhc_head_args a = {};
  a.struct_size = sizeof a;
  a.tokens = b.rows();
  a.residual = b.in("residual");
  if (p.collapse == kCurrent) {
    a.fn = b.in("fn");
    a.base = b.in("base");
    a.scale = b.in("scale");
  }
  a.prev_pre = b.in("prev_pre");
  a.norm_weight = b.in("norm_weight");
  a.out = b.out("out");
  a.workspace = b.workspace();
  return [a](const plait_plan *plan, void *stream) { return plait_mhc_head(plan, &a, stream); };
}

Call bind_expand(const Problem &, const Bound &b) {
  plait_mhc_expand_args a = {};
  a.struct_size = sizeof a;
  a.tokens = b.rows();
  a.x = b.in("x");
  a.residual_out = b.out("residual_out");
  a.workspace = b.workspace();
  return [a](const plait_plan *plan, void *stream) { return plait_mhc_expand(plan, &a, stream); };
}

void add_pre_outputs(Case &c, const Problem &p) {
  // Optional when the collapse is the current one; asked for, because `slack` needs it.
  c.outputs.push_back({"pre_mix", Element::F32, p.tokens, p.n, Rule::Absolute, kMixBound});
  c.outputs.push_back({"next_post_mix", Element::F32, p.tokens, p.n, Rule::Absolute, kMixBound});
  c.outputs.push_back(
      {"next_comb_mix", Element::F32, p.tokens, p.n * p.n, Rule::Absolute, kMixBound});
  // Under the norm, a rounding of y that goes the other way shows beside the last one.
  c.outputs.push_back({"layer_input", element_of_dtype(p.dtype), p.tokens, p.hidden, Rule::Rounded,
                       p.norm ? 2.0 : 1.0});
}

const Tensor *collapse_mix(const Problem &p, const std::vector<Tensor> &in,
                           const std::vector<Tensor> &ref) {
  return p.collapse == kCurrent   ? find(ref, "pre_mix")
         : p.collapse == kDelayed ? find(in, "prev_pre")
                                  : nullptr;
}

Case build(int32_t op, const Problem &p) {
  const Element element = element_of_dtype(p.dtype);
  Case c;
  c.op = op;
  c.rows = p.tokens;
  const bool has_pre = op == PLAIT_OP_MHC_PRE || op == PLAIT_OP_MHC_POST_PRE;
  const bool has_post = op == PLAIT_OP_MHC_POST || op == PLAIT_OP_MHC_POST_PRE;
  if (has_post || op == PLAIT_OP_MHC_EXPAND)
    c.inputs.push_back(normal("x", element, p.tokens, p.hidden, 9, 1.0));
  if (p.x2) c.inputs.push_back(normal("x2", element, p.tokens, p.hidden, 10, 1.0));
  if (op != PLAIT_OP_MHC_EXPAND) add_residual(c, p);
  if (has_post) add_mixes(c, p);
  if (has_pre) add_weights(c, p, p.mixes(), 3);
  if (op == PLAIT_OP_MHC_HEAD && p.collapse == kCurrent) add_weights(c, p, p.n, 1);
  add_prev_pre(c, p);
  add_norm_weight(c, p);

  if (has_post)
    c.outputs.push_back({"residual_out", element, p.tokens, p.n * p.hidden, Rule::Rounded, 1});
  if (has_pre) add_pre_outputs(c, p);
  if (op == PLAIT_OP_MHC_HEAD)
    c.outputs.push_back({"out", element, p.tokens, p.hidden, Rule::Rounded, p.norm ? 2.0 : 1.0});
  if (op == PLAIT_OP_MHC_EXPAND)
    c.outputs.push_back({"residual_out", element, p.tokens, p.n * p.hidden, Rule::Exact});

  c.make_plan = [p](plait_context *context, const char *implementation, plait_plan **plan,
                    plait_error *error) {
    plait_mhc_plan_desc desc = p.desc;
    desc.implementation = implementation;
    return plait_mhc_plan_create(context, &desc, plan, error);
  };
  c.workspace = [](const plait_plan *plan, int64_t tokens) {
    plait_mhc_sizes sizes = {};
    sizes.struct_size = sizeof sizes;
    check(plait_mhc_plan_sizes(plan, tokens, &sizes), "sizes");
    return sizes.workspace;
  };
  c.bind = [p, op](const Bound &b) {
    switch (op) {
      case PLAIT_OP_MHC_PRE: return bind_pre(p, b);
      case PLAIT_OP_MHC_POST: return bind_post(p, b);
      case PLAIT_OP_MHC_POST_PRE: return bind_post_pre(p, b);
      case PLAIT_OP_MHC_HEAD: return bind_head(p, b);
      default: return bind_expand(p, b);
    }
  };
  if (op == PLAIT_OP_MHC_POST_PRE)
    c.separate = [p, plan_of = c.make_plan](const Context &context, const char *implementation,
                                            const Bound &b) {
      plait_plan *handle = nullptr;
      check(plan_of(context.get(), implementation, &handle, nullptr), "plan");
      const Plan plan(handle);
      check(bind_post(p, b)(plan.get(), nullptr), "post");
      plait_mhc_pre_args a = pre_args(p, b);
      const plait_buffer residual = b.out("residual_out");
      a.residual = {residual.data, residual.size};
      a.broadcast = 0;
      check(plait_mhc_pre(plan.get(), &a, nullptr), "pre");
    };
  c.slack = [p, op](size_t index, const std::vector<Tensor> &in, const std::vector<Tensor> &ref) {
    const bool post_pre = op == PLAIT_OP_MHC_POST_PRE;
    if (op == PLAIT_OP_MHC_POST || (post_pre && index == 0)) return post_slack(p, in);
    if (ref[index].name != "layer_input" && op != PLAIT_OP_MHC_HEAD) return std::vector<double>();
    const Tensor &from = post_pre ? ref[0] : *find(in, "residual");
    const Tensor *mix = collapse_mix(p, in, ref);
    // The head does not return its mixes: gates are below 1, so 1 bounds them.
    Tensor ones("ones", Element::F32, p.tokens, p.n);
    for (int64_t i = 0; i < ones.count(); ++i) ones.set(i, 1);
    const bool hidden_mix = op == PLAIT_OP_MHC_HEAD && p.collapse == kCurrent;
    std::vector<double> slack =
        collapse_slack(p, from, hidden_mix ? &ones : mix, p.collapse == kCurrent);
    if (!hidden_mix) through_norm(p, in, from, mix, slack);
    return slack;
  };
  if (has_pre || (op == PLAIT_OP_MHC_HEAD && p.collapse == kCurrent))
    c.flops = 2.0 * static_cast<double>(p.tokens * (has_pre ? p.mixes() : p.n) * p.n * p.hidden);
  if (op == PLAIT_OP_MHC_POST_PRE) {
    Problem next = p;
    next.broadcast = false;
    c.tail = std::make_shared<Case>(build(PLAIT_OP_MHC_PRE, next));
    c.tail_input = "residual";
  }
  return c;
}

}  // namespace

Case make_mhc_case(int32_t op, Shape &shape) { return build(op, read(op, shape)); }

}  // namespace plait::cli
