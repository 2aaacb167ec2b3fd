// SPDX-License-Identifier: MIT
// The checks of audit: errors against references and records, and bits between runs that must
// agree.
#include <algorithm>
#include <numeric>
#include <thread>

#include "src/cli/audit.h"
#include "src/cli/options.h"

namespace plait::cli {
namespace {

// Hopper's fp8 matrix units keep few bits of a partial sum: logits are within this share of the
// largest one. Of some 10^5 random ones two were past half of it.
constexpr double kHopperShare = 4e-4;

std::vector<Tensor> outputs_of(const Case &c, const Context &context, const plait_plan *plan,
                               const std::vector<int64_t> *order = nullptr) {
  const Bound bound(context, c, plan, order);
  check(c.bind(bound)(plan, nullptr), "call");
  return bound.read_outputs(c);
}

std::vector<Tensor> pick_all(const std::vector<Tensor> &tensors,
                             const std::vector<int64_t> &order) {
  std::vector<Tensor> picked;
  for (const Tensor &t : tensors) picked.push_back(t.pick(order));
  return picked;
}

bool rows_hold(const Case &c, const Context &context, const plait_plan *plan,
               const std::vector<Tensor> &base, const std::vector<int64_t> &order) {
  return same_bits(outputs_of(c, context, plan, &order), pick_all(base, order));
}

// Two calls at once, each with its own buffers: on two streams, or from two threads of the host.
bool concurrent(const Case &c, const Context &context, const plait_plan *plan,
                const std::vector<Tensor> &base) {
  const Bound a(context, c, plan), b(context, c, plan);
  const Call call_a = c.bind(a), call_b = c.bind(b);
  const Stream stream_a(context), stream_b(context);
  if (context.gpu()) {
    for (int i = 0; i < 3; ++i) {
      check(call_a(plan, stream_a.get()), "call");
      check(call_b(plan, stream_b.get()), "call");
    }
    stream_a.synchronize();
    stream_b.synchronize();
  } else {
    plait_status status = PLAIT_OK;
    std::thread other([&] { status = call_b(plan, nullptr); });
    const plait_status own = call_a(plan, nullptr);
    other.join();
    check(own, "call");
    check(status, "call on another thread");
  }
  return same_bits(a.read_outputs(c), base) && same_bits(b.read_outputs(c), base);
}

bool replayed(const Case &c, const Context &context, const plait_plan *plan,
              const std::vector<Tensor> &base) {
  Bound bound(context, c, plan);
  const Call call = c.bind(bound);
  const Stream stream(context);
  plait_error error = no_error();
  plait_graph *graph = nullptr;
  check(plait_graph_begin(context.get(), stream.get(), &error), "graph", error);
  const plait_status status = call(plan, stream.get());
  check(plait_graph_end(context.get(), stream.get(), &graph, &error), "graph", error);
  check(status, "call in a graph");
  bool same = true;
  for (int i = 0; i < 2; ++i) {
    bound.clear_outputs(context, c, stream.get());
    check(plait_graph_launch(context.get(), graph, stream.get()), "graph");
    stream.synchronize();
    same = same && same_bits(bound.read_outputs(c), base);
  }
  plait_graph_destroy(context.get(), graph);
  return same;
}

}  // namespace

const std::vector<const char *> kChecks = {"run",     "tokens", "position", "threads",
                                           "streams", "graph",  "separate"};

bool Finding::failed() const {
  if (!error.empty() || difference.wrong) return true;
  for (const auto &item : checks)
    if (!item.second) return true;
  return false;
}

Auditor::Auditor(int32_t backend, int32_t device, std::vector<std::string> only)
    : only_(std::move(only)), context_(backend, device, 0) {
  for (const std::string &name : only_)
    if (std::find(kChecks.begin(), kChecks.end(), name) == kChecks.end())
      throw UsageError("no check is called '" + name + "'");
  if (context_.gpu()) {
    cpu_.emplace_back(PLAIT_BACKEND_CPU, 0, 0);
  } else {
    threads_.emplace_back(PLAIT_BACKEND_CPU, 0, 1);
    threads_.emplace_back(PLAIT_BACKEND_CPU, 0, 3);
  }
}

// Against the reference implementation of `oracle`. Outputs that another one feeds (Case::tail) are
// compared with what the reference makes of that output as it came.
void Auditor::against(const Case &c, const Context &oracle, const std::vector<Tensor> &got,
                      Finding &finding) const {
  const double share = context_.info().backend == PLAIT_BACKEND_CUDA ? kHopperShare : 0;
  const Plan plan = plan_of(c, oracle, "reference");
  const std::vector<Tensor> want = outputs_of(c, oracle, plan.get());
  const size_t direct = c.tail ? 1 : c.outputs.size();
  for (size_t i = 0; i < direct; ++i)
    finding.difference.add(compare(c.outputs[i], got[i], want[i],
                                   c.slack ? c.slack(i, c.inputs, want) : std::vector<double>(),
                                   share));
  if (!c.tail) return;
  Case tail = *c.tail;
  for (Tensor &t : tail.inputs)
    if (t.name == c.tail_input) t.data = got[0].data;
  const Plan tail_plan = plan_of(tail, oracle, "reference");
  const std::vector<Tensor> tail_want = outputs_of(tail, oracle, tail_plan.get());
  for (size_t i = 0; i < tail.outputs.size(); ++i)
    finding.difference.add(
        compare(tail.outputs[i], got[i + 1], tail_want[i],
                tail.slack ? tail.slack(i, tail.inputs, tail_want) : std::vector<double>(), share));
}

void Auditor::differences(const Case &c, const std::vector<Tensor> &got, Finding &finding) const {
  if (c.recorded.empty()) {
    const Plan plan = plan_of(c, context_, nullptr);
    const std::vector<std::string> names = usable(plan.get(), c.op);
    for (const std::string &name : names)
      if (name == "reference" && finding.implementation != name) against(c, context_, got, finding);
    for (const Context &cpu : cpu_) against(c, cpu, got, finding);
    return;
  }
  const double share = context_.info().backend == PLAIT_BACKEND_CUDA ? kHopperShare : 0;
  bool complete = true;  // slack needs every output of the reference
  for (const Tensor &t : c.recorded) complete = complete && !t.data.empty();
  for (size_t i = 0; i < c.outputs.size(); ++i)
    if (!c.recorded[i].data.empty())
      finding.difference.add(compare(
          c.outputs[i], got[i], c.recorded[i],
          c.slack && complete ? c.slack(i, c.inputs, c.recorded) : std::vector<double>(), share));
}

bool Auditor::wanted(const char *check) const {
  return only_.empty() || std::find(only_.begin(), only_.end(), check) != only_.end();
}

void Auditor::bits(const Case &c, const std::string &implementation, const plait_plan *plan,
                   const std::vector<Tensor> &base, Finding &finding) const {
  auto &checks = finding.checks;
  if (wanted("run")) checks["run"] = same_bits(outputs_of(c, context_, plan), base);
  if (c.rows_independent && c.rows > 0 && wanted("tokens"))
    checks["tokens"] = rows_hold(c, context_, plan, base, {c.rows - 1});
  if (c.rows_independent && c.rows > 0 && wanted("position")) {
    std::vector<int64_t> order(static_cast<size_t>(2 * c.rows + 3));
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<int64_t>(i * 5 + 2) % c.rows;  // other places, and more of them
    checks["position"] = rows_hold(c, context_, plan, base, order);
  } else if (c.op == PLAIT_OP_WRITE_K && wanted("position")) {
    std::vector<int64_t> order(static_cast<size_t>(c.rows));
    std::iota(order.rbegin(), order.rend(), 0);
    checks["position"] = rows_hold(c, context_, plan, base, order);
  }
  for (const Context &other : threads_) {
    if (!wanted("threads")) break;
    const Plan own = plan_of(c, other, implementation.c_str());
    const bool same = same_bits(outputs_of(c, other, own.get()), base);
    checks["threads"] = same && (!checks.count("threads") || checks["threads"]);
  }
  if (wanted("streams")) checks["streams"] = concurrent(c, context_, plan, base);
  if (context_.gpu() && wanted("graph")) checks["graph"] = replayed(c, context_, plan, base);
  if (c.separate && wanted("separate")) {
    const Bound bound(context_, c, plan);
    c.separate(context_, implementation.c_str(), bound);
    checks["separate"] = same_bits(bound.read_outputs(c), base);
  }
}

Finding Auditor::audit_one(const Case &c, const std::string &implementation) const {
  Finding finding(c, implementation);
  try {
    const Plan plan = plan_of(c, context_, implementation.c_str());
    const std::vector<Tensor> base = outputs_of(c, context_, plan.get());
    differences(c, base, finding);
    bits(c, implementation, plan.get(), base, finding);
  } catch (const Failure &failure) {
    finding.error = failure.what();
  }
  return finding;
}

std::vector<Finding> Auditor::audit(const Case &c) const {
  std::vector<Finding> findings;
  std::vector<std::string> names;
  try {
    names = usable(plan_of(c, context_, nullptr).get(), c.op);
  } catch (const Refusal &refusal) {
    findings.emplace_back(c, "");
    findings.back().refusal = refusal.what();
  } catch (const Failure &failure) {
    findings.emplace_back(c, "");
    findings.back().error = failure.what();
  }
  for (const std::string &name : names) findings.push_back(audit_one(c, name));
  return findings;
}

}  // namespace plait::cli
