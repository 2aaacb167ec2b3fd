// SPDX-License-Identifier: MIT
#include "src/cli/api.h"

#include <utility>

#include "src/cli/options.h"

namespace plait::cli {

std::string describe(plait_status status) {
  std::string text = plait_status_name(status);
  const std::string argument = plait_argument_name(plait_status_argument(status));
  if (!argument.empty()) text += " (" + argument + ")";
  return text;
}

static void fail(plait_status status, const std::string &message) {
  if (plait_status_code(status) / 100 == 2) throw Refusal(message);
  throw Failure(message);
}

void check(plait_status status, const std::string &what) {
  if (status != PLAIT_OK)
    fail(status, what + ": " + describe(status) + ": " + plait_status_description(status));
}

void check(plait_status status, const std::string &what, const plait_error &error) {
  if (status == PLAIT_OK) return;
  if (!error.message[0]) check(status, what);
  fail(status, what + ": " + describe(status) + ": " + error.message);
}

plait_error no_error() {
  plait_error error;
  plait_error_init(&error, sizeof error);
  return error;
}

int32_t backend_number(const std::string &name) {
  for (int32_t b = PLAIT_BACKEND_AUTO; b <= PLAIT_BACKEND_CUDA; ++b)
    if (name == backend_name(b)) return b;
  throw UsageError("unknown backend '" + name + "': auto, cpu, hip or cuda");
}

const char *backend_name(int32_t backend) {
  switch (backend) {
    case PLAIT_BACKEND_AUTO: return "auto";
    case PLAIT_BACKEND_CPU: return "cpu";
    case PLAIT_BACKEND_HIP: return "hip";
    case PLAIT_BACKEND_CUDA: return "cuda";
    default: return "unknown";
  }
}

int32_t op_number(const std::string &name) {
  std::string known;
  for (int32_t op = 0; op < PLAIT_OP_COUNT; ++op) {
    if (name == plait_op_name(op)) return op;
    known += (op ? ", " : "") + std::string(plait_op_name(op));
  }
  throw UsageError("unknown operation '" + name + "'; there are: " + known);
}

Context::Context(int32_t backend, int32_t device, int32_t threads) {
  plait_context_desc desc;
  plait_context_desc_init(&desc, sizeof desc);
  desc.backend = backend;
  desc.device = device;
  desc.threads = threads;
  plait_error error = no_error();
  plait_context *context = nullptr;
  check(plait_context_create(&desc, &context, &error), "context", error);
  handle_.reset(context);
  info_ = {};
  info_.struct_size = sizeof info_;
  check(plait_context_get_info(context, &info_), "context info");
}

Memory::Memory(const Context &context, size_t size) : context_(context.get()), size_(size) {
  plait_error error = no_error();
  check(plait_memory_alloc(context_, size, &data_, &error), "device memory", error);
}

Memory &Memory::operator=(Memory &&other) noexcept {
  std::swap(context_, other.context_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Memory::~Memory() {
  if (data_) plait_memory_free(context_, data_);
}

void Memory::upload(const void *src, size_t size) {
  if (size) check(plait_memory_copy(context_, data_, src, size, nullptr), "copy to the device");
}

void Memory::download(void *dst, size_t size) const {
  if (size) check(plait_memory_copy(context_, dst, data_, size, nullptr), "copy from the device");
}

Stream::Stream(const Context &context) : context_(context.get()) {
  plait_error error = no_error();
  check(plait_stream_create(context_, &stream_, &error), "stream", error);
}

Stream::~Stream() { plait_stream_destroy(context_, stream_); }

void Stream::synchronize() const {
  check(plait_stream_synchronize(context_, stream_), "synchronize");
}

Event::Event(const Context &context) : context_(context.get()) {
  plait_error error = no_error();
  check(plait_event_create(context_, &event_, &error), "event", error);
}

Event::~Event() { plait_event_destroy(context_, event_); }

void Event::record(const Stream &stream) {
  check(plait_event_record(context_, event_, stream.get()), "event");
}

double Event::microseconds_since(const Event &start) const {
  double microseconds = 0;
  check(plait_event_elapsed(context_, start.event_, event_, &microseconds), "event");
  return microseconds;
}

}  // namespace plait::cli
