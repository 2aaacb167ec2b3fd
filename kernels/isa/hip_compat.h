// SPDX-License-Identifier: MIT
/**
 * @file hip_compat.h
 * @brief HIP names on AMD and NVIDIA: the one header between plait's GPU sources and the vendors'.
 *
 * Kernels and their host side are written in the HIP dialect. Under HIP (ROCm 5.2 to 7) this header
 * includes the runtime; under CUDA it maps the HIP names that plait uses to CUDA's, and no others:
 * a name that is missing here is a compile error with nvcc, and gets its line. Host code may
 * include it with a plain C++ compiler, where it needs PLAIT_WITH_CUDA to choose CUDA.
 *
 * The device half holds what differs in more than name. The wave size is 64 on AMD's gfx9 and 32 on
 * gfx10 to gfx12 and NVIDIA. It is a template argument of kernels, chosen on the host from the
 * device's properties; it is never known to the preprocessor, as one fat binary holds both.
 */
#ifndef PLAIT_KERNELS_ISA_HIP_COMPAT_H
#define PLAIT_KERNELS_ISA_HIP_COMPAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__CUDACC__) && !defined(PLAIT_WITH_CUDA)
#define PLAIT_WITH_CUDA 1
#endif

#if defined(PLAIT_WITH_CUDA)
#include <cuda_runtime.h>
#else
#if !defined(__HIP_PLATFORM_AMD__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#else
#include <hip/hip_runtime_api.h>
#endif
#endif

#if defined(PLAIT_WITH_CUDA)

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
using hipEvent_t = cudaEvent_t;
using hipGraph_t = cudaGraph_t;
using hipGraphExec_t = cudaGraphExec_t;
using hipDeviceProp_t = cudaDeviceProp;
using hipFuncAttributes = cudaFuncAttributes;
using hipPointerAttribute_t = cudaPointerAttributes;
using hipStreamCaptureMode = cudaStreamCaptureMode;
using hipStreamCaptureStatus = cudaStreamCaptureStatus;

// Errors.
#define hipSuccess cudaSuccess
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorOutOfMemory cudaErrorMemoryAllocation
#define hipErrorNoDevice cudaErrorNoDevice
#define hipErrorInvalidDevice cudaErrorInvalidDevice
#define hipErrorInvalidConfiguration cudaErrorInvalidConfiguration
#define hipErrorInvalidDeviceFunction cudaErrorInvalidDeviceFunction
#define hipErrorNoBinaryForGpu cudaErrorNoKernelImageForDevice
#define hipErrorInsufficientDriver cudaErrorInsufficientDriver
#define hipErrorInvalidResourceHandle cudaErrorInvalidResourceHandle
#define hipErrorNotReady cudaErrorNotReady
#define hipErrorNotSupported cudaErrorNotSupported
#define hipErrorStreamCaptureUnsupported cudaErrorStreamCaptureUnsupported
#define hipErrorIllegalAddress cudaErrorIllegalAddress
#define hipErrorLaunchFailure cudaErrorLaunchFailure
#define hipErrorUnknown cudaErrorUnknown
#define hipGetErrorName cudaGetErrorName
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipPeekAtLastError cudaPeekAtLastError

// Devices.
#define hipGetDeviceCount cudaGetDeviceCount
#define hipGetDevice cudaGetDevice
#define hipSetDevice cudaSetDevice
#define hipGetDeviceProperties cudaGetDeviceProperties
#define hipDeviceGetAttribute cudaDeviceGetAttribute
#define hipDeviceAttributeMultiprocessorCount cudaDevAttrMultiProcessorCount
#define hipDeviceAttributeWarpSize cudaDevAttrWarpSize
#define hipDeviceAttributeMaxSharedMemoryPerBlock cudaDevAttrMaxSharedMemoryPerBlock
#define hipDeviceAttributeL2CacheSize cudaDevAttrL2CacheSize
#define hipDeviceAttributePciBusId cudaDevAttrPciBusId
#define hipDeviceGetPCIBusId cudaDeviceGetPCIBusId
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipRuntimeGetVersion cudaRuntimeGetVersion
#define hipDriverGetVersion cudaDriverGetVersion
#define hipMemGetInfo cudaMemGetInfo

// Memory.
#define hipMalloc cudaMalloc
#define hipFree cudaFree
#define hipHostMalloc cudaHostAlloc
#define hipHostMallocDefault cudaHostAllocDefault
#define hipHostFree cudaFreeHost
#define hipMemcpy cudaMemcpy
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemset cudaMemset
#define hipMemsetAsync cudaMemsetAsync
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMemcpyDefault cudaMemcpyDefault
#define hipPointerGetAttributes cudaPointerGetAttributes

