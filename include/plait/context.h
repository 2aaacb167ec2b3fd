/* SPDX-License-Identifier: MIT */
/**
 * @file context.h
 * @brief Contexts (one device), what all plans have in common, and the log.
 *
 * A context stands for one device of one backend. Plans are made from it and keep what they need
 * of it alive, so handles may be destroyed in any order. Contexts and plans are immutable after
 * creation and may be used by any number of threads at once.
 */
#ifndef PLAIT_CONTEXT_H
#define PLAIT_CONTEXT_H

#include <plait/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One device. Opaque. */
typedef struct plait_context plait_context;

/** One checked problem with its chosen implementations. Opaque. */
typedef struct plait_plan plait_plan;

/** Backends. */
enum {
  PLAIT_BACKEND_AUTO = 0, /**< The first of HIP, CUDA, CPU that works here. */
  PLAIT_BACKEND_CPU = 1,  /**< Always there. */
  PLAIT_BACKEND_HIP = 2,  /**< AMD, through libplait-hip.so. */
  PLAIT_BACKEND_CUDA = 3  /**< NVIDIA, through libplait-cuda.so. */
};

/** What to do when the asked backend is not to be had. */
enum {
  PLAIT_POLICY_STRICT = 0,  /**< Fail with a status and a reason. */
  PLAIT_POLICY_FALLBACK = 1 /**< Take the CPU, and say so in the log and the context's info. */
};

/** Log levels; a line is delivered when its level is at most the context's. */
enum {
  PLAIT_LOG_SILENT = 0, /**< Nothing. */
  PLAIT_LOG_WARN = 1,   /**< Something asked for was not given: a fallback, a bad variable. */
  PLAIT_LOG_INFO = 2,   /**< What was chosen: backend, device, implementation per operation. */
  PLAIT_LOG_DEBUG = 3   /**< Every candidate that was considered. */
};

/**
 * @brief Receives one formatted line, without a newline, during a setup call.
 *
 * Called on the thread of the setup call and never by an execute function. It must not call plait
 * with the same context.
 */
typedef void (*plait_log_fn)(void *user, int32_t level, const char *line);

/**
 * @brief How to make a context.
 *
 * Fill with plait_context_desc_init() and change what differs. The environment is read once, in
 * plait_context_create(), and only for fields left at their defaults:
 *
 * | variable             | stands for              | values                                   |
 * |----------------------|-------------------------|------------------------------------------|
 * | PLAIT_BACKEND        | backend                 | auto, cpu, hip, cuda                     |
 * | PLAIT_BACKEND_DIR    | backend_dir             | a folder                                 |
 * | PLAIT_THREADS        | threads                 | 1 … 1024                                 |
 * | PLAIT_IMPLEMENTATION | implementation          | a name of plait_plan_candidate()         |
 * | PLAIT_LOG            | log_level, to stderr    | silent, warn, info, debug, or 0 … 3      |
 */
typedef struct plait_context_desc {
  size_t struct_size; /**< sizeof(plait_context_desc), by the init function. */
  int32_t backend;    /**< PLAIT_BACKEND_…; default AUTO. */
  int32_t policy;     /**< PLAIT_POLICY_…; default STRICT. AUTO always ends at the CPU. */
  int32_t device;     /**< Ordinal as the backend's runtime counts; -1, the default: the calling
                           thread's current device. The CPU backend has device 0 only. */
  int32_t threads;    /**< CPU backend: threads that share one call, the caller's included;
                           0, the default: as many as the process may run on. */
  int32_t log_level;  /**< PLAIT_LOG_…; default SILENT. */
  int32_t reserved;   /**< 0. */
  plait_log_fn log;   /**< Receives the log; NULL: stderr if the environment asked, else none. */
  void *log_user;     /**< First argument of `log`. */
  const char *backend_dir; /**< Folder of the backend libraries; NULL: `plait/` beside libplait.so.
                                Copied. */
  const char
      *implementation; /**< Default of the plans' field of that name; NULL: the best. Copied. */
} plait_context_desc;

/**
 * @brief Fills a descriptor with the defaults.
 * @param desc         the descriptor; NULL does nothing.
 * @param struct_size  sizeof(plait_context_desc) as the caller was compiled.
 *
 * Class: query. Thread safety: exclusive.
 */
PLAIT_API void plait_context_desc_init(plait_context_desc *desc, size_t struct_size);

/**
 * @brief Makes a context.
 *
 * The only call that loads a backend library and the only one that reads the environment. The
 * calling thread's current device is left as it was.
 *
 * @param desc     NULL: all defaults. Not kept.
 * @param context  receives the handle; NULL on failure. Release with plait_context_destroy().
 * @param error    optional record of a failure.
 * @return #PLAIT_OK; NULL_ARGUMENT; STRUCT_SIZE, UNKNOWN_FIELD, INVALID_VALUE (a field);
 *         NOT_IN_BUILD, NO_DEVICE, BACKEND_VERSION, UNSUPPORTED_DEVICE (the asked backend);
 *         OUT_OF_MEMORY, THREADS; DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: any.
 */
PLAIT_API plait_status plait_context_create(const plait_context_desc *desc, plait_context **context,
                                            plait_error *error);

/**
 * @brief Gives up the caller's hold on a context. NULL does nothing. Plans made from it live on.
 *
 * Class: setup. Thread safety: exclusive.
 */
