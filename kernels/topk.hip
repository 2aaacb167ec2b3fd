// SPDX-License-Identifier: MIT
// Top-k of rows. Three ways, by the width of a row and by k; each is exact for any data.
#include "topk.h"

#include "isa/launch.h"
#include "topk_filter.h"

namespace plait::kernels {
namespace {

// The elements of a row that take part. A range that is no range is empty.
struct Range {
  int64_t start;
  int64_t length;
};

__device__ inline Range range_of(const TopkInput &in, int64_t row) {
  const int64_t start = in.start ? in.start[row] : 0;
  int64_t end = in.columns;
  if (in.next_n != 0)
    end = in.end[row / in.next_n] - in.next_n + row % in.next_n + 1;
  else if (in.end)
    end = in.end[row];
  if (end > in.columns) end = in.columns;
  return start < 0 || start >= end ? Range{0, 0} : Range{start, end - start};
}

template <int dtype>
__device__ inline const typename Element<dtype>::Raw *row_of(const TopkInput &in, int64_t row,
                                                             int64_t start) {
  return static_cast<const typename Element<dtype>::Raw *>(in.values) + row * in.stride + start;
}

// A row of at most k elements in index order needs none of its values.
template <int Threads>
__device__ inline void put_all(const TopkRowOutput &out, int64_t length) {
  for (int64_t j = threadIdx.x; j < out.o.k; j += Threads) {
    if (j < length)
      out.put(j, static_cast<uint32_t>(j));
    else
      out.put_empty(j);
  }
}

// --- Rows in registers --------------------------------------------------------------------------
//
// A wave holds W * Items neighbouring elements, lane by lane in 16-byte vectors:
//
//     vector u, lane l, element e   at   (wave * Items / V + u) * W * V + l * V + e
//
// A pick gives the k-th rank; positions in the output come from prefix sums in the same order as
// the elements, so the output is ascending with no sort.

// Prefix sums over a wave of U small counts of each lane, of at most V, several in a word.
template <int W, int V, int U>
struct VectorCounts {
  static constexpr int bits = W * V < 256 ? 8 : 16, per = 32 / bits, words = (U + per - 1) / per;
  uint32_t sums[words] = {};

