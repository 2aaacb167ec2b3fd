// SPDX-License-Identifier: MIT
#include "src/cli/shape.h"

#include <plait/types.h>

#include <algorithm>

#include "src/cli/options.h"
#include "src/cli/table.h"

namespace plait::cli {

Shape::Shape(const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, end - at);
    const size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("shape: '" + item + "' is not key=value");
    given_.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    at = end + 1;
  }
}

const std::string *Shape::find(const std::string &key) const {
  for (const auto &item : given_)
    if (item.first == key) return &item.second;
  return nullptr;
}

int64_t Shape::get(const char *key, int64_t otherwise, int64_t least, int64_t most) {
  const std::string *text = find(key);
  const int64_t value = text ? parse_integer(*text, std::string("shape ") + key) : otherwise;
  if (value < least || value > most)
    throw UsageError(std::string("shape: ") + key + " must be " + std::to_string(least) + " to " +
                     std::to_string(most));
  resolved_.emplace_back(key, std::to_string(value));
  return value;
}

double Shape::real(const char *key, double otherwise) {
  const std::string *text = find(key);
  const double value = text ? parse_number(*text, std::string("shape ") + key) : otherwise;
  resolved_.emplace_back(key, format("%.9g", value));
  return value;
}

int32_t Shape::word(const char *key, const std::vector<std::string> &words, int32_t otherwise) {
  const std::string *text = find(key);
  int32_t index = otherwise;
  if (text) {
    index = static_cast<int32_t>(std::find(words.begin(), words.end(), *text) - words.begin());
    if (index == static_cast<int32_t>(words.size()))
      throw UsageError(std::string("shape: ") + key + " cannot be '" + *text + "'");
  }
  resolved_.emplace_back(key, words[static_cast<size_t>(index)]);
  return index;
}

int32_t Shape::dtype(const char *key, int32_t otherwise) {
  return 1 + word(key, {"f32", "f16", "bf16"}, otherwise - 1);  // PLAIT_DTYPE_… in this order
}

void Shape::finish() const {
  for (const auto &item : given_)
    if (std::none_of(resolved_.begin(), resolved_.end(),
                     [&](const auto &known) { return known.first == item.first; }))
      throw UsageError("shape: this operation has no '" + item.first + "'");
}

std::string Shape::label() const {
  std::string text;
  for (const auto &item : given_)
    text += (text.empty() ? "" : " ") + item.first + "=" + item.second;
  return text;
}

}  // namespace plait::cli
