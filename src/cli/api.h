// SPDX-License-Identifier: MIT
// Handles of the public API that release themselves, and its failures as exceptions. The tool knows
// nothing of the library but its headers.
#ifndef PLAIT_SRC_CLI_API_H
#define PLAIT_SRC_CLI_API_H

#include <plait/plait.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace plait::cli {

// Something did not work: the message on stderr and exit status 1.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A status of 200 … 299: right in itself, but not for this build, device or shape.
struct Refusal : Failure {
  using Failure::Failure;
};

// "PLAIT_ERROR_BUFFER_TOO_SMALL (comb_mix)".
std::string describe(plait_status status);
// Throws Failure unless status is OK.
void check(plait_status status, const std::string &what);
void check(plait_status status, const std::string &what, const plait_error &error);

plait_error no_error();

int32_t backend_number(const std::string &name);  // UsageError for an unknown one
const char *backend_name(int32_t backend);
int32_t op_number(const std::string &name);  // UsageError for an unknown one

class Context {
 public:
  Context(int32_t backend, int32_t device, int32_t threads);
  plait_context *get() const { return handle_.get(); }
  const plait_context_info &info() const { return info_; }
  bool gpu() const { return info_.backend != PLAIT_BACKEND_CPU; }

 private:
  struct Release {
    void operator()(plait_context *context) const { plait_context_destroy(context); }
  };
  std::unique_ptr<plait_context, Release> handle_;
  plait_context_info info_;
};

struct PlanRelease {
  void operator()(plait_plan *plan) const { plait_plan_destroy(plan); }
};
using Plan = std::unique_ptr<plait_plan, PlanRelease>;

// Device memory.
class Memory {
 public:
  Memory() = default;
  Memory(const Context &context, size_t size);
  Memory(Memory &&other) noexcept { *this = std::move(other); }
  Memory &operator=(Memory &&other) noexcept;
  ~Memory();
  void *data() const { return data_; }
  size_t size() const { return size_; }
  void upload(const void *src, size_t size);
  void download(void *dst, size_t size) const;

 private:
  plait_context *context_ = nullptr;
  void *data_ = nullptr;
  size_t size_ = 0;
};

class Stream {
 public:
  explicit Stream(const Context &context);
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream();
  void *get() const { return stream_; }
  void synchronize() const;

 private:
  plait_context *context_;
  void *stream_ = nullptr;
};

class Event {
 public:
  explicit Event(const Context &context);
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;
  ~Event();
  void record(const Stream &stream);
  double microseconds_since(const Event &start) const;

 private:
  plait_context *context_;
  void *event_ = nullptr;
};

}  // namespace plait::cli

#endif
