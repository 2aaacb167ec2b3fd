// SPDX-License-Identifier: MIT
// A HIP runtime for the emulator: the stub of the emulator layer (its hipshim.cpp, given as
// HIPSHIM_BASE) with what a whole backend calls beside it. Streams and events are objects; a stream
// that captures records launches (with their arguments' values), copies, fills and events; graphs
// replay. Work is done when it is asked for, so streams never overlap.
// Not modelled: errors of a capture, such as a synchronisation in it; more than one device;
// __device__ variables.
#include <hip/hip_runtime_api.h>

// The stub's versions get other names: those below stand in for them, some by calling them.
#define hipEventCreate stub_hipEventCreate
#define hipEventCreateWithFlags stub_hipEventCreateWithFlags
#define hipEventDestroy stub_hipEventDestroy
#define hipEventElapsedTime stub_hipEventElapsedTime
#define hipEventRecord stub_hipEventRecord
#define hipFree stub_hipFree
#define hipFuncSetAttribute stub_hipFuncSetAttribute
#define hipGetErrorName stub_hipGetErrorName
#define hipLaunchKernel stub_hipLaunchKernel
#define hipMalloc stub_hipMalloc
#define hipMemcpyAsync stub_hipMemcpyAsync
#define hipMemsetAsync stub_hipMemsetAsync
#define hipStreamCreateWithFlags stub_hipStreamCreateWithFlags
#define hipStreamDestroy stub_hipStreamDestroy
#define hipStreamIsCapturing stub_hipStreamIsCapturing
#include HIPSHIM_BASE
#undef hipEventCreate
#undef hipEventCreateWithFlags
#undef hipEventDestroy
#undef hipEventElapsedTime
#undef hipEventRecord
#undef hipFree
#undef hipFuncSetAttribute
#undef hipGetErrorName
#undef hipLaunchKernel
#undef hipMalloc
#undef hipMemcpyAsync
#undef hipMemsetAsync
#undef hipStreamCreateWithFlags
#undef hipStreamDestroy
#undef hipStreamIsCapturing

#include <chrono>
#include <functional>
#include <vector>

namespace {

using Work = std::vector<std::function<hipError_t()>>;

struct Stream {
  bool capturing = false;
  Work work;
};
struct Event {
  double milliseconds = 0;
};

// Device memory: bytes that were asked for; and what follows them up to the next 256.
std::map<void *, size_t> sizes;
constexpr unsigned char kSlack = 0xCB;

// Sizes of a kernel's arguments, from its metadata; -1 when there are more than `most`.
using SizesOf = int (*)(const char *name, const void *object, size_t size, int *sizes, int most);
SizesOf sizes_of = nullptr;

Stream *stream_of(hipStream_t stream) {
  static Stream null_stream;
  return stream ? reinterpret_cast<Stream *>(stream) : &null_stream;
}
Event *event_of(hipEvent_t event) { return reinterpret_cast<Event *>(event); }
Work *work_of(hipGraph_t graph) { return reinterpret_cast<Work *>(graph); }
Work *work_of(hipGraphExec_t graph) { return reinterpret_cast<Work *>(graph); }

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(since).count();
}

// Now, or when the graph runs.
hipError_t enqueue(hipStream_t stream, std::function<hipError_t()> f) {
  if (!stream_of(stream)->capturing) return f();
  stream_of(stream)->work.push_back(std::move(f));
  return hipSuccess;
}

int lds_limit() { return g_arch == "gfx950" ? 163840 : 65536; }

}  // namespace

