// SPDX-License-Identifier: MIT
/**
 * @file products_matrix.h
 * @brief The products of pre on AMD's matrix units, with post fused before them or not: n = 4, bf16
 *        residual, f32 fn, H % 64 == 0.
 *
 * fn = bf16 hi + mid + lo, which is f32 again; the residual is bf16 as it is. A block takes a chunk
 * of 256 columns of all four streams and 64 tokens, 16 at a time:
 *
 *     wave w of 8 (wave64) or 16 (wave32) has columns [w C, (w+1) C) of the chunk, C = 32 or 16
 *     A  five tiles of 16 rows, in registers for all tokens, adding to two accumulators:
 *            0: lo of rows 0-15, mid 0-15, hi 0-15        1: mid and hi of 16-23, lo of 16-23 and
 * zeros B  [16 tokens][4 C]               straight from memory: a lane reads 16 or 32 bytes of a
 * stream
 *
 * The order of k within A and B is free, so a lane's elements are neighbours in memory: with P
 * lanes to a token, lane part p has columns p C/P … of each stream, and step s of a stream takes
 * its elements s R … s R + R - 1, where R is what an instruction reads of a lane.
 *
 * Sums: the instruction's, with streams and steps in order, then waves, ascending; mhc_finish adds
 * the chunks. All fixed. Registers: A 80 (wave64, gfx12) or 160 (gfx11), B 16 to 32; LDS 17 or 35
 * KiB.
 */
#ifndef PLAIT_KERNELS_MHC_PRODUCTS_MATRIX_H
#define PLAIT_KERNELS_MHC_PRODUCTS_MATRIX_H

#include "kernels/isa/mma.h"
#include "kernels/mhc/finish.h"

