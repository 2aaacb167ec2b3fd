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

// 16 bytes at an address aligned to Align.
template <int Align>
__device__ inline uint4 load16(const uint8_t *p) {
  if constexpr (Align == 16) {
    return __ldg(reinterpret_cast<const uint4 *>(p));
  } else if constexpr (Align == 4) {
    const uint32_t *w = reinterpret_cast<const uint32_t *>(p);
    return {__ldg(w), __ldg(w + 1), __ldg(w + 2), __ldg(w + 3)};
  } else {
    uint32_t w[4] = {};
#pragma unroll
    for (int i = 0; i < 16; ++i) w[i / 4] |= static_cast<uint32_t>(p[i]) << i % 4 * 8;
    return {w[0], w[1], w[2], w[3]};
  }
}

// A lane's part of a tile of keys: rows g = lane / 4 and g + 8 of its warp's sixteen.
template <int D>
struct KeyTile {
  uint4 chunk[2][D / 64];
  float scale;   // of the row whose logit this lane puts out: g + 8 (t / 2)
  bool missing;  // that row has no page
};

template <int D, int Align>
__device__ inline KeyTile<D> load_tile(const Logits &a, int64_t request, int64_t first, int64_t end,
                                       int lane) {
  KeyTile<D> tile;
  const int t = lane % 4;
  tile.scale = 0;
  tile.missing = false;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t key = first + lane / 4 + 8 * half;
    Key at{nullptr, nullptr};
    if (key < end) at = find_key(a, request, key);
    const int32_t step = chunk_step(a);
#pragma unroll
    for (int c = 0; c < D / 64; ++c)
      tile.chunk[half][c] =
          at.values ? load16<Align>(at.values + (t + 4 * c) * step) : uint4{0, 0, 0, 0};
    if (half == t / 2) {
      tile.missing = at.values == nullptr;
      if (at.values) tile.scale = __ldg(reinterpret_cast<const float *>(at.scale));
    }
  }
  return tile;
}

