// SPDX-License-Identifier: MIT
// What the kinds of plan share: the choice of implementations, and telling about it.
#include "src/plan.h"

#include <cstdarg>
#include <cstring>
#include <new>

namespace plait {
namespace {

// Considers every candidate of one operation. `wanted` is a name or "".
void choose(const Device &device, const void *problem, const char *wanted, Choice &choice) {
  int32_t first_usable = -1, named = -1;
  for (int32_t i = 0; i < choice.list.count; ++i) {
    const Implementation &candidate = *choice.list.entries[i];
    choice.verdicts[i] = candidate.can_run(device, problem, choice.reasons[i]);
    if (*wanted && strcmp(candidate.name, wanted) == 0) named = i;
    if (choice.verdicts[i] == PLAIT_OK && first_usable < 0) first_usable = i;
  }
  const int32_t index = named >= 0 ? named : first_usable;
  if (choice.list.count == 0) {
    choice.status = status_of(PLAIT_ERROR_NOT_IN_BUILD, PLAIT_ARG_NONE);
    choice.none.set("not in this build of the %s backend", device.backend->name);
  } else if (index < 0 || choice.verdicts[index] != PLAIT_OK) {
    // The reason of the last candidate: the most general one.
    const int32_t told = index >= 0 ? index : choice.list.count - 1;
    choice.status = choice.verdicts[told];
    choice.none.set("%s: %s", choice.list.entries[told]->name, choice.reasons[told].text);
  } else {
    choice.chosen = choice.list.entries[index];
    for (int32_t i = 0; i < choice.list.count; ++i)
      if (i != index && choice.verdicts[i] == PLAIT_OK)
        choice.reasons[i].set(i < index ? "passed over: %s was asked for" : "%s comes before it",
                              choice.chosen->name);
  }
}

// Appends to a text of limited size and counts what the whole needs.
struct Text {
  char *data;
  size_t size;
  size_t length = 0;