namespace plait::kernels::matrix {

constexpr int kThreads = 512, kChunk = 256, kStreams = 4, kRows = 24, kTokens = 64;
constexpr int kRowTiles = 5;
// Tokens of one pair of launches: their residual stays in the Infinity Cache (256 MiB) between the
// products and the collapse, at up to 57344 bytes a token.
constexpr int64_t kBatch = 3072;

inline int64_t chunks_of(int64_t hidden) { return (hidden + kChunk - 1) / kChunk; }

/// What row r of a row tile holds: part 0 lo, 1 mid, 2 hi, 3 zeros, of a row of fn.
struct RowOf {
  int part, source;
};
__device__ inline RowOf row_of(int tile, int r) {
  if (tile < 3) return {tile, r};
  const bool upper = r >= 8;
  return {tile == 3 ? (upper ? 2 : 1) : (upper ? 3 : 0), 16 + r % 8};
}

/// Neighbouring elements, by 16-byte reads where rows are aligned.
template <int Words>
__device__ inline void read(uint32_t (&v)[Words], const void *data, int64_t at, bool packed) {
  const uint16_t *from = static_cast<const uint16_t *>(data) + at;
  if (packed) {
#pragma unroll
    for (int w = 0; w < Words; w += 4) {
      const uint4 q = *reinterpret_cast<const uint4 *>(from + 2 * w);
      v[w] = q.x, v[w + 1] = q.y, v[w + 2] = q.z, v[w + 3] = q.w;
    }
  } else {
#pragma unroll
    for (int w = 0; w < Words; ++w)
      v[w] = from[2 * w] | static_cast<uint32_t>(from[2 * w + 1]) << 16;
  }
}

template <int Words>
__device__ inline void write(void *data, int64_t at, const uint32_t (&v)[Words], bool packed) {
  uint16_t *to = static_cast<uint16_t *>(data) + at;
  if (packed) {
#pragma unroll
    for (int w = 0; w < Words; w += 4)
      *reinterpret_cast<uint4 *>(to + 2 * w) = make_uint4(v[w], v[w + 1], v[w + 2], v[w + 3]);
  } else {
#pragma unroll
    for (int w = 0; w < Words; ++w) {
      to[2 * w] = static_cast<uint16_t>(v[w]);
      to[2 * w + 1] = static_cast<uint16_t>(v[w] >> 16);
    }
  }
}

__device__ inline float half_of(uint32_t word, int e) {
  return bf16_to_f32(static_cast<uint16_t>(word >> (16 * e)));
}

/// Keeps the compiler from moving memory accesses across this point.
__device__ inline void hold_order() { asm volatile("" ::: "memory"); }

/// What is left of a float after its upper half. Exact.
__device__ inline float lower_rest(float v) { return v - float_of(bits_of(v) & 0xFFFF0000u); }

/// Part 0 lo, 1 mid, 2 hi of two floats as a pair of bf16. Cut, not rounded, to 8 bits twice, what
/// is left has 8: nothing is lost.
__device__ inline uint32_t part_of(int part, float u, float v) {
  const float u1 = lower_rest(u), v1 = lower_rest(v);
  const float x = part == 2 ? u : part == 1 ? u1 : lower_rest(u1);
  const float y = part == 2 ? v : part == 1 ? v1 : lower_rest(v1);
  return bits_of(x) >> 16 | (bits_of(y) & 0xFFFF0000u);
}

template <Isa isa, bool Fused>
__global__ __launch_bounds__(kThreads) void products(Mix mix, Post post, bool packed,
                                                     float *partial, int chunks, int64_t first,
                                                     int64_t count) {
  using Tile = plait::Tile<isa, plait::Bf16>;
  if constexpr (Tile::available) {
    constexpr int wave_size = Tile::wave, waves = kThreads / wave_size;
    constexpr int columns = kChunk / waves;  // of a wave, in a stream
    constexpr int run = Tile::run, parts = Tile::K / run;
    constexpr int per_lane = columns / parts;  // neighbouring elements of a stream
    constexpr int steps = per_lane / run;      // of a stream
    constexpr int words = per_lane / 2;
    static_assert(run == per_lane / steps && per_lane % 8 == 0, "16-byte reads");

    __shared__ float lds[waves][32][17];
    __shared__ float lds_squares[waves][parts][16];
    const int tid = static_cast<int>(threadIdx.x), lane = tid % wave_size, wave = tid / wave_size;
    const int row = Tile::b_col(lane), part = Tile::b_k(lane, 0) / run;
    const int64_t H = mix.v.hidden;
    const int64_t h = blockIdx.y * kChunk + wave * columns + part * per_lane;
    const bool inside = h < H;  // H % 64 == 0: all of the lane's columns, or none

    // A: this wave's part of fn, split; one stream of a row tile at a time.
    struct Stream {
      typename Tile::A step[steps];
    };
    const auto load_fn = [&](int tile, int s) {
      // Rows of zeros and columns past H read fn's first elements and drop them: no branches.
      const RowOf r = row_of(tile, Tile::a_row(lane));
      const bool there = inside && r.part < 3;
      const float *from =
          static_cast<const float *>(mix.fn) + (there ? (r.source * kStreams + s) * H + h : 0);
      const uint32_t keep = there ? 0xFFFFFFFFu : 0u;
      Stream out;
#pragma unroll
      for (int w = 0; w < words; ++w)
        out.step[w / (run / 2)].w[w % (run / 2)] =
            keep & part_of(r.part, from[2 * w], from[2 * w + 1]);
      hold_order();  // or all of fn's f32 words are in flight, and in registers, at once
      return out;
    };
    // gfx11 holds A twice over, in 160 registers: too many, so it splits fn anew for each tile.
    constexpr bool resident = isa != Isa::gfx11;
    Stream fn[resident ? kRowTiles : 1][kStreams];
    if constexpr (resident) {
#pragma unroll
      for (int tile = 0; tile < kRowTiles; ++tile)
#pragma unroll
        for (int s = 0; s < kStreams; ++s) fn[tile][s] = load_fn(tile, s);
    }

    const int64_t tile_end = (static_cast<int64_t>(blockIdx.x) + 1) * kTokens;
    for (int64_t local = static_cast<int64_t>(blockIdx.x) * kTokens;
         local < tile_end && local < count; local += 16) {
      const int64_t t = first + local + row;
      const bool valid = inside && local + row < count;
      // Tokens and columns outside read what is inside and count as zeros.
      const Streams &in = Fused ? post.v : mix.v;
      uint32_t v[kStreams][words];
#pragma unroll
      for (int s = 0; s < kStreams; ++s) {
        read(v[s], in.data, valid ? t * in.token_stride + s * in.stream_stride + h : 0, packed);
#pragma unroll
        for (int w = 0; w < words; ++w) v[s][w] = valid ? v[s][w] : 0u;
      }
      if constexpr (Fused) {
        if (valid) {
          float gate[kStreams], comb[kStreams][kStreams];
#pragma unroll
          for (int j = 0; j < kStreams; ++j) {
            gate[j] = post.post_mix[t * post.post_mix_stride + j];
#pragma unroll
            for (int i = 0; i < kStreams; ++i)
              comb[j][i] =
                  post.comb_mix ? post.comb_mix[t * post.comb_mix_stride + i * kStreams + j] : 0.0f;
          }
          uint32_t xs[words], x2s[words] = {};
          read(xs, post.x, t * post.x_stride + h, packed);
          if (post.x2) read(x2s, post.x2, t * post.x2_stride + h, packed);
#pragma unroll
          for (int w = 0; w < words; ++w) {
            uint32_t out[kStreams] = {};
#pragma unroll
            for (int e = 0; e < 2; ++e) {
              float x = half_of(xs[w], e), old[kStreams];
              if (post.x2) x += half_of(x2s[w], e);
#pragma unroll
              for (int i = 0; i < kStreams; ++i) old[i] = half_of(v[i][w], e);
#pragma unroll
              for (int j = 0; j < kStreams; ++j)
                out[j] |= static_cast<uint32_t>(
                              Bf16::round(post.comb_mix ? mixed(gate[j], x, comb[j], old)
                                                        : mixed_identity(gate[j], x, old[j])))
                          << (16 * e);
            }
#pragma unroll
            for (int j = 0; j < kStreams; ++j) v[j][w] = out[j];
          }
#pragma unroll
          for (int j = 0; j < kStreams; ++j)
            write(post.out, t * post.out_stride + j * H + h, v[j], packed);
        }
      }

      float squares = 0.0f;
#pragma unroll
      for (int s = 0; s < kStreams; ++s)
#pragma unroll
        for (int w = 0; w < words; ++w) {
          const float even = half_of(v[s][w], 0), odd = half_of(v[s][w], 1);
          squares = fmaf(even, even, squares);
          squares = fmaf(odd, odd, squares);
        }
      typename Tile::Acc acc[2] = {Tile::zero(), Tile::zero()};
#pragma unroll
      for (int s = 0; s < kStreams; ++s) {
#pragma unroll
        for (int tile = 0; tile < kRowTiles; ++tile) {
          Stream now;
          if constexpr (resident)
            now = fn[tile][s];
          else
            now = load_fn(tile, s);
#pragma unroll
          for (int k = 0; k < steps; ++k) {
            typename Tile::B b;
#pragma unroll
            for (int w = 0; w < run / 2; ++w) b.w[w] = v[s][k * (run / 2) + w];
            Tile::mma(acc[tile / 3], now.step[k], b);
          }
        }
      }
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int i = 0; i < Tile::acc_count; ++i)
          lds[wave][half * 16 + Tile::acc_row(lane, i)][Tile::acc_col(lane, i)] = acc[half].v[i];
      if (lane < 16 * parts) lds_squares[wave][part][row] = squares;
      __syncthreads();  // every wave's sums
      if (tid < 16 * (kRows + 1)) {
        const int token = tid / (kRows + 1), r = tid - token * (kRows + 1);
        float sum = 0.0f;
        for (int w = 0; w < waves; ++w) {
          if (r < kRows) {
            sum += r < 16 ? lds[w][r][token] : lds[w][r][token] + lds[w][r + 8][token];
          } else {
#pragma unroll
            for (int p = 0; p < parts; ++p) sum += lds_squares[w][p][token];
          }
        }
        if (local + token < count)
          partial[((local + token) * chunks + blockIdx.y) * (kRows + 1) + r] = sum;
      }
      __syncthreads();  // the sums are read before the next tile's are written
    }
  }
}

}  // namespace plait::kernels::matrix

#endif
