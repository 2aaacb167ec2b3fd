// SPDX-License-Identifier: MIT
// The version as text, made from the numbers of the public header.
#ifndef PLAIT_SRC_VERSION_H
#define PLAIT_SRC_VERSION_H

#include <plait/version.h>

#define PLAIT_STRINGIFY_(x) #x
#define PLAIT_STRINGIFY(x) PLAIT_STRINGIFY_(x)

namespace plait {
constexpr char kVersionString[] = PLAIT_STRINGIFY(PLAIT_VERSION_MAJOR) "." PLAIT_STRINGIFY(
    PLAIT_VERSION_MINOR) "." PLAIT_STRINGIFY(PLAIT_VERSION_PATCH);
}  // namespace plait

#endif
