// SPDX-License-Identifier: MIT
// Indexer logits on Hopper's matrix units (wgmma), e4m3fn.
//
// A block keeps the queries of up to kRows rows in shared memory and walks over keys; each of its
// warpgroups takes tiles of 64 keys:
//
//     acc[64 keys, N] = keys[64, D] * queries[N, D]^T      N = Rows * Heads columns
//     logit           = k_scale * sum over a row's Heads columns of w * max(acc, 0)
//
// Keys go from memory straight into the registers of operand A, with no shared memory and no
// barrier, so any page table or layout will do. Lane t = lane % 4 of operand A holds bytes 4t ...
// 4t + 3 and 16 + 4t ... of each k step of 32; to load 16 bytes at a time it takes chunks t and
// t + 4 of the row instead, and the queries are stored with their words in the matching order:
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
#include "logits_keys.h"

namespace plait::kernels {
namespace {

constexpr int kThreads = 256;  // two warpgroups
constexpr int kTile = 64;      // keys of a warpgroup at a time
constexpr int kRows = 8;       // of a block, at most

// Tiles in a ring: more where a tile is little work.
__host__ __device__ constexpr int stages_of(int heads, int rows) {
  return heads * rows < 128 ? 4 : 2;
}

// Rows up to a whole number of multiplications.
__host__ __device__ constexpr int group_rows_padded(int rows, int multiplied) {
  return (rows + multiplied - 1) / multiplied * multiplied;
}

__device__ inline void fence_operands() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ inline void wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

// Operand B: K-major, 128-byte swizzle, 8 columns of 128 bytes a group.
__device__ inline uint64_t descriptor(uint32_t shared_address) {
  return static_cast<uint64_t>((shared_address & 0x3FFFF) >> 4) | (uint64_t{1} << 16) |
         (uint64_t{64} << 32) | (uint64_t{1} << 62);
}

#define PLAIT_ACC8(d, i)                                                                        \
  "+f"((d)[i]), "+f"((d)[(i) + 1]), "+f"((d)[(i) + 2]), "+f"((d)[(i) + 3]), "+f"((d)[(i) + 4]), \
      "+f"((d)[(i) + 5]), "+f"((d)[(i) + 6]), "+f"((d)[(i) + 7])

// d[64, N] (+)= a[64, 32] * b[N, 32]^T
template <int N>
__device__ inline void multiply(float (&d)[N / 2], const uint32_t *a, uint64_t b, int add);

template <>
__device__ inline void multiply<32>(float (&d)[16], const uint32_t *a, uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %21, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, "
      "{%16,%17,%18,%19}, %20, p, 1, 1;\n}\n"
      : PLAIT_ACC8(d, 0), PLAIT_ACC8(d, 8)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

template <>
__device__ inline void multiply<64>(float (&d)[32], const uint32_t *a, uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"
      "%24,%25,%26,%27,%28,%29,%30,%31}, "
      "{%32,%33,%34,%35}, %36, p, 1, 1;\n}\n"
      : PLAIT_ACC8(d, 0), PLAIT_ACC8(d, 8), PLAIT_ACC8(d, 16), PLAIT_ACC8(d, 24)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

template <>
__device__ inline void multiply<128>(float (&d)[64], const uint32_t *a, uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"
      "%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,"
      "%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "
      "{%64,%65,%66,%67}, %68, p, 1, 1;\n}\n"
      : PLAIT_ACC8(d, 0), PLAIT_ACC8(d, 8), PLAIT_ACC8(d, 16), PLAIT_ACC8(d, 24), PLAIT_ACC8(d, 32),
        PLAIT_ACC8(d, 40), PLAIT_ACC8(d, 48), PLAIT_ACC8(d, 56)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

// Copies 16 bytes into shared memory, from an address aligned to Align, or zeroes them. The thread
// itself may read them after wait_copies().
template <int Align>
__device__ inline void copy16(uint4 *to, const uint8_t *from) {
  const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  if (from == nullptr) {
    *to = uint4{0, 0, 0, 0};
  } else if constexpr (Align == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  } else if constexpr (Align == 4) {
#pragma unroll
    for (int i = 0; i < 16; i += 4)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address + i), "l"(from + i)
                   : "memory");
  } else {
    uint8_t *bytes = reinterpret_cast<uint8_t *>(to);
#pragma unroll
    for (int i = 0; i < 16; ++i) bytes[i] = from[i];
  }
}
__device__ inline void copy4(float *to, const uint8_t *from) {
  if (from == nullptr)
    *to = 0;
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(from)
                 : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Where keys are. Page16: pages of a power of two and at least 16 entries, so that the sixteen keys
// of a warp share a page, and all of a page's entries may be read.
enum class Keys { contiguous, any_page, page16 };

// A lane's bytes of tiles to come: places of its own in a ring of Stages tiles, so that no barrier
// is needed. A tile is rows g = lane / 4 and g + 8 of each warp's sixteen.
template <int D, int Align, int Stages, Keys keys>
struct Ring {
  static constexpr int chunks = D / 64;
  static constexpr int bytes = Stages * kThreads * (2 * chunks * 16 + 4);
  const Logits &a;
  int64_t request;
  int32_t end;                 // of the keys
  uint4 *chunk;                // [Stages][2 * chunks][kThreads], from this thread's on
  float *scale;                // [Stages][kThreads]: of the row whose logit it puts out
  int32_t page[2] = {-1, -1};  // of the tile that comes after the one copied last
  uint32_t missing = 0;        // bit i: the row put out i tiles ago has no page

  // Looks up the pages of the tile whose first key of this warp is `first`.
  __device__ void look_up(int32_t first) {
    if constexpr (keys == Keys::page16) {
      const uint32_t column = static_cast<uint32_t>(first) >> a.page_shift;
      page[0] = first < end && column < a.table.columns
                    ? a.table.ids[request * a.table.stride + column]
                    : -1;
    } else if constexpr (keys == Keys::any_page) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int32_t key = first + static_cast<int32_t>(threadIdx.x) % 32 / 4 + 8 * half;
        page[half] = key < end ? a.table.page_of(request, static_cast<uint32_t>(key)) : -1;
      }
    }
  }

  __device__ void copy(int stage, int32_t first) {
    const int lane = static_cast<int>(threadIdx.x) % 32, t = lane % 4;
    uint4 *to = chunk + stage * 2 * chunks * kThreads;
    missing <<= 1;
    if constexpr (keys == Keys::page16) {
      const bool there = page[0] >= 0 && page[0] < a.pages;
      const uint8_t *values = nullptr, *its_scale = nullptr;
      if (there) {
        const uint8_t *start = a.cache + page[0] * a.page_stride;
        const int32_t entry = first & (a.table.page_entries - 1);
        values = start + (entry * D + (a.tiled ? lane / 4 * 16 + t * 256 : lane / 4 * D + t * 16));
        its_scale = start + (a.table.page_entries * D + (entry + lane / 4 + 8 * (t / 2)) * 4);
      }
      const int32_t half_step = a.tiled ? 128 : 8 * D, chunk_step = a.tiled ? 1024 : 64;
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int c = 0; c < chunks; ++c)
          copy16<Align>(to + (half * chunks + c) * kThreads,
                        there ? values + (half * half_step + c * chunk_step) : nullptr);
      copy4(scale + stage * kThreads, its_scale);
      missing |= !there;
    } else {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int32_t key = first + lane / 4 + 8 * half;
        Key at{nullptr, nullptr};
        if constexpr (keys == Keys::any_page)
          at = key_of_page(a, page[half], static_cast<uint32_t>(key));
        else if (key < end)
          at = {a.k + static_cast<int64_t>(key) * D, a.k_scale + static_cast<int64_t>(key) * 4};
        const int32_t step = keys == Keys::any_page && a.tiled ? 256 : 16;
#pragma unroll
        for (int c = 0; c < chunks; ++c)
          copy16<Align>(to + (half * chunks + c) * kThreads,
                        at.values ? at.values + (t + 4 * c) * step : nullptr);
        if (half == t / 2) {
          copy4(scale + stage * kThreads, at.scale);
          missing |= at.values == nullptr;
        }
      }
    }
  }
};

