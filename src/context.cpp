// SPDX-License-Identifier: MIT
// Contexts: which backend and device, after the descriptor and the environment.
#include <cstdlib>
#include <cstring>
#include <new>

#include "src/loader.h"
#include "src/plan.h"

namespace plait {

void retain(plait_context *context) { context->references.fetch_add(1, std::memory_order_relaxed); }

void release(plait_context *context) {
  if (context->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  context->backend->close(context->device);
  delete context;
}

plait_status report(plait_error *error, plait_status status, int32_t native_code,
                    const char *format, ...) {
  if (!error || error->struct_size < sizeof(plait_error)) return status;
  error->status = status;
  error->native_code = native_code;
  va_list list;
  va_start(list, format);
  vsnprintf(error->message, sizeof error->message, format, list);
  va_end(list);
  return status;
}

namespace {

// The descriptor after the environment.
struct Request {
  plait_context_desc desc;
  bool log_from_environment = false;
};

struct Word {
  const char *word;
  int32_t value;
};
constexpr Word kBackendWords[] = {{"auto", PLAIT_BACKEND_AUTO},
                                  {"cpu", PLAIT_BACKEND_CPU},
                                  {"hip", PLAIT_BACKEND_HIP},
                                  {"cuda", PLAIT_BACKEND_CUDA}};
constexpr Word kLogWords[] = {{"silent", 0}, {"warn", 1}, {"info", 2}, {"debug", 3},
                              {"0", 0},      {"1", 1},    {"2", 2},    {"3", 3}};

template <size_t n>
bool parse(const char *text, const Word (&words)[n], int32_t &value) {
  for (const Word &w : words)
    if (strcmp(text, w.word) == 0) {
      value = w.value;
      return true;
    }
  return false;
}

const char *variable(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : nullptr;
}

plait_status bad_variable(plait_error *error, int32_t argument, const char *name,
                          const char *value) {
  return report(error, status_of(PLAIT_ERROR_INVALID_VALUE, argument), 0,
                "environment variable %s: '%s' is not one of its values", name, value);
}

// The only place that reads the environment. A field that the caller set wins.
plait_status read_environment(Request &request, plait_error *error) {
  plait_context_desc &d = request.desc;
  if (const char *v = variable("PLAIT_BACKEND"); v && d.backend == PLAIT_BACKEND_AUTO)
    if (!parse(v, kBackendWords, d.backend))
      return bad_variable(error, PLAIT_ARG_BACKEND, "PLAIT_BACKEND", v);
  if (const char *v = variable("PLAIT_THREADS"); v && d.threads == 0) {
    char *end;
    const long threads = strtol(v, &end, 10);
    if (*end || threads < 1 || threads > 1024)
      return bad_variable(error, PLAIT_ARG_THREADS, "PLAIT_THREADS", v);
    d.threads = static_cast<int32_t>(threads);
  }
  if (const char *v = variable("PLAIT_LOG"); v && d.log_level == PLAIT_LOG_SILENT) {
    if (!parse(v, kLogWords, d.log_level))
      return bad_variable(error, PLAIT_ARG_LOG_LEVEL, "PLAIT_LOG", v);
    request.log_from_environment = true;
  }
  if (const char *v = variable("PLAIT_BACKEND_DIR"); v && !d.backend_dir) d.backend_dir = v;
  if (const char *v = variable("PLAIT_IMPLEMENTATION"); v && !d.implementation)
    d.implementation = v;
  return PLAIT_OK;
}

plait_status check_desc(const plait_context_desc &d, plait_error *error) {
  struct {
    bool bad;
    int32_t argument;
    const char *rule;
  } const rules[] = {
      {d.backend < PLAIT_BACKEND_AUTO || d.backend > PLAIT_BACKEND_CUDA, PLAIT_ARG_BACKEND,
       "one of PLAIT_BACKEND_"},
      {d.policy != PLAIT_POLICY_STRICT && d.policy != PLAIT_POLICY_FALLBACK, PLAIT_ARG_POLICY,
       "one of PLAIT_POLICY_"},
      {d.device < -1, PLAIT_ARG_DEVICE, "-1 or an ordinal"},
      {d.threads < 0 || d.threads > 1024, PLAIT_ARG_THREADS, "0 to 1024"},
      {d.log_level < PLAIT_LOG_SILENT || d.log_level > PLAIT_LOG_DEBUG, PLAIT_ARG_LOG_LEVEL,
       "one of PLAIT_LOG_"},
      {d.implementation && strlen(d.implementation) >= sizeof(plait_context::implementation),
       PLAIT_ARG_IMPLEMENTATION, "shorter than 64 bytes"},
  };
  for (const auto &r : rules)
    if (r.bad)
      return report(error, status_of(PLAIT_ERROR_INVALID_VALUE, r.argument), 0, "%s must be %s",
                    plait_argument_name(r.argument), r.rule);
  if (d.reserved != 0)
    return report(error, status_of(PLAIT_ERROR_UNKNOWN_FIELD, PLAIT_ARG_DESC), 0,
                  "reserved must be 0");
  return PLAIT_OK;
}

bool open(plait_context &context, int32_t kind, const plait_context_desc &d, Failure &failure) {
  char path[kPathSize];
  const Backend *backend = load_backend(kind, d.backend_dir, path, failure);
  int32_t devices = 0;
  if (backend && backend->probe(&devices, failure) == PLAIT_OK && devices == 0) {
    failure.status = status_of(PLAIT_ERROR_NO_DEVICE, PLAIT_ARG_DEVICE);
    failure.reason.set("no %s device", backend->name);
  }
  if (failure.status == PLAIT_OK) {
    const DeviceConfig config{d.device, d.threads};
    backend->open(config, &context.device, failure);
  }
  if (failure.status != PLAIT_OK) {
    context.log.line(PLAIT_LOG_DEBUG, "%s: %s", backend_name(kind), failure.reason.text);
    return false;
  }
  context.backend = backend;
  return true;
}

// Opens the asked device, or what the policy allows instead. The failure is that of the asked one.
bool open_any(plait_context &context, plait_context_desc d, Failure &failure) {
  if (d.backend == PLAIT_BACKEND_AUTO) {
    static constexpr int32_t kGpus[] = {PLAIT_BACKEND_HIP, PLAIT_BACKEND_CUDA};
    for (int32_t kind : kGpus) {
      Failure ignored;
      if (open(context, kind, d, ignored)) return true;
    }
    return open(context, PLAIT_BACKEND_CPU, d, failure);
  }
  if (open(context, d.backend, d, failure)) return true;
  if (d.policy != PLAIT_POLICY_FALLBACK || d.backend == PLAIT_BACKEND_CPU) return false;
  snprintf(context.fallback_reason, sizeof context.fallback_reason, "%s: %s",
           backend_name(d.backend), failure.reason.text);
  context.log.line(PLAIT_LOG_WARN, "falling back to the CPU, %s", context.fallback_reason);
  d.device = -1;
  failure = Failure();
  return open(context, PLAIT_BACKEND_CPU, d, failure);
}

}  // namespace
}  // namespace plait

using namespace plait;

void plait_context_desc_init(plait_context_desc *desc, size_t struct_size) {
  if (!desc || struct_size < sizeof(plait_context_desc)) return;
  memset(static_cast<void *>(desc), 0, struct_size);
  desc->struct_size = struct_size;
  desc->device = -1;
}

plait_status plait_context_create(const plait_context_desc *desc, plait_context **context,
                                  plait_error *error) {
  report(error, PLAIT_OK, 0, "%s", "");
  if (!context)
    return report(error, status_of(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_CONTEXT), 0,
                  "context must not be NULL");
  *context = nullptr;
  Request request;
  plait_context_desc_init(&request.desc, sizeof request.desc);
  if (desc) {
    const plait_status status = load(desc, request.desc, PLAIT_ARG_DESC);
    if (status) return report(error, status, 0, "desc: %s", plait_status_description(status));
  }
  plait_status status = check_desc(request.desc, error);
  if (!status) status = read_environment(request, error);
  if (!status) status = check_desc(request.desc, error);
  if (status) return status;

  plait_context *made = new (std::nothrow) plait_context;
  if (!made) return report(error, PLAIT_ERROR_OUT_OF_MEMORY, 0, "no memory for the context");
  const plait_context_desc &d = request.desc;
  made->asked_backend = d.backend;
  made->policy = d.policy;
  made->log.level = d.log_level;
  made->log.fn = d.log;
  made->log.user = d.log_user;
  made->log.to_stderr = request.log_from_environment;
  if (d.implementation)
    snprintf(made->implementation, sizeof made->implementation, "%s", d.implementation);
  Failure failure;
  if (!open_any(*made, d, failure)) {
    delete made;
    return report(error, failure.status, failure.native_code, "%s: %s", backend_name(d.backend),
                  failure.reason.text);
  }
  const DeviceInfo &info = made->device->info;
  made->log.line(PLAIT_LOG_INFO, "context on %s device %d: %s, %s", made->backend->name,
                 info.ordinal, info.name, info.arch);
  *context = made;
  return PLAIT_OK;
}

void plait_context_destroy(plait_context *context) {
  if (context) release(context);
}

plait_status plait_context_get_info(const plait_context *context, plait_context_info *info) {
  if (!context) return status_of(PLAIT_ERROR_NULL_ARGUMENT, PLAIT_ARG_CONTEXT);
  const plait_status status = check_result(info, sizeof *info, PLAIT_ARG_RESULT);
  if (status) return status;
  const DeviceInfo &device = context->device->info;
  plait_context_info local{};
  local.backend = context->backend->kind;
  local.asked_backend = context->asked_backend;
  local.device = device.ordinal;
  local.threads = device.threads;
  local.compute_units = device.compute_units;
  local.wave_size = device.wave_size;
  local.memory_bytes = device.memory_bytes;
  local.device_name = device.name;
  local.architecture = device.arch;
  local.fallback_reason = context->fallback_reason;
  store(info, local);
  return PLAIT_OK;
}

plait_status plait_backend_probe(int32_t backend, const char *backend_dir,
                                 plait_backend_info *info) {
  if (backend < PLAIT_BACKEND_CPU || backend > PLAIT_BACKEND_CUDA)
    return status_of(PLAIT_ERROR_INVALID_VALUE, PLAIT_ARG_BACKEND);
  const plait_status status = check_result(info, sizeof *info, PLAIT_ARG_RESULT);
  if (status) return status;
  plait_backend_info local{};
  Failure failure;
  const Backend *found = load_backend(
      backend, backend_dir ? backend_dir : variable("PLAIT_BACKEND_DIR"), local.path, failure);
  if (found && found->probe(&local.device_count, failure) != PLAIT_OK) local.device_count = 0;
  local.available = local.device_count > 0;
  if (!local.available)
    snprintf(local.reason, sizeof local.reason, "%s",
             failure.reason.text[0] ? failure.reason.text : "no device");
  store(info, local);
  return PLAIT_OK;
}
