// SPDX-License-Identifier: MIT
/**
 * @file one_pass_gates_sm90.h
 * @brief From a tile's products to its mixes, one pass on Hopper: sums over warps and blocks,
 *        sigmoids, Sinkhorn.
 */
#ifndef PLAIT_KERNELS_MHC_ONE_PASS_GATES_SM90_H
#define PLAIT_KERNELS_MHC_ONE_PASS_GATES_SM90_H

#include "kernels/mhc/gates.h"
#include "kernels/mhc/one_pass_block_sm90.h"

namespace plait::kernels::one_pass {

/// Below this eps a row or column sum may be so small that only a true division is right.
constexpr float kSmallestFastEps = 1e-18f;

/**
 * The steps of Sinkhorn after the softmax, of a 4 x 4 matrix by one lane. The matrix is kept as
 * c_ij r_i q_j. Dividing row i by its sum + eps divides r_i alone: r_i / (r_i s + eps) = 1 / (s +
 * eps / r_i), s being the sum of c_ij q_j, and the divisor is the next eps' factor.
 */
__device__ inline void balance_4x4(float (&c)[16], int iters, float eps) {
  float r[4] = {1.0f, 1.0f, 1.0f, 1.0f}, over_r[4] = {1.0f, 1.0f, 1.0f, 1.0f};
  float q[4], over_q[4] = {1.0f, 1.0f, 1.0f, 1.0f};
#pragma unroll 1
  for (int step = 0;; ++step) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float sum = fmaf(c[j], r[0], c[4 + j] * r[1]) + fmaf(c[8 + j], r[2], c[12 + j] * r[3]);
      over_q[j] = fmaf(eps, over_q[j], sum);
      q[j] = sm90::reciprocal(over_q[j]);
    }
    if (step == iters - 1) break;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float sum =
          fmaf(c[4 * i], q[0], c[4 * i + 1] * q[1]) + fmaf(c[4 * i + 2], q[2], c[4 * i + 3] * q[3]);
      over_r[i] = fmaf(eps, over_r[i], sum);
      r[i] = sm90::reciprocal(over_r[i]);
    }
  }
#pragma unroll
  for (int k = 0; k < 16; ++k) c[k] *= r[k / 4] * q[k % 4];
}

/// The 8 warps' sums of each token, added up and sent to the block that owns the token. A lane has
/// four sums of two tokens.
template <class Block>
__device__ void sum_warps(const Block &b) {
  constexpr int kParts = kSums / 4;
  const int part = b.lane % 8 < kParts ? b.lane % 8 : 0;
  sm90::cluster_wait();
  for (int round = 0; round < b.rounds; ++round) {
    const int ring = round % kPartials;
    sm90::wait(&b.barriers.partial_full[ring], b.parity(round, kPartials));
    float4 sums[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int token = half * 4 + b.lane / 8;
      const float4 *from =
          reinterpret_cast<const float4 *>(b.partial(round)) + token * kParts + part;
      float4 of[kProductWarps];
#pragma unroll
      for (int w = 0; w < kProductWarps; ++w) of[w] = from[w * (kTile * kParts)];
      float4 sum = of[0];
#pragma unroll
      for (int w = 1; w < kProductWarps; ++w)
        sum.x += of[w].x, sum.y += of[w].y, sum.z += of[w].z, sum.w += of[w].w;
      sums[half] = sum;
    }
    __syncwarp();  // all of the warp has read
    if (b.lane == 0) sm90::arrive_expect(&b.barriers.partial_free[ring], 0);
    const int slot = (round >> 1) % Block::kSlots;
    const float *to = b.received(slot) + b.rank * kSums + part * 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int owner = (round & 1) * kTile + half * 4 + b.lane / 8;
      if (b.lane % 8 < kParts)
        sm90::send(sm90::peer_address(to, owner), sums[half],
                   sm90::peer_address(&b.barriers.sums[slot], owner));
    }
  }
}

