// SPDX-License-Identifier: MIT
// Checks of plan descriptors, with a sentence for the error record.
#ifndef PLAIT_SRC_PLAN_DESC_H
#define PLAIT_SRC_PLAN_DESC_H

#include <cmath>

#include "src/plan.h"

namespace plait {

// Collects the first broken rule of a descriptor.
class DescCheck {
 public:
  explicit DescCheck(plait_error *error) : error_(error) {}

  void range(int64_t value, int64_t low, int64_t high, int32_t argument) {
    if (value < low || value > high)
      fail(argument, "%s is %lld, must be %lld to %lld", plait_argument_name(argument),
           static_cast<long long>(value), static_cast<long long>(low),
           static_cast<long long>(high));
  }
  void eps(float value, int32_t argument) {
    if (!(value >= 0) || !std::isfinite(value))
      fail(argument, "%s is %g, must be finite and not negative", plait_argument_name(argument),
           static_cast<double>(value));
  }
  void dtype(int32_t value, int32_t argument) {
    if (dtype_size(value) == 0)
      fail(argument, "%s is %d, must be one of PLAIT_DTYPE_", plait_argument_name(argument), value);
  }
  __attribute__((format(printf, 3, 4))) void fail(int32_t argument, const char *format, ...) {
    if (status_) return;
    char text[PLAIT_ERROR_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    status_ = report(error_, status_of(PLAIT_ERROR_INVALID_VALUE, argument), 0, "%s", text);
  }
  plait_status status() const { return status_; }

 private:
  plait_error *error_;
  plait_status status_ = PLAIT_OK;
};

// The start of every …_plan_create(): pointers, and the descriptor over its defaults.
template <class Desc>
plait_status begin_plan(plait_context *context, const Desc *desc, Desc &local, plait_plan **plan,
                        plait_error *error) {
  report(error, PLAIT_OK, 0, "%s", "");
  if (plan) *plan = nullptr;
  const int32_t missing = !plan ? PLAIT_ARG_PLAN : !context ? PLAIT_ARG_CONTEXT : PLAIT_ARG_NONE;
  if (missing)
    return report(error, status_of(PLAIT_ERROR_NULL_ARGUMENT, missing), 0, "%s must not be NULL",
                  plait_argument_name(missing));
  const plait_status status = load(desc, local, PLAIT_ARG_DESC);
  if (status) return report(error, status, 0, "desc: %s", plait_status_description(status));
  return PLAIT_OK;
}

// The start of every …_plan_sizes(): the struct is known to be writable afterwards.
template <class Sizes>
plait_status begin_sizes(const plait_plan *plan, int32_t kind, int64_t count, int32_t argument,
                         Sizes *sizes) {
  const plait_status status = check_result(sizes, sizeof *sizes, PLAIT_ARG_RESULT);
  if (status) return status;
  store(sizes, Sizes{});
  if (!plan) return status_of(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_PLAN);
  if (plan->kind != kind) return status_of(PLAIT_ERROR_WRONG_PLAN, PLAIT_ARG_PLAN);
  if (count < 0) return status_of(PLAIT_ERROR_INVALID_VALUE, argument);
  return PLAIT_OK;
}

// Takes workspace sizes into a sizes struct; a negative one is an overflow.
inline size_t take_workspace(int64_t bytes, bool &overflow) {
  if (bytes < 0) overflow = true;
  return bytes < 0 ? 0 : static_cast<size_t>(bytes);
}

}  // namespace plait

#endif