// Heads: columns of a row, padded. Rows: rows of one multiplication.
template <int D, int Heads, int Rows, int Align>
__global__ __launch_bounds__(kThreads, 2) void wgmma_kernel(Logits a, int32_t group_rows,
                                                            int32_t groups_per_request,
                                                            int64_t groups, int64_t chunk) {
  constexpr int N = Heads * Rows, steps = D / 32;
  // Weights in lane order: head 8 j + 2 t + c of a row at [t][2 j + c]; padded against conflicts.
  constexpr int own = Heads / 4, pitch = own + 4;
  extern __shared__ __align__(1024) uint8_t shared[];
  __shared__ __align__(16) float weights[kRows * 4 * pitch];
  __shared__ int64_t begins[kRows], ends[kRows];
  __shared__ int64_t least, most;

  const int64_t group = blockIdx.x % groups, part = blockIdx.x / groups;
  int64_t row0, request = 0, past;  // rows row0 ... past - 1
  if (a.cache == nullptr) {
    row0 = a.first_row + group * group_rows;
    past = row0 + group_rows < a.last_row ? row0 + group_rows : a.last_row;
  } else {
    request = a.first_row / a.next_n + group / groups_per_request;
    row0 = request * a.next_n + group % groups_per_request * group_rows;
    past =
        row0 + group_rows < (request + 1) * a.next_n ? row0 + group_rows : (request + 1) * a.next_n;
  }
  const int rows = static_cast<int>(past - row0);
  const int tid = static_cast<int>(threadIdx.x);
  if (tid < kRows) {
    KeyRange r{INT64_MAX, 0};
    if (tid < rows) r = keys_of_row(a, row0 + tid);
    begins[tid] = r.begin, ends[tid] = r.end;
  }
  __syncthreads();
  if (tid == 0) {
    int64_t low = INT64_MAX, high = 0;
    for (int r = 0; r < rows; ++r)
      if (begins[r] < ends[r]) {
        low = begins[r] < low ? begins[r] : low;
        high = ends[r] > high ? ends[r] : high;
      }
    least = low, most = high;
  }
  __syncthreads();
  // This block's keys: a part of all columns, less what no row needs.
  int64_t first = a.first_column + part * chunk, last = first + chunk;
  if (last > most) last = most;
  if (first < least) first += (least - first) / kTile * kTile;
  if (first >= last) return;

  const int warpgroup = tid / 128, warp = tid / 32 % 4, lane = tid % 32, t = lane % 4;
  int64_t key = first + warpgroup * kTile;
  KeyTile<D> next = load_tile<D, Align>(a, request, key + warp * 16, last, lane);

  // Queries, a word at a time, in the order above. Columns that no head has are zero.
  const int padded_rows = (rows + Rows - 1) / Rows * Rows;
  const bool aligned = reinterpret_cast<uintptr_t>(a.q) % 4 == 0;
  for (int i = tid; i < padded_rows * Heads * (D / 4); i += kThreads) {
    const int word = i % (D / 4), column = i / (D / 4), head = column % Heads, row = column / Heads;
    uint32_t value = 0;
    if (row < rows && head < a.heads) {
      const uint8_t *from = a.q + ((row0 + row) * a.heads + head) * D + word * 4;
      if (aligned)
        value = *reinterpret_cast<const uint32_t *>(from);
      else
        for (int b = 0; b < 4; ++b) value |= static_cast<uint32_t>(from[b]) << 8 * b;
    }
    const int c = word / 4, j = word % 4, s = 2 * (c / 4) + j / 2;
    const int place = 8 * s + 4 * (j % 2) + c % 4;
    *reinterpret_cast<uint32_t *>(shared + column * 128 + ((place / 4 ^ column % 8) * 16) +
                                  place % 4 * 4) = value;
  }
  for (int i = tid; i < padded_rows * Heads; i += kThreads) {
    const int head = i % Heads, row = i / Heads;
    const float w =
        row < rows && head < a.heads ? a.weights[(row0 + row) * a.weights_stride + head] : 0.0f;
    weights[(row * 4 + head / 2 % 4) * pitch + head / 8 * 2 + head % 2] = w;
  }
  // Ordinary stores, read by the matrix units.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  for (; key < last; key += kThreads / 128 * kTile) {
    uint32_t operand[steps][4];
#pragma unroll
    for (int s = 0; s < steps; ++s)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const uint4 q = next.chunk[half][s / 2];
        operand[s][half] = s % 2 ? q.z : q.x;
        operand[s][half + 2] = s % 2 ? q.w : q.y;
      }
    const float scale = next.scale;
    const bool missing = next.missing;
    const int64_t mine = key + warp * 16 + lane / 4 + 8 * (t / 2);  // the key this lane puts out
    next = load_tile<D, Align>(a, request, key + kThreads / 128 * kTile + warp * 16, last, lane);
    for (int r0 = 0; r0 < padded_rows; r0 += Rows) {
      float acc[N / 2];
      fence_operands();
#pragma unroll
      for (int s = 0; s < steps; ++s)
        multiply<N>(acc, operand[s],
                    descriptor(base + static_cast<uint32_t>(r0 * Heads * 128 + s * 32)), s != 0);
      commit();
      wait();
#pragma unroll
      for (int i = 0; i < N / 2; ++i) asm volatile("" : "+f"(acc[i])::"memory");  // not before
      float sums[Rows][2];
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        const float4 *w = reinterpret_cast<const float4 *>(weights + ((r0 + r) * 4 + t) * pitch);
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
        const float other = shfl_xor(t & 2 ? low : high, 2, 4);
        sums[r][0] = (t & 2 ? high : low) + other;
      }
      // Lanes t and t ^ 1 add; with two rows or more each goes on with half of them.
