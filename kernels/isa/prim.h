// SPDX-License-Identifier: MIT
/**
 * @file prim.h
 * @brief Block-wide scan, reduction and radix sort, and segmented device sort: rocPRIM or CUB.
 *
 * The part of the two libraries that plait uses, under one set of names. A block primitive is a
 * type with a `Storage` for shared memory; between two uses of one Storage stands a
 * __syncthreads(). Threads is the block's size, one-dimensional.
 *
 *     using Scan = prim::BlockScan<uint32_t, 256>;
 *     __shared__ Scan::Storage storage;
 *     Scan::exclusive_sum(count, offset, total, storage);
 */
#ifndef PLAIT_KERNELS_ISA_PRIM_H
#define PLAIT_KERNELS_ISA_PRIM_H

#include <cstring>  // rocPRIM 7 uses std::memcpy without saying so

#include "kernels/isa/hip_compat.h"

#if defined(PLAIT_WITH_CUDA)
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#else
#include <rocprim/functional.hpp>  // before the others, which need it in rocPRIM 5

#include <rocprim/block/block_radix_sort.hpp>
#include <rocprim/block/block_reduce.hpp>
#include <rocprim/block/block_scan.hpp>
#include <rocprim/device/device_segmented_radix_sort.hpp>
#endif

namespace plait::prim {

struct Sum {
  template <class T>
  __host__ __device__ T operator()(const T &a, const T &b) const {
    return a + b;
  }
};

struct Max {
  template <class T>
  __host__ __device__ T operator()(const T &a, const T &b) const {
    return a < b ? b : a;
  }
};

/// Prefix sums over the block's threads.
template <class T, int Threads>
struct BlockScan {
#if defined(PLAIT_WITH_CUDA)
  using Base = cub::BlockScan<T, Threads>;
  using Storage = typename Base::TempStorage;
#else
  using Base = rocprim::block_scan<T, Threads>;
  using Storage = typename Base::storage_type;
#endif

  /// out = the sum of the values of the threads before this one; total = of all, in every thread.
  __device__ static void exclusive_sum(T v, T &out, T &total, Storage &storage) {
#if defined(PLAIT_WITH_CUDA)
    Base(storage).ExclusiveSum(v, out, total);
#else
    Base().exclusive_scan(v, out, T(0), total, storage, Sum());
#endif
  }

  /// out = the sum of the values up to and including this thread's; total = of all.
  __device__ static void inclusive_sum(T v, T &out, T &total, Storage &storage) {
#if defined(PLAIT_WITH_CUDA)
    Base(storage).InclusiveSum(v, out, total);
#else
    Base().inclusive_scan(v, out, total, storage, Sum());
#endif
  }
};

/// One value from all of the block's; only thread 0 gets it.
template <class T, int Threads>
struct BlockReduce {
#if defined(PLAIT_WITH_CUDA)
  using Base = cub::BlockReduce<T, Threads>;
  using Storage = typename Base::TempStorage;
#else
  using Base = rocprim::block_reduce<T, Threads>;
  using Storage = typename Base::storage_type;
#endif

  template <class Op>
  __device__ static T reduce(T v, Op op, Storage &storage) {
#if defined(PLAIT_WITH_CUDA)
    return Base(storage).Reduce(v, op);
#else
    T out;
    Base().reduce(v, out, storage, op);
    return out;
#endif
  }
};

/**
 * Stable radix sort of Threads * Items pairs in a blocked arrangement: thread t holds elements
 * t * Items ... t * Items + Items - 1, before and after. Only bits [begin, end) of the keys count.
 */
template <class Key, class Value, int Threads, int Items>
struct BlockSort {
#if defined(PLAIT_WITH_CUDA)
  using Base = cub::BlockRadixSort<Key, Threads, Items, Value>;
  using Storage = typename Base::TempStorage;
#else
  using Base = rocprim::block_radix_sort<Key, Threads, Items, Value>;
  using Storage = typename Base::storage_type;
#endif

  __device__ static void ascending(Key (&keys)[Items], Value (&values)[Items], Storage &storage,
                                   unsigned begin = 0, unsigned end = 8 * sizeof(Key)) {
#if defined(PLAIT_WITH_CUDA)
    Base(storage).Sort(keys, values, static_cast<int>(begin), static_cast<int>(end));
#else
    Base().sort(keys, values, storage, begin, end);
#endif
  }

  __device__ static void descending(Key (&keys)[Items], Value (&values)[Items], Storage &storage,
                                    unsigned begin = 0, unsigned end = 8 * sizeof(Key)) {
#if defined(PLAIT_WITH_CUDA)
    Base(storage).SortDescending(keys, values, static_cast<int>(begin), static_cast<int>(end));
#else
    Base().sort_desc(keys, values, storage, begin, end);
#endif
  }
};

/**
 * Sorts the pairs of each segment [begin[i], end[i]) by descending key, stably, on the whole
 * device. With `temporary` NULL it only sets `bytes`. Elements outside every segment are not
 * written. Both libraries count elements in 32 bits: sort fewer than 2^31 in a call.
 */
template <class Key, class Value, class Offset>
hipError_t segmented_sort_descending(void *temporary, size_t &bytes, const Key *keys, Key *keys_out,
                                     const Value *values, Value *values_out, int64_t elements,
                                     int64_t segments, const Offset *begin, const Offset *end,
                                     unsigned begin_bit, unsigned end_bit, hipStream_t stream) {
  if (elements < 0 || segments < 0 || elements > INT32_MAX || segments > INT32_MAX)
    return hipErrorInvalidValue;
#if defined(PLAIT_WITH_CUDA)
  return cub::DeviceSegmentedRadixSort::SortPairsDescending(
      temporary, bytes, keys, keys_out, values, values_out, static_cast<int>(elements),
      static_cast<int>(segments), begin, end, static_cast<int>(begin_bit),
      static_cast<int>(end_bit), stream);
#else
  return rocprim::segmented_radix_sort_pairs_desc(
      temporary, bytes, keys, keys_out, values, values_out, static_cast<unsigned>(elements),
      static_cast<unsigned>(segments), begin, end, begin_bit, end_bit, stream);
#endif
}

}  // namespace plait::prim

#endif
