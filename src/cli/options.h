// SPDX-License-Identifier: MIT
// Command line options: a table per subcommand, from which the usage text is made too.
#ifndef PLAIT_SRC_CLI_OPTIONS_H
#define PLAIT_SRC_CLI_OPTIONS_H

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace plait::cli {

// The command line is wrong: usage and exit status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct OptionSpec {
  const char *name;   // without the dashes
  const char *value;  // what stands for the value in the usage; nullptr: a flag
  const char *help;
};

struct Subcommand {
  const char *name;
  const char *summary;
  std::vector<OptionSpec> options;
  int (*run)(const class Options &);
};

class Options {
 public:
  Options(const Subcommand &subcommand, int argc, char **argv);

  bool has(const std::string &name) const { return values_.count(name) != 0; }
  // The last value given, or `otherwise`.
  std::string get(const std::string &name, const std::string &otherwise = "") const;
  // Every value given, in order.
  const std::vector<std::string> &all(const std::string &name) const;
  int64_t integer(const std::string &name, int64_t otherwise, int64_t least, int64_t most) const;
  double number(const std::string &name, double otherwise, double least, double most) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

std::string usage(const Subcommand &subcommand);

// Whole-string conversions; UsageError names `what`.
int64_t parse_integer(const std::string &text, const std::string &what);
double parse_number(const std::string &text, const std::string &what);

}  // namespace plait::cli

#endif
