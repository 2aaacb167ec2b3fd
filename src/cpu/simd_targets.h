// SPDX-License-Identifier: MIT
// Which SIMD targets Highway compiles: the best of each generation (AVX-512, AVX2, SSE4; NEON) and
// the plain baseline. Not SVE, whose vectors have no size that an array could hold. Include it
// before hwy/foreach_target.h in every file that uses dynamic dispatch, so that all of them offer
// the same choice.
#ifndef PLAIT_SRC_CPU_SIMD_TARGETS_H
#define PLAIT_SRC_CPU_SIMD_TARGETS_H

#ifndef HWY_DISABLED_TARGETS  // a sanitizer build leaves out more
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif

#endif