PLAIT_API void plait_context_destroy(plait_context *context);

/** What a context turned out to be. The strings live as long as the context. */
typedef struct plait_context_info {
  size_t struct_size;       /**< sizeof(plait_context_info), set by the caller. */
  int32_t backend;          /**< PLAIT_BACKEND_CPU, _HIP or _CUDA. */
  int32_t asked_backend;    /**< What was asked, after the environment. */
  int32_t device;           /**< Ordinal. */
  int32_t threads;          /**< CPU backend: threads; a GPU: 0. */
  int32_t compute_units;    /**< A GPU: compute units or multiprocessors; CPU: threads. */
  int32_t wave_size;        /**< A GPU: lanes of a wave (32 or 64); CPU: f32 lanes of a vector. */
  int64_t memory_bytes;     /**< Memory of the device; 0 if unknown. */
  const char *device_name;  /**< As the runtime calls it. */
  const char *architecture; /**< "gfx942", "sm_90", "AVX2", … */
  const char *fallback_reason; /**< Why the asked backend was not taken; "" if it was. */
} plait_context_info;

/**
 * @brief Tells what a context is.
 * @param context  the context.
 * @param info     the caller sets struct_size; the rest is written.
 * @return #PLAIT_OK; NULL_ARGUMENT; STRUCT_SIZE.
 *
 * Class: query. Thread safety: shared.
 */
PLAIT_API plait_status plait_context_get_info(const plait_context *context,
                                              plait_context_info *info);

/** What is known of a backend before a context is made. */
typedef struct plait_backend_info {
  size_t struct_size;   /**< sizeof(plait_backend_info), set by the caller. */
  int32_t available;    /**< 1 when a context can be made on at least one device. */
  int32_t device_count; /**< Devices. */
  char path[512];       /**< The library that was loaded or looked for; "" for the CPU. */
  char reason[256];     /**< Why it is not available; "" when it is. */
} plait_backend_info;

/**
 * @brief Looks whether a backend works here, and if not, why.
 * @param backend      PLAIT_BACKEND_CPU, _HIP or _CUDA.
 * @param backend_dir  as plait_context_desc::backend_dir; NULL: PLAIT_BACKEND_DIR or the default.
 * @param info         the caller sets struct_size; the rest is written.
 * @return #PLAIT_OK, also when the backend is not available; NULL_ARGUMENT; STRUCT_SIZE;
 *         INVALID_VALUE (backend).
 *
 * Class: setup. Thread safety: any.
 */
PLAIT_API plait_status plait_backend_probe(int32_t backend, const char *backend_dir,
                                           plait_backend_info *info);

/** Kinds of plan. */
enum { PLAIT_PLAN_MHC = 1, PLAIT_PLAN_INDEXER = 2, PLAIT_PLAN_TOPK = 3 };

/**
 * @brief The kind of a plan, one of PLAIT_PLAN_…; 0 for NULL.
 *
 * Class: query. Thread safety: shared.
 */
PLAIT_API int32_t plait_plan_kind(const plait_plan *plan);

/**
 * @brief Gives up a plan. NULL does nothing. No call that uses it may still be running; on a GPU,
 *        work already enqueued goes on unharmed.
 *
 * Class: setup. Thread safety: exclusive.
 */
PLAIT_API void plait_plan_destroy(plait_plan *plan);

/**
 * @brief Writes, for every operation of the plan, what was chosen and why the better ones were not.
 *
 * One line an operation, then an indented line for each refused candidate:
 *
 *     mhc_pre: generic on cpu (AVX2)
 *       tiled refused: hidden 5000 is not a multiple of 64
 *
 * @param plan    the plan.
 * @param text    receives at most `size` bytes, zero-terminated if size > 0; may be NULL when 0.
 * @param size    bytes of `text`.
 * @param needed  optional: receives the bytes of the whole text, its zero included.
 * @return #PLAIT_OK; NULL_ARGUMENT; BUFFER_TOO_SMALL when the text was cut.
 *
 * Class: query. Thread safety: shared.
 */
PLAIT_API plait_status plait_plan_explain(const plait_plan *plan, char *text, size_t size,
                                          size_t *needed);

/** One entry of an operation's ordered list of implementations. Strings live as long as the plan.
 */
typedef struct plait_candidate {
  size_t struct_size; /**< sizeof(plait_candidate), set by the caller. */
  int32_t chosen;     /**< 1 for the one that the plan runs. */
  int32_t usable;     /**< 1 when it could run: naming it in a plan's `implementation` works. */
  const char *name;   /**< "reference", "generic", … */
  const char *reason; /**< Why it was refused or passed over; "" for the chosen one. */
} plait_candidate;

/**
 * @brief Entry `index` of the ordered list of implementations of `op`, best first.
 * @param plan       the plan.
 * @param op         PLAIT_OP_….
 * @param index      0 for the best.
 * @param candidate  the caller sets struct_size; the rest is written.
 * @return #PLAIT_OK; NULL_ARGUMENT; STRUCT_SIZE; INVALID_VALUE (op: not of this kind of plan;
 *         index: past the end).
 *
 * Class: query. Thread safety: shared.
 */
PLAIT_API plait_status plait_plan_candidate(const plait_plan *plan, int32_t op, int32_t index,
                                            plait_candidate *candidate);

#ifdef __cplusplus
}
#endif

#endif