  __device__ void add(int u, uint32_t n) { sums[u / per] += n << (u % per * bits); }
  __device__ static uint32_t field(uint32_t word, int u) {
    return word >> (u % per * bits) & ((1u << bits) - 1);
  }
  // Turns counts into places in the wave: first all of vector 0, lane by lane. Gives the total.
  __device__ uint32_t scan(uint32_t (&places)[U]) {
    uint32_t total = 0;
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const uint32_t upto = wave_scan<W>(sums[w]), all = shfl(upto, W - 1, W);
      const uint32_t before = upto - sums[w];
#pragma unroll
      for (int u = w * per; u < (w + 1) * per && u < U; ++u) {
        places[u] = total + field(before, u);
        total += field(all, u);
      }
    }
    return total;
  }
};

// keys[i] of Count keys from `first` on, a power of two: registers have no run-time index.
template <int Count, int Items>
__device__ inline uint32_t select(const uint32_t (&keys)[Items], int i, int first = 0) {
  if constexpr (Count == 1) {
    return keys[first];
  } else {
    const uint32_t lower = select<Count / 2>(keys, i, first);
    const uint32_t upper = select<Count / 2>(keys, i, first + Count / 2);
    return lower ^ ((lower ^ upper) & (0u - static_cast<uint32_t>((i & Count / 2) != 0)));
  }
}

template <int dtype, int W, int Threads, int Items, int Blocks>
__global__ PLAIT_LAUNCH_BOUNDS(Threads, Blocks) void registers_kernel(TopkInput in, TopkOutput o) {
  constexpr int V = Element<dtype>::per_vector, U = Items / V;
  constexpr int spare = Element<dtype>::spare_bits;
  __shared__ TopkShared shared;
  __shared__ __align__(16) uint32_t bins[kBins];
  PLAIT_DYNAMIC_SHARED(uint64_t, ranks);
  TopkBlock<W, Threads> block{shared, bins};
  const int lane = static_cast<int>(threadIdx.x) % W, wave = static_cast<int>(threadIdx.x) / W;
  block.reset();
  for (int64_t row = blockIdx.x; row < in.rows; row += gridDim.x) {
    const Range range = range_of(in, row);
    const int32_t length = static_cast<int32_t>(range.length);
    const auto *values = row_of<dtype>(in, row, range.start);
    const TopkRowOutput out(o, row, values, dtype);
    const bool descending = o.order == PLAIT_ORDER_DESCENDING;
    if (length <= o.k && !descending) {
      put_all<Threads>(out, length);
      continue;
    }
    // A row that fills the block but for its misaligned start is read element by element.
    const int32_t shift = misalignment<dtype>(values);
    const bool aligned = length + shift <= Threads * Items;
    const int32_t base = wave * Items * W + lane * V - (aligned ? shift : 0);  // vector 0
    uint4 raw[U];
    load_vectors<dtype>(values, base, W * V, 0, length, aligned, raw);
    uint32_t keys[Items], top = 0;
#pragma unroll
    for (int u = 0; u < U; ++u) {
      float v[V];
      unpack<dtype>(raw[u], v);
#pragma unroll
      for (int e = 0; e < V; ++e) {
        const uint32_t key = key_of(v[e]) >> spare;
        keys[u * V + e] = key;
        top = key > top ? key : top;
      }
    }
    // What is outside the row counts as NaN of an index past the row's end.
    KeyRange tied{1 >> spare, 1 >> spare, 1, 0};
    if (length > o.k) {
      const auto each_key = [&](const auto &f) {
#pragma unroll
        for (int i = 0; i < Items; ++i) f(keys[i]);
      };
      tied = narrow<32 - spare>(block, each_key, static_cast<uint32_t>(o.k), block.max(top),
                                kFineShift > spare ? kFineShift - spare : 0);
    }
    // Which of this thread's elements are in, and which may be.
    uint32_t chosen = 0, open = 0;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      chosen |= static_cast<uint32_t>(keys[i] > tied.high) << i;
      open |= static_cast<uint32_t>(keys[i] >= tied.low) << i;
    }
    open &= ~chosen;
    const auto index_at = [&](uint32_t bits) {  // of the lowest bit
      const int i = __ffs(static_cast<int>(bits)) - 1;
      return static_cast<uint32_t>(base + i / V * W * V + i % V);
    };
    if (tied.need == tied.inside) {
      chosen |= open;
    } else if (length > o.k && tied.inside <= W) {
      uint32_t first = 0;
      if (open != 0) first = atomicAdd(&shared.listed, static_cast<uint32_t>(__popc(open)));
      uint32_t place = first;
      for (uint32_t m = open; m != 0; m &= m - 1)
        shared.list[place++] =
            rank_of(select<Items>(keys, __ffs(static_cast<int>(m)) - 1), index_at(m));
      const uint64_t last = last_listed(block, tied.inside, tied.need);
      for (uint32_t m = open; m != 0; m &= m - 1)
        if (shared.list[first++] >= last) chosen |= m & (0 - m);
    } else {
      // Equal keys.
      uint32_t end = static_cast<uint32_t>(length);
      if (length > o.k) {
        const auto each = [&](const auto &f) {
          for (uint32_t m = open; m != 0; m &= m - 1) f(tied.high, index_at(m));
        };
        end = 1 + last_index(block, each, tied.high, tied.need, kTopkRegisterBits);
      }
      for (uint32_t m = open; m != 0; m &= m - 1)
        if (index_at(m) < end) chosen |= m & (0 - m);
    }
    VectorCounts<W, V, U> counts;
#pragma unroll
    for (int u = 0; u < U; ++u) {
      counts.add(u, static_cast<uint32_t>(__popc(chosen >> (u * V) & ((1u << V) - 1))));
    }
    uint32_t places[U];
    const uint32_t of_waves = block.exchange(counts.scan(places));
    const uint32_t before = wave_sum<W>(lane < wave ? of_waves : 0);
    int32_t *indices = o.indices + row * o.indices_stride;
#pragma unroll
    for (int u = 0; u < U; ++u) {
      int32_t *to = indices + (before + places[u]);
#pragma unroll
      for (int e = 0; e < V; ++e) {
        const uint32_t in_set = chosen >> (u * V + e) & 1;
        if (in_set) *to = base + u * W * V + e;
        to += in_set;
      }
    }
    if (descending) {
      // From ascending order, by way of the output.
      const int32_t count = length < o.k ? length : static_cast<int32_t>(o.k);
      __syncthreads();
      for (int32_t j = threadIdx.x; j < count; j += Threads) {
        const int32_t i = indices[j];
        ranks[j] = rank_of(key_of(Element<dtype>::value(values[i])), static_cast<uint32_t>(i));
      }
      sort_and_put(block, out, ranks, count);
      __syncthreads();  // the next row's ranks
    } else if (o.values || o.slots) {
      __syncthreads();
      for (int64_t j = threadIdx.x; j < o.k; j += Threads)
        out.put(j, static_cast<uint32_t>(indices[j]));
    }
  }
}

