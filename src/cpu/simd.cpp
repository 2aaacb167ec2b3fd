// SPDX-License-Identifier: MIT
// The SIMD target that Highway's dispatch chooses on this machine.
#include <cstdio>

#include "src/cpu/lists.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/simd.cpp"
#include "src/cpu/simd_targets.h"
// After simd_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plait::cpu::HWY_NAMESPACE {

void describe(DeviceInfo &info) {
  const hwy::HWY_NAMESPACE::ScalableTag<float> d;
  snprintf(info.arch, sizeof info.arch, "%s", hwy::TargetName(HWY_TARGET));
  info.wave_size = static_cast<int32_t>(hwy::HWY_NAMESPACE::Lanes(d));
}

}  // namespace plait::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plait::cpu {

HWY_EXPORT(describe);

void describe_simd(DeviceInfo &info) { HWY_DYNAMIC_DISPATCH(describe)(info); }

}  // namespace plait::cpu
#endif
