// SPDX-License-Identifier: MIT
#include "src/cli/options.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace plait::cli {
namespace {

const OptionSpec *find(const Subcommand &subcommand, const std::string &name) {
  for (const OptionSpec &option : subcommand.options)
    if (name == option.name) return &option;
  return nullptr;
}

}  // namespace

Options::Options(const Subcommand &subcommand, int argc, char **argv) {
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.compare(0, 2, "--") != 0 || word.size() == 2)
      throw UsageError("unexpected argument '" + word + "'");
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const OptionSpec *option = find(subcommand, name);
    if (!option) throw UsageError("unknown option '--" + name + "'");
    std::string value;
    if (option->value) {
      if (equals != std::string::npos)
        value = word.substr(equals + 1);
      else if (++i < argc)
        value = argv[i];
      else
        throw UsageError("option '--" + name + "' needs a value");
    } else if (equals != std::string::npos) {
      throw UsageError("option '--" + name + "' takes no value");
    }
    values_[name].push_back(value);
  }
}

std::string Options::get(const std::string &name, const std::string &otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second.back();
}

const std::vector<std::string> &Options::all(const std::string &name) const {
  static const std::vector<std::string> none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

int64_t Options::integer(const std::string &name, int64_t otherwise, int64_t least,
                         int64_t most) const {
  if (!has(name)) return otherwise;
  const int64_t value = parse_integer(get(name), "--" + name);
  if (value < least || value > most)
    throw UsageError("--" + name + " must be " + std::to_string(least) + " to " +
                     std::to_string(most));
  return value;
}

double Options::number(const std::string &name, double otherwise, double least, double most) const {
  if (!has(name)) return otherwise;
  const double value = parse_number(get(name), "--" + name);
  if (!(value >= least && value <= most)) throw UsageError("--" + name + " is out of range");
  return value;
}

std::string usage(const Subcommand &subcommand) {
  std::string text = std::string("usage: plait ") + subcommand.name + " [options]\n\n" +
                     subcommand.summary + "\n\noptions:\n";
  for (const OptionSpec &option : subcommand.options) {
    std::string left = std::string("  --") + option.name;
    if (option.value) left += std::string(" ") + option.value;
    left.resize(left.size() < 26 ? 26 : left.size() + 1, ' ');
    text += left + option.help + "\n";
  }
  return text;
}

int64_t parse_integer(const std::string &text, const std::string &what) {
  char *end = nullptr;
  errno = 0;
  const long long value = strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno) throw UsageError(what + ": '" + text + "' is not an integer");
  return value;
}

double parse_number(const std::string &text, const std::string &what) {
  char *end = nullptr;
  errno = 0;
  const double value = strtod(text.c_str(), &end);
  if (text.empty() || *end || errno) throw UsageError(what + ": '" + text + "' is not a number");
  return value;
}

}  // namespace plait::cli