// Heads: columns of a row, padded. Rows: rows of one multiplication.
template <int D, int Heads, int Rows, int Align, Keys keys>
__global__ __launch_bounds__(kThreads, 2) void wgmma_kernel(Logits a, int32_t group_rows,
                                                            int32_t groups_per_request,
                                                            int32_t groups, int32_t chunk) {
  constexpr bool Paged = keys != Keys::contiguous;
  constexpr int N = Heads * Rows, steps = D / 32, Stages = stages_of(Heads, Rows);
  constexpr int stride = kThreads / 128 * kTile;
  // Weights in lane order: head 8 j + 2 t + c of a row at [t][2 j + c]; padded against conflicts.
  constexpr int own = Heads / 4, pitch = own + 4;
  extern __shared__ __align__(1024) uint8_t shared[];
  __shared__ __align__(16) float weights[kRows * 4 * pitch];
  __shared__ int32_t begins[kRows], ends[kRows];
  __shared__ int32_t least, most, inner_least, inner_most;

  const int32_t group = static_cast<int32_t>(blockIdx.x) % groups,
                part = static_cast<int32_t>(blockIdx.x) / groups;
  const RowGroup its = row_group(a, group, group_rows, groups_per_request);
  const int64_t row0 = its.row0, request = its.request;
  const int rows = its.rows;
  const int tid = static_cast<int>(threadIdx.x);
  if (tid < 32) {
    // Rows that are not there are empty. The union of the ranges, and what all of them hold.
    KeyRange r{0, 0};
    if (tid < rows) r = keys_of_row(a, row0 + tid);
    const int32_t begin = static_cast<int32_t>(r.begin), end = static_cast<int32_t>(r.end);
    if (tid < kRows) begins[tid] = begin, ends[tid] = end;
    int32_t low = begin < end ? begin : INT32_MAX, high = begin < end ? end : 0;
    int32_t inner_low = tid < rows ? begin : 0, inner_high = tid < rows ? end : INT32_MAX;
#pragma unroll
    for (int m = 16; m > 0; m /= 2) {
      low = min(low, shfl_xor(low, m, 32));
      high = max(high, shfl_xor(high, m, 32));
      inner_low = max(inner_low, shfl_xor(inner_low, m, 32));
      inner_high = min(inner_high, shfl_xor(inner_high, m, 32));
    }
    if (tid == 0) least = low, most = high, inner_least = inner_low, inner_most = inner_high;
  }
  __syncthreads();
  // This block's keys: a part of all columns, less what no row needs.
  int64_t from = a.first_column + static_cast<int64_t>(part) * chunk;
  const int32_t last = static_cast<int32_t>(from + chunk < most ? from + chunk : most);
  if (from < least) from += (least - from) / stride * stride;
  if (from >= last) return;

  const int warp = tid / 32 % 4, lane = tid % 32, t = lane % 4;
  // First key of this warp's tile. Chunks end well below 2^31 - 1 + tiles ahead only as int64.
  int64_t key = from + tid / 128 * kTile + warp * 16;
  uint4 *ring_chunks =
      reinterpret_cast<uint4 *>(shared + group_rows_padded(group_rows, Rows) * Heads * 128);
  Ring<D, Align, Stages, keys> ring{
      a, request, last, ring_chunks + tid,
      reinterpret_cast<float *>(ring_chunks + Stages * 2 * (D / 64) * kThreads) + tid};
  const auto ahead = [&](int tiles) {
    const int64_t at = key + static_cast<int64_t>(tiles) * stride;
    return static_cast<int32_t>(at < last ? at : last);
  };
  ring.look_up(ahead(0));
#pragma unroll
  for (int i = 0; i < Stages - 1; ++i) {
    ring.copy(i, ahead(i));
    ring.look_up(ahead(i + 1));
    commit_copies();
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
    weights[(row * 4 + head / 2 % 4) * pitch + head / 8 * 2 + head % 2] =
        row < rows && head < a.heads ? a.weights[(row0 + row) * a.weights_stride + head] : 0.0f;
  }
  // Ordinary stores, read by the matrix units.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  const uint64_t queries = descriptor(static_cast<uint32_t>(__cvta_generic_to_shared(shared)));
  const float *own_weights = weights + t * pitch;
  // Where this lane's first logit of a tile goes, with the key 0 in mind.
  const int64_t out0 = (row0 + (Rows > 1 ? t & 1 : 0) - a.first_row) * a.stride - a.first_column;
  int stage = 0;
  for (; key - warp * 16 < last; key += stride) {
    {  // A tile ahead, into the place that was read last.
      const int to = stage == 0 ? Stages - 1 : stage - 1;
      ring.copy(to, ahead(Stages - 1));
      ring.look_up(ahead(Stages));
      commit_copies();
    }
    wait_copies<Stages - 1>();
    uint32_t operand[steps][4];
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int c = 0; c < D / 64; ++c) {
        const uint4 q = ring.chunk[((stage * 2 + half) * (D / 64) + c) * kThreads];
        operand[2 * c][half] = q.x, operand[2 * c][half + 2] = q.y;
        operand[2 * c + 1][half] = q.z, operand[2 * c + 1][half + 2] = q.w;
      }
    const float scale = ring.scale[stage * kThreads];
    const bool missing = Paged && (ring.missing >> (Stages - 1) & 1);
    stage = stage == Stages - 1 ? 0 : stage + 1;
    const int32_t first = static_cast<int32_t>(key);
    const int32_t mine = first + lane / 4 + 8 * (t / 2);  // the key this lane puts out
    // Every key of this warp in every row's range, and in this block's?
    const bool all = first >= inner_least && key + 16 <= inner_most && key + 16 <= last;
    int64_t out = out0 + mine;
#pragma unroll
    for (int r0 = 0; r0 < kRows; r0 += Rows) {
      if (r0 >= rows) break;
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
      float sums[Rows];
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
        sums[r] = (t & 2 ? high : low) + shfl_xor(t & 2 ? low : high, 2, 4);
      }
      // Lanes t and t ^ 1 add; with two rows or more each goes on with half of them.
#pragma unroll
      for (int r = 0; r < Rows; r += 2) {
        float total;
        if constexpr (Rows == 1)
          total = sums[r] + shfl_xor(sums[r], 1, 4);
        else
          total = (t & 1 ? sums[r + 1] : sums[r]) + shfl_xor(t & 1 ? sums[r] : sums[r + 1], 1, 4);
        const int row = r0 + r + (Rows > 1 ? t & 1 : 0);
        const bool inside =
            row < rows && (all || (mine >= begins[row] && mine < ends[row] && mine < last));
        const float logit = missing ? kNoPage : total * scale;
        if (inside && (Rows > 1 || t % 2 == 0)) {
          if (a.bf16)
            static_cast<uint16_t *>(a.logits)[out] = f32_to_bf16(logit);
          else
            static_cast<float *>(a.logits)[out] = logit;
        }
        out += (Rows > 1 ? 2 : 1) * a.stride;
      }
    }
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
    // Keys of a block: some six blocks for each place on the device, so that a tail costs little,
    // but enough to pay for the queries; where that is too few blocks, one for each place.
    constexpr int64_t round = kThreads / 128 * kTile;
    const int64_t places = 2 * static_cast<int64_t>(units), all = groups * columns;
    int64_t chunk = all / (6 * places);
    const int64_t worth = Paged ? 1024 : 2048;
    if (chunk < worth) chunk = all / places < worth ? all / places : worth;
    if (chunk > 8192) chunk = 8192;
    chunk = (chunk + round - 1) / round * round;
    if (chunk == 0) chunk = round;
    const int64_t blocks = groups * ((columns + chunk - 1) / chunk);
    if (blocks > INT32_MAX) return hipErrorInvalidValue;
    const size_t shared =
        static_cast<size_t>(group_rows_padded(static_cast<int>(group_rows), Rows)) * Heads * 128 +
        Ring<D, Align, stages_of(Heads, Rows), keys>::bytes;
    return launch(wgmma_kernel<D, Heads, Rows, Align, keys>, static_cast<unsigned>(blocks),
                  kThreads, shared, stream, a, static_cast<int32_t>(group_rows),
                  static_cast<int32_t>(per_request), static_cast<int32_t>(groups),
                  static_cast<int32_t>(chunk));
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
      kRows * Heads * 128 + Ring<D, Align, stages_of(Heads, Rows), keys>::bytes);
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
