// SPDX-License-Identifier: MIT
// Indexer logits on Hopper's matrix units (wgmma), e4m3fn.
//
// A block keeps the queries of up to kRows rows in shared memory and walks over keys; each of its
// warpgroups takes tiles of 64 keys:
//
//     acc[64 keys, N] = keys[64, D] * queries[N, D]^T      N = Rows * Heads columns
//     logit           = k_scale * sum over a row's Heads columns of w * max(acc, 0)
//
// Keys come through a ring in shared memory (logits_ring_sm90.h) into the registers of operand A,
// so any page table or layout will do. Lane t = lane % 4 of operand A holds bytes 4t ... 4t + 3 and
// 16 + 4t ... of each k step of 32; to read 16 bytes at a time it takes chunks t and t + 4 of the
// row instead, and the queries are stored with their words in the matching order:
//
//     word j of chunk c   ->   word 8 s + 4 (j % 2) + c % 4      s = 2 (c / 4) + j / 2: the k step
//
// Queries are in the 128-byte swizzle: the 16-byte unit u of column n at n * 128 + (u ^ n % 8) *
// 16; with D 64 the upper half of each 128 bytes is unused.
//
// Accumulator i of a lane is key lane / 4 + 8 (i / 2 % 2), column 8 (i / 4) + 2 t + i % 2: the sum
// over heads is a chain in the lane, then two shuffles, in an order that depends on Heads alone.
#include "logits.h"

#include "isa/launch.h"
#include "isa/wgmma.h"
#include "logits_ring_sm90.h"
#include "logits_share.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 256;  // two warpgroups
constexpr int kTile = 64;      // keys of a multiplication
constexpr int kRows = 8;       // of a block, at most

// Multiplications of 64 keys that a warpgroup does at a time: two for one row of a few heads, whose
// epilogue would be little beside the rest of a tile.
__host__ __device__ constexpr int parts_of(int heads, int rows) {
  return heads * rows < 128 ? 2 : 1;
}
constexpr int kStages = 2;  // tiles in a ring
template <int D, int Heads, int Rows, int Align, Keys keys>
using RingFor = Ring<kThreads, D, parts_of(Heads, Rows), Align, kStages, keys>;

// Rows up to a whole number of multiplications.
__host__ __device__ constexpr int group_rows_padded(int rows, int multiplied) {
  return (rows + multiplied - 1) / multiplied * multiplied;
}

// What the threads of a block share, beside queries and the ring.
template <int Heads>
struct Block {
  // Weights in lane order: head 8 j + 2 t + c of a row at [t][2 j + c]; padded against conflicts.
  static constexpr int pitch = Heads / 4 + 4;
  float weights[kRows * 4 * pitch];
  int32_t begins[kRows], ends[kRows];
  int32_t inner_least, inner_most;  // what the ranges of all rows hold
  int32_t from, last;               // keys that the block computes
  int32_t more;                     // it has another group
  LogitsShare share;                // for thread 0 alone
};

// Ranges of a group's rows, and the block's keys of it. For the first warp.
template <int Heads>
__device__ inline void find_keys(const Logits &a, const LogitsGrid &grid, const RowGroup &its,
                                 int32_t tile, Block<Heads> &block) {
  const int tid = static_cast<int>(threadIdx.x);
  // Rows that are not there are empty.
  KeyRange r{0, 0};
  if (tid < its.rows) r = keys_in_group(a, its, tid);
  const int32_t begin = static_cast<int32_t>(r.begin), end = static_cast<int32_t>(r.end);
  if (tid < kRows) block.begins[tid] = begin, block.ends[tid] = end;
  int32_t low = begin < end ? begin : INT32_MAX, high = begin < end ? end : 0;
  int32_t inner_low = tid < its.rows ? begin : 0, inner_high = tid < its.rows ? end : INT32_MAX;
#pragma unroll
  for (int m = 16; m > 0; m /= 2) {
    low = min(low, shfl_xor(low, m, 32));
    high = max(high, shfl_xor(high, m, 32));
    inner_low = max(inner_low, shfl_xor(inner_low, m, 32));
    inner_high = min(inner_high, shfl_xor(inner_high, m, 32));
  }
  if (tid != 0) return;
  block.inner_least = inner_low, block.inner_most = inner_high;
  int64_t from = a.first_column, last = high;
  if (grid.chunk == 0) {
    block.share.take(a.first_column, high, tile, &from, &last);
    block.more = block.share.cost > 0;
  } else {
    from += static_cast<int64_t>(static_cast<int32_t>(blockIdx.x) / grid.groups) * grid.chunk;
    if (from + grid.chunk < last) last = from + grid.chunk;
    if (from < low) from += (low - from) / tile * tile;
    block.more = 0;
  }
  block.from = static_cast<int32_t>(from < last ? from : last);
  block.last = static_cast<int32_t>(last);
}

