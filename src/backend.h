// SPDX-License-Identifier: MIT
// What a backend is: one struct of functions and, for every operation, an ordered list of
// implementations. The core (src/*.cpp) knows backends only through this file; the CPU backend is
// linked in, the GPU ones are shared objects that export plait_backend_entry().
//
// Order of events: probe -> open (a Device) -> can_run / prepare for a plan's problem -> workspace
// -> run, from any thread. Problems are the public descriptors with every default resolved; args
// are the public argument structs after the core has checked them, with every stride resolved and
// the tail that an old caller lacks set to zero. An implementation therefore checks nothing that
// the core has checked, and never sees a call of zero tokens or rows.
#ifndef PLAIT_SRC_BACKEND_H
#define PLAIT_SRC_BACKEND_H

#include <plait/plait.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <type_traits>

namespace plait {

constexpr plait_status status_of(int32_t code, int32_t argument) { return code | (argument << 16); }

// A short sentence for a human; fixed size so that no path that explains a failure can fail.
struct Reason {
  char text[200] = "";

  __attribute__((format(printf, 2, 3))) void set(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
  }
};

// Outcome of a setup function of a backend.
struct Failure {
  plait_status status = PLAIT_OK;
  int32_t native_code = 0;
  Reason reason;
};

struct DeviceInfo {
  int32_t ordinal = 0;
  int32_t threads = 0;        // CPU: threads of a call
  int32_t compute_units = 0;  // GPU: CUs or SMs
  int32_t wave_size = 0;      // GPU: lanes of a wave, read from the device
  int64_t memory_bytes = 0;
  int64_t shared_bytes = 0;  // GPU: most LDS / shared memory that one block may ask for
  int64_t l2_bytes = 0;
  int32_t arch_major = 0;  // CUDA: 9 for sm_90. HIP: 942 for gfx942, 0x90a for gfx90a (hex digits)
  int32_t arch_minor = 0;
  char name[128] = "";
  char arch[64] = "";  // "gfx942", "sm_90", "AVX2"
};

struct Backend;

// An open device. Backends derive from it. Immutable after open, so shared by all threads.
struct Device {
  const Backend *backend = nullptr;
  DeviceInfo info;
};

struct DeviceConfig {
  int32_t device;   // ordinal or -1
  int32_t threads;  // CPU: 0 = all
};

// One way to do one operation for the problems it accepts.
struct Implementation {
  const char *name;
  // OK, or an UNSUPPORTED_… / BUDGET_TOO_SMALL status and the reason. Host arithmetic only.
  plait_status (*can_run)(const Device &device, const void *problem, Reason &reason);
  // Bytes of workspace for up to `count` tokens or rows; monotonic in count; < 0: overflow.
  int64_t (*workspace)(const Device &device, const void *problem, int64_t count);
  // Select only: the least budget, whatever the number of rows. Else nullptr.
  int64_t (*least_budget)(const Device &device, const void *problem);
  // Setup work such as raising a kernel's shared memory limit. May be nullptr.
  plait_status (*prepare)(Device &device, const void *problem, Failure &failure);
  // Execute.
  plait_status (*run)(const Device &device, const void *problem, const void *args, void *stream);
};

struct ImplementationList {
  const Implementation *const *entries;  // best first
  int32_t count;
};

// Memory, streams, events and graphs: behind include/plait/device.h. Any may be nullptr where the
// backend has no such thing (the core then answers UNSUPPORTED_OPERATION).
struct DeviceApi {
  plait_status (*memory_alloc)(Device &, size_t size, void **data, Failure &);
  void (*memory_free)(Device &, void *data);
  plait_status (*memory_copy)(Device &, void *dst, const void *src, size_t size, void *stream);
  plait_status (*memory_copy_async)(Device &, void *dst, const void *src, size_t size,
                                    void *stream);
  plait_status (*memory_fill)(Device &, void *dst, int32_t byte, size_t size, void *stream);
  plait_status (*stream_create)(Device &, void **stream, Failure &);
  void (*stream_destroy)(Device &, void *stream);
  plait_status (*stream_synchronize)(Device &, void *stream);
  plait_status (*event_create)(Device &, void **event, Failure &);
  void (*event_destroy)(Device &, void *event);
  plait_status (*event_record)(Device &, void *event, void *stream);
  plait_status (*event_elapsed)(Device &, void *start, void *stop, double *microseconds);
  plait_status (*graph_begin)(Device &, void *stream, Failure &);
  plait_status (*graph_end)(Device &, void *stream, void **graph, Failure &);
  plait_status (*graph_launch)(Device &, void *graph, void *stream);
  void (*graph_destroy)(Device &, void *graph);
};

// Changes whenever anything in this file does; checked beside the version.
constexpr uint32_t kBackendInterface = 1;

struct Backend {
  uint32_t interface;
  const char *version;  // PLAIT_VERSION_STRING of its build: must equal the core's
  const char *name;     // "cpu", "hip", "cuda"
  int32_t kind;         // PLAIT_BACKEND_…
  // Counts devices without making any of them current. A failure leaves the reason.
  plait_status (*probe)(int32_t *device_count, Failure &failure);
  plait_status (*open)(const DeviceConfig &config, Device **device, Failure &failure);
  void (*close)(Device *device);
  ImplementationList (*list)(int32_t op);
  DeviceApi api;
};

// The symbol that a backend library exports.
using BackendEntry = const Backend *(*)();
constexpr char kBackendEntryName[] = "plait_backend_entry";

// --- Typed definitions ------------------------------------------------------------------------
// OpTypes<op> names the problem and argument structs of an operation, and Define<op> turns typed
// functions into the erased ones of Implementation, so that a definition cannot mix them up:
//
//   constexpr Implementation kGeneric = Define<PLAIT_OP_MHC_PRE>::make<can_run, workspace,
//   run>("generic");

template <int32_t op>
struct OpTypes;

#define PLAIT_OP_TYPES(op, problem, args) \
  template <>                             \
  struct OpTypes<op> {                    \
    using Problem = problem;              \
    using Args = args;                    \
  };
PLAIT_OP_TYPES(PLAIT_OP_MHC_PRE, plait_mhc_plan_desc, plait_mhc_pre_args)
PLAIT_OP_TYPES(PLAIT_OP_MHC_POST, plait_mhc_plan_desc, plait_mhc_post_args)
PLAIT_OP_TYPES(PLAIT_OP_MHC_POST_PRE, plait_mhc_plan_desc, plait_mhc_post_pre_args)
PLAIT_OP_TYPES(PLAIT_OP_MHC_HEAD, plait_mhc_plan_desc, plait_mhc_head_args)
PLAIT_OP_TYPES(PLAIT_OP_MHC_EXPAND, plait_mhc_plan_desc, plait_mhc_expand_args)
PLAIT_OP_TYPES(PLAIT_OP_QUANTIZE_Q, plait_indexer_plan_desc, plait_indexer_quantize_q_args)
PLAIT_OP_TYPES(PLAIT_OP_WRITE_K, plait_indexer_plan_desc, plait_indexer_write_k_args)
PLAIT_OP_TYPES(PLAIT_OP_GATHER_K, plait_indexer_plan_desc, plait_indexer_gather_k_args)
PLAIT_OP_TYPES(PLAIT_OP_CONVERT_K, plait_indexer_plan_desc, plait_indexer_convert_k_args)
PLAIT_OP_TYPES(PLAIT_OP_CONVERT_CACHE, plait_indexer_plan_desc, plait_indexer_convert_cache_args)
PLAIT_OP_TYPES(PLAIT_OP_LOGITS_RAGGED, plait_indexer_plan_desc, plait_indexer_logits_ragged_args)
PLAIT_OP_TYPES(PLAIT_OP_LOGITS_PAGED, plait_indexer_plan_desc, plait_indexer_logits_paged_args)
PLAIT_OP_TYPES(PLAIT_OP_SELECT_RAGGED, plait_indexer_plan_desc, plait_indexer_select_ragged_args)
PLAIT_OP_TYPES(PLAIT_OP_SELECT_PAGED, plait_indexer_plan_desc, plait_indexer_select_paged_args)
PLAIT_OP_TYPES(PLAIT_OP_MAP_SLOTS, plait_indexer_plan_desc, plait_indexer_map_slots_args)
PLAIT_OP_TYPES(PLAIT_OP_TOPK, plait_topk_plan_desc, plait_topk_args)
PLAIT_OP_TYPES(PLAIT_OP_TOPK_MERGE, plait_topk_plan_desc, plait_topk_merge_args)
#undef PLAIT_OP_TYPES

// Whether an optional function was given. Not `f != nullptr`, which GCC's sanitizers do not take
// for a constant when f is inline.
template <class F, F *f>
constexpr bool kGiven =
    !std::is_same<std::integral_constant<F *, f>, std::integral_constant<F *, nullptr>>::value;

template <int32_t op>
struct Define {
  using P = typename OpTypes<op>::Problem;
  using A = typename OpTypes<op>::Args;
  using CanRun = plait_status(const Device &, const P &, Reason &);
  using Workspace = int64_t(const Device &, const P &, int64_t);
  using Least = int64_t(const Device &, const P &);
  using Prepare = plait_status(Device &, const P &, Failure &);
  using Run = plait_status(const Device &, const P &, const A &, void *);

