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
// Three radix picks over the keys give the k-th; positions in the output come from prefix sums in
// the same order as the elements, so the output is ascending with no sort.

template <int dtype, int W, int Threads, int Items>
__global__ __launch_bounds__(Threads, 1024 / Threads) void registers_kernel(TopkInput in,
                                                                            TopkOutput o) {
  constexpr int V = Element<dtype>::per_vector, U = Items / V;
  __shared__ TopkShared shared;
  __shared__ uint32_t bins[kBins];
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
    const int32_t shift = misalignment<dtype>(values);
    const int32_t base = wave * Items * W + lane * V - shift;  // element 0 of vector 0
    uint32_t keys[Items];
#pragma unroll
    for (int u = 0; u < U; ++u) {
      float v[V];
      const int32_t at = base + u * W * V;
      load_values<dtype>(values, at, 0, length, v);
#pragma unroll
      for (int e = 0; e < V; ++e)
        keys[u * V + e] = at + e >= 0 && at + e < length ? key_of(v[e]) : 0;
    }
    // Keys above `last` are in, and the first `needed` that equal it.
    uint32_t last = 0, needed = 0;
    if (length > o.k) {
      last = block.pick_key(keys, static_cast<uint32_t>(o.k), false, needed);
      if (needed == 0) --last;
    }
    // Of this thread: those above, and those equal in the upper half.
    uint32_t mine = 0;
#pragma unroll
    for (int i = 0; i < Items; ++i)
      mine += (keys[i] > last) + (static_cast<uint32_t>(keys[i] == last) << 16);
    uint32_t total;
    // Of use is the wave's base alone: its lanes are not in element order.
    const uint32_t before = block.scan(mine, total);
    uint32_t running = shfl(before, 0, W);
#pragma unroll
    for (int u = 0; u < U; ++u) {
      uint32_t n = 0;
#pragma unroll
      for (int e = 0; e < V; ++e)
        n += (keys[u * V + e] > last) + (static_cast<uint32_t>(keys[u * V + e] == last) << 16);
      uint32_t x = n;
#pragma unroll
      for (int d = 1; d < W; d *= 2) {
        const uint32_t y = shfl_up(x, static_cast<unsigned>(d), W);
        if (lane >= d) x += y;
      }
      uint32_t at = running + x - n;
      running += shfl(x, W - 1, W);
      if (n != 0) {
#pragma unroll
        for (int e = 0; e < V; ++e) {
          const uint32_t key = keys[u * V + e], equal = at >> 16;
          const bool in_set = key > last || (key == last && equal < needed);
          if (in_set) {
            const uint32_t position = (at & 0xFFFF) + (equal < needed ? equal : needed);
            const uint32_t index = static_cast<uint32_t>(base + u * W * V + e);
            if (descending)
              ranks[position] = rank_of(key, index);
            else
              out.put(position, index);
          }
          at += (key > last) + (static_cast<uint32_t>(key == last) << 16);
        }
      }
    }
    if (descending) sort_and_put(block, out, ranks, length < o.k ? length : o.k);
    __syncthreads();  // the next row's ranks
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
__global__ __launch_bounds__(kFilterThreads, 3) void filter_kernel(TopkInput in, TopkOutput o,
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
  uint32_t *window = reinterpret_cast<uint32_t *>(ranks + f.capacity);
  const int64_t row = blockIdx.x;
  Filter<dtype, W> filter(shared, window, ranks, f.capacity, static_cast<uint32_t>(o.k));
  filter.reset();
  const Range range = range_of(in, row);
  const auto *values = row_of<dtype>(in, row, range.start);
  const TopkRowOutput out(o, row, values, dtype);
  if (put_short(filter, out, values, range.length, window)) return;
  const uint32_t *counts = f.counts + row * f.segments;
  const uint64_t *lists = f.candidates + row * f.segments * f.capacity;
  uint32_t total = 0;
  for (uint32_t i = threadIdx.x; i < f.segments; i += kFilterThreads) total += counts[i];
  (void)filter.scan(total, total);
  if (total < filter.k) {
    filter.restart(0);
    filter.stream(values, 0, static_cast<int32_t>(range.length));
  } else if (total <= f.capacity) {
    // Each wave copies whole lists, to places in the order of their numbers.
    const uint32_t lane = threadIdx.x % W;
    for (uint32_t i = threadIdx.x / W; i < f.segments; i += kFilterThreads / W) {
      uint32_t place = 0;
      for (uint32_t j = lane; j < i; j += W) place += counts[j];
      place = group_sum<W>(place);
      for (uint32_t j = lane; j < counts[i]; j += W)
        ranks[place + j] = lists[static_cast<int64_t>(i) * f.capacity + j];
    }
    if (threadIdx.x == 0) shared.count = total;
    __syncthreads();
  } else {
    for (uint32_t i = 0; i < f.segments; ++i) {
      const uint64_t *list = lists + static_cast<int64_t>(i) * f.capacity;
      filter.stream_ranks(counts[i], [&](int64_t j) { return list[j]; });
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
  __shared__ uint32_t bins[kBins];
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
    uint32_t last = 0, needed = 0;
    if (range.length > o.k) {
      uint32_t need = static_cast<uint32_t>(o.k), prefix = 0;
      for (int level = 0; level < 3; ++level) {
        const int shift = level == 0 ? 21 : level == 1 ? 10 : 0;
        const uint32_t mask = level == 2 ? 1023 : 2047;
        for (int64_t i = threadIdx.x; i < range.length; i += Threads) {
          const uint32_t key = key_of(Element<dtype>::value(values[i]));
          if (level == 0 || key >> (level == 1 ? 21 : 10) == prefix)
            atomicAdd(&bins[key >> shift & mask], 1u);
        }
        uint32_t bin, above, inside;
        block.pick(need, bin, above, inside);
        need -= above;
        prefix = prefix << (level == 2 ? 10 : 11) | bin;
      }
      last = prefix, needed = need;
    }
    // In order of index, a chunk at a time.
    uint32_t above_so_far = 0, equal_so_far = 0;
    for (int64_t start = 0; start < range.length; start += Threads) {
      const int64_t i = start + threadIdx.x;
      const uint32_t key = i < range.length ? key_of(Element<dtype>::value(values[i])) : 0;
      const uint32_t mine = (key > last) + (static_cast<uint32_t>(key == last && key != 0) << 16);
      uint32_t total;
      const uint32_t before = block.scan(mine, total);
      const uint32_t equal = equal_so_far + (before >> 16);
      if (key > last || (key == last && key != 0 && equal < needed)) {
        const uint32_t at = above_so_far + (before & 0xFFFF) + (equal < needed ? equal : needed);
        if (descending)
          ranks[at] = rank_of(key, static_cast<uint32_t>(i));
        else
          out.put(at, static_cast<uint32_t>(i));
      }
      above_so_far += total & 0xFFFF, equal_so_far += total >> 16;
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
  template <int dtype, int W, int Threads, int Items>
  hipError_t go() const {
    return launch(registers_kernel<dtype, W, Threads, Items>, grid_of(in.rows), Threads, shared,
                  stream, in, out);
  }
  template <int dtype, int W>
  hipError_t run() const {
    const int64_t columns = in.columns + Element<dtype>::per_vector;  // and a misaligned start
    if (columns <= 4096) return go<dtype, W, 512, 8>();
    if (columns <= 8192) return many ? go<dtype, W, 512, 16>() : go<dtype, W, 1024, 8>();
    return go<dtype, W, 1024, 16>();
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
                  shared, stream, in, out, filter);
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
    const void *kernels[] = {reinterpret_cast<const void *>(&registers_kernel<dtype, W, 512, 8>),
                             reinterpret_cast<const void *>(&registers_kernel<dtype, W, 1024, 8>),
                             reinterpret_cast<const void *>(&registers_kernel<dtype, W, 512, 16>),
                             reinterpret_cast<const void *>(&registers_kernel<dtype, W, 1024, 16>),
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
  return capacity * sizeof(uint64_t) + kWindowWords * sizeof(uint32_t);
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
