// SPDX-License-Identifier: MIT
// Change of fp8 flavour: bytes stay but for the special ones, scales double or halve.
#include "convert_k.h"

#include <plait/indexer.h>

#include "isa/launch.h"
#include "src/number.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 256;

__device__ inline uint8_t convert(const ConvertK &a, uint8_t byte) {
  if (a.from == a.to) return byte;
  return a.to == PLAIT_FORMAT_FP8_E4M3FNUZ ? e4m3fn_byte_to_fnuz(byte) : e4m3fnuz_byte_to_fn(byte);
}

// Four bytes at a time where all of a block's values are aligned.
__global__ __launch_bounds__(kThreads) void convert_k_kernel(ConvertK a) {
  const float factor = a.from == a.to ? 1.0f : a.to == PLAIT_FORMAT_FP8_E4M3FNUZ ? 2.0f : 0.5f;
  const int64_t first = static_cast<int64_t>(blockIdx.y) * kThreads + threadIdx.x,
                step = static_cast<int64_t>(gridDim.y) * kThreads;
  for (int64_t block = blockIdx.x; block < a.blocks; block += gridDim.x) {
    const uint8_t *from = a.src_values + block * a.stride;
    uint8_t *to = a.dst_values + block * a.stride;
    const bool aligned =
        ((reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(to)) & 3) == 0;
    const int64_t words = aligned ? a.values / 4 : 0;
    for (int64_t i = first; i < words; i += step) {
      const uint32_t in = reinterpret_cast<const uint32_t *>(from)[i];
      uint32_t out = 0;
#pragma unroll
      for (int b = 0; b < 4; ++b)
        out |= static_cast<uint32_t>(convert(a, static_cast<uint8_t>(in >> 8 * b))) << 8 * b;
      reinterpret_cast<uint32_t *>(to)[i] = out;
    }
    for (int64_t i = 4 * words + first; i < a.values; i += step) to[i] = convert(a, from[i]);
    const float *from_scale = reinterpret_cast<const float *>(a.src_scale + block * a.stride);
    float *to_scale = reinterpret_cast<float *>(a.dst_scale + block * a.stride);
    for (int64_t i = first; i < a.scales; i += step)
      to_scale[i] = a.from == a.to ? from_scale[i] : from_scale[i] * factor;
  }
}

}  // namespace

hipError_t convert_k(const ConvertK &args, void *stream) {
  if (args.blocks == 0) return hipSuccess;
  const int64_t parts = (args.values + 8 * kThreads - 1) / (8 * kThreads);
  return launch(convert_k_kernel,
                dim3(static_cast<unsigned>(args.blocks < 1 << 20 ? args.blocks : 1 << 20),
                     static_cast<unsigned>(parts < 1      ? 1
                                           : parts < 4096 ? parts
                                                          : 4096)),
                kThreads, 0, stream, args);
}

}  // namespace plait::kernels
