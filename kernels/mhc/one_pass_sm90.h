// SPDX-License-Identifier: MIT
/**
 * @file one_pass_sm90.h
 * @brief pre, and post fused before it, in one pass over the residual: n = 4, bf16, f32 fn.
 *
 * A cluster of 16 blocks owns a tile of 8 tokens at a time; block r owns columns
 * [r H/16, (r+1) H/16) of all four streams, and its slice of fn stays in it for all tiles:
 *
 *     fn slice [24][H/4] f32 -> bf16 hi + mid + lo, in the registers of 8 warps as operand A
 *                               (lo in shared memory where registers do not suffice)
 *     residual [8 tokens][4 streams][H/16] -> shared memory, four to eight tiles, by bulk copies
 *
 *     warp 12     fetches tiles
 *     warps 0-7   products of a tile; warp w has the w-th eighth of the slice's H/4 elements
 *     warp 13     sums over the 8 warps; those of a token go to the block that owns it
 *     warp 14     of an owned token: sums over the 16 blocks, sigmoids, pre to all blocks
 *     warp 15     Sinkhorn of up to 8 owned tokens at a time, a lane each
 *     warps 8-11  collapse of the tile, which is still resident; then its place is free
 *
 * Nobody waits for the others within a tile: each hands on through barriers in shared memory, and
 * as many tiles are under way as there are buffers. Block `token` owns a token of even tiles and
 * block 8 + `token` one of odd tiles.
 *
 * Every sum has a fixed order: a warp's elements within the matrix unit, then the warps, then the
 * blocks, ascending. It depends on H alone.
 */
#ifndef PLAIT_KERNELS_MHC_ONE_PASS_SM90_H
#define PLAIT_KERNELS_MHC_ONE_PASS_SM90_H

#include "kernels/mhc/one_pass_collapse_sm90.h"
#include "kernels/mhc/one_pass_gates_sm90.h"
#include "kernels/mhc/one_pass_products_sm90.h"

namespace plait::kernels::one_pass {

/// Exact: H is 1024 * Groups and all rows are aligned to 16 bytes; the arithmetic is the same.
template <int Groups, bool Exact, bool Fused>
__global__ __launch_bounds__(kThreads, 1) void kernel(const __grid_constant__ Arguments a) {
  using Block = Block<Groups, Exact, Fused>;
  extern __shared__ __align__(128) unsigned char shared[];
  Block block(a, shared);
  if (threadIdx.x == 0) block.init_barriers();
  __syncthreads();         // barriers are initialised
  sm90::cluster_arrive();  // waited for before the first store to a peer

  if (block.warp >= kFetchWarp) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kOtherRegisters));
    if (block.warp == kFetchWarp)
      fetch_tiles(block);
    else if (block.warp == kSumWarp)
      sum_warps(block);
    else if (block.warp == kPreWarp)
      gate_tokens(block);
    else
      mix_streams(block);
  } else if (block.warp >= kProductWarps) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kOtherRegisters));
    collapse_tiles(block);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kProductRegisters));
    multiply_tiles(block);
  }
  sm90::cluster_arrive();
  sm90::cluster_wait();  // no block leaves while a peer may still store to it
}

/// A kernel and the dynamic shared memory it needs.
struct Choice {
  void (*kernel)(Arguments);
  int groups;
  int bytes;
};

/// Groups of a warp are ceil(H / 1024), whichever kernel runs.
template <bool Fused>
Choice choose(int64_t hidden, bool aligned) {
  const auto choice = [&](void (*k)(Arguments), int groups) {
    return Choice{k, groups, Layout(hidden, groups, Fused).bytes};
  };
  if (aligned && hidden == 4096) return choice(kernel<4, true, Fused>, 4);
  if (aligned && hidden == 5120) return choice(kernel<5, true, Fused>, 5);
  if (aligned && hidden == 7168) return choice(kernel<7, true, Fused>, 7);
  if (hidden <= 2048) return choice(kernel<2, false, Fused>, 2);
  if (hidden <= 5120) return choice(kernel<5, false, Fused>, 5);
  return choice(kernel<7, false, Fused>, 7);
}

inline cudaLaunchConfig_t config_of(const Choice &choice, int clusters, void *stream,
                                    cudaLaunchAttribute &attribute) {
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = kCluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(clusters * kCluster));
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = static_cast<size_t>(choice.bytes);
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return config;
}

/// Allows the kernels their cluster and shared memory on the current device, and tells how many
/// clusters run at once there.
template <bool Fused>
hipError_t prepare(int64_t hidden, int *clusters) {
  for (const bool aligned : {false, true}) {
    const Choice choice = choose<Fused>(hidden, aligned);
    const void *function = reinterpret_cast<const void *>(choice.kernel);
    hipError_t error = raise_shared_memory_limit(function, static_cast<size_t>(choice.bytes));
    if (error == hipSuccess)
      error = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (error != hipSuccess) return error;
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = config_of(choice, 1, nullptr, attribute);
    error = cudaOccupancyMaxActiveClusters(clusters, function, &config);
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}

inline bool aligned(const void *data, int64_t stride, int64_t other = 0) {
  return reinterpret_cast<uintptr_t>(data) % 16 == 0 && stride % 8 == 0 && other % 8 == 0;
}

template <bool Fused>
hipError_t enqueue(const Mix &mix, const Post &post, int clusters, void *stream) {
  Arguments arguments{};
  arguments.mix = mix;
  arguments.post = post;
  arguments.tiles = static_cast<int32_t>((mix.v.tokens + kTile - 1) / kTile);
  const Streams &input = Fused ? post.v : mix.v;
  arguments.packed = aligned(input.data, input.token_stride, input.stream_stride) &&
                     aligned(mix.fn, 0) && (!Fused || aligned(post.x, post.x_stride));
  arguments.packed_out =
      aligned(mix.y, mix.y_stride) && (!Fused || aligned(post.out, post.out_stride));
  const Choice choice =
      choose<Fused>(mix.v.hidden, arguments.packed != 0 && arguments.packed_out != 0);
  cudaLaunchAttribute attribute;
  const cudaLaunchConfig_t config =
      config_of(choice, arguments.tiles < clusters ? arguments.tiles : clusters, stream, attribute);
  void *parameters[] = {&arguments};
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(choice.kernel), parameters);
}

}  // namespace plait::kernels::one_pass

#endif
