// SPDX-License-Identifier: MIT
#include "src/cli/golden.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "src/cli/json.h"
#include "src/cli/table.h"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

// Mixes were recorded by an evaluation in f32, which has an error of its own.
constexpr double kRecordedMix = 3e-6;

std::string slurp(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Folder {
  fs::path path;
  Json json;

  int64_t integer(const char *name) const { return json.at(name).integer(); }
  double number(const char *name) const { return json.at(name).number(); }
  int64_t extent(const char *array, size_t dimension) const {
    return json.at("arrays").at(array).at("shape").items().at(dimension).integer();
  }
  // The data of a .npy file of version 1: 10 bytes, a header of the length they give, the array.
  std::vector<uint8_t> data(const char *array) const {
    const fs::path file = path / (std::string(array) + ".npy");
    const std::string text = slurp(file);
    if (text.size() < 10 || text.compare(0, 7, "\x93NUMPY\x01") != 0)
      throw Failure(file.string() + " is not a .npy file of version 1");
    const size_t begin = 10 + static_cast<uint8_t>(text[8]) + 256u * static_cast<uint8_t>(text[9]);
    if (begin > text.size()) throw Failure(file.string() + " is cut short");
    return std::vector<uint8_t>(text.begin() + static_cast<int64_t>(begin), text.end());
  }
};

Tensor &input(Case &c, const char *name) {
  for (Tensor &t : c.inputs)
    if (t.name == name) return t;
  throw Failure(std::string("case has no input ") + name);
}

void replace(Case &c, const char *name, const Folder &folder, const char *array) {
  Tensor &t = input(c, name);
  const std::vector<uint8_t> data = folder.data(array);
  if (t.rows && data.size() != t.data.size())
    throw Failure(folder.path.string() + ": " + array + " has another size than the case");
  t.data = data;
  if (!t.rows) t.row = static_cast<int64_t>(data.size() / element_size(t.element));
}

void record(Case &c, const char *output, const Folder &folder, const char *array) {
  if (c.recorded.empty())
    for (const Output &o : c.outputs) {
      c.recorded.emplace_back(o.name, o.element, o.rows, o.row);
      c.recorded.back().data.clear();  // not recorded
    }
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    if (c.outputs[i].name != output) continue;
    c.recorded[i].data = folder.data(array);
    if (c.outputs[i].rule == Rule::Absolute) c.outputs[i].bound = kRecordedMix;
    return;
  }
  throw Failure(std::string("case has no output ") + output);
}

void mhc(const Folder &f, std::vector<Case> &cases) {
  const std::string sizes = format(
      "T=%lld,n=%lld,H=%lld", static_cast<long long>(f.integer("tokens")),
      static_cast<long long>(f.integer("hc_mult")), static_cast<long long>(f.integer("hidden")));
  const std::string eps =
      format(",rms_eps=%.9g,pre_eps=%.9g", f.number("rms_eps"), f.number("pre_eps"));
  const std::string mixes = eps + format(",iters=%lld,sinkhorn_eps=%.9g,post_mult=%.9g",
                                         static_cast<long long>(f.integer("sinkhorn_iters")),
                                         f.number("sinkhorn_eps"), f.number("post_mult"));
  Case pre = make_case(PLAIT_OP_MHC_PRE, sizes + mixes);
  for (const char *name : {"residual", "fn", "base", "scale"}) replace(pre, name, f, name);
  record(pre, "pre_mix", f, "mixes_pre");
  record(pre, "next_post_mix", f, "post_mix");
  record(pre, "next_comb_mix", f, "comb_mix");
  record(pre, "layer_input", f, "layer_input");
  cases.push_back(std::move(pre));

  Case post = make_case(PLAIT_OP_MHC_POST, sizes);
  for (const char *name : {"residual", "x", "post_mix", "comb_mix"}) replace(post, name, f, name);
  record(post, "residual_out", f, "residual_out");
  cases.push_back(std::move(post));

  Case both = make_case(PLAIT_OP_MHC_POST_PRE, sizes + mixes);
  for (const char *name : {"residual", "x", "post_mix", "comb_mix", "base", "scale"})
    replace(both, name, f, name);
  replace(both, "fn", f, "next_fn");
  record(both, "residual_out", f, "residual_out");
  record(both, "next_post_mix", f, "next_post_mix");
  record(both, "next_comb_mix", f, "next_comb_mix");
  record(both, "layer_input", f, "next_layer_input");
  cases.push_back(std::move(both));

  Case head = make_case(PLAIT_OP_MHC_HEAD, sizes + eps);
  replace(head, "residual", f, "residual");
  replace(head, "fn", f, "head_fn");
  replace(head, "base", f, "head_base");
  replace(head, "scale", f, "head_scale");
  record(head, "out", f, "head_out");
  cases.push_back(std::move(head));
}

// Columns that a row does not cover are asked for as -inf; what was recorded there is garbage.
void uncover(Tensor &logits, int64_t columns, const Tensor *start, const Tensor &end) {
  float *values = logits.as<float>();
  for (int64_t r = 0; r < end.count(); ++r)
    for (int64_t s = 0; s < columns; ++s)
      if ((start && s < start->as<int32_t>()[r]) || s >= end.as<int32_t>()[r])
        values[r * columns + s] = -std::numeric_limits<float>::infinity();
}

