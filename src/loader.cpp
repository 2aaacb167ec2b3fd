// SPDX-License-Identifier: MIT
#include "src/loader.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

#include "src/cpu/device.h"
#include "src/version.h"

namespace plait {
namespace {

// The folder of the shared object (or program) that contains this function.
bool own_folder(char *folder, size_t size) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&load_backend), &info) || !info.dli_fname)
    return false;
  const char *slash = strrchr(info.dli_fname, '/');
  if (!slash) return false;  // a program found through PATH: no folder to speak of
  const int n =
      snprintf(folder, size, "%.*s", static_cast<int>(slash - info.dli_fname), info.dli_fname);
  return n >= 0 && static_cast<size_t>(n) < size;
}

bool find(int32_t kind, const char *dir, char *path, Failure &failure) {
  int n = -1;
  char folder[kPathSize];
  if (dir && *dir)
    n = snprintf(path, kPathSize, "%s/libplait-%s.so", dir, backend_name(kind));
  else if (own_folder(folder, sizeof folder))
    n = snprintf(path, kPathSize, "%s/plait/libplait-%s.so", folder, backend_name(kind));
  if (n >= 0 && static_cast<size_t>(n) < kPathSize) return true;
  failure.status = status_of(PLAIT_ERROR_NOT_IN_BUILD, PLAIT_ARG_BACKEND_DIR);
  failure.reason.set("no usable folder for libplait-%s.so", backend_name(kind));
  return false;
}

}  // namespace

const char *backend_name(int32_t kind) {
  switch (kind) {
    case PLAIT_BACKEND_AUTO: return "auto";
    case PLAIT_BACKEND_CPU: return "cpu";
    case PLAIT_BACKEND_HIP: return "hip";
    case PLAIT_BACKEND_CUDA: return "cuda";
    default: return "unknown";
  }
}

const Backend *load_backend(int32_t kind, const char *dir, char path[kPathSize], Failure &failure) {
  path[0] = 0;
  if (kind == PLAIT_BACKEND_CPU) return cpu::cpu_backend();
  if (!find(kind, dir, path, failure)) return nullptr;
  if (access(path, F_OK) != 0) {
    failure.status = status_of(PLAIT_ERROR_NOT_IN_BUILD, PLAIT_ARG_BACKEND);
    failure.reason.set("not in this build: no %s", path);
    return nullptr;
  }
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    // Most often the device runtime that it links to is not installed.
    const char *why = dlerror();
    failure.status = status_of(PLAIT_ERROR_NO_DEVICE, PLAIT_ARG_BACKEND);
    failure.reason.set("%s", why ? why : "dlopen failed");
    return nullptr;
  }
  const BackendEntry entry = reinterpret_cast<BackendEntry>(dlsym(library, kBackendEntryName));
  const Backend *backend = entry ? entry() : nullptr;
  if (!backend || backend->interface != kBackendInterface ||
      strcmp(backend->version, kVersionString) != 0 || backend->kind != kind) {
    failure.status = status_of(PLAIT_ERROR_BACKEND_VERSION, PLAIT_ARG_BACKEND);
    failure.reason.set("%s is %s, libplait is %s", path,
                       !entry                                               ? "no plait backend"
                       : backend && backend->interface == kBackendInterface ? backend->version
                                                                            : "of another build",
                       kVersionString);
    return nullptr;
  }
  return backend;
}

}  // namespace plait
