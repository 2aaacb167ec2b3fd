// SPDX-License-Identifier: MIT
// pre and post_pre on AMD's matrix units: kernels/mhc/products_matrix.h, then mhc_finish, for a
// batch of tokens at a time whose residual the Infinity Cache holds between the two.
#include "kernels/mhc/products_matrix.h"

namespace plait::kernels {
namespace {

bool aligned(const void *data, int64_t stride) {
  return reinterpret_cast<uintptr_t>(data) % 16 == 0 && stride % 8 == 0;
}

template <Isa isa>
hipError_t run(const Post *post, const Mix &mix, float *partial, void *stream) {
  const int chunks = static_cast<int>(matrix::chunks_of(mix.v.hidden));
  const Streams &in = post ? post->v : mix.v;
  const bool packed =
      aligned(in.data, in.token_stride) &&
      (!post || (aligned(post->out, post->out_stride) && aligned(post->x, post->x_stride) &&
                 aligned(post->x2, post->x2_stride)));
  for (int64_t first = 0; first < mix.v.tokens; first += matrix::kBatch) {
    const int64_t left = mix.v.tokens - first;
    const int64_t count = left < matrix::kBatch ? left : matrix::kBatch;
    const dim3 grid(blocks_for(count, matrix::kTokens), static_cast<unsigned>(chunks));
    hipError_t error = post ? launch(matrix::products<isa, true>, grid, dim3(matrix::kThreads), 0,
                                     stream, mix, *post, packed, partial, chunks, first, count)
                            : launch(matrix::products<isa, false>, grid, dim3(matrix::kThreads), 0,
                                     stream, mix, Post{}, packed, partial, chunks, first, count);
    if (error == hipSuccess)
      error =
          launch_finish(mix, partial, chunks, first, count, isa == Isa::gfx90a ? 64 : 32, stream);
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}

}  // namespace

int64_t mhc_matrix_partials(int64_t hidden, int64_t tokens) {
  return (tokens < matrix::kBatch ? tokens : matrix::kBatch) * matrix::chunks_of(hidden) *
         (matrix::kRows + 1);
}

hipError_t mhc_pre_matrix(MatrixUnit unit, const Post *post, const Mix &mix, float *partial,
                          void *stream) {
  switch (unit) {
    case MatrixUnit::mfma: return run<Isa::gfx90a>(post, mix, partial, stream);
    case MatrixUnit::wmma_gfx11: return run<Isa::gfx11>(post, mix, partial, stream);
    case MatrixUnit::wmma_gfx12: return run<Isa::gfx12>(post, mix, partial, stream);
    default: return hipErrorInvalidValue;
  }
}

}  // namespace plait::kernels
