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
 *     residual [8 tokens][4 streams][H/16] -> shared memory, four tiles, by bulk copies
 *
 *     warps 0-7   products of tile i; warp w has the w-th eighth of the slice's H/4 elements
 *                 sums over the 8 warps; those of token w go to the block that owns it
 *     warps 8-11  gates of a token: sums over the 16 blocks, pre to all blocks; then Sinkhorn
 *     warps 0-7   collapse of tile i - 1, which is still resident: warp w has token w, and then
 *                 fetches its row of tile i + 3
 *
 * The gates of tile i - 1 are on their way while tile i is multiplied. Block `token` owns a token
 * of even tiles and block 8 + `token` one of odd tiles.
 *
 * Operand A, five tiles of 16 rows:  0: hi of rows 0-15   1: mid of 0-15   2: lo of 0-15
 *                                    3: hi of 16-23, mid of 16-23   4: lo of 16-23, zeros
 * Operand B: lane 4g + q holds elements 8q … 8q+7 of a group of 32 of token g, two matrix steps:
 * the first four are its part of step 0, the last four of step 1; A alike.
 *
 * Every sum has a fixed order: 32 elements within the matrix unit, then a warp's groups, the warps,
 * the blocks, ascending. It depends on H alone.
 */
#ifndef PLAIT_KERNELS_MHC_ONE_PASS_SM90_H
#define PLAIT_KERNELS_MHC_ONE_PASS_SM90_H

#include <type_traits>

#include "kernels/isa/sm90.h"
#include "kernels/mhc.h"
#include "kernels/mhc/apply.h"
#include "kernels/mhc/element.h"
#include "kernels/mhc/gates.h"

namespace plait::kernels::one_pass {

constexpr int kCluster = 16, kTile = 8, kBuffers = 4, kStreams = 4, kRows = 24;
// Warps by role; those of products get the registers of the others.
constexpr int kWarps = 8, kCollapseWarps = 4, kGateWarps = 4;
constexpr int kThreads = 32 * (kWarps + kCollapseWarps + kGateWarps);
constexpr int kProductRegisters = 208, kOtherRegisters = 48;
constexpr int kSums = 28;  // 24 products, the sum of squares, and up to whole float4

struct Arguments {
  Mix mix;
  Post post;       // fused only
  int32_t packed;  // rows of the inputs are aligned to 16 bytes
  int32_t packed_out;
  int32_t tiles;
};

/// The block's barriers.
struct Barriers {
  uint64_t full[kBuffers];    // rows of the residual are there
  uint64_t sums[kGateWarps];  // the 16 blocks' sums for a token of this block's
  uint64_t pre[kBuffers];     // pre of a tile's tokens
  uint64_t done[kBuffers];    // products have read a tile, and post has written it
  uint64_t x;                 // rows of x are there
};

/// Shared memory of a block, in bytes; the same code places it and measures it.
struct Layout {
  int columns;  // of the slice, in a stream
  int pitch;    // bytes of a token in a tile: 64 modulo 128, so 16-byte reads meet no conflict
  int low, partial, x, received, pre, barriers, bytes;  // tiles come first