void ragged(const Folder &f, std::vector<Case> &cases) {
  const int64_t keys = f.integer("keys");
  Case c = make_case(PLAIT_OP_LOGITS_RAGGED, format("rows=%lld,keys=%lld,heads=%lld,D=%lld,fill=1",
                                                    static_cast<long long>(f.integer("queries")),
                                                    static_cast<long long>(keys),
                                                    static_cast<long long>(f.integer("heads")),
                                                    static_cast<long long>(f.integer("head_dim"))));
  replace(c, "q_values", f, "q");
  replace(c, "k_values", f, "k");
  for (const char *name : {"k_scale", "weights", "row_start", "row_end"}) replace(c, name, f, name);
  record(c, "logits", f, "logits_fp64");
  uncover(c.recorded[0], keys, &input(c, "row_start"), input(c, "row_end"));
  cases.push_back(std::move(c));
}

void paged(const Folder &f, std::vector<Case> &cases) {
  const int64_t keys = f.extent("logits_fp64", 1);
  Case c =
      make_case(PLAIT_OP_LOGITS_PAGED,
                format("B=%lld,N=%lld,keys=%lld,heads=%lld,D=%lld,P=%lld,fill=1",
                       static_cast<long long>(f.integer("batch")),
                       static_cast<long long>(f.integer("next_n")), static_cast<long long>(keys),
                       static_cast<long long>(f.integer("heads")),
                       static_cast<long long>(f.integer("head_dim")),
                       static_cast<long long>(f.integer("page_size"))));
  replace(c, "q_values", f, "q");
  replace(c, "lengths", f, "context_lens");
  for (const char *name : {"weights", "cache", "block_table"}) replace(c, name, f, name);
  record(c, "logits", f, "logits_fp64");
  const Tensor &lengths = input(c, "lengths");
  uncover(c.recorded[0], keys, nullptr, lengths);
  cases.push_back(std::move(c));
}

void cache(const Folder &f, std::vector<Case> &cases) {
  Case c = make_case(
      PLAIT_OP_WRITE_K,
      format("T=%lld,D=%lld,P=%lld,rope=none,format=%s", static_cast<long long>(f.extent("k", 0)),
             static_cast<long long>(f.integer("head_dim")),
             static_cast<long long>(f.integer("page_size")), f.json.at("fp8").string().c_str()));
  replace(c, "k", f, "k");
  replace(c, "slot_mapping", f, "slot_mapping");
  record(c, "cache", f, "cache");
  c.outputs[0].row = c.recorded[0].row = static_cast<int64_t>(c.recorded[0].data.size());
  cases.push_back(std::move(c));
}

void mxfp4(const Folder &f, std::vector<Case> &cases) {
  Case c = make_case(PLAIT_OP_QUANTIZE_Q, format("T=%lld,D=%lld,heads=1,rope=none,format=mxfp4",
                                                 static_cast<long long>(f.extent("x", 0)),
                                                 static_cast<long long>(f.integer("head_dim"))));
  replace(c, "q", f, "x");
  record(c, "q_values", f, "packed");
  record(c, "q_scale", f, "scale_bytes");
  cases.push_back(std::move(c));
}

void topk(const Folder &f, std::vector<Case> &cases) {
  Case c = make_case(PLAIT_OP_TOPK, format("rows=%lld,L=%lld,K=%lld,order=descending,ranges=1",
                                           static_cast<long long>(f.integer("rows")),
                                           static_cast<long long>(f.integer("cols")),
                                           static_cast<long long>(f.integer("k"))));
  replace(c, "values", f, "logits");
  replace(c, "row_start", f, "row_start");
  replace(c, "row_end", f, "row_end");
  record(c, "indices", f, "indices");
  cases.push_back(std::move(c));
}

void read(const fs::path &path, std::vector<Case> &cases) {
  const Folder folder{path, Json::parse(slurp(path / "case.json"))};
  const std::string kind = folder.json.at("kind").string();
  const size_t first = cases.size();
  if (kind == "mhc")
    mhc(folder, cases);
  else if (kind == "mqa_logits")
    ragged(folder, cases);
  else if (kind == "paged_mqa_logits")
    paged(folder, cases);
  else if (kind == "k_cache_write")
    cache(folder, cases);
  else if (kind == "mxfp4_quant")
    mxfp4(folder, cases);
  else if (kind == "topk")
    topk(folder, cases);
  else
    throw Failure(path.string() + ": unknown kind '" + kind + "'");
  for (size_t i = first; i < cases.size(); ++i) {
    cases[i].label = path.filename().string();
    cases[i].tail.reset();
  }
}

}  // namespace

std::string default_vectors() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return "";
  const fs::path beside = self.parent_path().parent_path() / "share/plait/vectors";
  return fs::is_directory(beside, error) ? beside.string() : "";
}

std::vector<Case> golden_cases(const std::string &path) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (const fs::directory_entry &entry : fs::directory_iterator(path, error))
    if (fs::exists(entry.path() / "case.json")) folders.push_back(entry.path());
  if (error) throw Failure(path + ": " + error.message());
  if (folders.empty()) throw Failure(path + ": no golden vectors");
  std::sort(folders.begin(), folders.end());
  std::vector<Case> cases;
  for (const fs::path &folder : folders) read(folder, cases);
  return cases;
}

}  // namespace plait::cli