// Streams, events, graphs.
#define hipStreamCreateWithFlags cudaStreamCreateWithFlags
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamSynchronize cudaStreamSynchronize
#define hipStreamQuery cudaStreamQuery
#define hipStreamWaitEvent cudaStreamWaitEvent
#define hipEventCreate cudaEventCreate
#define hipEventCreateWithFlags cudaEventCreateWithFlags
#define hipEventDefault cudaEventDefault
#define hipEventDisableTiming cudaEventDisableTiming
#define hipEventDestroy cudaEventDestroy
#define hipEventRecord cudaEventRecord
#define hipEventQuery cudaEventQuery
#define hipEventSynchronize cudaEventSynchronize
#define hipEventElapsedTime cudaEventElapsedTime
#define hipStreamBeginCapture cudaStreamBeginCapture
#define hipStreamEndCapture cudaStreamEndCapture
#define hipStreamIsCapturing cudaStreamIsCapturing
#define hipStreamCaptureModeGlobal cudaStreamCaptureModeGlobal
#define hipStreamCaptureModeThreadLocal cudaStreamCaptureModeThreadLocal
#define hipStreamCaptureModeRelaxed cudaStreamCaptureModeRelaxed
#define hipStreamCaptureStatusNone cudaStreamCaptureStatusNone
#define hipStreamCaptureStatusActive cudaStreamCaptureStatusActive
#define hipThreadExchangeStreamCaptureMode cudaThreadExchangeStreamCaptureMode
#define hipGraphInstantiateWithFlags cudaGraphInstantiateWithFlags
#define hipGraphLaunch cudaGraphLaunch
#define hipGraphDestroy cudaGraphDestroy
#define hipGraphExecDestroy cudaGraphExecDestroy

// Kernels.
#define hipLaunchKernel cudaLaunchKernel
#define hipFuncGetAttributes cudaFuncGetAttributes
#define hipFuncSetAttribute cudaFuncSetAttribute
#define hipFuncAttributeMaxDynamicSharedMemorySize cudaFuncAttributeMaxDynamicSharedMemorySize
#define hipOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor

#endif  // PLAIT_WITH_CUDA

namespace plait {

/// The device's instruction set: "gfx942" (without ":sramecc+:xnack-"), "sm_90".
inline void isa_name(const hipDeviceProp_t &device, char *name, size_t size) {
#if defined(PLAIT_WITH_CUDA)
  snprintf(name, size, "sm_%d%d", device.major, device.minor);
#else
  snprintf(name, size, "%.*s", static_cast<int>(strcspn(device.gcnArchName, ":")),
           device.gcnArchName);
#endif
}

/// The most shared memory (LDS) one block may ask for, after raise_shared_memory_limit().
inline size_t shared_memory_limit(const hipDeviceProp_t &device) {
#if defined(PLAIT_WITH_CUDA)
  return device.sharedMemPerBlockOptin;
#else
  return device.sharedMemPerBlock;
#endif
}

/// Lets a kernel use that much dynamic shared memory: needed once per kernel and device over 48
/// KiB.
inline hipError_t raise_shared_memory_limit(const void *kernel, size_t bytes) {
  return hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes));
}

}  // namespace plait

#if defined(__HIPCC__) || defined(__CUDACC__)

/**
 * Declares the block's dynamic shared memory as `T *name`. Every kernel sees the same bytes,
 * aligned to 16: one symbol of one type, because nvcc refuses two types under one name in a file.
 */
#define PLAIT_DYNAMIC_SHARED(T, name)                                \
  extern __shared__ __align__(16) unsigned char plait_dynamic_lds[]; \
  T *name = reinterpret_cast<T *>(plait_dynamic_lds)

/**
 * Launch bounds of a block's threads and, on NVIDIA, of the blocks that a multiprocessor has
 * registers for. AMD's second bound counts waves on a SIMD: none is set.
 */
#if defined(__CUDACC__)
#define PLAIT_LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#else
#define PLAIT_LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads)
#endif

