// SPDX-License-Identifier: MIT
// Contexts and plans from the inside, and the start of every execute call.
#ifndef PLAIT_SRC_PLAN_H
#define PLAIT_SRC_PLAN_H

#include <atomic>

#include "src/check.h"
#include "src/log.h"

struct plait_context {
  std::atomic<int32_t> references{1};
  const plait::Backend *backend = nullptr;
  plait::Device *device = nullptr;
  int32_t asked_backend = PLAIT_BACKEND_AUTO;
  int32_t policy = PLAIT_POLICY_STRICT;
  plait::Log log;
  char implementation[64] = "";  // "": the best
  char fallback_reason[256] = "";
};

namespace plait {

constexpr int32_t kMaxCandidates = 8;
constexpr int32_t kMaxPlanOps = 10;

// The outcome of choosing for one operation.
struct Choice {
  int32_t op = 0;
  ImplementationList list{nullptr, 0};
  const Implementation *chosen = nullptr;
  plait_status status = PLAIT_OK;  // why nothing is chosen
  plait_status verdicts[kMaxCandidates] = {};
  Reason reasons[kMaxCandidates];
  Reason none;  // why nothing is chosen, as text
};

}  // namespace plait

struct plait_plan {
  int32_t kind = 0;
  plait_context *context = nullptr;
  int32_t op_count = 0;
  plait::Choice choices[plait::kMaxPlanOps];
  char implementation[64] = "";
  union Problem {
    plait_mhc_plan_desc mhc;
    plait_indexer_plan_desc indexer;
    plait_topk_plan_desc topk;
  } problem{};

  const plait::Choice *choice(int32_t op) const {
    for (int32_t i = 0; i < op_count; ++i)
      if (choices[i].op == op) return &choices[i];
    return nullptr;
  }
  const plait::Device &device() const { return *context->device; }
};

namespace plait {

void retain(plait_context *context);
void release(plait_context *context);

// Fills an error record (if any) and returns the status.
__attribute__((format(printf, 4, 5))) plait_status report(plait_error *error, plait_status status,
                                                          int32_t native_code, const char *format,
                                                          ...);

// Why an operation is not part of a plan with this problem: a status, and the reason; OK if it is.
using OptOut = plait_status (*)(const void *problem, int32_t op, Reason &reason);

// What the three kinds of plan share: allocate, choose, prepare. `problem` and `problem_size` are
// the resolved descriptor, `implementation` its field of that name.
plait_status make_plan(plait_context *context, int32_t kind, const void *problem,
                       size_t problem_size, const char *implementation, const int32_t *ops,
                       int32_t op_count, OptOut opt_out, plait_plan **plan, plait_error *error);

// Workspace bytes of an operation for `count` tokens or rows; 0 when the plan has no such
// operation, -1 on overflow.
int64_t workspace_of(const plait_plan &plan, int32_t op, int64_t count);

// --- Execute calls ------------------------------------------------------------------------------

template <int32_t op>
constexpr int32_t kind_of() {
  return op <= PLAIT_OP_MHC_EXPAND  ? PLAIT_PLAN_MHC
         : op <= PLAIT_OP_MAP_SLOTS ? PLAIT_PLAN_INDEXER
                                    : PLAIT_PLAN_TOPK;
}

// One execute call: the plan and the struct are checked on construction; the ABI function then
// checks fields through `check`, and run() checks workspace and overlaps and computes.
template <int32_t op>
class Call {
 public:
  using Args = typename OpTypes<op>::Args;
  using Problem = typename OpTypes<op>::Problem;

  Call(const plait_plan *plan, const Args *user) : plan_(plan) {
    plait_status status = PLAIT_OK;
    if (!plan)
      status = status_of(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_PLAN);
    else if (plan->kind != kind_of<op>())
      status = status_of(PLAIT_ERROR_WRONG_PLAN, PLAIT_ARG_PLAN);
    else
      status = load(user, args, PLAIT_ARG_ARGS);
    if (!status) {
      choice_ = plan->choice(op);
      if (!choice_->chosen) status = choice_->status;
    }
    check.fail(status);
  }

  bool ok() const { return check.status() == PLAIT_OK; }
  const Problem &problem() const { return *reinterpret_cast<const Problem *>(&plan_->problem); }

  // `count` sizes the workspace. Nothing has been written before this point.
  plait_status run(int64_t count, void *stream) {
    if (ok())
      check.workspace(args.workspace,
                      choice_->chosen->workspace(plan_->device(), &plan_->problem, count));
    if (check.finish() != PLAIT_OK) return check.status();
    return choice_->chosen->run(plan_->device(), &plan_->problem, &args, stream);
  }

  Args args{};
  Check check;

 private:
  const plait_plan *plan_;
  const Choice *choice_ = nullptr;
};

}  // namespace plait

#endif
