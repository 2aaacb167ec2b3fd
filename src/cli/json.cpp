// SPDX-License-Identifier: MIT
#include "src/cli/json.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace plait::cli {
namespace {

std::string quote(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", byte);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

class Parser {
 public:
  explicit Parser(const std::string &text) : text_(text) {}

  Json document() {
    Json value = read(0);
    space();
    if (at_ != text_.size()) fail("trailing characters");
    return value;
  }

 private:
  [[noreturn]] void fail(const char *why) const {
    throw std::runtime_error("JSON offset " + std::to_string(at_) + ": " + why);
  }
  void space() {
    while (at_ < text_.size() && strchr(" \t\r\n", text_[at_])) ++at_;
  }
  bool take(char c) {
    space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail("unexpected character");
  }

  std::string quoted() {
    expect('"');
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '\\') {
        if (at_ >= text_.size()) break;
        c = text_[at_++];
        if (c == 'n')
          c = '\n';
        else if (c == 't')
          c = '\t';
        else if (!strchr("\"\\/", c))
          fail("unsupported escape");
      }
      out += c;
    }
    if (at_ >= text_.size()) fail("string without an end");
    ++at_;
    return out;
  }

  Json read(int depth) {
    if (depth > 64) fail("too deep");
    space();
    if (at_ >= text_.size()) fail("unexpected end");
    const char c = text_[at_];
    if (c == '{') {
      Json object = Json::object();
      ++at_;
      if (take('}')) return object;
      do {
        space();
        std::string name = quoted();
        expect(':');
        object.set(name, read(depth + 1));
      } while (take(','));
      expect('}');
      return object;
    }
    if (c == '[') {
      Json array = Json::array();
      ++at_;
      if (take(']')) return array;
      do array.push(read(depth + 1));
      while (take(','));
      expect(']');
      return array;
    }
    if (c == '"') return Json(quoted());
    for (const char *word : {"true", "false", "null"})
      if (text_.compare(at_, strlen(word), word) == 0) {
        at_ += strlen(word);
        return word[0] == 'n' ? Json() : Json(word[0] == 't');
      }
    char *end = nullptr;
    const double value = strtod(text_.c_str() + at_, &end);
    if (end == text_.c_str() + at_) fail("not a value");
    at_ = static_cast<size_t>(end - text_.c_str());
    return Json(value);
  }

  const std::string &text_;
  size_t at_ = 0;
};

}  // namespace

Json::Json(double value) {
  if (!std::isfinite(value)) return;
  kind_ = Kind::Number;
  char text[32];
  snprintf(text, sizeof text, "%.9g", value);
  text_ = text;
}

Json Json::array() {
  Json json;
  json.kind_ = Kind::Array;
  return json;
}

Json Json::object() {
  Json json;
  json.kind_ = Kind::Object;
  return json;
}

Json Json::parse(const std::string &text) { return Parser(text).document(); }

Json &Json::push(Json item) {
  items_.push_back(std::move(item));
  return *this;
}

Json &Json::set(const std::string &name, Json value) {
  names_.push_back(name);
  items_.push_back(std::move(value));
  return *this;
}

const Json *Json::find(const std::string &name) const {
  for (size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return &items_[i];
  return nullptr;
}

const Json &Json::at(const std::string &name) const {
  const Json *found = find(name);
  if (!found) throw std::runtime_error("JSON: no member '" + name + "'");
  return *found;
}

double Json::number() const {
  if (kind_ != Kind::Number) throw std::runtime_error("JSON: not a number: " + text_);
  return strtod(text_.c_str(), nullptr);
}

std::string Json::dump(int indent) const {
  if (kind_ == Kind::String) return quote(text_);
  if (kind_ != Kind::Array && kind_ != Kind::Object) return text_;
  const char *brackets = kind_ == Kind::Array ? "[]" : "{}";
  std::string out(1, brackets[0]);
  const std::string margin(static_cast<size_t>(2 * indent + 2), ' ');
  for (size_t i = 0; i < items_.size(); ++i) {
    out += (i ? ",\n" : "\n") + margin;
    if (kind_ == Kind::Object) out += quote(names_[i]) + ": ";
    out += items_[i].dump(indent + 1);
  }
  if (!items_.empty()) out += "\n" + std::string(static_cast<size_t>(2 * indent), ' ');
  return out + brackets[1];
}

}  // namespace plait::cli