  __attribute__((format(printf, 2, 3))) void add(const char *format, ...) {
    va_list list;
    va_start(list, format);
    const bool room = length < size;
    const int n = vsnprintf(room ? data + length : nullptr, room ? size - length : 0, format, list);
    va_end(list);
    if (n > 0) length += static_cast<size_t>(n);
  }
};

void explain_choice(const plait_plan &plan, const Choice &choice, Text &text) {
  const DeviceInfo &info = plan.device().info;
  if (choice.chosen)
    text.add("%s: %s on %s (%s)\n", plait_op_name(choice.op), choice.chosen->name,
             plan.context->backend->name, info.arch);
  else
    text.add("%s: none: %s\n", plait_op_name(choice.op), choice.none.text);
  for (int32_t i = 0; i < choice.list.count; ++i) {
    if (choice.list.entries[i] == choice.chosen) continue;
    if (choice.verdicts[i] != PLAIT_OK)
      text.add("  %s refused: %s\n", choice.list.entries[i]->name, choice.reasons[i].text);
    else
      text.add("  %s could run: %s\n", choice.list.entries[i]->name, choice.reasons[i].text);
  }
}

void log_plan(const plait_plan &plan) {
  const Log &log = plan.context->log;
  for (int32_t c = 0; c < plan.op_count && log.wants(PLAIT_LOG_INFO); ++c) {
    const Choice &choice = plan.choices[c];
    log.line(PLAIT_LOG_INFO, "%s: %s", plait_op_name(choice.op),
             choice.chosen ? choice.chosen->name : choice.none.text);
    for (int32_t i = 0; i < choice.list.count; ++i)
      if (choice.list.entries[i] != choice.chosen)
        log.line(PLAIT_LOG_DEBUG, "%s: %s: %s", plait_op_name(choice.op),
                 choice.list.entries[i]->name, choice.reasons[i].text);
  }
}

// Fills the choices of a new plan and prepares what was chosen.
plait_status fill(plait_plan &plan, bool name_from_plan, const int32_t *ops, int32_t op_count,
                  OptOut opt_out, plait_error *error) {
  plait_context &context = *plan.context;
  bool name_known = false;
  for (int32_t i = 0; i < op_count; ++i) {
    Choice &choice = plan.choices[plan.op_count++];
    choice.op = ops[i];
    choice.list = context.backend->list(ops[i]);
    if (choice.list.count > kMaxCandidates)
      return report(error, PLAIT_ERROR_INTERNAL, 0, "too many candidates");
    for (int32_t c = 0; c < choice.list.count; ++c)
      name_known = name_known || strcmp(choice.list.entries[c]->name, plan.implementation) == 0;
    choice.status = opt_out ? opt_out(&plan.problem, ops[i], choice.none) : PLAIT_OK;
    if (choice.status) {  // the plan's own wish, not a failure
      choice.list.count = 0;
      continue;
    }
    choose(*context.device, &plan.problem, plan.implementation, choice);
    if (!choice.chosen && choice.list.count > 0)
      return report(error, choice.status, 0, "%s: %s", plait_op_name(ops[i]), choice.none.text);
    Failure failure;
    if (choice.chosen && choice.chosen->prepare &&
        choice.chosen->prepare(*context.device, &plan.problem, failure) != PLAIT_OK)
      return report(error, failure.status, failure.native_code, "%s: %s", plait_op_name(ops[i]),
                    failure.reason.text);
  }
  if (plan.implementation[0] && !name_known) {
    if (name_from_plan)
      return report(error, status_of(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_IMPLEMENTATION), 0,
                    "no operation of this plan has an implementation '%s'", plan.implementation);
    context.log.line(PLAIT_LOG_WARN, "no implementation '%s' here: the best are taken",
                     plan.implementation);
  }
  return PLAIT_OK;
}

}  // namespace

plait_status make_plan(plait_context *context, int32_t kind, const void *problem,
                       size_t problem_size, const char *implementation, const int32_t *ops,
                       int32_t op_count, OptOut opt_out, plait_plan **plan, plait_error *error) {
  if (implementation && strlen(implementation) >= sizeof(plait_plan::implementation))
    return report(error, status_of(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_IMPLEMENTATION), 0,
                  "implementation must be shorter than 64 bytes");
  plait_plan *made = new (std::nothrow) plait_plan;
  if (!made) return report(error, PLAIT_ERROR_OUT_OF_MEMORY, 0, "no memory for the plan");
  made->kind = kind;
  made->context = context;
  retain(context);
  memcpy(static_cast<void *>(&made->problem), problem, problem_size);
  const bool named = implementation && *implementation;
  snprintf(made->implementation, sizeof made->implementation, "%s",
           named ? implementation : context->implementation);
  const plait_status status = fill(*made, named, ops, op_count, opt_out, error);
  if (status) {
    plait_plan_destroy(made);
    return status;
  }
  log_plan(*made);
  *plan = made;
  return PLAIT_OK;
}

int64_t workspace_of(const plait_plan &plan, int32_t op, int64_t count) {
  const Choice *choice = plan.choice(op);
  if (!choice || !choice->chosen || count == 0) return 0;
  return choice->chosen->workspace(plan.device(), &plan.problem, count);
}

}  // namespace plait

using namespace plait;

int32_t plait_plan_kind(const plait_plan *plan) { return plan ? plan->kind : 0; }

void plait_plan_destroy(plait_plan *plan) {
  if (!plan) return;
  release(plan->context);
  delete plan;
}

plait_status plait_plan_explain(const plait_plan *plan, char *text, size_t size, size_t *needed) {
  if (!plan) return status_of(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_PLAN);
  if (!text && size > 0) return status_of(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_RESULT);
  Text out{text, size};
  if (size > 0) text[0] = 0;
  for (int32_t i = 0; i < plan->op_count; ++i) explain_choice(*plan, plan->choices[i], out);
  if (needed) *needed = out.length + 1;
  return out.length < size ? PLAIT_OK : status_of(PLAIT_ERROR_BUFFER_TOO_SMALL, PLAIT_ARG_RESULT);
}

plait_status plait_plan_candidate(const plait_plan *plan, int32_t op, int32_t index,
                                  plait_candidate *candidate) {
  if (!plan) return status_of(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_PLAN);
  const plait_status status = check_result(candidate, sizeof *candidate, PLAIT_ARG_RESULT);
  if (status) return status;
  const Choice *choice = plan->choice(op);
  if (!choice) return status_of(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_OP);
  if (index < 0 || index >= choice->list.count)
    return status_of(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_INDEX);
  plait_candidate local{};
  local.name = choice->list.entries[index]->name;
  local.chosen = choice->list.entries[index] == choice->chosen;
  local.usable = choice->verdicts[index] == PLAIT_OK;
  local.reason = local.chosen ? "" : choice->reasons[index].text;
  store(candidate, local);
  return PLAIT_OK;
}
