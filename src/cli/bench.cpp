// SPDX-License-Identifier: MIT
// plait bench: time, traffic and arithmetic of operations, beside a copy measured in the same run.
#include "src/cli/bench.h"

#include <cstdio>

#include "src/cli/json.h"
#include "src/cli/subcommands.h"
#include "src/cli/table.h"

namespace plait::cli {
namespace {

struct Item {
  int32_t op;
  const char *shape;
};

// What a server without a GPU would meet, sized for seconds on two cores.
const Item kCpuSet[] = {
    {PLAIT_OP_MHC_PRE, "T=1,H=4096"},
    {PLAIT_OP_MHC_PRE, "T=1,H=7168"},
    {PLAIT_OP_MHC_PRE, "T=512,H=4096"},
    {PLAIT_OP_MHC_PRE, "T=512,H=7168"},
    {PLAIT_OP_MHC_POST, "T=1,H=4096"},
    {PLAIT_OP_MHC_POST, "T=512,H=4096"},
    {PLAIT_OP_MHC_POST, "T=512,H=7168"},
    {PLAIT_OP_MHC_POST_PRE, "T=1,H=4096"},
    {PLAIT_OP_MHC_POST_PRE, "T=512,H=4096"},
    {PLAIT_OP_MHC_HEAD, "T=512,H=4096"},
    {PLAIT_OP_MHC_EXPAND, "T=512,H=4096"},
    {PLAIT_OP_QUANTIZE_Q, "T=512,heads=64"},
    {PLAIT_OP_QUANTIZE_Q, "T=512,heads=64,hadamard=1"},
    {PLAIT_OP_WRITE_K, "T=4096"},
    {PLAIT_OP_GATHER_K, "B=4,keys=8192"},
    {PLAIT_OP_LOGITS_RAGGED, "rows=256,keys=8192,heads=64"},
    {PLAIT_OP_LOGITS_RAGGED, "rows=256,keys=8192,heads=32"},
    {PLAIT_OP_LOGITS_PAGED, "B=4,keys=8192,heads=64"},
    {PLAIT_OP_SELECT_RAGGED, "rows=256,keys=8192,heads=64,K=512"},
    {PLAIT_OP_SELECT_PAGED, "B=4,keys=8192,heads=64,K=512"},
    {PLAIT_OP_TOPK, "rows=1,L=8192,K=512"},
    {PLAIT_OP_TOPK, "rows=1,L=131072,K=2048"},
    {PLAIT_OP_TOPK, "rows=64,L=8192,K=512"},
    {PLAIT_OP_TOPK, "rows=64,L=131072,K=2048"},
    {PLAIT_OP_TOPK_MERGE, "rows=64,shards=8,candidates=2048,K=2048"},
};

const Item kGpuSet[] = {
    {PLAIT_OP_MHC_PRE, "T=1,H=7168"},
    {PLAIT_OP_MHC_PRE, "T=16,H=7168"},
    {PLAIT_OP_MHC_PRE, "T=128,H=7168"},
    {PLAIT_OP_MHC_PRE, "T=1024,H=7168"},
    {PLAIT_OP_MHC_PRE, "T=8192,H=7168"},
    {PLAIT_OP_MHC_PRE, "T=8192,H=4096"},
    {PLAIT_OP_MHC_POST, "T=1,H=7168"},
    {PLAIT_OP_MHC_POST, "T=128,H=7168"},
    {PLAIT_OP_MHC_POST, "T=8192,H=7168"},
    {PLAIT_OP_MHC_POST, "T=8192,H=4096"},
    {PLAIT_OP_MHC_POST_PRE, "T=1,H=7168"},
    {PLAIT_OP_MHC_POST_PRE, "T=16,H=7168"},
    {PLAIT_OP_MHC_POST_PRE, "T=128,H=7168"},
    {PLAIT_OP_MHC_POST_PRE, "T=1024,H=7168"},
    {PLAIT_OP_MHC_POST_PRE, "T=8192,H=7168"},
    {PLAIT_OP_MHC_POST_PRE, "T=8192,H=4096"},
    {PLAIT_OP_MHC_HEAD, "T=128,H=7168"},
    {PLAIT_OP_QUANTIZE_Q, "T=4096,heads=64"},
    {PLAIT_OP_WRITE_K, "T=4096"},
    {PLAIT_OP_LOGITS_RAGGED, "rows=2048,keys=8192,heads=64"},
    {PLAIT_OP_LOGITS_RAGGED, "rows=2048,keys=8192,heads=32"},
    {PLAIT_OP_LOGITS_RAGGED, "rows=4096,keys=32768,heads=64"},
    {PLAIT_OP_LOGITS_RAGGED, "rows=4096,keys=131072,heads=64"},
    {PLAIT_OP_SELECT_RAGGED, "rows=4096,keys=131072,heads=64,K=2048"},
    {PLAIT_OP_LOGITS_PAGED, "B=1,keys=131072,heads=64"},
    {PLAIT_OP_LOGITS_PAGED, "B=32,keys=8192,heads=64"},
    {PLAIT_OP_LOGITS_PAGED, "B=64,keys=32768,heads=64"},
    {PLAIT_OP_LOGITS_PAGED, "B=128,keys=65536,heads=64"},
    {PLAIT_OP_SELECT_PAGED, "B=64,keys=32768,heads=64,K=2048"},
    {PLAIT_OP_TOPK, "rows=1,L=8192,K=512"},
    {PLAIT_OP_TOPK, "rows=1,L=131072,K=2048"},
    {PLAIT_OP_TOPK, "rows=64,L=8192,K=512"},
    {PLAIT_OP_TOPK, "rows=64,L=32768,K=2048"},
    {PLAIT_OP_TOPK, "rows=64,L=131072,K=2048"},
    {PLAIT_OP_TOPK, "rows=2048,L=8192,K=2048"},
    {PLAIT_OP_TOPK, "rows=2048,L=131072,K=512"},
    {PLAIT_OP_TOPK, "rows=2048,L=131072,K=2048"},
};

std::vector<std::pair<int32_t, std::string>> items(const Options &options, bool gpu) {
  std::vector<std::pair<int32_t, std::string>> list;
  const int32_t op = options.has("op") ? op_number(options.get("op")) : -1;
  if (options.has("shape")) {
    if (op < 0) throw UsageError("--shape needs --op");
    for (const std::string &shape : options.all("shape")) list.emplace_back(op, shape);
    return list;
  }
  const auto add = [&](const Item &item) {
    if (op < 0 || item.op == op) list.emplace_back(item.op, item.shape);
  };
  if (gpu)
    for (const Item &item : kGpuSet) add(item);
  else
    for (const Item &item : kCpuSet) add(item);
  if (list.empty()) list.emplace_back(op, "");  // the operation's defaults
  return list;
}

struct Result {
  int32_t op;
  std::string label;
  std::vector<std::pair<std::string, std::string>> shape;
  std::string implementation;
  Timing timing;
  double bytes, flops;
  double copy;  // GB/s

