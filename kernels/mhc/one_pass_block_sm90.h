// SPDX-License-Identifier: MIT
/**
 * @file one_pass_block_sm90.h
 * @brief What the warps of a one-pass block share: its place in the work, shared memory, barriers.
 */
#ifndef PLAIT_KERNELS_MHC_ONE_PASS_BLOCK_SM90_H
#define PLAIT_KERNELS_MHC_ONE_PASS_BLOCK_SM90_H

#include "kernels/isa/sm90.h"
#include "kernels/mhc.h"
#include "src/number.h"

namespace plait::kernels::one_pass {

constexpr int kCluster = 16, kTile = 8, kStreams = 4, kRows = 24;
// Warps by role; those of products get the registers of the others.
constexpr int kProductWarps = 8, kCollapseWarps = 4;
constexpr int kFetchWarp = kProductWarps + kCollapseWarps;
constexpr int kSumWarp = kFetchWarp + 1, kPreWarp = kFetchWarp + 2, kCombWarp = kFetchWarp + 3;
constexpr int kThreads = 32 * (kCombWarp + 1);
constexpr int kProductRegisters = 208, kOtherRegisters = 48;
constexpr int kSums = 28;     // 24 products, the sum of squares, and up to whole float4
constexpr int kPartials = 2;  // tiles whose sums over a warp may be waiting
constexpr int kBatch = 8;     // tokens of a Sinkhorn
constexpr int kMaxBuffers = 8;

struct Arguments {
  Mix mix;
  Post post;       // fused only
  int32_t packed;  // rows of the inputs are aligned to 16 bytes
  int32_t packed_out;
  int32_t tiles;
};

/// Tiles in shared memory. A block owns a token of every second one: half as many slots for tokens
/// whose sums may be waiting, as a slot is read before the tile that next needs it can be fetched.
PLAIT_HD constexpr int buffers_of(int groups) { return groups > 5 ? 4 : groups > 4 ? 6 : 8; }

/// True where the lo part of fn does not fit the registers.
PLAIT_HD constexpr bool low_shared(int groups) { return groups > 4; }

/// The block's barriers.
struct Barriers {
  uint64_t full[kMaxBuffers];        // rows of the residual are there
  uint64_t empty[kMaxBuffers];       // the collapse has read a tile
  uint64_t done[kMaxBuffers];        // products have read a tile, and post has written it
  uint64_t pre[kMaxBuffers];         // pre of a tile's tokens
  uint64_t partial_full[kPartials];  // the 8 warps' sums
  uint64_t partial_free[kPartials];
  uint64_t sums[kMaxBuffers / 2];  // the 16 blocks' sums for a token of this block's
  uint64_t batch_full[2];          // logits of comb
  uint64_t batch_free[2];
  uint64_t x;  // rows of x are there
};

/// Shared memory of a block, in bytes; the same code places it and measures it.
struct Layout {
  int columns;  // of the slice, in a stream
  int pitch;    // bytes of a token in a tile: 64 modulo 128, so 16-byte reads meet no conflict
  int low, partial, received, pre, logits, x, barriers, bytes;  // tiles come first

  PLAIT_HD Layout(int64_t hidden, int groups, bool fused) {
    columns = static_cast<int>(hidden) / kCluster;
    pitch = (kStreams * columns * 2 + 127) / 128 * 128 + 64;
    low = buffers_of(groups) * kTile * pitch;
    partial = low + (low_shared(groups) ? kProductWarps * groups * 3 * 512 : 0);
    received = partial + kPartials * kProductWarps * kTile * kSums * 4;
    pre = received + buffers_of(groups) / 2 * kCluster * kSums * 4;
    logits = pre + buffers_of(groups) * kTile * 16;
    x = logits + 2 * kBatch * 16 * 4;
    barriers = x + (fused ? kTile * columns * 2 : 0);
    bytes = barriers + static_cast<int>(sizeof(Barriers));
  }
};

/// Groups: of 32 elements, a warp's at most.
template <int Groups_, bool Exact_, bool Fused_>
struct Block {
  static constexpr int Groups = Groups_, kBuffers = buffers_of(Groups), kSlots = kBuffers / 2;
  static constexpr bool Exact = Exact_, Fused = Fused_, LowShared = low_shared(Groups);