  // can_run, workspace, least, prepare may be nullptr: any problem, no workspace, none, none.
  template <CanRun *can_run, Workspace *workspace, Run *run, Prepare *prepare = nullptr,
            Least *least = nullptr>
  static constexpr Implementation make(const char *name) {
    Implementation i{};
    i.name = name;
    i.can_run = [](const Device &d, const void *p, Reason &r) -> plait_status {
      if constexpr (kGiven<CanRun, can_run>)
        return can_run(d, *static_cast<const P *>(p), r);
      else
        return PLAIT_OK;
    };
    i.workspace = [](const Device &d, const void *p, int64_t count) -> int64_t {
      if constexpr (kGiven<Workspace, workspace>)
        return workspace(d, *static_cast<const P *>(p), count);
      else
        return 0;
    };
    if constexpr (kGiven<Least, least>)
      i.least_budget = [](const Device &d, const void *p) -> int64_t {
        return least(d, *static_cast<const P *>(p));
      };
    if constexpr (kGiven<Prepare, prepare>)
      i.prepare = [](Device &d, const void *p, Failure &f) -> plait_status {
        return prepare(d, *static_cast<const P *>(p), f);
      };
    i.run = [](const Device &d, const void *p, const void *a, void *stream) -> plait_status {
      return run(d, *static_cast<const P *>(p), *static_cast<const A *>(a), stream);
    };
    return i;
  }
};

}  // namespace plait

#endif