#pragma unroll
      for (int r = 0; r < Rows; r += 2) {
        float total;
        int row = r0 + r;
        if constexpr (Rows == 1) {
          total = sums[r][0] + shfl_xor(sums[r][0], 1, 4);
        } else {
          const float other = shfl_xor(t & 1 ? sums[r][0] : sums[r + 1][0], 1, 4);
          total = (t & 1 ? sums[r + 1][0] : sums[r][0]) + other;
          row += t & 1;
        }
        const bool puts = Rows > 1 || t % 2 == 0;
        if (puts && row < rows && mine >= begins[row] && mine < ends[row] && mine < last)
          put_logit(a, row0 + row, mine, missing ? float_of(0xFF800000) : total * scale);
      }
    }
  }
}

struct Launch {
  const Logits &a;
  int32_t units;
  void *stream;

  template <int D, int Heads, int Rows, int Align>
  hipError_t go() const {
    const bool paged = a.cache != nullptr;
    const int64_t rows = a.last_row - a.first_row, columns = a.last_column - a.first_column;
    int64_t group_rows = kRows, per_request = 1, groups = (rows + kRows - 1) / kRows;
    if (paged) {
      if (group_rows > a.next_n) group_rows = a.next_n;
      per_request = (a.next_n + group_rows - 1) / group_rows;
      groups = rows / a.next_n * per_request;
    }
    // Some four blocks for each place on the device, of whole rounds of tiles, so that a tail of
    // short blocks costs little; long enough, where there are keys, to pay for staging the queries.
    constexpr int64_t round = kThreads / 128 * kTile;
    const int64_t places = 2 * static_cast<int64_t>(units);
    const int64_t parts =
        groups >= places ? (4 * places + groups - 1) / groups : (places + groups - 1) / groups;
    int64_t chunk = ((columns + parts - 1) / parts + round - 1) / round * round;
    const int64_t most = group_rows * 512 < 8192 ? 8192 : group_rows * 512;
    if (chunk > most) chunk = most;
    const int64_t blocks = groups * ((columns + chunk - 1) / chunk);
    if (blocks > INT32_MAX) return hipErrorInvalidValue;
    const size_t shared = static_cast<size_t>((group_rows + Rows - 1) / Rows * Rows) * Heads * 128;
    return launch(wgmma_kernel<D, Heads, Rows, Align>, static_cast<unsigned>(blocks), kThreads,
                  shared, stream, a, static_cast<int32_t>(group_rows),
                  static_cast<int32_t>(per_request), groups, chunk);
  }
  template <int D, int Heads, int Rows>
  hipError_t aligned() const {
    const uintptr_t bits =
        a.cache ? reinterpret_cast<uintptr_t>(a.cache) | static_cast<uintptr_t>(a.page_stride)
                : reinterpret_cast<uintptr_t>(a.k);
    if (bits % 16 == 0) return go<D, Heads, Rows, 16>();
    if (bits % 4 == 0) return go<D, Heads, Rows, 4>();
    return go<D, Heads, Rows, 1>();
  }
  template <int D>
  hipError_t shaped() const {
    const bool single = a.cache != nullptr && a.next_n == 1;
    if (a.heads <= 32) return single ? aligned<D, 32, 1>() : aligned<D, 32, 4>();
    if (a.heads <= 64) return single ? aligned<D, 64, 1>() : aligned<D, 64, 2>();
    return aligned<D, 128, 1>();
  }
};

template <int D, int Heads, int Rows>
hipError_t allow() {
  const void *kernels[] = {reinterpret_cast<const void *>(&wgmma_kernel<D, Heads, Rows, 16>),
                           reinterpret_cast<const void *>(&wgmma_kernel<D, Heads, Rows, 4>),
                           reinterpret_cast<const void *>(&wgmma_kernel<D, Heads, Rows, 1>)};
  for (const void *kernel : kernels)
    if (const hipError_t error = raise_shared_memory_limit(kernel, kRows * Heads * 128))
      return error;
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
