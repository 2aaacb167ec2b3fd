// SPDX-License-Identifier: MIT
// Whether this library holds machine code for the current device.
#ifndef PLAIT_KERNELS_PROBE_H
#define PLAIT_KERNELS_PROBE_H

#include "kernels/isa/hip_compat.h"

namespace plait::kernels {
hipError_t probe();
}

#endif