// Logits of a group's rows for the block's keys. Heads: columns of a row, padded. Rows: rows of one
// multiplication.
template <int D, int Heads, int Rows, int Align, Keys keys>
__device__ __forceinline__ void group_logits(const Logits &a, const RowGroup &its, uint8_t *shared,
                                             uint8_t *ring_memory, uint32_t *parity,
                                             Block<Heads> &block) {
  constexpr bool Paged = keys != Keys::contiguous;
  constexpr int N = Heads * Rows, steps = D / 32, Stages = kStages;
  constexpr int Parts = parts_of(Heads, Rows), pitch = Block<Heads>::pitch;
  constexpr uint32_t warp_keys = 16 * Parts, stride = kThreads / 128 * kTile * Parts;
  const int64_t row0 = its.row0;
  const int rows = its.rows;
  const uint32_t last = static_cast<uint32_t>(block.last);
  const int tid = static_cast<int>(threadIdx.x);
  const int warp = tid / 32 % 4, lane = tid % 32, t = lane % 4;
  // First key of this warp's tile. Keys end below 2^31, so tiles ahead fit too.
  const uint32_t before = static_cast<uint32_t>(warp) * warp_keys;
  uint32_t key = static_cast<uint32_t>(block.from) +
                 static_cast<uint32_t>(tid / 128) * (kTile * Parts) + before;
  RingFor<D, Heads, Rows, Align, keys> ring(a, its.request, last, ring_memory, parity);
  ring.look_up(key);
#pragma unroll
  for (uint32_t i = 0; i < Stages - 1; ++i) {
    ring.copy(static_cast<int>(i));
    ring.look_up(key + (i + 1) * stride);
  }

  // Queries, in the order above. Columns that no head has are zero.
  const int padded = group_rows_padded(rows, Rows);
  const bool aligned = reinterpret_cast<uintptr_t>(a.q) % 16 == 0;
  for (int i = tid; i < padded * Heads * (D / 16); i += kThreads) {
    const int c = i % (D / 16), column = i / (D / 16), head = column % Heads, row = column / Heads;
    uint4 q{0, 0, 0, 0};
    if (row < rows && head < a.heads) {
      const uint8_t *bytes = a.q + ((row0 + row) * a.heads + head) * D + c * 16;
      if (aligned)
        q = __ldg(reinterpret_cast<const uint4 *>(bytes));
      else
        memcpy(&q, bytes, sizeof q);
    }
    const uint32_t words[4] = {q.x, q.y, q.z, q.w};
    uint8_t *line = shared + column * 128 + c % 4 * 4;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int unit = 2 * (2 * (c / 4) + j / 2) + j % 2;
      *reinterpret_cast<uint32_t *>(line + (unit ^ column % 8) * 16) = words[j];
    }
  }
  for (int i = tid; i < padded * Heads; i += kThreads) {
    const int head = i % Heads, row = i / Heads;
    block.weights[(row * 4 + head / 2 % 4) * pitch + head / 8 * 2 + head % 2] =
        row < rows && head < a.heads ? a.weights[(row0 + row) * a.weights_stride + head] : 0.0f;
  }
  // Ordinary stores, read by the matrix units.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  const uint64_t queries = descriptor(static_cast<uint32_t>(__cvta_generic_to_shared(shared)));
  const float *own_weights = block.weights + t * pitch;
  // Keys and rows come in pairs, one for the lanes with even t and one for those with odd t.
  constexpr bool Paired = Parts > 1 || Rows > 1;
  const int odd = t & 1;
  const uint32_t own = static_cast<uint32_t>(lane / 4 + 8 * (t / 2) + (Parts > 1 ? 16 * odd : 0));
  // Where this lane's first logit of a tile goes, with the key 0 in mind.
  const int64_t out0 = (row0 + (Rows > 1 ? odd : 0) - a.first_row) * a.stride - a.first_column;
  int stage = 0;
  for (; key - before < last; key += stride) {
    {  // A tile ahead, into the place that was read last.
      const int to = stage == 0 ? Stages - 1 : stage - 1;
      ring.copy(to);
      ring.look_up(key + Stages * stride);
    }
    ring.wait(stage);
    const float scale = ring.scale(stage);
    const bool missing = Paged && ring.missing();
    const int32_t first = static_cast<int32_t>(key), mine = static_cast<int32_t>(key + own);
    // Every key of this warp in every row's range, and in this block's?
    const bool all = first >= block.inner_least && key + warp_keys <= last &&
                     key + warp_keys <= static_cast<uint32_t>(block.inner_most);
    int64_t out = out0 + mine;
    uint32_t operand[steps][4];
    const auto load = [&](int part) {
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int c = 0; c < D / 64; ++c) {
          const uint4 q = ring.chunk(stage, 2 * part + half, c);
          operand[2 * c][half] = q.x, operand[2 * c][half + 2] = q.y;
          operand[2 * c + 1][half] = q.z, operand[2 * c + 1][half + 2] = q.w;
        }
    };
    if constexpr (Parts == 1) load(0);