extern "C" {

void plait_emu_sizes(SizesOf callback) { sizes_of = callback; }

hipError_t hipLaunchKernel(const void *f, dim3 grid, dim3 block, void **arguments, size_t shared,
                           hipStream_t stream) {
  if (!stream_of(stream)->capturing)
    return stub_hipLaunchKernel(f, grid, block, arguments, shared, stream);
  const auto kernel = fns.find(f);
  if (kernel == fns.end()) return hipErrorInvalidDeviceFunction;
  constexpr int most = 64;
  int bytes[most];
  const auto &[name, object] = kernel->second;
  const int count = sizes_of(name.c_str(), object->p, object->n, bytes, most);
  if (count < 0) return hipErrorStreamCaptureUnsupported;
  std::vector<std::vector<char>> values;
  for (int i = 0; i < count; ++i) {
    const char *value = static_cast<const char *>(arguments[i]);
    values.emplace_back(value, value + bytes[i]);
  }
  return enqueue(stream, [=]() mutable {
    std::vector<void *> pointers;
    for (auto &value : values) pointers.push_back(value.data());
    return stub_hipLaunchKernel(f, grid, block, pointers.data(), shared, stream);
  });
}

hipError_t hipMemcpyAsync(void *to, const void *from, size_t size, hipMemcpyKind kind,
                          hipStream_t stream) {
  return enqueue(stream, [=] { return stub_hipMemcpyAsync(to, from, size, kind, stream); });
}
hipError_t hipMemsetAsync(void *to, int byte, size_t size, hipStream_t stream) {
  return enqueue(stream, [=] { return stub_hipMemsetAsync(to, byte, size, stream); });
}
// Memory is aligned as a device's is, to 256 bytes, and what that leaves before the stub's
// inaccessible page is checked when it is freed.
hipError_t hipMalloc(void **data, size_t size) {
  *data = nullptr;
  if (size == 0) return hipSuccess;
  const size_t whole = (size + 255) / 256 * 256;
  if (const hipError_t error = stub_hipMalloc(data, whole)) return error;
  memset(static_cast<char *>(*data) + size, kSlack, whole - size);
  sizes[*data] = size;
  return hipSuccess;
}
// The stub keeps the pages. Given back, a use after free is a fault, and long runs do not grow.
hipError_t hipFree(void *data) {
  const auto found = sizes.find(data);
  if (found == sizes.end()) return data ? hipErrorInvalidValue : hipSuccess;
  char *const bytes = static_cast<char *>(data);
  const size_t page = 4096, whole = (found->second + 255) / 256 * 256;
  for (size_t i = found->second; i < whole; ++i) {
    if (static_cast<unsigned char>(bytes[i]) == kSlack) continue;
    fprintf(stderr, "written %zu bytes past the end of %zu\n", i - found->second, found->second);
    abort();
  }
  const size_t span = (whole + 15 + page - 1) / page * page;
  munmap(bytes + whole - span - page, span + 2 * page);
  allocs.erase(data);
  sizes.erase(found);
  return hipSuccess;
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned) {
  *stream = reinterpret_cast<hipStream_t>(new Stream);
  return hipSuccess;
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  if (stream) delete stream_of(stream);
  return hipSuccess;
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
  *status =
      stream_of(stream)->capturing ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  return hipSuccess;
}
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode) {
  if (!stream) return hipErrorStreamCaptureUnsupported;
  if (stream_of(stream)->capturing) return hipErrorIllegalState;
  stream_of(stream)->capturing = true;
  stream_of(stream)->work.clear();
  return hipSuccess;
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
  *graph = nullptr;
  if (!stream || !stream_of(stream)->capturing) return hipErrorIllegalState;
  stream_of(stream)->capturing = false;
  *graph = reinterpret_cast<hipGraph_t>(new Work(stream_of(stream)->work));
  return hipSuccess;
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *made, hipGraph_t graph,
                                        unsigned long long) {
  *made = reinterpret_cast<hipGraphExec_t>(new Work(*work_of(graph)));
  return hipSuccess;
}
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t) {
  for (const auto &f : *work_of(graph))
    if (const hipError_t error = f()) return error;
  return hipSuccess;
}
hipError_t hipGraphDestroy(hipGraph_t graph) {
  delete work_of(graph);
  return hipSuccess;
}
hipError_t hipGraphExecDestroy(hipGraphExec_t graph) {
  delete work_of(graph);
  return hipSuccess;
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned) {
  *event = reinterpret_cast<hipEvent_t>(new Event);
  return hipSuccess;
}
hipError_t hipEventCreate(hipEvent_t *event) { return hipEventCreateWithFlags(event, 0); }
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return enqueue(stream, [=] {
    event_of(event)->milliseconds = now();
    return hipSuccess;
  });
}
hipError_t hipEventQuery(hipEvent_t) { return hipSuccess; }
hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
  *milliseconds = static_cast<float>(event_of(stop)->milliseconds - event_of(start)->milliseconds);
  return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t event) {
  delete event_of(event);
  return hipSuccess;
}

hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *f) {
  const auto kernel = fns.find(f);
  if (kernel == fns.end()) return hipErrorInvalidDeviceFunction;
  if (!kernel->second.second->p) return hipErrorNoBinaryForGpu;
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->maxDynamicSharedSizeBytes = lds_limit();
  return hipSuccess;
}
hipError_t hipFuncSetAttribute(const void *f, hipFuncAttribute, int value) {
  if (!fns.count(f)) return hipErrorInvalidDeviceFunction;
  return value > lds_limit() ? hipErrorInvalidValue : hipSuccess;
}
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer) {
  *attributes = {};
  for (const auto &[start, size] : allocs) {
    if (pointer < start || pointer >= static_cast<const char *>(start) + size) continue;
    attributes->type = hipMemoryTypeDevice;
    attributes->devicePointer = const_cast<void *>(pointer);
    return hipSuccess;
  }
  return hipErrorInvalidValue;
}
hipError_t hipMemGetInfo(size_t *free, size_t *total) {
  *free = *total = size_t{8} << 30;
  return hipSuccess;
}
hipError_t hipDeviceGetPCIBusId(char *text, int size, int) {
  snprintf(text, static_cast<size_t>(size), "0000:00:00.0");
  return hipSuccess;
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
  static hipStreamCaptureMode current = hipStreamCaptureModeGlobal;
  std::swap(*mode, current);
  return hipSuccess;
}
const char *hipGetErrorName(hipError_t error) {
  switch (error) {
    case hipSuccess: return "hipSuccess";
    case hipErrorInvalidConfiguration: return "hipErrorInvalidConfiguration";
    case hipErrorInvalidDeviceFunction: return "hipErrorInvalidDeviceFunction";
    case hipErrorInvalidValue: return "hipErrorInvalidValue";
    case hipErrorLaunchFailure: return "hipErrorLaunchFailure";
    case hipErrorNoBinaryForGpu: return "hipErrorNoBinaryForGpu";
    case hipErrorOutOfMemory: return "hipErrorOutOfMemory";
    default: return "hipErrorEmulated";
  }
}

}  // extern "C"
