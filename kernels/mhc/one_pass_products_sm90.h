// SPDX-License-Identifier: MIT
/**
 * @file one_pass_products_sm90.h
 * @brief fn as an operand that stays in the block, post of a tile, and a tile's products.
 *
 * Operand A, five tiles of 16 rows:  0: hi of rows 0-15   1: mid of 0-15   2: lo of 0-15
 *                                    3: hi of 16-23, mid of 16-23
 *                                    4: lo of 16-23, the eight tokens themselves
 * The last makes the sums of squares: row 8 + g, column g of its result.
 *
 * Operand B: lane 4g + q holds elements 8q … 8q+7 of a group of 32 of token g, two matrix steps:
 * the first four are its part of step 0, the last four of step 1; A alike.
 */
#ifndef PLAIT_KERNELS_MHC_ONE_PASS_PRODUCTS_SM90_H
#define PLAIT_KERNELS_MHC_ONE_PASS_PRODUCTS_SM90_H

#include <type_traits>

#include "kernels/mhc/apply.h"
#include "kernels/mhc/element.h"
#include "kernels/mhc/one_pass_block_sm90.h"

namespace plait::kernels::one_pass {

/// A warp's part of fn, as the matrix instruction takes it: words [group][step][4].
template <class Block>
struct Operand {
  static constexpr int Groups = Block::Groups;
  uint32_t high[Groups][2][4], middle[Groups][2][4], last[Groups][2][4];
  uint4 low[Block::LowShared ? 1 : Groups][3];
  uint4 *low_in;  // where low lies in shared memory

  /// Step 0 and step 1 of lo of rows 0-15; lo of rows 16-23, both steps.
  __device__ uint4 low_of(int group, int part) const {
    if constexpr (Block::LowShared)
      return low_in[(group * 3 + part) * 32];
    else
      return low[group][part];
  }

  /// Groups of the whole slice, and of a warp.
  static __device__ int groups(const Block &b) { return static_cast<int>(b.hidden) / 128; }
  static __device__ int own(const Block &b) {
    return Block::Exact ? Groups : (groups(b) + kProductWarps - 1) / kProductWarps;
  }

  __device__ explicit Operand(const Block &b) {
    const int g = b.lane / 4, q = b.lane % 4;
    low_in = reinterpret_cast<uint4 *>(b.shared + b.layout.low) + b.warp * Groups * 96 + b.lane;
    // All of it is asked for before any is used: one latency, in the registers that the parts take.
    float4 f[Groups][3][2];
#pragma unroll
    for (int i = 0; i < Groups; ++i) {
      const int group = b.warp * own(b) + i, k = group * 32 + q * 8;
      const int stream = k / b.columns, h = k - stream * b.columns;
      const bool mine = Block::Exact || (i < own(b) && group < groups(b));
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        const float *from = static_cast<const float *>(b.mix.fn) +
                            ((j * 8 + g) * kStreams + stream) * b.hidden + b.column0() + h;
        f[i][j][0] = f[i][j][1] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (mine && b.packed()) {
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
        if constexpr (Block::LowShared)
          low_in[(i * 3 + j) * 32] = words[j];
        else
          low[i][j] = words[j];
      }
    }
  }
};

/// post of a tile by the warps of products, a token each: the new residual goes out and replaces
/// the old in the tile.
template <class Block>
struct PostOfTile {
  const Block &b;
  float mixes = 0.0f;  // of this warp's token; lane l < 4: post_l; lane 4 + 4i + j: comb_ij

  __device__ explicit PostOfTile(const Block &block) : b(block) {
    fetch_x(0);
    fetch_mixes(0);
  }

