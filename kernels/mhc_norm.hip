// SPDX-License-Identifier: MIT
// The RMSNorm that pre, post_pre and head fold in: y = round(y * rsqrt(mean(y^2) + eps) * w), of
// the rounded y, in place. One block a token; the same kernel behind every implementation, so a
// folded norm has the bits of a separate one.
#include "kernels/isa/launch.h"
#include "kernels/mhc.h"
#include "kernels/mhc/element.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 256;

template <class T, class W, int Wave>
__global__ __launch_bounds__(kThreads) void norm_rows(Norm norm) {
  __shared__ float sums[kThreads / Wave];
  const int tid = static_cast<int>(threadIdx.x);
  const int64_t row = blockIdx.x * norm.y_stride;
  float squares = 0.0f;
  for (int64_t h = tid; h < norm.hidden; h += kThreads) {
    const float z = load<T>(norm.y, row + h);
    squares = fmaf(z, z, squares);
  }
  squares = group_sum<Wave>(squares);
  if (tid % Wave == 0) sums[tid / Wave] = squares;
  __syncthreads();  // every wave's sum
  float total = 0.0f;
#pragma unroll
  for (int w = 0; w < kThreads / Wave; ++w) total += sums[w];
  const float factor = 1.0f / sqrtf(total / static_cast<float>(norm.hidden) + norm.eps);
  for (int64_t h = tid; h < norm.hidden; h += kThreads)
    store<T>(norm.y, row + h, load<T>(norm.y, row + h) * factor * load<W>(norm.weight, h));
}

}  // namespace

hipError_t mhc_norm(const Norm &norm, int32_t wave_size, void *stream) {
  return for_dtype(norm.dtype, [&](auto type) {
    return for_dtype(norm.weight_dtype, [&](auto weight) {
      using T = decltype(type);
      using W = decltype(weight);
      return launch(wave_size == 64 ? norm_rows<T, W, 64> : norm_rows<T, W, 32>,
                    dim3(static_cast<unsigned>(norm.tokens)), dim3(kThreads), 0, stream, norm);
    });
  });
}

}  // namespace plait::kernels
