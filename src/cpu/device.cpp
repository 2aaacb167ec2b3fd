// SPDX-License-Identifier: MIT
// The CPU backend: opening the device, its threads, and host versions of memory and events.
#include "src/cpu/device.h"

#include <pthreadpool.h>
#include <sched.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "src/cpu/lists.h"
#include "src/version.h"

namespace plait::cpu {
namespace {

// A host program may run with flush-to-zero or another rounding mode set on its threads. The bits
// of a result must not depend on that, so the caller's thread computes in the default environment
// too.
class FloatEnvironment {
 public:
#if defined(__x86_64__)
  FloatEnvironment() : saved_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(0x1F80); }
  ~FloatEnvironment() { __builtin_ia32_ldmxcsr(saved_); }

 private:
  unsigned saved_;
#elif defined(__aarch64__)
  FloatEnvironment() {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    asm volatile("msr fpcr, %0" : : "r"(uint64_t{0}));
  }
  ~FloatEnvironment() { asm volatile("msr fpcr, %0" : : "r"(saved_)); }

 private:
  uint64_t saved_;
#else
  FloatEnvironment() {}
#endif
};

int32_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count < 1 ? 1 : count > 1024 ? 1024 : count;
}

plait_status probe(int32_t *device_count, Failure &) {
  *device_count = 1;
  return PLAIT_OK;
}

// Reads one line of /proc/cpuinfo for the device's name; "CPU" where there is none.
void read_name(char *name, size_t size) {
  snprintf(name, size, "CPU");
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (!file) return;
  char line[256];
  while (fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    snprintf(name, size, "%s", colon + 2);
    name[strcspn(name, "\n")] = 0;
    break;
  }
  fclose(file);
}

plait_status open(const DeviceConfig &config, Device **out, Failure &failure) {
  if (config.device > 0) {
    failure.status = status_of(PLAIT_ERROR_NO_DEVICE, PLAIT_ARG_DEVICE);
    failure.reason.set("the CPU backend has device 0 only");
    return failure.status;
  }
  CpuDevice *device = new (std::nothrow) CpuDevice;
  if (!device) {
    failure.status = PLAIT_ERROR_OUT_OF_MEMORY;
    failure.reason.set("no memory for the device");
    return failure.status;
  }
  const int32_t threads = config.threads > 0 ? config.threads : usable_cpus();
  device->backend = cpu_backend();
  device->info.threads = threads;
  device->info.compute_units = threads;
  read_name(device->info.name, sizeof device->info.name);
  describe_simd(device->info);
  if (threads > 1) {
    device->pool = pthreadpool_create(static_cast<size_t>(threads));
    if (!device->pool) {
      delete device;
      failure.status = status_of(PLAIT_ERROR_THREADS, PLAIT_ARG_THREADS);
      failure.native_code = errno;
      failure.reason.set("could not start %d threads", threads);
      return failure.status;
    }
  }
  *out = device;
  return PLAIT_OK;
}

void close(Device *device) {
  CpuDevice *cpu = static_cast<CpuDevice *>(device);
  if (cpu->pool) pthreadpool_destroy(cpu->pool);
  delete cpu;
}

// One parallel loop. Each worker takes the next step until none is left.
struct Job {
  WorkerRangeFn fn;
  const void *body;
  int64_t count;
  int64_t grain;
  int64_t steps;
  mutable std::atomic<int64_t> next{0};
};

// The pool orders memory between the caller and its workers, but a thread sanitizer does not see
// into a library that is not built with it: these tell it where the order is. Nothing in other
// builds.
#if defined(__SANITIZE_THREAD__)
#define PLAIT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PLAIT_TSAN 1
#endif
#endif
#ifdef PLAIT_TSAN
extern "C" void __tsan_acquire(void *);
extern "C" void __tsan_release(void *);
void order_release(void *at) { __tsan_release(at); }
void order_acquire(void *at) { __tsan_acquire(at); }
#else
void order_release(void *) {}
void order_acquire(void *) {}
#endif