  PLAIT_HD Layout(int64_t hidden, bool low_shared, int groups_per_warp, bool fused) {
    columns = static_cast<int>(hidden) / kCluster;
    pitch = (kStreams * columns * 2 + 127) / 128 * 128 + 64;
    low = kBuffers * kTile * pitch;
    partial = low + (low_shared ? kWarps * groups_per_warp * 3 * 512 : 0);
    received = partial + 2 * kWarps * kTile * kSums * 4;
    pre = received + kGateWarps * kCluster * kSums * 4;
    x = pre + kBuffers * kTile * 16;
    barriers = x + (fused ? kTile * columns * 2 : 0);
    bytes = barriers + static_cast<int>(sizeof(Barriers));
  }
};

/// Below this eps a row or column sum may be so small that only a true division is right.
constexpr float kSmallestFastEps = 1e-18f;

/**
 * Sinkhorn of a 4 x 4 matrix by groups of four lanes, all with the same matrix: lane i brings row i
 * as its logits and takes row i of the result. The matrix is kept as k_ij r_i q_j. Dividing row i
 * by its sum + eps divides r_i alone, so a step is a dot product, a reciprocal and an exchange.
 */
__device__ inline float4 sinkhorn_4_lanes(const float (&logits)[4], int lane, int iters,
                                          float eps) {
  const auto from_lane = [&](float v, int i) { return __shfl_sync(0xffffffffu, v, i, 4); };
  float row[4], column[4], r = 1.0f, q = 1.0f;
  const float largest = fmaxf(fmaxf(logits[0], logits[1]), fmaxf(logits[2], logits[3]));
#pragma unroll
  for (int j = 0; j < 4; ++j) row[j] = expf(logits[j] - largest);
  const float over = sm90::reciprocal((row[0] + row[1]) + (row[2] + row[3]));
#pragma unroll
  for (int j = 0; j < 4; ++j) row[j] = fmaf(row[j], over, eps);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float v[4] = {from_lane(row[0], i), from_lane(row[1], i), from_lane(row[2], i),
                        from_lane(row[3], i)};
    column[i] = lane < 2 ? (lane == 0 ? v[0] : v[1]) : (lane == 2 ? v[2] : v[3]);
  }
  const auto dot = [&](const float(&a)[4], float mine) {
    return fmaf(a[0], from_lane(mine, 0), a[1] * from_lane(mine, 1)) +
           fmaf(a[2], from_lane(mine, 2), a[3] * from_lane(mine, 3));
  };
#pragma unroll 1
  for (int step = 0;; ++step) {
    q *= sm90::reciprocal(fmaf(q, dot(column, r), eps));
    if (step == iters - 1) break;
    r *= sm90::reciprocal(fmaf(r, dot(row, q), eps));
  }
  return make_float4(row[0] * (r * from_lane(q, 0)), row[1] * (r * from_lane(q, 1)),
                     row[2] * (r * from_lane(q, 2)), row[3] * (r * from_lane(q, 3)));
}

/**
 * Groups: of 32 elements, a warp's at most. Exact: H is 1024 * Groups and all rows are aligned to
 * 16 bytes; the arithmetic is the same.
 */
