// SPDX-License-Identifier: MIT
// How an output differs from what it should be.
#ifndef PLAIT_SRC_CLI_COMPARE_H
#define PLAIT_SRC_CLI_COMPARE_H

#include "src/cli/case.h"

namespace plait::cli {

struct Difference {
  double absolute = 0;  // worst, of floating outputs
  double ulp = 0;       // worst, of outputs that are rounded to their element
  int64_t wrong = 0;    // elements (or rows) outside the rule
  int64_t count = 0;    // elements compared
  std::string where;    // the output of the first one that is wrong

  void add(const Difference &other);
};

// `slack` has an entry for each element, or none; Rule::Share also allows `least_share`
// of the largest magnitude of the whole output.
Difference compare(const Output &output, const Tensor &got, const Tensor &want,
                   const std::vector<double> &slack, double least_share);

bool same_bits(const std::vector<Tensor> &a, const std::vector<Tensor> &b);

}  // namespace plait::cli

#endif
