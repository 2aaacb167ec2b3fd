// SPDX-License-Identifier: MIT
#include "src/cli/table.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>

namespace plait::cli {

std::string Table::text() const {
  std::vector<size_t> widths;
  for (const std::string &heading : headings_)
    widths.push_back(heading.size() - (heading[0] == '>' ? 1 : 0));
  for (const auto &row : rows_)
    for (size_t i = 0; i < row.size(); ++i)
      if (row[i].size() > widths[i]) widths[i] = row[i].size();

  std::string out;
  const auto line = [&](const std::vector<std::string> &cells, bool heading) {
    std::string text;
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool right = headings_[i][0] == '>';
      const std::string cell = heading && right ? cells[i].substr(1) : cells[i];
      const std::string pad(widths[i] - cell.size(), ' ');
      text += (i ? "  " : "") + (right ? pad + cell : cell + pad);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(headings_, true);
  for (const auto &row : rows_) line(row, false);
  return out;
}

std::string Table::csv() const {
  std::string out;
  const auto line = [&](const std::vector<std::string> &cells, bool heading) {
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string cell = heading && cells[i][0] == '>' ? cells[i].substr(1) : cells[i];
      if (cell.find_first_of(",\"\n") != std::string::npos) {
        std::string quoted = "\"";
        for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
        cell = quoted + "\"";
      }
      out += (i ? "," : "") + cell;
    }
    out += "\n";
  };
  line(headings_, true);
  for (const auto &row : rows_) line(row, false);
  return out;
}

std::string format(const char *pattern, ...) {
  va_list list;
  va_start(list, pattern);
  char text[512];
  vsnprintf(text, sizeof text, pattern, list);
  va_end(list);
  return text;
}

Progress::Progress(size_t total) : on_(isatty(2) == 1), total_(total) {}

Progress::~Progress() {
  if (on_) fputs("\r\033[K", stderr);
}

void Progress::step(const std::string &what) {
  ++done_;
  if (on_) fprintf(stderr, "\r\033[K%zu/%zu %s", done_, total_, what.c_str());
}

}  // namespace plait::cli