// --- One pass over rows of any length: topk_filter.h
// ----------------------------------------------

// Rows of at most k elements need no filter.
template <int dtype, int W>
__device__ inline bool put_short(Filter<dtype, W> &filter, const TopkRowOutput &out,
                                 const typename Element<dtype>::Raw *values, int64_t length,
                                 uint32_t *) {
  if (length > out.o.k) return false;
  if (out.o.order != PLAIT_ORDER_DESCENDING) {
    put_all<kFilterThreads>(out, length);
  } else {
    for (int64_t i = threadIdx.x; i < length; i += kFilterThreads)
      filter.ranks[i] = rank_of(key_of(Element<dtype>::value(values[i])), static_cast<uint32_t>(i));
    sort_and_put(filter, out, filter.ranks, length);
    __syncthreads();
  }
  return true;
}

template <int dtype, int W>
__global__ __launch_bounds__(kFilterThreads, 2) void filter_kernel(TopkInput in, TopkOutput o,
                                                                   TopkFilter f) {
  __shared__ TopkShared shared;
  PLAIT_DYNAMIC_SHARED(uint64_t, ranks);
  uint32_t *window = reinterpret_cast<uint32_t *>(ranks + f.capacity);
  Filter<dtype, W> filter(shared, window, ranks, f.capacity, static_cast<uint32_t>(o.k));
  filter.reset();
  for (int64_t row = blockIdx.x; row < in.rows; row += gridDim.x) {
    const Range range = range_of(in, row);
    const auto *values = row_of<dtype>(in, row, range.start);
    const TopkRowOutput out(o, row, values, dtype);
    if (put_short(filter, out, values, range.length, window)) continue;
    filter.row(values, static_cast<int32_t>(range.length));
    filter.put(out, range.length, window);
  }
}

