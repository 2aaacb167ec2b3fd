// SPDX-License-Identifier: MIT
#include "src/log.h"

#include <cstdarg>
#include <cstdio>

namespace plait {

void Log::line(int32_t at, const char *format, ...) const {
  if (!wants(at)) return;
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (fn)
    fn(user, at, text);
  else
    fprintf(stderr, "plait: %s\n", text);
}

}  // namespace plait
