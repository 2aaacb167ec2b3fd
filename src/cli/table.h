// SPDX-License-Identifier: MIT
// Results as aligned columns or as CSV, numbers for people, and the progress line.
#ifndef PLAIT_SRC_CLI_TABLE_H
#define PLAIT_SRC_CLI_TABLE_H

#include <string>
#include <vector>

namespace plait::cli {

class Table {
 public:
  // A heading that begins with '>' is of a right-aligned column.
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::string text() const;
  std::string csv() const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

// printf into a string.
std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

// One line on stderr that is overwritten; nothing when stderr is not a terminal.
class Progress {
 public:
  explicit Progress(size_t total);
  ~Progress();
  void step(const std::string &what);

 private:
  bool on_;
  size_t total_, done_ = 0;
};

}  // namespace plait::cli

#endif