  __device__ void fetch_x(int round) const {
    const int64_t t = b.token(round, b.warp), tokens = b.mix.v.tokens;
    unsigned char *to = b.shared + b.layout.x + b.warp * b.row_bytes();
    const uint16_t *from =
        static_cast<const uint16_t *>(b.a.post.x) + b.column0() + t * b.a.post.x_stride;
    if (b.packed()) {
      if (b.lane == 0) {
        sm90::arrive_expect(&b.barriers.x, t < tokens ? b.row_bytes() : 0);
        if (t < tokens) sm90::bulk_copy(to, from, b.row_bytes(), &b.barriers.x);
      }
    } else {
      for (int h = b.lane; h < b.columns && t < tokens; h += 32)
        reinterpret_cast<uint16_t *>(to)[h] = from[h];
      __syncwarp();  // the warp's stores before its arrival
      if (b.lane == 0) sm90::arrive_expect(&b.barriers.x, 0);
    }
  }

  __device__ void fetch_mixes(int round) {
    const Post &post = b.a.post;
    const int64_t t = b.token(round, b.warp);
    mixes = 0.0f;
    if (round >= b.rounds || t >= b.mix.v.tokens) return;
    if (b.lane < 4) mixes = post.post_mix[t * post.post_mix_stride + b.lane];
    if (b.lane >= 4 && b.lane < 20 && post.comb_mix)
      mixes = post.comb_mix[t * post.comb_mix_stride + b.lane - 4];
  }

  /// `Plain`: comb is given, x2 is not; the loop without their branches.
  template <bool Plain>
  __device__ void columns_of(int64_t t, unsigned char *row, const float (&post)[4],
                             const float (&comb)[4][4]) const {
    const Post &p = b.a.post;
    const unsigned char *x_row = b.shared + b.layout.x + b.warp * b.row_bytes();
    uint16_t *out = static_cast<uint16_t *>(p.out) + t * p.out_stride + b.column0();
    for (int h = b.lane * 4; h < b.columns && t < b.mix.v.tokens; h += 128) {
      const uint2 xw = *reinterpret_cast<const uint2 *>(x_row + h * 2);
      float x[4] = {sm90::low_half(xw.x), sm90::high_half(xw.x), sm90::low_half(xw.y),
                    sm90::high_half(xw.y)};
      if (!Plain && p.x2) {
#pragma unroll
        for (int e = 0; e < 4; ++e) x[e] += load<Bf16>(p.x2, t * p.x2_stride + b.column0() + h + e);
      }
      uint2 v[4], o[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        v[i] = *reinterpret_cast<const uint2 *>(row + i * b.row_bytes() + h * 2);
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
          const bool mix = Plain || p.comb_mix;
          const float u =
              mix ? mixed(post[j], x[e], comb[j], even) : mixed_identity(post[j], x[e], even[j]);
          const float w = mix ? mixed(post[j], x[e + 1], comb[j], odd)
                              : mixed_identity(post[j], x[e + 1], odd[j]);
          (e ? o[j].y : o[j].x) = sm90::round_pair(u, w);
        }
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        *reinterpret_cast<uint2 *>(row + j * b.row_bytes() + h * 2) = o[j];
        uint16_t *to = out + j * b.hidden + h;
        if (b.packed_out()) {
          *reinterpret_cast<uint2 *>(to) = o[j];
        } else {
          to[0] = static_cast<uint16_t>(o[j].x), to[1] = static_cast<uint16_t>(o[j].x >> 16);
          to[2] = static_cast<uint16_t>(o[j].y), to[3] = static_cast<uint16_t>(o[j].y >> 16);
        }
      }
    }
  }

  __device__ void run(int round) {
    float post[4], comb[4][4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      post[j] = __shfl_sync(0xffffffffu, mixes, j);
#pragma unroll
      for (int i = 0; i < 4; ++i) comb[j][i] = __shfl_sync(0xffffffffu, mixes, 4 + 4 * i + j);
    }
    fetch_mixes(round + 1);
    sm90::wait(&b.barriers.x, round & 1);
    const int64_t t = b.token(round, b.warp);
    unsigned char *row = b.tile(round) + b.warp * b.layout.pitch;
    if (b.a.post.comb_mix && !b.a.post.x2)
      columns_of<true>(t, row, post, comb);
    else
      columns_of<false>(t, row, post, comb);
    if (round + 1 < b.rounds) {
      sm90::fence_copy_engine();  // x was read by ordinary accesses
      __syncwarp();               // by all of the warp
      fetch_x(round + 1);
    }
    sm90::sync_threads(1, 32 * kProductWarps);  // every warp reads the whole new tile
  }
};