// Segments: the candidates of one part of a row, above a floor that all its blocks agree on.
template <int dtype, int W>
__global__ __launch_bounds__(kFilterThreads, 2) void segment_kernel(TopkInput in, TopkOutput o,
                                                                    TopkFilter f) {
  __shared__ TopkShared shared;
  PLAIT_DYNAMIC_SHARED(uint64_t, ranks);
  uint32_t *window = reinterpret_cast<uint32_t *>(ranks + f.capacity);
  const int64_t row = blockIdx.x / f.segments, segment = blockIdx.x % f.segments;
  const Range range = range_of(in, row);
  if (range.length <= o.k) return;
  const auto *values = row_of<dtype>(in, row, range.start);
  Filter<dtype, W> filter(shared, window, ranks, f.capacity, static_cast<uint32_t>(o.k));
  filter.reset();
  const int64_t part = (range.length + f.segments - 1) / f.segments;
  const int64_t begin = segment * part,
                end = begin + part < range.length ? begin + part : range.length;
  const int32_t length = static_cast<int32_t>(range.length);
  filter.restart(length > static_cast<int64_t>(f.capacity)
                     ? static_cast<uint64_t>(filter.sample(values, length)) << 32
                     : 0);
  if (begin < end) filter.stream(values, static_cast<int32_t>(begin), static_cast<int32_t>(end));
  const uint32_t n = filter.found();
  uint64_t *to = f.candidates + static_cast<int64_t>(blockIdx.x) * f.capacity;
  for (uint32_t i = threadIdx.x; i < n; i += kFilterThreads) to[i] = ranks[i];
  if (threadIdx.x == 0) f.counts[blockIdx.x] = n;
}

template <int dtype, int W>
__global__ __launch_bounds__(kFilterThreads, 2) void merge_segments_kernel(TopkInput in,
                                                                           TopkOutput o,
                                                                           TopkFilter f) {
  __shared__ TopkShared shared;
  PLAIT_DYNAMIC_SHARED(uint64_t, ranks);
  uint32_t *window = reinterpret_cast<uint32_t *>(ranks + f.joined);
  const int64_t row = blockIdx.x;
  Filter<dtype, W> filter(shared, window, ranks, f.joined, static_cast<uint32_t>(o.k));
  filter.reset();
  const Range range = range_of(in, row);
  const auto *values = row_of<dtype>(in, row, range.start);
  const TopkRowOutput out(o, row, values, dtype);
  if (put_short(filter, out, values, range.length, window)) return;
  const uint64_t *lists = f.candidates + row * f.segments * f.capacity;
  // Lists are joined in the order of their numbers. Where each begins: beside the bins.
  uint32_t *begins = window + kBins;
  const bool one = threadIdx.x < f.segments;
  const uint32_t count = one ? f.counts[row * f.segments + threadIdx.x] : 0;
  uint32_t total;
  const uint32_t begin = filter.scan(count, total);
  if (one) begins[threadIdx.x] = begin;
  if (threadIdx.x == 0) begins[f.segments] = total;
  __syncthreads();
  if (total < filter.k) {
    filter.restart(0);
    filter.stream(values, 0, static_cast<int32_t>(range.length));
  } else if (total <= f.joined) {
    filter.join(lists, f.capacity, begins, f.segments);
    if (threadIdx.x == 0) shared.count = total;
    __syncthreads();
  } else {
    for (uint32_t i = 0; i < f.segments; ++i) {
      const uint64_t *list = lists + static_cast<int64_t>(i) * f.capacity;
      const uint32_t n = begins[i + 1] - begins[i];
      filter.stream_ranks(n, [&](int64_t j) { return list[j]; });
    }
  }
  filter.put(out, range.length, window);
}

// --- Several passes ------------------------------------------------------------------------------