void run_job(void *context, size_t worker) {
  order_acquire(context);
  const Job &job = *static_cast<const Job *>(context);
  const FloatEnvironment environment;
  for (int64_t step; (step = job.next.fetch_add(1, std::memory_order_relaxed)) < job.steps;) {
    const int64_t begin = step * job.grain;
    const int64_t end = begin + job.grain < job.count ? begin + job.grain : job.count;
    job.fn(job.body, static_cast<int64_t>(worker), begin, end);
  }
  order_release(context);
}

plait_status memory_alloc(Device &, size_t size, void **data, Failure &failure) {
  const size_t rounded = size > SIZE_MAX - 255 ? 0 : (size + 255) / 256 * 256;
  *data = rounded ? aligned_alloc(256, rounded) : nullptr;
  if (*data) return PLAIT_OK;
  failure.status = status_of(PLAIT_ERROR_OUT_OF_MEMORY, PLAIT_ARG_SIZE);
  failure.reason.set("could not allocate %zu bytes", size);
  return failure.status;
}

void memory_free(Device &, void *data) { free(data); }

plait_status memory_copy(Device &, void *dst, const void *src, size_t size, void *) {
  memmove(dst, src, size);
  return PLAIT_OK;
}

plait_status memory_fill(Device &, void *dst, int32_t byte, size_t size, void *) {
  memset(dst, byte, size);
  return PLAIT_OK;
}

plait_status stream_create(Device &, void **stream, Failure &) {
  *stream = nullptr;
  return PLAIT_OK;
}

void stream_destroy(Device &, void *) {}

plait_status stream_synchronize(Device &, void *) { return PLAIT_OK; }

plait_status event_create(Device &, void **event, Failure &failure) {
  *event = new (std::nothrow) timespec{};
  if (*event) return PLAIT_OK;
  failure.status = PLAIT_ERROR_OUT_OF_MEMORY;
  failure.reason.set("no memory for an event");
  return failure.status;
}

void event_destroy(Device &, void *event) { delete static_cast<timespec *>(event); }

plait_status event_record(Device &, void *event, void *) {
  clock_gettime(CLOCK_MONOTONIC, static_cast<timespec *>(event));
  return PLAIT_OK;
}

plait_status event_elapsed(Device &, void *start, void *stop, double *microseconds) {
  const timespec &a = *static_cast<timespec *>(start), &b = *static_cast<timespec *>(stop);
  *microseconds = static_cast<double>(b.tv_sec - a.tv_sec) * 1e6 +
                  static_cast<double>(b.tv_nsec - a.tv_nsec) * 1e-3;
  return PLAIT_OK;
}

constexpr Backend kBackend = {
    kBackendInterface,
    kVersionString,
    "cpu",
    PLAIT_BACKEND_CPU,
    probe,
    open,
    close,
    list,
    {memory_alloc, memory_free, memory_copy, memory_copy, memory_fill, stream_create,
     stream_destroy, stream_synchronize, event_create, event_destroy, event_record, event_elapsed,
     nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

const Backend *cpu_backend() { return &kBackend; }

void parallel_worker_ranges(const Device &device, int64_t count, int64_t grain, WorkerRangeFn fn,
                            const void *body) {
  if (count <= 0) return;
  pthreadpool *pool = static_cast<const CpuDevice &>(device).pool;
  Job job{fn, body, count, grain, (count - 1) / grain + 1};
  if (!pool || job.steps == 1) {
    run_job(&job, 0);
    return;
  }
  order_release(&job);
  pthreadpool_parallelize_1d(pool, run_job, &job, static_cast<size_t>(device.info.threads), 0);
  order_acquire(&job);
}

namespace {
struct Plain {
  RangeFn fn;
  const void *body;
};
}  // namespace

void parallel_ranges(const Device &device, int64_t count, int64_t grain, RangeFn fn,
                     const void *body) {
  const Plain plain{fn, body};
  parallel_worker_ranges(
      device, count, grain,
      [](const void *p, int64_t, int64_t begin, int64_t end) {
        static_cast<const Plain *>(p)->fn(static_cast<const Plain *>(p)->body, begin, end);
      },
      &plain);
}

}  // namespace plait::cpu