#pragma unroll
    for (int r0 = 0; r0 < (Parts > 1 ? 1 : kRows); r0 += Rows) {
      if (r0 >= rows) break;
      float sums[Parts * Rows];
#pragma unroll
      for (int part = 0; part < Parts; ++part) {
        if constexpr (Parts > 1) load(part);
        float acc[N / 2];
        fence_operands();
#pragma unroll
        for (int s = 0; s < steps; ++s)
          multiply<N>(acc, operand[s], queries + static_cast<uint64_t>(r0 * Heads * 8 + s * 2),
                      s != 0);
        commit();
        wait();
#pragma unroll
        for (int i = 0; i < N / 2; ++i) asm volatile("" : "+f"(acc[i])::"memory");  // not before
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
          const float4 *w = reinterpret_cast<const float4 *>(own_weights + (r0 + r) * 4 * pitch);
          float low = 0, high = 0;
#pragma unroll
          for (int j = 0; j < Heads / 16; ++j) {
            const float4 v = w[j];
            const float *d = acc + r * (Heads / 2) + j * 8;
            low = fmaf(v.x, fmaxf(d[0], 0.0f), low), high = fmaf(v.x, fmaxf(d[2], 0.0f), high);
            low = fmaf(v.y, fmaxf(d[1], 0.0f), low), high = fmaf(v.y, fmaxf(d[3], 0.0f), high);
            low = fmaf(v.z, fmaxf(d[4], 0.0f), low), high = fmaf(v.z, fmaxf(d[6], 0.0f), high);
            low = fmaf(v.w, fmaxf(d[5], 0.0f), low), high = fmaf(v.w, fmaxf(d[7], 0.0f), high);
          }
          // Lanes t and t ^ 2 add; the upper two go on with keys g + 8.
          sums[r + part] = (t & 2 ? high : low) + shfl_xor(t & 2 ? low : high, 2, 4);
        }
      }
      // Lanes t and t ^ 1 add; of a pair each goes on with its own.
