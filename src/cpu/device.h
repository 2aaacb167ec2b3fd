// SPDX-License-Identifier: MIT
// The CPU device: a pool of worker threads, and the loop that uses them.
#ifndef PLAIT_SRC_CPU_DEVICE_H
#define PLAIT_SRC_CPU_DEVICE_H

#include <atomic>

#include "src/backend.h"

struct pthreadpool;

namespace plait::cpu {

struct CpuDevice : Device {
  pthreadpool *pool = nullptr;  // nullptr when threads == 1
};

using RangeFn = void (*)(const void *body, int64_t begin, int64_t end);

// Calls fn(body, begin, end) for disjoint ranges that cover [0, count), each at most `grain` long,
// on the device's threads, and returns when all are done. Ranges are multiples of `grain`, so a
// computation that depends on its range only through blocks of `grain` is the same for any number
// of threads. One range, or one thread: runs on the caller.
void parallel_ranges(const Device &device, int64_t count, int64_t grain, RangeFn fn,
                     const void *body);

// The same for a callable `body(begin, end)`; allocates nothing.
template <class Body>
void parallel_for(const Device &device, int64_t count, int64_t grain, const Body &body) {
  parallel_ranges(
      device, count, grain,
      [](const void *b, int64_t begin, int64_t end) {
        (*static_cast<const Body *>(b))(begin, end);
      },
      &body);
}

// As parallel_for, but tells the body which worker runs it, 0 … threads - 1: for scratch that is
// sized by device.info.threads in the workspace. body(worker, begin, end).
using WorkerRangeFn = void (*)(const void *body, int64_t worker, int64_t begin, int64_t end);
void parallel_worker_ranges(const Device &device, int64_t count, int64_t grain, WorkerRangeFn fn,
                            const void *body);
template <class Body>
void parallel_for_workers(const Device &device, int64_t count, int64_t grain, const Body &body) {
  parallel_worker_ranges(
      device, count, grain,
      [](const void *b, int64_t worker, int64_t begin, int64_t end) {
        (*static_cast<const Body *>(b))(worker, begin, end);
      },
      &body);
}

const Backend *cpu_backend();

}  // namespace plait::cpu

#endif
