// SPDX-License-Identifier: MIT
/**
 * @file launch.h
 * @brief One checked kernel launch, typed by the kernel's parameters.
 */
#ifndef PLAIT_KERNELS_ISA_LAUNCH_H
#define PLAIT_KERNELS_ISA_LAUNCH_H

#include "kernels/isa/hip_compat.h"

namespace plait {

namespace detail {
template <class T>
struct Same {
  using Type = T;
};
}  // namespace detail

/**
 * Enqueues kernel<<<grid, block, shared, stream>>>(arguments...) and returns the launch's own
 * error. It reads and clears no error state of the host program. Arguments convert to the kernel's
 * parameter types as in a call.
 */
template <class... Parameters>
inline hipError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared,
                         void *stream, typename detail::Same<Parameters>::Type... arguments) {
  void *pointers[] = {&arguments...};
  return hipLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block, pointers, shared,
                         static_cast<hipStream_t>(stream));
}

/// Blocks of `per_block` that cover `count`. The caller keeps count below per_block * 2^31.
inline unsigned blocks_for(int64_t count, int64_t per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

}  // namespace plait

#endif