#pragma unroll
      for (int r = 0; r < Parts * Rows; r += 2) {
        float total;
        if constexpr (Paired)
          total = (odd ? sums[r + 1] : sums[r]) + shfl_xor(odd ? sums[r] : sums[r + 1], 1, 4);
        else
          total = sums[r] + shfl_xor(sums[r], 1, 4);
        const int row = Rows > 1 ? r0 + r + odd : r0;
        const bool inside =
            row < rows &&
            (all || (mine >= block.begins[row] && mine < block.ends[row] && key + own < last));
        const float logit = missing ? kNoPage : total * scale;
        if (inside && (Paired || odd == 0)) {
          if (a.bf16)
            static_cast<uint16_t *>(a.logits)[out] = f32_to_bf16(logit);
          else
            static_cast<float *>(a.logits)[out] = logit;
        }
        out += (Rows > 1 ? 2 : 1) * a.stride;
      }
    }
    stage = stage == Stages - 1 ? 0 : stage + 1;
  }
}

template <int D, int Heads, int Rows, int Align, Keys keys>
__global__ __launch_bounds__(kThreads, 2) void wgmma_kernel(Logits a, LogitsGrid grid) {
  extern __shared__ __align__(1024) uint8_t shared[];
  __shared__ __align__(16) Block<Heads> block;
  uint8_t *ring_memory = shared + group_rows_padded(grid.group_rows, Rows) * Heads * 128;
  RingFor<D, Heads, Rows, Align, keys>::prepare(ring_memory);
  uint32_t parity = 0;  // of the ring's barriers
  if constexpr (keys != Keys::contiguous) {
    if (grid.chunk == 0) {
      find_share<kThreads, kTile>(a, grid, &block.share);
      if (block.share.cost == 0) return;
    }
  }
  for (;;) {
    const RowGroup its = group_of(a, grid,
                                  keys != Keys::contiguous && grid.chunk == 0
                                      ? block.share.group
                                      : static_cast<int32_t>(blockIdx.x) % grid.groups);
    if (keys != Keys::contiguous && grid.chunk == 0)
      __syncthreads();  // before thread 0 takes from the share
    if (threadIdx.x < 32) find_keys<Heads>(a, grid, its, kTile, block);
    __syncthreads();
    if (block.from < block.last)
      group_logits<D, Heads, Rows, Align, keys>(a, its, shared, ring_memory, &parity, block);
    if (keys == Keys::contiguous || !block.more) return;
    __syncthreads();  // before ranges and queries are overwritten
  }
}

struct Launch {
  const Logits &a;
  int32_t units;
  void *stream;

