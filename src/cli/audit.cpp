// SPDX-License-Identifier: MIT
// plait audit: every operation and implementation of a device against the references, the golden
// vectors and itself.
#include "src/cli/audit.h"

#include <cstdio>

#include "src/cli/golden.h"
#include "src/cli/json.h"
#include "src/cli/subcommands.h"
#include "src/cli/table.h"

namespace plait::cli {
namespace {

// All findings of one implementation of one operation.
struct Row {
  int32_t op;
  std::string implementation;
  int64_t cases = 0, golden = 0, failed = 0, refused = 0;
  Difference difference;
  std::map<std::string, bool> checks;
};

std::vector<Row> summarise(const std::vector<Finding> &findings) {
  std::vector<Row> rows;
  for (const Finding &f : findings) {
    size_t i = 0;
    while (i < rows.size() && (rows[i].op != f.op || rows[i].implementation != f.implementation))
      ++i;
    if (i == rows.size()) {
      rows.emplace_back();
      rows[i].op = f.op;
      rows[i].implementation = f.implementation;
    }
    Row &row = rows[i];
    ++row.cases;
    row.golden += f.golden;
    row.failed += f.failed();
    row.refused += !f.refusal.empty();
    row.difference.add(f.difference);
    for (const auto &check : f.checks) {
      const auto known = row.checks.emplace(check.first, true).first;
      known->second = known->second && check.second;
    }
  }
  return rows;
}

std::string scientific(double value) { return value == 0 ? "0" : format("%.1e", value); }

void print(const std::vector<Finding> &findings, const std::vector<Row> &rows) {
  std::vector<std::string> headings = {"op",      "implementation", ">cases",
                                       ">golden", ">worst",         ">ulp"};
  for (const char *check : kChecks) headings.push_back(check);
  headings.push_back("verdict");
  Table table(headings);
  for (const Row &row : rows) {
    std::vector<std::string> cells = {plait_op_name(row.op),
                                      row.implementation,
                                      std::to_string(row.cases),
                                      std::to_string(row.golden),
                                      scientific(row.difference.absolute),
                                      format("%.0f", row.difference.ulp)};
    for (const char *check : kChecks) {
      const auto found = row.checks.find(check);
      cells.push_back(found == row.checks.end() ? "-" : found->second ? "equal" : "DIFFER");
    }
    cells.push_back(row.failed    ? format("%lld FAILED", static_cast<long long>(row.failed))
                    : row.refused ? "refused"
                                  : "ok");
    table.add(cells);
  }
  fputs(table.text().c_str(), stdout);
  std::string last;
  for (const Finding &f : findings) {
    if (f.refusal.empty() || f.refusal == last) continue;
    printf("refused %s [%s]: %s\n", plait_op_name(f.op), f.label.c_str(), f.refusal.c_str());
    last = f.refusal;
  }
  for (const Finding &f : findings) {
    if (!f.failed()) continue;
    printf("FAILED %s %s [%s]:", plait_op_name(f.op), f.implementation.c_str(), f.label.c_str());
    if (!f.error.empty()) printf(" %s", f.error.c_str());
    if (f.difference.wrong)
      printf(" %s: %lld of %lld outside the tolerance, worst %s", f.difference.where.c_str(),
             static_cast<long long>(f.difference.wrong), static_cast<long long>(f.difference.count),
             scientific(f.difference.absolute).c_str());
    for (const auto &check : f.checks)
      if (!check.second) printf(" bits differ: %s", check.first.c_str());
    printf("\n");
  }
}

Json to_json(const Finding &f) {
  Json checks = Json::object();
  for (const auto &check : f.checks) checks.set(check.first, check.second);
  Json json = Json::object();
  json.set("op", plait_op_name(f.op)).set("implementation", f.implementation);
  json.set("case", f.label).set("golden", f.golden).set("ok", !f.failed());
  json.set("worst_absolute", f.difference.absolute).set("worst_ulp", f.difference.ulp);
  json.set("outside_tolerance", f.difference.wrong).set("compared", f.difference.count);
  json.set("bits", checks);
  if (!f.error.empty()) json.set("error", f.error);
  if (!f.refusal.empty()) json.set("refused", f.refusal);
  return json;
}

int run(const Options &options) {
  const bool quick = options.has("quick");
  const int32_t op = options.has("op") ? op_number(options.get("op")) : -1;
  const std::vector<std::string> &shapes = options.all("shape");
  if (!shapes.empty() && op < 0) throw UsageError("--shape needs --op");
  const Auditor auditor(backend_number(options.get("backend", "auto")),
                        static_cast<int32_t>(options.integer("device", -1, -1, 1 << 20)),
                        options.all("check"));
  const plait_context_info &info = auditor.context().info();

  const std::string vectors =
      options.get("vectors", shapes.empty() ? default_vectors() : std::string());
  std::vector<Case> golden;
  if (!vectors.empty())
    golden = golden_cases(vectors);
  else if (shapes.empty())
    fprintf(stderr, "plait audit: no golden vectors beside the tool; give --vectors DIR\n");
  std::vector<std::pair<int32_t, std::string>> generated;
  for (int32_t o = 0; o < PLAIT_OP_COUNT; ++o)
    if (op < 0 || op == o)
      for (const std::string &shape : shapes.empty() ? audit_shapes(o, quick) : shapes)
        generated.emplace_back(o, shape);

  std::vector<Finding> findings;
  {
    Progress progress(generated.size() + golden.size());
    const auto audit = [&](const Case &c) {
      progress.step(std::string(plait_op_name(c.op)) + " " + c.label);
      for (Finding &f : auditor.audit(c)) findings.push_back(std::move(f));
    };
    for (const auto &item : generated) audit(make_case(item.first, item.second));
    for (const Case &c : golden)
      if (op < 0 || op == c.op) audit(c);
  }
  const std::vector<Row> rows = summarise(findings);
  int64_t failed = 0, refused = 0;
  for (const Row &row : rows) failed += row.failed, refused += row.refused;

  if (options.has("json")) {
    Json list = Json::array();
    for (const Finding &f : findings) list.push(to_json(f));
    Json json = Json::object();
    json.set("version", plait_version_string()).set("backend", backend_name(info.backend));
    json.set("device", info.device_name).set("architecture", info.architecture);
    json.set("vectors", vectors).set("failed", failed).set("refused", refused).set("cases", list);
    printf("%s\n", json.dump().c_str());
  } else {
    printf("%s, %s\n", info.device_name, info.architecture);
    print(findings, rows);
    printf("%zu cases, %lld refused, %lld failed\n", findings.size(),
           static_cast<long long>(refused), static_cast<long long>(failed));
  }
  return failed ? 1 : 0;
}

}  // namespace

const Subcommand kAudit = {
    "audit",
    "Checks every implementation against the references, the golden vectors, and itself.",
    {{"backend", "NAME", "auto, cpu, hip, cuda"},
     {"device", "N", "ordinal of the device"},
     {"op", "NAME", "one operation, as plait_op_name() spells it"},
     {"shape", "SHAPE", "this problem in place of the list; may be repeated; needs --op"},
     {"check", "NAME", "only this check of bits, of the table's columns; may be repeated"},
     {"quick", nullptr, "a few cases of each operation"},
     {"vectors", "DIR", "the golden vectors; default: share/plait/vectors beside the tool"},
     {"json", nullptr, "print JSON, every case"}},
    run,
};

}  // namespace plait::cli
