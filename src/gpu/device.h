// SPDX-License-Identifier: MIT
// The GPU device, and what every host-side function of the backend needs: the caller's current
// device kept, and runtime errors turned into statuses.
#ifndef PLAIT_SRC_GPU_DEVICE_H
#define PLAIT_SRC_GPU_DEVICE_H

#include "kernels/isa/hip_compat.h"
#include "src/backend.h"

namespace plait::gpu {

struct GpuDevice : Device {
  int32_t max_threads = 0;  // of a block
  // Hopper: clusters of 16 blocks that run at once; 0 where there are none. Kernels that need one
  // refuse the device then.
  int32_t wide_clusters = 0;
};

inline const GpuDevice &gpu(const Device &device) { return static_cast<const GpuDevice &>(device); }

const Backend *gpu_backend();

// Makes a device current for a scope and restores the caller's.
class CurrentDevice {
 public:
  explicit CurrentDevice(int32_t ordinal) {
    status_ = hipGetDevice(&previous_);
    if (status_ != hipSuccess || previous_ == ordinal) return;
    status_ = hipSetDevice(ordinal);
    changed_ = status_ == hipSuccess;
  }
  explicit CurrentDevice(const Device &device) : CurrentDevice(device.info.ordinal) {}
  ~CurrentDevice() {
    if (changed_) (void)hipSetDevice(previous_);
  }
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;

  hipError_t status() const { return status_; }

 private:
  int previous_ = 0;
  bool changed_ = false;
  hipError_t status_ = hipSuccess;
};

// The status of an execute call's launch.
inline plait_status launched(hipError_t error) {
  return error == hipSuccess ? PLAIT_OK : PLAIT_ERROR_LAUNCH;
}

// The status of any other runtime call, with the runtime's words in the failure.
plait_status runtime(hipError_t error, const char *call, Failure &failure);
inline plait_status runtime(hipError_t error) {
  return error == hipSuccess ? PLAIT_OK : PLAIT_ERROR_DEVICE_RUNTIME;
}

// Runs `body`, which returns a hipError_t, on the device: the shape of every run() function.
template <class Body>
plait_status run_on(const Device &device, const Body &body) {
  const CurrentDevice current(device);
  return launched(current.status() != hipSuccess ? current.status() : body());
}

}  // namespace plait::gpu

#endif