  template <int D, int Heads, int Rows, int Align, Keys keys>
  hipError_t go() const {
    constexpr bool Paged = keys != Keys::contiguous;
    const int64_t rows = a.last_row - a.first_row, columns = a.last_column - a.first_column;
    int64_t group_rows = kRows, per_request = 1, groups = (rows + kRows - 1) / kRows;
    if (Paged) {
      if (group_rows > a.next_n) group_rows = a.next_n;
      per_request = (a.next_n + group_rows - 1) / group_rows;
      groups = rows / a.next_n * per_request;
    }
    if (groups > INT32_MAX - kThreads) return hipErrorInvalidValue;
    // Keys of a block. Ragged: some six blocks for each place on the device, so that a tail costs
    // little, but enough keys to pay for the queries; where that is too few blocks, one for each
    // place. Paged: one block for each place, with equal shares, unless that is little work: then
    // blocks of one group each.
    constexpr int64_t round = kThreads / 128 * kTile * parts_of(Heads, Rows), worth = 1024;
    const int64_t places = 2 * static_cast<int64_t>(units), all = groups * columns;
    int64_t chunk = all / places;
    if (!Paged && chunk > 2 * worth)
      chunk = chunk / 6 < 2 * worth ? 2 * worth : chunk / 6 > 8 * worth ? 8 * worth : chunk / 6;
    const bool share =
        Paged && chunk > worth && all / kTile + groups * (kSwitchCost + 1) < INT32_MAX;
    chunk = share ? 0 : chunk < round ? round : (chunk + round - 1) / round * round;
    const int64_t blocks = share ? places : groups * ((columns + chunk - 1) / chunk);
    if (blocks > INT32_MAX) return hipErrorInvalidValue;
    const size_t shared =
        static_cast<size_t>(group_rows_padded(static_cast<int>(group_rows), Rows)) * Heads * 128 +
        RingFor<D, Heads, Rows, Align, keys>::bytes;
    const LogitsGrid grid{static_cast<int32_t>(group_rows), static_cast<int32_t>(per_request),
                          static_cast<int32_t>(groups), static_cast<int32_t>(chunk),
                          Paged ? a.first_row / a.next_n : 0};
    return launch(wgmma_kernel<D, Heads, Rows, Align, keys>, static_cast<unsigned>(blocks),
                  kThreads, shared, stream, a, grid);
  }
  template <int D, int Heads, int Rows>
  hipError_t aligned() const {
    if (a.cache) {
      const uintptr_t bits =
          reinterpret_cast<uintptr_t>(a.cache) | static_cast<uintptr_t>(a.page_stride);
      if (bits % 16 != 0) return go<D, Heads, Rows, 4, Keys::any_page>();
      return a.page_shift >= 4 ? go<D, Heads, Rows, 16, Keys::page16>()
                               : go<D, Heads, Rows, 16, Keys::any_page>();
    }
    if constexpr (Heads * Rows < 128) {
      return hipErrorInvalidValue;  // ragged calls take the widest
    } else {
      return reinterpret_cast<uintptr_t>(a.k) % 16 == 0 ? go<D, Heads, Rows, 16, Keys::contiguous>()
                                                        : go<D, Heads, Rows, 1, Keys::contiguous>();
    }
  }
  template <int D>
  hipError_t shaped() const {
    const bool single = a.cache != nullptr && a.next_n == 1;
    if (a.heads <= 32) return single ? aligned<D, 32, 1>() : aligned<D, 32, 4>();
    if (a.heads <= 64) return single ? aligned<D, 64, 1>() : aligned<D, 64, 2>();
    return aligned<D, 128, 1>();
  }
};

template <int D, int Heads, int Rows, int Align, Keys keys>
hipError_t allow_one() {
  return raise_shared_memory_limit(
      reinterpret_cast<const void *>(&wgmma_kernel<D, Heads, Rows, Align, keys>),
      kRows * Heads * 128 + RingFor<D, Heads, Rows, Align, keys>::bytes);
}

template <int D, int Heads, int Rows>
hipError_t allow() {
  if (const hipError_t error = allow_one<D, Heads, Rows, 16, Keys::page16>()) return error;
  if (const hipError_t error = allow_one<D, Heads, Rows, 16, Keys::any_page>()) return error;
  if (const hipError_t error = allow_one<D, Heads, Rows, 4, Keys::any_page>()) return error;
  if constexpr (Heads * Rows >= 128) {
    if (const hipError_t error = allow_one<D, Heads, Rows, 16, Keys::contiguous>()) return error;
    return allow_one<D, Heads, Rows, 1, Keys::contiguous>();
  }
  return hipSuccess;
}

template <int D>
hipError_t allow_all(int32_t heads) {
  if (heads <= 32) {
    const hipError_t error = allow<D, 32, 1>();
    return error ? error : allow<D, 32, 4>();
  }
  if (heads <= 64) {
    const hipError_t error = allow<D, 64, 1>();
    return error ? error : allow<D, 64, 2>();
  }
  return allow<D, 128, 1>();
}

}  // namespace

hipError_t logits_sm90(const Logits &args, int32_t compute_units, void *stream) {
  const Launch go{args, compute_units, stream};
  return args.head_dim == 64 ? go.shaped<64>() : go.shaped<128>();
}

hipError_t logits_sm90_prepare(int32_t heads, int32_t head_dim) {
  return head_dim == 64 ? allow_all<64>(heads) : allow_all<128>(heads);
}

}  // namespace plait::kernels
