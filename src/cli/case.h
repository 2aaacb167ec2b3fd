// SPDX-License-Identifier: MIT
// A case: one operation, its problem, inputs and outputs, and how to call it. Bench and audit know
// operations only through this struct; cases_<family>.cpp make them from a Shape.
#ifndef PLAIT_SRC_CLI_CASE_H
#define PLAIT_SRC_CLI_CASE_H

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/cli/api.h"
#include "src/cli/shape.h"
#include "src/cli/tensor.h"

namespace plait::cli {

// How an output is compared with the reference's.
enum class Rule {
  Exact,     // equal bytes
  Absolute,  // within `bound`
  Rounded,   // within `bound` ulp of the element, and Case::slack on top
  Share,     // within `bound` times the largest finite magnitude of the output's row
  Set,       // rows of indices as sets
  Overlap,   // rows of indices as sets; at most `bound` of a row differs (values within rounding)
  Near,      // at most `bound` of all elements differ (rounding ties of a transform)
};

struct Output {
  std::string name;
  Element element;
  int64_t rows, row;  // as in Tensor
  Rule rule;
  double bound = 0;
};

class Bound;
using Call = std::function<plait_status(const plait_plan *, void *stream)>;

struct Case {
  int32_t op = 0;
  std::string label;
  std::vector<std::pair<std::string, std::string>> shape;
  int64_t rows = 0;  // tokens, rows or requests of the call
  std::vector<Tensor> inputs;
  std::vector<Output> outputs;
  // Rows may be picked, repeated and moved, and their outputs move with them.
  bool rows_independent = true;

  std::function<plait_status(plait_context *, const char *implementation, plait_plan **,
                             plait_error *)>
      make_plan;
  std::function<size_t(const plait_plan *, int64_t rows)> workspace;
  std::function<Call(const Bound &)> bind;  // fills the argument struct once

  // The same outputs by separate calls (post then pre; logits then top-k). Optional.
  std::function<void(const Context &, const char *implementation, const Bound &)> separate;
  // A call in two parts rounds in between, and a value near a tie may round either way. So outputs
  // 1 … are compared with the reference of `tail`, whose input `tail_input` is output 0 as it came.
  std::shared_ptr<Case> tail;
  std::string tail_input;
  // What 1e-6 of the sum of absolute terms allows beside the rounding, for each element of output
  // `index`, given the reference's outputs. Optional.
  std::function<std::vector<double>(size_t index, const std::vector<Tensor> &inputs,
                                    const std::vector<Tensor> &reference)>
      slack;
  // Recorded outputs of a golden case, by output; empty: compare with the reference.
  std::vector<Tensor> recorded;

  double bytes = 0;  // minimal traffic; 0: the sum of all inputs and outputs
  double flops = 0;  // of matrix products; 0: not meaningful

  double traffic() const;
};

// The tensors of a case in device memory.
class Bound {
 public:
  // `order` picks rows of the inputs; outputs get as many rows, filled with 0xAB.
  Bound(const Context &context, const Case &c, const plait_plan *plan,
        const std::vector<int64_t> *order = nullptr);
  int64_t rows() const { return rows_; }
  bool has(const char *name) const { return find(name) != nullptr; }
  plait_const_buffer in(const char *name) const;  // {NULL, 0} when the case has no such tensor
  plait_buffer out(const char *name) const;
  plait_buffer workspace() const { return {workspace_.data(), workspace_.size()}; }
  std::vector<Tensor> read_outputs(const Case &c) const;
  void clear_outputs(const Context &context, const Case &c, void *stream);

 private:
  const Memory *find(const char *name) const;

  int64_t rows_;
  std::vector<std::pair<std::string, Memory>> memories_;
  Memory workspace_;
};

// A plan for the case; Failure when the context cannot have it.
Plan plan_of(const Case &c, const Context &context, const char *implementation);
// The name of the implementation that a plan runs for an operation.
std::string chosen(const plait_plan *plan, int32_t op);
// Every implementation of the operation that can run the plan's problem, best first.
std::vector<std::string> usable(const plait_plan *plan, int32_t op);

// A case from a shape; UsageError for a key that the operation does not have.
Case make_case(int32_t op, const std::string &shape);
Case make_mhc_case(int32_t op, Shape &shape);
Case make_indexer_case(int32_t op, Shape &shape);
Case make_topk_case(int32_t op, Shape &shape);

}  // namespace plait::cli

#endif
