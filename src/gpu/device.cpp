// SPDX-License-Identifier: MIT
// The GPU backend: probing, opening a device, memory, streams, events and graphs. One source for
// HIP and CUDA. No call of the runtime happens at load, in a destructor, or at exit.
#include "src/gpu/device.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "kernels/mhc.h"
#include "kernels/probe.h"
#include "src/gpu/lists.h"
#include "src/version.h"

namespace plait::gpu {

plait_status runtime(hipError_t error, const char *call, Failure &failure) {
  if (error == hipSuccess) return PLAIT_OK;
  failure.status = error == hipErrorOutOfMemory ? PLAIT_ERROR_OUT_OF_MEMORY
                   : error == hipErrorNoDevice || error == hipErrorInsufficientDriver
                       ? PLAIT_ERROR_NO_DEVICE
                       : PLAIT_ERROR_DEVICE_RUNTIME;
  failure.native_code = static_cast<int32_t>(error);
  failure.reason.set("%s: %s", call, hipGetErrorString(error));
  return failure.status;
}

namespace {

#if defined(PLAIT_WITH_CUDA)
constexpr char kName[] = "cuda";
constexpr int32_t kKind = PLAIT_BACKEND_CUDA;
constexpr int64_t kWidestClusterHidden = 7168;  // the case that needs the most shared memory
#else
constexpr char kName[] = "hip";
constexpr int32_t kKind = PLAIT_BACKEND_HIP;
#endif

plait_status probe(int32_t *device_count, Failure &failure) {
  int count = 0;
  *device_count = 0;
  const plait_status status = runtime(hipGetDeviceCount(&count), "counting devices", failure);
  if (status != PLAIT_OK) return status;
  *device_count = count;
  if (count > 0) return PLAIT_OK;
  failure.status = PLAIT_ERROR_NO_DEVICE;
  failure.reason.set("the %s runtime sees no device", kName);
  return failure.status;
}

void describe(const hipDeviceProp_t &properties, GpuDevice &device) {
  DeviceInfo &info = device.info;
  info.compute_units = properties.multiProcessorCount;
  info.wave_size = properties.warpSize;
  info.memory_bytes = static_cast<int64_t>(properties.totalGlobalMem);
  info.shared_bytes = static_cast<int64_t>(shared_memory_limit(properties));
  info.l2_bytes = properties.l2CacheSize;
  device.max_threads = properties.maxThreadsPerBlock;
  snprintf(info.name, sizeof info.name, "%.127s", properties.name);
  isa_name(properties, info.arch, sizeof info.arch);
#if defined(PLAIT_WITH_CUDA)
  info.arch_major = properties.major;
  info.arch_minor = properties.minor;
#else
  if (strncmp(info.arch, "gfx", 3) == 0)
    info.arch_major = static_cast<int32_t>(strtol(info.arch + 3, nullptr, 16));
#endif
}

plait_status open(const DeviceConfig &config, Device **out, Failure &failure) {
  int32_t count = 0;
  plait_status status = probe(&count, failure);
  if (status != PLAIT_OK) return status;
  int ordinal = config.device;
  if (ordinal < 0) {
    status = runtime(hipGetDevice(&ordinal), "asking for the current device", failure);
    if (status != PLAIT_OK) return status;
  }
  if (ordinal >= count) {
    failure.status = status_of(PLAIT_ERROR_NO_DEVICE, PLAIT_ARG_DEVICE);
    failure.reason.set("the %s runtime has %d devices; %d was asked for", kName, count, ordinal);
    return failure.status;
  }
  const CurrentDevice current(ordinal);
  status = runtime(current.status(), "making the device current", failure);
  if (status != PLAIT_OK) return status;
  hipDeviceProp_t properties;
  status = runtime(hipGetDeviceProperties(&properties, ordinal), "reading the device", failure);
  if (status != PLAIT_OK) return status;

  void *memory = malloc(sizeof(GpuDevice));
  if (!memory) {
    failure.status = PLAIT_ERROR_OUT_OF_MEMORY;
    failure.reason.set("no memory for the device");
    return failure.status;
  }
  GpuDevice *device = new (memory) GpuDevice;
  device->backend = gpu_backend();
  device->info.ordinal = ordinal;
  describe(properties, *device);
  const hipError_t code = kernels::probe();
  if (code != hipSuccess) {
    failure.status = status_of(PLAIT_ERROR_UNSUPPORTED_DEVICE, PLAIT_ARG_DEVICE);
    failure.native_code = static_cast<int32_t>(code);
    failure.reason.set("this build has no code for %s (%s)", device->info.arch,
                       hipGetErrorString(code));
    free(device);
    return failure.status;
  }
#if defined(PLAIT_WITH_CUDA)
  int clusters = 0;
  if (device->info.arch_major == 9 &&
      kernels::mhc_post_pre_sm90_prepare(kWidestClusterHidden, &clusters) == hipSuccess)
    device->wide_clusters = clusters;
#endif
  *out = device;
  return PLAIT_OK;
}

void close(Device *device) { free(static_cast<GpuDevice *>(device)); }

hipStream_t stream_of(void *stream) { return static_cast<hipStream_t>(stream); }
hipEvent_t event_of(void *event) { return static_cast<hipEvent_t>(event); }

plait_status memory_alloc(Device &device, size_t size, void **data, Failure &failure) {
  const CurrentDevice current(device);
  *data = nullptr;
  if (current.status() != hipSuccess)
    return runtime(current.status(), "making the device current", failure);
  return runtime(hipMalloc(data, size), "allocating device memory", failure);
}

void memory_free(Device &device, void *data) {
  const CurrentDevice current(device);
  (void)hipFree(data);
}

plait_status memory_copy_async(Device &device, void *dst, const void *src, size_t size,
                               void *stream) {
  const CurrentDevice current(device);
  return runtime(hipMemcpyAsync(dst, src, size, hipMemcpyDefault, stream_of(stream)));
}

plait_status memory_copy(Device &device, void *dst, const void *src, size_t size, void *stream) {
  const CurrentDevice current(device);
  const hipError_t error = hipMemcpyAsync(dst, src, size, hipMemcpyDefault, stream_of(stream));
  return runtime(error != hipSuccess ? error : hipStreamSynchronize(stream_of(stream)));
}

plait_status memory_fill(Device &device, void *dst, int32_t byte, size_t size, void *stream) {
  const CurrentDevice current(device);
  return runtime(hipMemsetAsync(dst, byte, size, stream_of(stream)));
}

plait_status stream_create(Device &device, void **stream, Failure &failure) {
  const CurrentDevice current(device);
  hipStream_t made = nullptr;
  const hipError_t error = hipStreamCreateWithFlags(&made, hipStreamNonBlocking);
  *stream = made;
  return runtime(error, "making a stream", failure);
}

void stream_destroy(Device &device, void *stream) {
  const CurrentDevice current(device);
  (void)hipStreamDestroy(stream_of(stream));
}

plait_status stream_synchronize(Device &device, void *stream) {
  const CurrentDevice current(device);
  return runtime(hipStreamSynchronize(stream_of(stream)));
}

plait_status event_create(Device &device, void **event, Failure &failure) {
  const CurrentDevice current(device);
  hipEvent_t made = nullptr;
  const hipError_t error = hipEventCreate(&made);
  *event = made;
  return runtime(error, "making an event", failure);
}

void event_destroy(Device &device, void *event) {
  const CurrentDevice current(device);
  (void)hipEventDestroy(event_of(event));
}

plait_status event_record(Device &device, void *event, void *stream) {
  const CurrentDevice current(device);
  return runtime(hipEventRecord(event_of(event), stream_of(stream)));
}

plait_status event_elapsed(Device &device, void *start, void *stop, double *microseconds) {
  const CurrentDevice current(device);
  float milliseconds = 0;
  hipError_t error = hipEventSynchronize(event_of(start));
  if (error == hipSuccess) error = hipEventSynchronize(event_of(stop));
  if (error == hipSuccess)
    error = hipEventElapsedTime(&milliseconds, event_of(start), event_of(stop));
  *microseconds = static_cast<double>(milliseconds) * 1e3;
  return runtime(error);
}

plait_status graph_begin(Device &device, void *stream, Failure &failure) {
  const CurrentDevice current(device);
  return runtime(hipStreamBeginCapture(stream_of(stream), hipStreamCaptureModeThreadLocal),
                 "beginning a capture", failure);
}

plait_status graph_end(Device &device, void *stream, void **graph, Failure &failure) {
  const CurrentDevice current(device);
  *graph = nullptr;
  hipGraph_t recorded = nullptr;
  plait_status status =
      runtime(hipStreamEndCapture(stream_of(stream), &recorded), "ending a capture", failure);
  if (status != PLAIT_OK) return status;
  hipGraphExec_t made = nullptr;
  status = runtime(hipGraphInstantiateWithFlags(&made, recorded, 0), "making a graph", failure);
  (void)hipGraphDestroy(recorded);
  *graph = made;
  return status;
}

plait_status graph_launch(Device &device, void *graph, void *stream) {
  const CurrentDevice current(device);
  return launched(hipGraphLaunch(static_cast<hipGraphExec_t>(graph), stream_of(stream)));
}

void graph_destroy(Device &device, void *graph) {
  const CurrentDevice current(device);
  (void)hipGraphExecDestroy(static_cast<hipGraphExec_t>(graph));
}

constexpr Backend kBackend = {
    kBackendInterface,
    kVersionString,
    kName,
    kKind,
    probe,
    open,
    close,
    list,
    {memory_alloc, memory_free, memory_copy, memory_copy_async, memory_fill, stream_create,
     stream_destroy, stream_synchronize, event_create, event_destroy, event_record, event_elapsed,
     graph_begin, graph_end, graph_launch, graph_destroy},
};

}  // namespace

const Backend *gpu_backend() { return &kBackend; }

}  // namespace plait::gpu

extern "C" __attribute__((visibility("default"))) const plait::Backend *plait_backend_entry();
extern "C" const plait::Backend *plait_backend_entry() { return plait::gpu::gpu_backend(); }
