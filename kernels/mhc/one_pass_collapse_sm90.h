// SPDX-License-Identifier: MIT
/**
 * @file one_pass_collapse_sm90.h
 * @brief The residual's way into shared memory, and the collapse of what lies there.
 */
#ifndef PLAIT_KERNELS_MHC_ONE_PASS_COLLAPSE_SM90_H
#define PLAIT_KERNELS_MHC_ONE_PASS_COLLAPSE_SM90_H

#include "kernels/mhc/apply.h"
#include "kernels/mhc/one_pass_block_sm90.h"

namespace plait::kernels::one_pass {

/// All of the residual's rows, a tile at a time, as soon as its place is free.
template <class Block>
__device__ void fetch_tiles(const Block &b) {
  const Streams &in = Block::Fused ? b.a.post.v : b.mix.v;
  const uint16_t *from =
      static_cast<const uint16_t *>(in.data) + b.column0() + b.token(0, 0) * in.token_stride;
  const int64_t next_tile = static_cast<int64_t>(b.clusters) * kTile * in.token_stride;
  const uint32_t row_bytes = b.row_bytes();
  for (int round = 0; round < b.rounds; ++round, from += next_tile) {
    const int buffer = round % Block::kBuffers;
    sm90::wait(&b.barriers.empty[buffer], b.free_parity(round, Block::kBuffers));
    if (Block::Fused) sm90::fence_copy_engine();  // post wrote the rows by ordinary stores
    const int64_t left = b.mix.v.tokens - b.token(round, 0);
    const int valid = left < kTile ? static_cast<int>(left) : kTile;
    uint64_t *full = &b.barriers.full[buffer];
    if (b.packed()) {
      if (sm90::elect_one()) {
        sm90::arrive_expect(full, valid * kStreams * row_bytes);
        unsigned char *to = b.tile(round);
        const uint16_t *row = from;
        for (int of_tile = 0; of_tile < valid;
             ++of_tile, to += b.layout.pitch, row += in.token_stride) {
#pragma unroll
          for (int i = 0; i < kStreams; ++i)
            sm90::bulk_copy(to + i * row_bytes, row + i * in.stream_stride, row_bytes, full);
        }
      }
      __syncwarp();
    } else {
      // Lane l has stream l % 4 of token l / 4.
      const int of_tile = b.lane / 4, stream = b.lane % 4;
      const uint16_t *row = from + of_tile * in.token_stride + stream * in.stream_stride;
      uint16_t *to = reinterpret_cast<uint16_t *>(b.tile(round) + of_tile * b.layout.pitch +
                                                  stream * row_bytes);
      if (of_tile < valid)
        for (int h = 0; h < b.columns; ++h) to[h] = row[h];
      __syncwarp();  // the warp's stores before its arrival
      if (b.lane == 0) sm90::arrive_expect(full, 0);
    }
  }
  sm90::cluster_wait();
}

/// Two tokens' columns of one tile by a warp; the second token only where `both`. FirstOnly: stream
/// 0 as it is.
template <bool FirstOnly, class Block>
__device__ void collapse_pair(const Block &b, const unsigned char *row, uint16_t *out, bool both,
                              const float4 (&pre)[2]) {
  const int row_bytes = b.row_bytes();
#pragma unroll 1
  for (int h = b.lane * 4; h < b.columns; h += 128, row += 256, out += 128) {
    uint2 v[2][4];
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
      for (int i = 0; i < (FirstOnly ? 1 : 4); ++i)
        v[r][i] = *reinterpret_cast<const uint2 *>(row + r * b.layout.pitch + i * row_bytes);
    uint2 y[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (FirstOnly) {
        y[r] = v[r][0];
      } else {
        const float factors[4] = {pre[r].x, pre[r].y, pre[r].z, pre[r].w};
        const auto pair = [&](uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3) {
          const float even[4] = {sm90::low_half(w0), sm90::low_half(w1), sm90::low_half(w2),
                                 sm90::low_half(w3)};
          const float odd[4] = {sm90::high_half(w0), sm90::high_half(w1), sm90::high_half(w2),
                                sm90::high_half(w3)};
          return sm90::round_pair(collapse(factors, even), collapse(factors, odd));
        };
        y[r] = make_uint2(pair(v[r][0].x, v[r][1].x, v[r][2].x, v[r][3].x),
                          pair(v[r][0].y, v[r][1].y, v[r][2].y, v[r][3].y));
      }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (r && !both) break;
      uint16_t *to = r ? out + b.mix.y_stride : out;
      if (b.packed_out()) {
        *reinterpret_cast<uint2 *>(to) = y[r];
      } else {
        to[0] = static_cast<uint16_t>(y[r].x), to[1] = static_cast<uint16_t>(y[r].x >> 16);
        to[2] = static_cast<uint16_t>(y[r].y), to[3] = static_cast<uint16_t>(y[r].y >> 16);
      }
    }
  }
}

/// Four warps; each has two tokens of every tile.
template <class Block>
__device__ void collapse_tiles(const Block &b) {
  constexpr int kBuffers = Block::kBuffers;
  const Mix &mix = b.mix;
  const int first = (b.warp - kProductWarps) * 2;  // the warp's tokens: this and the next
  const bool first_only = mix.delayed && !mix.prev_pre;
  uint16_t *out =
      static_cast<uint16_t *>(mix.y) + b.token(0, first) * mix.y_stride + b.column0() + b.lane * 4;
  const int64_t next_out = static_cast<int64_t>(b.clusters) * kTile * mix.y_stride;
  int64_t left = mix.v.tokens - b.token(0, first);
  sm90::cluster_wait();
  for (int round = 0; round < b.rounds; ++round, out += next_out, left -= b.clusters * kTile) {
    const int buffer = round % kBuffers;
    sm90::wait(&b.barriers.done[buffer], b.parity(round, kBuffers));
    sm90::wait(&b.barriers.pre[buffer], b.parity(round, kBuffers));
    if (threadIdx.x == 32 * kProductWarps) sm90::arrive_expect(&b.barriers.pre[buffer], kTile * 16);
    if (left > 0) {
      float4 pre[2] = {b.pre(round)[first], b.pre(round)[first + 1]};
      if (mix.delayed && mix.prev_pre) {
        const float *previous = mix.prev_pre + b.token(round, first) * mix.prev_pre_stride;
        pre[0] = make_float4(previous[0], previous[1], previous[2], previous[3]);
        if (left > 1) {
          previous += mix.prev_pre_stride;
          pre[1] = make_float4(previous[0], previous[1], previous[2], previous[3]);
        }
      }
      const unsigned char *row = b.tile(round) + first * b.layout.pitch + b.lane * 8;
      if (first_only)
        collapse_pair<true>(b, row, out, left > 1, pre);
      else
        collapse_pair<false>(b, row, out, left > 1, pre);
    }
    __syncwarp();  // all of the warp is done with the rows
    if (b.lane == 0) sm90::arrive_expect(&b.barriers.empty[buffer], 0);
  }
}

}  // namespace plait::kernels::one_pass

#endif