template <int Groups, bool Exact, bool Fused>
__global__ __launch_bounds__(kThreads, 1) void kernel(const __grid_constant__ Arguments a) {
  constexpr bool low_shared = Groups > 4;
  extern __shared__ __align__(128) unsigned char shared[];
  const Mix &mix = a.mix;
  const int64_t hidden = Exact ? 1024 * Groups : mix.v.hidden;
  const bool packed = Exact || a.packed, packed_out = Exact || a.packed_out;
  const Layout layout(hidden, low_shared, Groups, Fused);
  Barriers &barriers = *reinterpret_cast<Barriers *>(shared + layout.barriers);
  float *received = reinterpret_cast<float *>(shared + layout.received);
  float *pre_in = reinterpret_cast<float *>(shared + layout.pre);

  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int rank = static_cast<int>(sm90::cluster_rank());
  const int clusters = static_cast<int>(gridDim.x) / kCluster;
  const int first_tile = static_cast<int>(blockIdx.x) / kCluster;
  const int rounds = (a.tiles - first_tile + clusters - 1) / clusters;
  const int columns = layout.columns, row_bytes = columns * 2;
  const int64_t column0 = static_cast<int64_t>(rank) * columns;
  const int64_t tokens = mix.v.tokens;
  const auto token_of = [&](int round, int of_tile) {
    return (static_cast<int64_t>(round) * clusters + first_tile) * kTile + of_tile;
  };
  const auto tile_at = [&](int round) {
    return shared + (round % kBuffers * kTile) * layout.pitch;
  };

  if (threadIdx.x == 0) {
    for (uint64_t &full : barriers.full) sm90::barrier_init(&full, kCollapseWarps);
    for (uint64_t &done : barriers.done) sm90::barrier_init(&done, Fused ? 32 * kWarps : 1);
    for (uint64_t &sums : barriers.sums) {
      sm90::barrier_init(&sums, 1);
      sm90::arrive_expect(&sums, kCluster * kSums * 4);
    }
    for (uint64_t &pre : barriers.pre) {
      sm90::barrier_init(&pre, 1);
      sm90::arrive_expect(&pre, kTile * 16);
    }
    sm90::barrier_init(&barriers.x, kWarps);
    sm90::barrier_init_done();
  }
  __syncthreads();         // barriers are initialised
  sm90::cluster_arrive();  // waited for before the first store to a peer

  if (warp >= kWarps + kCollapseWarps) {
    // --- Gates: this block's token of every second tile
    // -------------------------------------------
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kOtherRegisters));
    sm90::cluster_wait();
    // The block's tokens go round the four warps: Sinkhorn takes longer than two tiles' products.
    const int row = lane < kRows ? lane : 0, p = warp - kWarps - kCollapseWarps;
    const float scale = mix.scale[row < 4 ? 0 : row < 8 ? 1 : 2], base = mix.base[row];
    const float per_element = 1.0f / static_cast<float>(kStreams * hidden);
    uint32_t parity = 0;
    for (int round = rank / kTile + 2 * p; round < rounds; round += 2 * kGateWarps, parity ^= 1) {
      sm90::wait(&barriers.sums[p], parity);
      const float *in = received + p * kCluster * kSums + (lane < kSums ? lane : 0);
      float sum = 0.0f;
#pragma unroll
      for (int r = 0; r < kCluster; ++r) sum += in[r * kSums];
      if (lane == 0) sm90::arrive_expect(&barriers.sums[p], kCluster * kSums * 4);
      const float squares = __shfl_sync(0xffffffffu, sum, kRows);
      const float g = rsqrtf(squares * per_element + mix.rms_eps);
      const float gate = sum * g * scale + base;
      const float half = sm90::reciprocal(1.0f + expf(-gate));
      const float pre = half + mix.pre_eps;
      const float4 all =
          make_float4(__shfl_sync(0xffffffffu, pre, 0), __shfl_sync(0xffffffffu, pre, 1),
                      __shfl_sync(0xffffffffu, pre, 2), __shfl_sync(0xffffffffu, pre, 3));
      const int buffer = round % kBuffers;
      if (lane < kCluster)
        sm90::send(sm90::peer_address(pre_in + (buffer * kTile + rank % kTile) * 4, lane), all,
                   sm90::peer_address(&barriers.pre[buffer], lane));
      const int64_t t = token_of(round, rank % kTile);
      float logits[4];  // of row lane % 4
#pragma unroll
      for (int k = 0; k < 4; ++k) logits[k] = __shfl_sync(0xffffffffu, gate, 8 + lane % 4 * 4 + k);
      if (t >= tokens) continue;
      if (lane < 4 && mix.pre_mix) mix.pre_mix[t * mix.pre_mix_stride + lane] = pre;
      if (lane >= 4 && lane < 8)
        mix.post_mix[t * mix.post_mix_stride + lane - 4] = mix.post_mult * half;
      float *comb = mix.comb_mix + t * mix.comb_mix_stride;
      if (mix.sinkhorn_eps >= kSmallestFastEps) {
        const float4 c = sinkhorn_4_lanes(logits, lane % 4, mix.sinkhorn_iters, mix.sinkhorn_eps);
        if (lane < 4) {
          comb += lane * 4;
          comb[0] = c.x, comb[1] = c.y, comb[2] = c.z, comb[3] = c.w;
        }
      } else {
        float c[16];
#pragma unroll
        for (int k = 0; k < 16; ++k) c[k] = __shfl_sync(0xffffffffu, gate, 8 + k);
        sinkhorn_4x4_exact(c, mix.sinkhorn_iters, mix.sinkhorn_eps);
        if (lane == 0)
          for (int k = 0; k < 16; ++k) comb[k] = c[k];
      }
    }
  } else if (warp >= kWarps) {
    // --- Collapse, and the residual's way into shared memory
    // --------------------------------------
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kOtherRegisters));
    const int pair = (warp - kWarps) * 2;  // the warp's first token of a tile
    const Streams &in = Fused ? a.post.v : mix.v;
    // Lane l fetches stream l % 4 of token l / 4: its row of the next tile to fetch, and the way to
    // the tile after.
    const uint16_t *from = static_cast<const uint16_t *>(in.data) + column0 +
                           token_of(0, pair + lane / 4 % 2) * in.token_stride +
                           lane % 4 * in.stream_stride;
    const int64_t next_tile = static_cast<int64_t>(clusters) * kTile * in.token_stride;
    const int offset = (pair + lane / 4 % 2) * layout.pitch + lane % 4 * row_bytes;
    // By the copy engine; where rows are not aligned, by the lane itself.
    const auto fetch = [&](int round) {
      const int64_t left = tokens - token_of(round, pair);
      const int valid = left >= 2 ? 2 : left == 1 ? 1 : 0;
      uint64_t *full = &barriers.full[round % kBuffers];
      unsigned char *to = tile_at(round) + offset;
      if (packed) {
        if (lane == 0) sm90::arrive_expect(full, valid * kStreams * row_bytes);
        __syncwarp();  // the bytes are announced before they are asked for
        if (lane < valid * kStreams) sm90::bulk_copy(to, from, row_bytes, full);
      } else {
        if (lane < valid * kStreams)
          for (int h = 0; h < columns; ++h) reinterpret_cast<uint16_t *>(to)[h] = from[h];
        __syncwarp();  // the warp's stores before its arrival
        if (lane == 0) sm90::arrive_expect(full, 0);
      }
      from += next_tile;
    };
    for (int round = 0; round < kBuffers && round < rounds; ++round) fetch(round);
    sm90::cluster_wait();
    const bool first_only = mix.delayed && !mix.prev_pre;
    for (int round = 0; round < rounds; ++round) {
      const int buffer = round % kBuffers;
      sm90::wait(&barriers.done[buffer], (round / kBuffers) & 1);
      sm90::wait(&barriers.pre[buffer], (round / kBuffers) & 1);
      if (threadIdx.x == 32 * kWarps) sm90::arrive_expect(&barriers.pre[buffer], kTile * 16);
#pragma unroll 1
      for (int r = 0; r < 2; ++r) {
        const int64_t t = token_of(round, pair + r);
        if (t >= tokens) break;
        float4 pre = reinterpret_cast<const float4 *>(pre_in)[buffer * kTile + pair + r];
        if (mix.delayed && mix.prev_pre) {
          const float *previous = mix.prev_pre + t * mix.prev_pre_stride;
          pre = make_float4(previous[0], previous[1], previous[2], previous[3]);
        }
        const unsigned char *row = tile_at(round) + (pair + r) * layout.pitch + lane * 16;
        uint16_t *out = static_cast<uint16_t *>(mix.y) + t * mix.y_stride + column0 + lane * 8;
#pragma unroll 1
        for (int left = columns - lane * 8; left > 0; left -= 256, row += 512, out += 256) {
          uint4 v[4];
#pragma unroll
          for (int i = 0; i < 4; ++i) v[i] = *reinterpret_cast<const uint4 *>(row + i * row_bytes);
          uint4 y = v[0];
          if (!first_only) {
            const auto pair_of = [&](uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3) {
              const float factors[4] = {pre.x, pre.y, pre.z, pre.w};
              const float even[4] = {sm90::low_half(w0), sm90::low_half(w1), sm90::low_half(w2),
                                     sm90::low_half(w3)};
              const float odd[4] = {sm90::high_half(w0), sm90::high_half(w1), sm90::high_half(w2),
                                    sm90::high_half(w3)};
              return sm90::round_pair(collapse(factors, even), collapse(factors, odd));
            };
            y = make_uint4(
                pair_of(v[0].x, v[1].x, v[2].x, v[3].x), pair_of(v[0].y, v[1].y, v[2].y, v[3].y),
                pair_of(v[0].z, v[1].z, v[2].z, v[3].z), pair_of(v[0].w, v[1].w, v[2].w, v[3].w));
          }
          if (packed_out) {
            *reinterpret_cast<uint4 *>(out) = y;
          } else {
            const uint32_t w[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int e = 0; e < 8; ++e) out[e] = static_cast<uint16_t>(w[e / 2] >> (e % 2 * 16));
          }
        }
      }
      if (round + kBuffers < rounds) {
        sm90::fence_copy_engine();  // the rows were read, and by post written, by ordinary accesses
        __syncwarp();               // all of the warp is done with them
        fetch(round + kBuffers);
      }
    }
  } else {
    // --- Products
    // ---------------------------------------------------------------------------------
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kProductRegisters));
    const auto fetch_x = [&](int round) {
      const int64_t t = token_of(round, warp);
      unsigned char *to = shared + layout.x + warp * row_bytes;
      const uint16_t *from =
          static_cast<const uint16_t *>(a.post.x) + column0 + t * a.post.x_stride;
      if (packed) {
        if (lane == 0) {
          sm90::arrive_expect(&barriers.x, t < tokens ? row_bytes : 0);
          if (t < tokens) sm90::bulk_copy(to, from, row_bytes, &barriers.x);
        }
      } else {
        for (int h = lane; h < columns && t < tokens; h += 32)
          reinterpret_cast<uint16_t *>(to)[h] = from[h];
        __syncwarp();  // the warp's stores before its arrival
        if (lane == 0) sm90::arrive_expect(&barriers.x, 0);
      }
    };
    // Of this warp's token; lane l < 4: post_l; lane 4 + 4i + j: comb_ij.
    const auto fetch_mixes = [&](int round) {
      const int64_t t = token_of(round, warp);
      if (round >= rounds || t >= tokens) return 0.0f;
      if (lane < 4) return a.post.post_mix[t * a.post.post_mix_stride + lane];
      if (lane < 20 && a.post.comb_mix)
        return a.post.comb_mix[t * a.post.comb_mix_stride + lane - 4];
      return 0.0f;
    };
    float mixes = 0.0f;
    if (Fused) {
      fetch_x(0);
      mixes = fetch_mixes(0);
    }

    // fn into registers. Words of a group: [step][4], as the instruction takes them.
    const int g = lane / 4, q = lane % 4;
    const int groups = static_cast<int>(hidden) / 128;                // of the whole slice
    const int own = Exact ? Groups : (groups + kWarps - 1) / kWarps;  // of a warp
    uint32_t high[Groups][2][4], middle[Groups][2][4], last[Groups][2][4];
    uint4 low[low_shared ? 1 : Groups][3];
    uint4 *low_in = reinterpret_cast<uint4 *>(shared + layout.low) + warp * Groups * 96 + lane;
    // All of it is asked for before any is used: one latency, in the registers that the parts take.
    float4 f[Groups][3][2];
