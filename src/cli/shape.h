// SPDX-License-Identifier: MIT
// A problem as text, "T=512,H=4096,dtype=f16": what --shape takes and what the case lists hold.
#ifndef PLAIT_SRC_CLI_SHAPE_H
#define PLAIT_SRC_CLI_SHAPE_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plait::cli {

class Shape {
 public:
  explicit Shape(const std::string &text);

  // The key's value, or `otherwise`; both are remembered in the order of asking.
  int64_t get(const char *key, int64_t otherwise, int64_t least, int64_t most);
  double real(const char *key, double otherwise);
  // One of the words; the answer is its index.
  int32_t word(const char *key, const std::vector<std::string> &words, int32_t otherwise);
  int32_t dtype(const char *key, int32_t otherwise);  // f32, f16, bf16
  // UsageError when the text has a key that nobody asked for.
  void finish() const;
  // Every key that was asked for with its value.
  const std::vector<std::pair<std::string, std::string>> &resolved() const { return resolved_; }
  // The text as given, keys separated by spaces.
  std::string label() const;

 private:
  const std::string *find(const std::string &key) const;

  std::vector<std::pair<std::string, std::string>> given_, resolved_;
};

}  // namespace plait::cli

#endif