  double rate() const { return bytes / timing.median * 1e-3; }
  double teraflops() const { return flops / timing.median * 1e-6; }
};

std::string number(double value) {
  return value >= 1000 ? format("%.0f", value)
         : value >= 10 ? format("%.1f", value)
                       : format("%.2f", value);
}

Json to_json(const Result &r) {
  Json shape = Json::object();
  for (const auto &item : r.shape) shape.set(item.first, item.second);
  Json json = Json::object();
  json.set("op", plait_op_name(r.op)).set("shape", shape);
  json.set("implementation", r.implementation).set("mode", r.timing.mode);
  json.set("median_us", r.timing.median).set("min_us", r.timing.least);
  json.set("repeats", r.timing.repeats).set("bytes", r.bytes);
  json.set("gb_per_s", r.rate());
  if (r.flops > 0) json.set("tflop_per_s", r.teraflops());
  return json.set("copy_gb_per_s", r.copy).set("share_of_copy", r.rate() / r.copy);
}

Table to_table(const std::vector<Result> &results) {
  Table table({"op", "shape", "implementation", "mode", ">median us", ">min us", ">GB/s",
               ">TFLOP/s", ">copy GB/s", ">share"});
  for (const Result &r : results)
    table.add({plait_op_name(r.op), r.label, r.implementation, r.timing.mode,
               number(r.timing.median), number(r.timing.least), number(r.rate()),
               r.flops > 0 ? format("%.3g", r.teraflops()) : "", number(r.copy),
               format("%.0f%%", 100 * r.rate() / r.copy)});
  return table;
}

int run(const Options &options) {
  const Effort effort = {options.number("seconds", 0.5, 0, 3600),
                         options.integer("repeat", 0, 1, 1000000)};
  const Context context(backend_number(options.get("backend", "auto")),
                        static_cast<int32_t>(options.integer("device", -1, -1, 1 << 20)),
                        static_cast<int32_t>(options.integer("threads", 0, 1, 1024)));
  const auto list = items(options, context.gpu());
  const std::vector<std::string> asked =
      options.has("implementation") ? options.all("implementation") : std::vector<std::string>{""};
  std::vector<Result> results;
  {
    Progress progress(list.size() * asked.size());
    Copy copy(context);
    for (const auto &item : list) {
      const Case c = make_case(item.first, item.second);
      for (const std::string &name : asked) {
        progress.step(std::string(plait_op_name(c.op)) + " " + c.label + " " + name);
        Plan plan;
        try {
          plan = plan_of(c, context, name.empty() ? nullptr : name.c_str());
        } catch (const Refusal &refusal) {
          if (options.has("shape") || options.has("implementation")) throw;
          fprintf(stderr, "left out: %s %s: %s\n", plait_op_name(c.op), c.label.c_str(),
                  refusal.what());
          continue;
        }
        const Bound bound(context, c, plan.get());
        copy.sample(context.gpu() ? 0.02 : 0.2);
        const std::vector<Timing> timings = measure(context, effort, plan.get(), c.bind(bound));
        copy.sample(context.gpu() ? 0.02 : 0.2);
        for (const Timing &timing : timings)
          results.push_back({c.op, c.label, c.shape, chosen(plan.get(), c.op), timing, c.traffic(),
                             c.flops, copy.rate()});
      }
    }
  }

  const plait_context_info &info = context.info();
  if (options.has("json")) {
    Json rows = Json::array();
    for (const Result &r : results) rows.push(to_json(r));
    Json json = Json::object();
    json.set("version", plait_version_string()).set("backend", backend_name(info.backend));
    json.set("device", info.device_name).set("architecture", info.architecture);
    json.set("threads", info.threads).set("results", rows);
    printf("%s\n", json.dump().c_str());
  } else if (options.has("csv")) {
    fputs(to_table(results).csv().c_str(), stdout);
  } else {
    printf("%s, %s", info.device_name, info.architecture);
    if (!context.gpu()) printf(", %d threads", info.threads);
    printf("\n%s", to_table(results).text().c_str());
  }
  return 0;
}

}  // namespace

const Subcommand kBench = {
    "bench",
    "Times operations; GB/s count each input and output once; a copy is measured in the same run.",
    {{"op", "NAME", "one operation, as plait_op_name() spells it; default: a set"},
     {"shape", "K=V,...", "its problem (needs --op; may be repeated); default: a set"},
     {"implementation", "NAME", "of the plan's list (may be repeated); default: the chosen one"},
     {"backend", "NAME", "auto, cpu, hip, cuda"},
     {"device", "N", "ordinal of the device"},
     {"threads", "N", "threads of the CPU backend"},
     {"seconds", "S", "for each timing; default 0.5"},
     {"repeat", "N", "a fixed number of samples instead"},
     {"json", nullptr, "print JSON"},
     {"csv", nullptr, "print CSV"}},
    run,
};

}  // namespace plait::cli