template <int dtype, int W>
__global__ __launch_bounds__(1024) void passes_kernel(TopkInput in, TopkOutput o, uint64_t *slabs,
                                                      int64_t slab) {
  constexpr int Threads = 1024;
  __shared__ TopkShared shared;
  __shared__ __align__(16) uint32_t bins[kBins];
  TopkBlock<W, Threads> block{shared, bins};
  block.reset();
  uint64_t *ranks = slabs + static_cast<int64_t>(blockIdx.x) * slab;
  for (int64_t row = blockIdx.x; row < in.rows; row += gridDim.x) {
    const Range range = range_of(in, row);
    const auto *values = row_of<dtype>(in, row, range.start);
    const TopkRowOutput out(o, row, values, dtype);
    const bool descending = o.order == PLAIT_ORDER_DESCENDING;
    if (range.length <= o.k && !descending) {
      put_all<Threads>(out, range.length);
      continue;
    }
    uint64_t last = 1ull << 32;  // any
    if (range.length > o.k) {
      const auto each = [&](const auto &f) {
        for (int64_t i = threadIdx.x; i < range.length; i += Threads)
          f(key_of(Element<dtype>::value(values[i])), static_cast<uint32_t>(i));
      };
      const auto each_key = [&](const auto &f) { each([&](uint32_t key, uint32_t) { f(key); }); };
      const KeyRange keys = narrow(block, each_key, static_cast<uint32_t>(o.k), 0xFFFFFFFF, 21);
      last = last_rank(block, each, keys, 31);
    }
    // In order of index, a chunk at a time.
    uint32_t so_far = 0;
    for (int64_t start = 0; start < range.length; start += Threads) {
      const int64_t i = start + threadIdx.x;
      const uint64_t rank = i < range.length ? rank_of(key_of(Element<dtype>::value(values[i])),
                                                       static_cast<uint32_t>(i))
                                             : 0;
      const bool in_set = rank >= last && rank != 0;
      uint32_t total;
      const uint32_t at = so_far + block.scan(in_set, total);
      if (in_set && descending) ranks[at] = rank;
      if (in_set && !descending) out.put(at, static_cast<uint32_t>(i));
      so_far += total;
    }
    if (descending) {
      __syncthreads();
      sort_and_put(block, out, ranks, range.length < o.k ? range.length : o.k);
    }
    __syncthreads();
  }
}

// --- Launches ------------------------------------------------------------------------------------

unsigned grid_of(int64_t rows) {
  return static_cast<unsigned>(rows < INT32_MAX ? rows : INT32_MAX);
}

int64_t sorted_room(int64_t columns, int64_t k) {
  const int64_t n = columns < k ? columns : k;
  int64_t room = 1;
  while (room < n) room *= 2;
  return room;
}

// Calls `f` with the type and the wave size as template arguments.
template <int dtype, class F>
hipError_t with_wave(int32_t wave, const F &f) {
#if defined(PLAIT_WITH_CUDA)
  (void)wave;
  return f.template run<dtype, 32>();
#else
  return wave == 64 ? f.template run<dtype, 64>() : f.template run<dtype, 32>();
#endif
}

template <class F>
hipError_t dispatch(int32_t dtype, int32_t wave, const F &f) {
  switch (dtype) {
    case PLAIT_DTYPE_F32: return with_wave<PLAIT_DTYPE_F32>(wave, f);
    case PLAIT_DTYPE_F16: return with_wave<PLAIT_DTYPE_F16>(wave, f);
    default: return with_wave<PLAIT_DTYPE_BF16>(wave, f);
  }
}

struct Registers {
  const TopkInput &in;
  const TopkOutput &out;
  size_t shared;
  bool many;  // more rows than the device can hold at a time
  void *stream;
  template <int dtype, int W, int Threads, int Items, int Blocks>
  hipError_t go() const {
    return launch(registers_kernel<dtype, W, Threads, Items, Blocks>, grid_of(in.rows), Threads,
                  shared, stream, in, out);
  }
  template <int dtype, int W>
  hipError_t run() const {
    if (in.columns <= 4096) return go<dtype, W, 256, 16, 4>();
    if (in.columns <= 8192) return many ? go<dtype, W, 256, 32, 4>() : go<dtype, W, 512, 16, 2>();
    if (in.columns <= 16384) return many ? go<dtype, W, 512, 32, 2>() : go<dtype, W, 1024, 16, 1>();
    return go<dtype, W, 1024, 32, 1>();
  }
};

