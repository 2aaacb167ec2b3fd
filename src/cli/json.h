// SPDX-License-Identifier: MIT
// A JSON value: enough to print results and to read case.json. Objects keep their order.
#ifndef PLAIT_SRC_CLI_JSON_H
#define PLAIT_SRC_CLI_JSON_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plait::cli {

class Json {
 public:
  enum class Kind { Null, Bool, Number, String, Array, Object };

  Json() = default;
  Json(bool value) : kind_(Kind::Bool), text_(value ? "true" : "false") {}
  Json(double value);  // NaN and infinities become null: JSON has none
  Json(int64_t value) : kind_(Kind::Number), text_(std::to_string(value)) {}
  Json(int32_t value) : Json(static_cast<int64_t>(value)) {}
  Json(std::string value) : kind_(Kind::String), text_(std::move(value)) {}
  Json(const char *value) : Json(std::string(value)) {}

  static Json array();
  static Json object();
  // Throws std::runtime_error with the offset of what it cannot read.
  static Json parse(const std::string &text);

  Json &push(Json item);                           // to an array
  Json &set(const std::string &name, Json value);  // of an object

  Kind kind() const { return kind_; }
  bool has(const std::string &name) const { return find(name) != nullptr; }
  const Json &at(const std::string &name) const;  // throws std::runtime_error
  const std::string &string() const { return text_; }
  double number() const;
  int64_t integer() const { return static_cast<int64_t>(number()); }
  const std::vector<Json> &items() const { return items_; }
  const std::vector<std::string> &names() const { return names_; }

  std::string dump(int indent = 0) const;  // as a document, two spaces a level

 private:
  const Json *find(const std::string &name) const;

  Kind kind_ = Kind::Null;
  std::string text_ = "null";  // of a string, its characters; of a scalar, its spelling
  std::vector<std::string> names_;
  std::vector<Json> items_;
};

}  // namespace plait::cli

#endif
