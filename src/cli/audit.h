// SPDX-License-Identifier: MIT
// What audit runs and what it finds.
#ifndef PLAIT_SRC_CLI_AUDIT_H
#define PLAIT_SRC_CLI_AUDIT_H

#include <map>
#include <string>
#include <vector>

#include "src/cli/compare.h"

namespace plait::cli {

// Outcomes of one case on one implementation. A check that does not apply is absent.
struct Finding {
  Finding(const Case &c, std::string implementation_)
      : op(c.op),
        label(c.label),
        implementation(std::move(implementation_)),
        golden(!c.recorded.empty()) {}
  bool failed() const;

  int32_t op;
  std::string label, implementation;
  bool golden;
  Difference difference;
  std::map<std::string, bool> checks;  // "run", "tokens", … -> held
  std::string error;                   // a status where none should be
  std::string refusal;                 // no implementation for the problem: why
};

// The names of the checks in the order of the table.
extern const std::vector<const char *> kChecks;

// The shapes that audit generates for an operation, odd ones first; `quick`: the first few.
std::vector<std::string> audit_shapes(int32_t op, bool quick);

// The contexts that a case is run on.
class Auditor {
 public:
  // `only`: the checks of bits to make, of kChecks; empty: all.
  Auditor(int32_t backend, int32_t device, std::vector<std::string> only = {});
  const Context &context() const { return context_; }
  // One finding for each implementation that can run the case.
  std::vector<Finding> audit(const Case &c) const;

 private:
  Finding audit_one(const Case &c, const std::string &implementation) const;
  void differences(const Case &c, const std::vector<Tensor> &got, Finding &finding) const;
  void against(const Case &c, const Context &oracle, const std::vector<Tensor> &got,
               Finding &finding) const;
  void bits(const Case &c, const std::string &implementation, const plait_plan *plan,
            const std::vector<Tensor> &base, Finding &finding) const;
  bool wanted(const char *check) const;

  std::vector<std::string> only_;
  Context context_;
  std::vector<Context> threads_;  // CPU: the same with other thread counts
  std::vector<Context> cpu_;      // GPU: a CPU context, for its reference
};

}  // namespace plait::cli

#endif