struct FilterRows {
  const TopkInput &in;
  const TopkOutput &out;
  const TopkFilter &filter;
  void *stream;
  template <int dtype, int W>
  hipError_t run() const {
    const size_t shared = topk_filter_shared(filter.capacity);
    if (filter.segments == 1)
      return launch(filter_kernel<dtype, W>, grid_of(in.rows), kFilterThreads, shared, stream, in,
                    out, filter);
    const hipError_t error =
        launch(segment_kernel<dtype, W>, static_cast<unsigned>(in.rows) * filter.segments,
               kFilterThreads, shared, stream, in, out, filter);
    if (error != hipSuccess) return error;
    return launch(merge_segments_kernel<dtype, W>, static_cast<unsigned>(in.rows), kFilterThreads,
                  topk_filter_shared(filter.joined), stream, in, out, filter);
  }
};

struct Passes {
  const TopkInput &in;
  const TopkOutput &out;
  uint64_t *ranks;
  int64_t slab;
  uint32_t slabs;
  void *stream;
  template <int dtype, int W>
  hipError_t run() const {
    const unsigned grid = in.rows < slabs ? static_cast<unsigned>(in.rows) : slabs;
    return launch(passes_kernel<dtype, W>, grid, 1024, 0, stream, in, out, ranks, slab);
  }
};

struct Allow {
  size_t bytes;
  template <int dtype, int W>
  hipError_t run() const {
    const void *kernels[] = {
        reinterpret_cast<const void *>(&registers_kernel<dtype, W, 256, 16, 4>),
        reinterpret_cast<const void *>(&registers_kernel<dtype, W, 512, 16, 2>),
        reinterpret_cast<const void *>(&registers_kernel<dtype, W, 256, 32, 4>),
        reinterpret_cast<const void *>(&registers_kernel<dtype, W, 512, 32, 2>),
        reinterpret_cast<const void *>(&registers_kernel<dtype, W, 1024, 16, 1>),
        reinterpret_cast<const void *>(&registers_kernel<dtype, W, 1024, 32, 1>),
        reinterpret_cast<const void *>(&filter_kernel<dtype, W>),
        reinterpret_cast<const void *>(&segment_kernel<dtype, W>),
        reinterpret_cast<const void *>(&merge_segments_kernel<dtype, W>)};
    for (const void *kernel : kernels) {
      hipFuncAttributes attributes;
      hipError_t error = hipFuncGetAttributes(&attributes, kernel);
      if (error == hipSuccess)
        error = raise_shared_memory_limit(kernel, bytes - attributes.sharedSizeBytes);
      if (error != hipSuccess) return error;
    }
    return hipSuccess;
  }
};

}  // namespace

size_t topk_registers_shared(int64_t columns, int64_t k, int32_t order) {
  if (order != PLAIT_ORDER_DESCENDING) return 0;
  return static_cast<size_t>(sorted_room(columns, k)) * sizeof(uint64_t);
}

hipError_t topk_registers(const TopkInput &input, const TopkOutput &output, bool many, int32_t wave,
                          void *stream) {
  const size_t shared = topk_registers_shared(input.columns, output.k, output.order);
  return dispatch(input.dtype, wave, Registers{input, output, shared, many, stream});
}

size_t topk_filter_shared(uint32_t capacity) {
  return capacity * sizeof(uint64_t) + (kWindowWords + kWindowSums) * sizeof(uint32_t);
}

hipError_t topk_filter(const TopkInput &input, const TopkOutput &output, const TopkFilter &filter,
                       int32_t wave, void *stream) {
  return dispatch(input.dtype, wave, FilterRows{input, output, filter, stream});
}

hipError_t topk_passes(const TopkInput &input, const TopkOutput &output, uint64_t *ranks,
                       int64_t slab, uint32_t slabs, int32_t wave, void *stream) {
  return dispatch(input.dtype, wave, Passes{input, output, ranks, slab, slabs, stream});
}

hipError_t topk_allow_shared(int32_t dtype, int32_t wave, size_t bytes) {
  return dispatch(dtype, wave, Allow{bytes});
}

}  // namespace plait::kernels