namespace plait {

/// Lanes of a wave, on the device that runs this. A constant in machine code, not in the source.
__device__ inline uint32_t wave_size() { return static_cast<uint32_t>(static_cast<int>(warpSize)); }

/// This thread's place in its wave.
__device__ inline uint32_t lane_id() {
#if defined(__CUDACC__)
  uint32_t lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
#else
  return __lane_id();
#endif
}

// Shuffles within groups of `width` lanes (a power of two, at most the wave). T has 4 or 8 bytes.
// All lanes of the wave take part: call them in converged code only.
#if defined(__CUDACC__)
#define PLAIT_SHUFFLE(name, ...) name##_sync(0xffffffffu, __VA_ARGS__)
#else
#define PLAIT_SHUFFLE(name, ...) name(__VA_ARGS__)
#endif

/// The value of lane (own number ^ mask).
template <class T>
__device__ inline T shfl_xor(T v, int mask, int width) {
  return PLAIT_SHUFFLE(__shfl_xor, v, mask, width);
}

/// The value of lane `source` of the group.
template <class T>
__device__ inline T shfl(T v, int source, int width) {
  return PLAIT_SHUFFLE(__shfl, v, source, width);
}

/// The value of lane (own number - delta); the lowest `delta` lanes of a group keep their own.
template <class T>
__device__ inline T shfl_up(T v, unsigned delta, int width) {
  return PLAIT_SHUFFLE(__shfl_up, v, delta, width);
}

/// The value of lane (own number + delta); the highest `delta` lanes of a group keep their own.
template <class T>
__device__ inline T shfl_down(T v, unsigned delta, int width) {
  return PLAIT_SHUFFLE(__shfl_down, v, delta, width);
}

#undef PLAIT_SHUFFLE

/// Bit i is lane i's predicate. Bits from the wave size on are 0.
__device__ inline uint64_t ballot(bool predicate) {
#if defined(__CUDACC__)
  return __ballot_sync(0xffffffffu, predicate);
#else
  return __ballot(predicate);
#endif
}

/// Sum over each group of Width lanes, in all of them. The tree is fixed: same lanes, same bits.
template <int Width, class T>
__device__ inline T group_sum(T v) {
#pragma unroll
  for (int m = Width / 2; m > 0; m /= 2) v += shfl_xor(v, m, Width);
  return v;
}

/// Maximum over each group of Width lanes, in all of them. A NaN may be lost.
template <int Width, class T>
__device__ inline T group_max(T v) {
#pragma unroll
  for (int m = Width / 2; m > 0; m /= 2) {
    const T other = shfl_xor(v, m, Width);
    v = other > v ? other : v;
  }
  return v;
}

/// Maximum of a number of each lane of the wave, in all of them. W is the wave size.
template <int W>
__device__ inline uint32_t wave_max(uint32_t v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, v);
#else
  return group_max<W>(v);
#endif
}

/// Sum of a number of each lane of the wave, in all of them.
template <int W>
__device__ inline uint32_t wave_sum(uint32_t v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, v);
#else
  return group_sum<W>(v);
#endif
}

/// Sum of the numbers of the lanes up to and including this one.
template <int W>
__device__ inline uint32_t wave_scan(uint32_t v) {
  const int lane = static_cast<int>(threadIdx.x) % W;
#pragma unroll
  for (int d = 1; d < W; d *= 2) {
    const uint32_t below = shfl_up(v, static_cast<unsigned>(d), W);
    if (lane >= d) v += below;
  }
  return v;
}

/// Adds 1 to a counter in shared memory where the predicate holds. No branch.
__device__ inline void count_shared(uint32_t *counter, bool predicate) {
#if defined(__CUDACC__)
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p red.shared.add.u32 [%0], 1; }" ::"r"(
                   static_cast<uint32_t>(__cvta_generic_to_shared(counter))),
               "r"(static_cast<uint32_t>(predicate))
               : "memory");
#else
  if (predicate) atomicAdd(counter, 1u);
#endif
}

/// Orders the wave's accesses to shared memory before it with those after it.
__device__ inline void sync_wave() {
#if defined(__CUDACC__)
  __syncwarp();
#else
  // A wave runs in step and its LDS accesses are in order: only the compiler has to be held.
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
}

// Hardware approximations, a few units in the last place (e^x: relative to |x| as well). For what
// has slack only, never for a result that has to have the same bits on two kinds of device.

__device__ inline float fast_exp(float x) { return __expf(x); }
__device__ inline float fast_log(float x) { return __logf(x); }

__device__ inline float fast_reciprocal(float x) {
#if defined(__CUDACC__)
  return __fdividef(1.0f, x);
#else
  return __builtin_amdgcn_rcpf(x);
#endif
}

__device__ inline float fast_rsqrt(float x) {
#if defined(__CUDACC__)
  return rsqrtf(x);
#else
  return __builtin_amdgcn_rsqf(x);
#endif
}

}  // namespace plait

#endif  // a device compiler

#endif
