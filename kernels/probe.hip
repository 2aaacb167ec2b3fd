// SPDX-License-Identifier: MIT
#include "kernels/probe.h"

namespace plait::kernels {
namespace {

__global__ void nothing() {}

}  // namespace

hipError_t probe() {
  hipFuncAttributes attributes;
  return hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(&nothing));
}

}  // namespace plait::kernels
