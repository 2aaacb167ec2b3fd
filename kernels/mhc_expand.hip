// SPDX-License-Identifier: MIT
// expand: n copies of a row. One thread reads 16 bytes (or one element) and writes them n times.
#include "kernels/isa/launch.h"
#include "kernels/mhc.h"
#include "kernels/mhc/element.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kTokensY = 32768;  // grids are limited to 65535 in y; tokens beyond go to z

template <class T, int Vec>
__global__ __launch_bounds__(kThreads) void expand(Streams x, void *out, int64_t out_stride) {
  const int64_t t = static_cast<int64_t>(blockIdx.z) * kTokensY + blockIdx.y;
  const int64_t h = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * Vec;
  if (t >= x.tokens || h >= x.hidden) return;
  const Pack<T, Vec> v = load_pack<T, Vec>(x.data, t * x.token_stride + h);
  for (int i = 0; i < x.n; ++i) store_pack<T, Vec>(out, t * out_stride + i * x.hidden + h, v);
}

}  // namespace

hipError_t mhc_expand(const Streams &x, void *out, int64_t out_stride, void *stream) {
  return for_dtype(x.dtype, [&](auto type) {
    using T = decltype(type);
    constexpr int vec = 16 / sizeof(typename T::Storage);
    const bool packed = x.hidden % vec == 0 && x.token_stride % vec == 0 && out_stride % vec == 0 &&
                        reinterpret_cast<uintptr_t>(x.data) % 16 == 0 &&
                        reinterpret_cast<uintptr_t>(out) % 16 == 0;
    const dim3 grid(blocks_for(x.hidden, kThreads * (packed ? vec : 1)),
                    static_cast<unsigned>(x.tokens < kTokensY ? x.tokens : kTokensY),
                    blocks_for(x.tokens, kTokensY));
    return launch(packed ? expand<T, vec> : expand<T, 1>, grid, dim3(kThreads), 0, stream, x, out,
                  out_stride);
  });
}

}  // namespace plait::kernels
