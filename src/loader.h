// SPDX-License-Identifier: MIT
// Finds the backend libraries.
#ifndef PLAIT_SRC_LOADER_H
#define PLAIT_SRC_LOADER_H

#include "src/backend.h"

namespace plait {

constexpr size_t kPathSize = 512;

// The backend of this kind: the linked-in one for the CPU, else libplait-<name>.so from `dir`
// (NULL: `plait/` beside the object that this code is in). On failure nullptr, with the reason.
// `path` receives the file that was looked for. A library once loaded stays: GPU runtimes do not
// survive being unloaded, so it is linked nodelete and never closed.
const Backend *load_backend(int32_t kind, const char *dir, char path[kPathSize], Failure &failure);

const char *backend_name(int32_t kind);

}  // namespace plait

#endif
