// SPDX-License-Identifier: MIT
// The log of a context: formatted lines to the caller's function, or to stderr if the environment
// asked for it. Setup calls only.
#ifndef PLAIT_SRC_LOG_H
#define PLAIT_SRC_LOG_H

#include <plait/context.h>

namespace plait {

struct Log {
  int32_t level = PLAIT_LOG_SILENT;
  plait_log_fn fn = nullptr;
  void *user = nullptr;
  bool to_stderr = false;

  bool wants(int32_t at) const { return at <= level && (fn || to_stderr); }
  __attribute__((format(printf, 3, 4))) void line(int32_t at, const char *format, ...) const;
};

}  // namespace plait

#endif