#pragma unroll
    for (int i = 0; i < Groups; ++i) {
      const int group = warp * own + i, k = group * 32 + q * 8;
      const int stream = k / columns, h = k - stream * columns;
      const bool mine = Exact || (i < own && group < groups);
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        const float *from = static_cast<const float *>(mix.fn) +
                            ((j * 8 + g) * kStreams + stream) * hidden + column0 + h;
        f[i][j][0] = f[i][j][1] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (mine && packed) {
          f[i][j][0] = __ldg(reinterpret_cast<const float4 *>(from));
          f[i][j][1] = __ldg(reinterpret_cast<const float4 *>(from) + 1);
        } else if (mine) {
          f[i][j][0] = make_float4(from[0], from[1], from[2], from[3]);
          f[i][j][1] = make_float4(from[4], from[5], from[6], from[7]);
        }
      }
    }
    asm volatile("" ::: "memory");
#pragma unroll
    for (int i = 0; i < Groups; ++i) {
      uint32_t l[3][4];  // lo of rows g, g + 8, g + 16
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        const float4 f0 = f[i][j][0], f1 = f[i][j][1];
        const float values[8] = {f0.x, f0.y, f0.z, f0.w, f1.x, f1.y, f1.z, f1.w};
#pragma unroll
        for (int w = 0; w < 4; ++w) {
          // Cut, not rounded, to 8 bits twice, what is left has 8: nothing of fn is lost.
          const float u = values[2 * w], v = values[2 * w + 1];
          const float u1 = sm90::lower_rest(u), v1 = sm90::lower_rest(v);
          const uint32_t hi = sm90::upper_halves(u, v), mid = sm90::upper_halves(u1, v1);
          l[j][w] = sm90::upper_halves(sm90::lower_rest(u1), sm90::lower_rest(v1));
          const int step = w / 2, slot = w % 2 * 2 + (j == 1 ? 1 : 0);
          if (j < 2) {
            high[i][step][slot] = hi;
            middle[i][step][slot] = mid;
          } else {
            last[i][step][slot] = hi;
            last[i][step][slot + 1] = mid;
          }
        }
      }
      const uint4 words[3] = {make_uint4(l[0][0], l[1][0], l[0][1], l[1][1]),
                              make_uint4(l[0][2], l[1][2], l[0][3], l[1][3]),
                              make_uint4(l[2][0], l[2][1], l[2][2], l[2][3])};
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        if constexpr (low_shared)
          low_in[(i * 3 + j) * 32] = words[j];
        else
          low[i][j] = words[j];
      }
    }
    sm90::cluster_wait();

    // post of this warp's token: the new residual goes out and replaces the old in the tile.
    const auto post_token = [&](int round) {
      const int64_t t = token_of(round, warp);
      float post[4], comb[4][4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        post[j] = __shfl_sync(0xffffffffu, mixes, j);
#pragma unroll
        for (int i = 0; i < 4; ++i) comb[j][i] = __shfl_sync(0xffffffffu, mixes, 4 + 4 * i + j);
      }
      mixes = fetch_mixes(round + 1);
      sm90::wait(&barriers.x, round & 1);
      const unsigned char *x_row = shared + layout.x + warp * row_bytes;
      unsigned char *row = tile_at(round) + warp * layout.pitch;
      uint16_t *out = static_cast<uint16_t *>(a.post.out) + t * a.post.out_stride + column0;
      // `plain`: comb is given, x2 is not; the loop without their branches.
      const auto columns_of = [&](auto plain) {
        for (int h = lane * 4; h < columns && t < tokens; h += 128) {
          const uint2 xw = *reinterpret_cast<const uint2 *>(x_row + h * 2);
          float x[4] = {sm90::low_half(xw.x), sm90::high_half(xw.x), sm90::low_half(xw.y),
                        sm90::high_half(xw.y)};
          if (!plain.value && a.post.x2) {
#pragma unroll
            for (int e = 0; e < 4; ++e)
              x[e] += load<Bf16>(a.post.x2, t * a.post.x2_stride + column0 + h + e);
          }
          uint2 v[4], o[4];
#pragma unroll
          for (int i = 0; i < 4; ++i)
            v[i] = *reinterpret_cast<const uint2 *>(row + i * row_bytes + h * 2);
#pragma unroll
          for (int e = 0; e < 4; e += 2) {
            float even[4], odd[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
              const uint32_t w = e ? v[i].y : v[i].x;
              even[i] = sm90::low_half(w), odd[i] = sm90::high_half(w);
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
              const float u = plain.value || a.post.comb_mix
                                  ? mixed(post[j], x[e], comb[j], even)
                                  : mixed_identity(post[j], x[e], even[j]);
              const float w = plain.value || a.post.comb_mix
                                  ? mixed(post[j], x[e + 1], comb[j], odd)
                                  : mixed_identity(post[j], x[e + 1], odd[j]);
              (e ? o[j].y : o[j].x) = sm90::round_pair(u, w);
            }
          }
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            *reinterpret_cast<uint2 *>(row + j * row_bytes + h * 2) = o[j];
            uint16_t *to = out + j * hidden + h;
            if (packed_out) {
              *reinterpret_cast<uint2 *>(to) = o[j];
            } else {
              to[0] = static_cast<uint16_t>(o[j].x), to[1] = static_cast<uint16_t>(o[j].x >> 16);
              to[2] = static_cast<uint16_t>(o[j].y), to[3] = static_cast<uint16_t>(o[j].y >> 16);
            }
          }
        }
      };
      if (a.post.comb_mix && !a.post.x2)
        columns_of(std::true_type());
      else
        columns_of(std::false_type());
      if (round + 1 < rounds) {
        sm90::fence_copy_engine();  // x was read by ordinary accesses
        __syncwarp();               // by all of the warp
        fetch_x(round + 1);
      }
      sm90::sync_threads(1, 32 * kWarps);  // every warp reads the whole new tile
    };

    for (int round = 0; round < rounds; ++round) {
      sm90::wait(&barriers.full[round % kBuffers], (round / kBuffers) & 1);
      if constexpr (Fused) post_token(round);

      // Products of the warp's groups, and squares of token g.
      float sums[2][4] = {}, squares_of[2] = {};
      const unsigned char *rows = tile_at(round) + g * layout.pitch + q * 16;
#pragma unroll
      for (int i = 0; i < Groups; ++i) {
        const int group = warp * own + i;
        if (!Exact && (i >= own || group >= groups)) break;
        const uint4 v = *reinterpret_cast<const uint4 *>(rows + group * 64);
        uint4 l[3];
#pragma unroll
        for (int j = 0; j < 3; ++j) {
          if constexpr (low_shared)
            l[j] = low_in[(i * 3 + j) * 32];
          else
            l[j] = low[i][j];
        }
        // Small parts first; two steps in four short chains; then rounding to nearest.
        float even[2][4] = {}, odd[2][4] = {};
        const auto &h = high[i], &m = middle[i], &t = last[i];
        sm90::mma_bf16(even[0], l[0].x, l[0].y, l[0].z, l[0].w, v.x, v.y);
        sm90::mma_bf16(odd[0], l[1].x, l[1].y, l[1].z, l[1].w, v.z, v.w);
        sm90::mma_bf16(even[1], l[2].x, 0, l[2].y, 0, v.x, v.y);
        sm90::mma_bf16(odd[1], l[2].z, 0, l[2].w, 0, v.z, v.w);
        sm90::mma_bf16(even[0], m[0][0], m[0][1], m[0][2], m[0][3], v.x, v.y);
        sm90::mma_bf16(odd[0], m[1][0], m[1][1], m[1][2], m[1][3], v.z, v.w);
        sm90::mma_bf16(even[1], t[0][0], t[0][1], t[0][2], t[0][3], v.x, v.y);
        sm90::mma_bf16(odd[1], t[1][0], t[1][1], t[1][2], t[1][3], v.z, v.w);
        sm90::mma_bf16(even[0], h[0][0], h[0][1], h[0][2], h[0][3], v.x, v.y);
        sm90::mma_bf16(odd[0], h[1][0], h[1][1], h[1][2], h[1][3], v.z, v.w);
        const uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int w = 0; w < 4; ++w) {
          const float lower = sm90::low_half(words[w]), upper = sm90::high_half(words[w]);
          squares_of[0] = fmaf(lower, lower, squares_of[0]);
          squares_of[1] = fmaf(upper, upper, squares_of[1]);
        }
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          sums[0][e] += even[0][e] + odd[0][e];
          sums[1][e] += even[1][e] + odd[1][e];
        }
      }
      float squares = squares_of[0] + squares_of[1];
      squares += __shfl_xor_sync(0xffffffffu, squares, 1);
      squares += __shfl_xor_sync(0xffffffffu, squares, 2);
      // [warp][token][sum]; two of these, as a slow warp may still add up the last tile's.
      float *partial =
          reinterpret_cast<float *>(shared + layout.partial) + (round & 1) * kWarps * kTile * kSums;
      float *mine = partial + warp * kTile * kSums;
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float *to = mine + (2 * q + e) * kSums + g;
        to[0] = sums[0][e];
        to[8] = sums[0][2 + e];
        to[16] = sums[1][e] + sums[1][2 + e];
      }
      if (q == 0) mine[g * kSums + kRows] = squares;
      sm90::sync_threads(1, 32 * kWarps);  // the 8 warps' sums; all have read the tile
      // Where post wrote the tile, each thread answers for its own stores.
      if (Fused || threadIdx.x == 0) sm90::arrive_expect(&barriers.done[round % kBuffers], 0);
      if (lane < kSums / 4) {
        const float4 *from = reinterpret_cast<const float4 *>(partial + warp * kSums) + lane;
        float4 sum = from[0];
#pragma unroll
        for (int w = 1; w < kWarps; ++w) {
          const float4 more = from[w * (kTile * kSums / 4)];
          sum.x += more.x, sum.y += more.y, sum.z += more.z, sum.w += more.w;
        }
        const int owner = (round & 1) * kTile + warp, p = (round >> 1) % kGateWarps;
        sm90::send(sm90::peer_address(received + (p * kCluster + rank) * kSums + lane * 4, owner),
                   sum, sm90::peer_address(&barriers.sums[p], owner));
      }
    }
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
    return Choice{k, groups, Layout(hidden, groups > 4, groups, Fused).bytes};
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