  const Arguments &a;
  const Mix &mix;
  unsigned char *shared;
  int64_t hidden;
  Layout layout;
  Barriers &barriers;
  int warp, lane, rank, clusters, first_tile;
  int rounds;   // tiles of this cluster
  int columns;  // of this block, in a stream

  __device__ Block(const Arguments &arguments, unsigned char *memory)
      : a(arguments),
        mix(arguments.mix),
        shared(memory),
        hidden(Exact ? 1024 * Groups : arguments.mix.v.hidden),
        layout(hidden, Groups, Fused),
        barriers(*reinterpret_cast<Barriers *>(memory + layout.barriers)),
        warp(static_cast<int>(threadIdx.x) / 32),
        lane(static_cast<int>(threadIdx.x) % 32),
        rank(static_cast<int>(sm90::cluster_rank())),
        clusters(static_cast<int>(gridDim.x) / kCluster),
        first_tile(static_cast<int>(blockIdx.x) / kCluster),
        rounds((arguments.tiles - first_tile + clusters - 1) / clusters),
        columns(layout.columns) {}

  __device__ bool packed() const { return Exact || a.packed; }
  __device__ bool packed_out() const { return Exact || a.packed_out; }
  __device__ int row_bytes() const { return columns * 2; }
  __device__ int64_t column0() const { return static_cast<int64_t>(rank) * columns; }
  __device__ int64_t token(int round, int of_tile) const {
    return (static_cast<int64_t>(round) * clusters + first_tile) * kTile + of_tile;
  }
  __device__ unsigned char *tile(int round) const {
    return shared + (round % kBuffers * kTile) * layout.pitch;
  }
  __device__ float *partial(int round) const {
    return reinterpret_cast<float *>(shared + layout.partial) +
           round % kPartials * (kProductWarps * kTile * kSums);
  }
  __device__ float *received(int slot) const {
    return reinterpret_cast<float *>(shared + layout.received) + slot * (kCluster * kSums);
  }
  __device__ float4 *pre(int round) const {
    return reinterpret_cast<float4 *>(shared + layout.pre) + round % kBuffers * kTile;
  }
  /// [token of the batch][16]
  __device__ float *logits(int batch) const {
    return reinterpret_cast<float *>(shared + layout.logits) + batch % 2 * (kBatch * 16);
  }
  /// The parity of a barrier that a ring of `size` uses once in `size` rounds.
  static __device__ uint32_t parity(int round, int size) {
    return static_cast<uint32_t>(round / size) & 1;
  }
  /// The same for the way back: the first wait is for a phase before the first.
  static __device__ uint32_t free_parity(int round, int size) { return parity(round, size) ^ 1; }

  /// By one thread.
  __device__ void init_barriers() const {
    for (int i = 0; i < kBuffers; ++i) {
      sm90::barrier_init(&barriers.full[i], 1);
      sm90::barrier_init(&barriers.empty[i], kCollapseWarps);
      sm90::barrier_init(&barriers.done[i], kProductWarps);
      sm90::barrier_init(&barriers.pre[i], 1);
      sm90::arrive_expect(&barriers.pre[i], kTile * 16);
    }
    for (int i = 0; i < kPartials; ++i) {
      sm90::barrier_init(&barriers.partial_full[i], kProductWarps);
      sm90::barrier_init(&barriers.partial_free[i], 1);
    }
    for (int i = 0; i < kSlots; ++i) {
      sm90::barrier_init(&barriers.sums[i], 1);
      sm90::arrive_expect(&barriers.sums[i], kCluster * kSums * 4);
    }
    for (int i = 0; i < 2; ++i) {
      sm90::barrier_init(&barriers.batch_full[i], 1);
      sm90::barrier_init(&barriers.batch_free[i], 1);
    }
    sm90::barrier_init(&barriers.x, kProductWarps);
    sm90::barrier_init_done();
  }
};

}  // namespace plait::kernels::one_pass

#endif