/// Of the block's token of every second tile: pre to all blocks, post_mix and pre_mix to memory,
/// the rows of comb after their softmax (the logits, where eps is very small) to mix_streams().
template <class Block>
__device__ void gate_tokens(const Block &b) {
  const Mix &mix = b.mix;
  const int lane = b.lane, row = lane < kRows ? lane : 0;
  const float scale = mix.scale[row < 4 ? 0 : row < 8 ? 1 : 2], base = mix.base[row];
  const float per_element = 1.0f / static_cast<float>(kStreams * b.hidden);
  sm90::cluster_wait();
  int count = 0;  // of this block's tokens
  for (int round = b.rank / kTile; round < b.rounds; round += 2, ++count) {
    const int slot = count % Block::kSlots;
    sm90::wait(&b.barriers.sums[slot], b.parity(count, Block::kSlots));
    const float *in = b.received(slot) + (lane < kSums ? lane : 0);
    float of[kCluster];
#pragma unroll
    for (int r = 0; r < kCluster; ++r) of[r] = in[r * kSums];
    float sum = of[0];
#pragma unroll
    for (int r = 1; r < kCluster; ++r) sum += of[r];
    __syncwarp();  // all of the warp has read
    if (lane == 0) sm90::arrive_expect(&b.barriers.sums[slot], kCluster * kSums * 4);
    const float squares = __shfl_sync(0xffffffffu, sum, kRows);
    const float g = rsqrtf(squares * per_element + mix.rms_eps);
    const float gate = sum * g * scale + base;
    const float half = sm90::reciprocal(1.0f + expf(-gate));
    const float pre = half + mix.pre_eps;
    const float4 all =
        make_float4(__shfl_sync(0xffffffffu, pre, 0), __shfl_sync(0xffffffffu, pre, 1),
                    __shfl_sync(0xffffffffu, pre, 2), __shfl_sync(0xffffffffu, pre, 3));
    if (lane < kCluster)
      sm90::send(sm90::peer_address(b.pre(round) + b.rank % kTile, lane), all,
                 sm90::peer_address(&b.barriers.pre[round % Block::kBuffers], lane));
    const int64_t t = b.token(round, b.rank % kTile);
    if (t < mix.v.tokens) {
      if (lane < 4 && mix.pre_mix) mix.pre_mix[t * mix.pre_mix_stride + lane] = pre;
      if (lane >= 4 && lane < 8)
        mix.post_mix[t * mix.post_mix_stride + lane - 4] = mix.post_mult * half;
    }
    // Softmax of a row by its four lanes, 8 + 4i and on.
    float c = gate;
    if (mix.sinkhorn_eps >= kSmallestFastEps) {
      float largest = fmaxf(gate, __shfl_xor_sync(0xffffffffu, gate, 1));
      largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 2));
      const float e = expf(gate - largest);
      float sum_of_row = e + __shfl_xor_sync(0xffffffffu, e, 1);
      sum_of_row += __shfl_xor_sync(0xffffffffu, sum_of_row, 2);
      c = fmaf(e, sm90::reciprocal(sum_of_row), mix.sinkhorn_eps);
    }
    const int batch = count / kBatch, of_batch = count % kBatch;
    if (of_batch == 0) sm90::wait(&b.barriers.batch_free[batch % 2], b.free_parity(batch, 2));
    if (lane >= 8 && lane < kRows) b.logits(batch)[of_batch * 16 + lane - 8] = c;
    if (of_batch == kBatch - 1 || round + 2 >= b.rounds) {
      __syncwarp();  // the warp's stores before its arrival
      if (lane == 0) sm90::arrive_expect(&b.barriers.batch_full[batch % 2], 0);
    }
  }
}

/// comb of the block's tokens, a batch at a time, a lane a token.
template <class Block>
__device__ void mix_streams(const Block &b) {
  const Mix &mix = b.mix;
  const int first = b.rank / kTile;
  const int tokens = b.rounds > first ? (b.rounds - first + 1) / 2 : 0;  // of this block
  sm90::cluster_wait();
  for (int batch = 0; batch * kBatch < tokens; ++batch) {
    sm90::wait(&b.barriers.batch_full[batch % 2], b.parity(batch, 2));
    const int count = batch * kBatch + b.lane;
    const int64_t t = b.token(first + 2 * count, b.rank % kTile);
    float c[16];
    const float4 *in = reinterpret_cast<const float4 *>(b.logits(batch)) + b.lane % kBatch * 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float4 v = in[i];
      c[4 * i] = v.x, c[4 * i + 1] = v.y, c[4 * i + 2] = v.z, c[4 * i + 3] = v.w;
    }
    __syncwarp();  // all of the warp has read
    if (b.lane == 0) sm90::arrive_expect(&b.barriers.batch_free[batch % 2], 0);
    if (b.lane >= kBatch || count >= tokens || t >= mix.v.tokens) continue;
    if (mix.sinkhorn_eps >= kSmallestFastEps)
      balance_4x4(c, mix.sinkhorn_iters, mix.sinkhorn_eps);
    else
      sinkhorn_4x4_exact(c, mix.sinkhorn_iters, mix.sinkhorn_eps);
    float *comb = mix.comb_mix + t * mix.comb_mix_stride;
#pragma unroll
    for (int k = 0; k < 16; ++k) comb[k] = c[k];
  }
}

}  // namespace plait::kernels::one_pass

#endif