/// Post where it is fused, then the products of each tile with the warp's part of fn.
template <class Block>
__device__ void multiply_tiles(const Block &b) {
  constexpr int Groups = Block::Groups;
  using PostWork = std::conditional_t<Block::Fused, PostOfTile<Block>, const Block &>;
  PostWork post(b);
  const Operand<Block> fn(b);
  const int g = b.lane / 4, q = b.lane % 4;
  const int first = b.warp * fn.own(b), last = min(first + fn.own(b), fn.groups(b));

  for (int round = 0; round < b.rounds; ++round) {
    const int buffer = round % Block::kBuffers;
    sm90::wait(&b.barriers.full[buffer], b.parity(round, Block::kBuffers));
    if constexpr (Block::Fused) post.run(round);

    // Parts of equal weight share a chain of additions: small ones are not lost in large ones. mid
    // and lo share one where registers are short.
    float high[4] = {}, small[2][4] = {}, last_high[4] = {}, last_low[4] = {};
    constexpr int kLow = Block::LowShared ? 0 : 1;
    const unsigned char *rows = b.tile(round) + g * b.layout.pitch + first * 64 + q * 16;
    uint4 next = *reinterpret_cast<const uint4 *>(rows);
#pragma unroll
    for (int i = 0; i < Groups; ++i) {
      if (!Block::Exact && first + i >= last) break;
      const uint4 v = next;
      const uint4 l0 = fn.low_of(i, 0), l1 = fn.low_of(i, 1), l2 = fn.low_of(i, 2);
      if (i + 1 < Groups) next = *reinterpret_cast<const uint4 *>(rows + (i + 1) * 64);
      const auto &h = fn.high[i], &m = fn.middle[i], &t = fn.last[i];
      sm90::mma_bf16(high, h[0][0], h[0][1], h[0][2], h[0][3], v.x, v.y);
      sm90::mma_bf16(last_high, t[0][0], t[0][1], t[0][2], t[0][3], v.x, v.y);
      sm90::mma_bf16(small[0], m[0][0], m[0][1], m[0][2], m[0][3], v.x, v.y);
      sm90::mma_bf16(high, h[1][0], h[1][1], h[1][2], h[1][3], v.z, v.w);
      sm90::mma_bf16(last_high, t[1][0], t[1][1], t[1][2], t[1][3], v.z, v.w);
      sm90::mma_bf16(small[0], m[1][0], m[1][1], m[1][2], m[1][3], v.z, v.w);
      sm90::mma_bf16(last_low, l2.x, v.x, l2.y, v.y, v.x, v.y);
      sm90::mma_bf16(small[kLow], l0.x, l0.y, l0.z, l0.w, v.x, v.y);
      sm90::mma_bf16(last_low, l2.z, v.z, l2.w, v.w, v.z, v.w);
      sm90::mma_bf16(small[kLow], l1.x, l1.y, l1.z, l1.w, v.z, v.w);
    }
    __syncwarp();  // all of the warp has read the tile, and post has written it
    if (b.lane == 0) sm90::arrive_expect(&b.barriers.done[buffer], 0);

    const int ring = round % kPartials;
    sm90::wait(&b.barriers.partial_free[ring], b.free_parity(round, kPartials));
    float *mine = b.partial(round) + b.warp * kTile * kSums;
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float *to = mine + (2 * q + e) * kSums + g;
      to[0] = (small[1][e] + small[0][e]) + high[e];
      to[8] = (small[1][2 + e] + small[0][2 + e]) + high[2 + e];
      to[16] = (last_low[e] + last_high[2 + e]) + last_high[e];
      if (g == 2 * q + e) mine[g * kSums + kRows] = last_low[2 + e];
    }
    __syncwarp();  // the warp's stores before its arrival
    if (b.lane == 0) sm90::arrive_expect(&b.barriers.partial_full[ring], 0);
  }
  sm90::cluster_wait();
}

}  // namespace plait::kernels::one_pass

#endif
