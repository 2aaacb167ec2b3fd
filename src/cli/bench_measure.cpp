// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "src/cli/bench.h"

namespace plait::cli {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

struct Graph {
  explicit Graph(const Context &of) : context(of.get()) {}
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  ~Graph() { plait_graph_destroy(context, graph); }
  plait_context *context;
  plait_graph *graph = nullptr;
};

Timing summary(const char *mode, const std::vector<double> &times) {
  return {mode, median(times), *std::min_element(times.begin(), times.end()),
          static_cast<int64_t>(times.size())};
}

// Whether to go on after `done` samples that took `spent` microseconds.
bool more(const Effort &effort, size_t done, double spent) {
  if (effort.repeats > 0) return static_cast<int64_t>(done) < effort.repeats;
  return (done < 5 || spent < effort.seconds * 1e6) && done < 100000;
}

Timing warm(const Effort &effort, const plait_plan *plan, const Call &call) {
  std::vector<double> times;
  double spent = 0;
  while (more(effort, times.size(), spent)) {
    const Clock::time_point start = Clock::now();
    check(call(plan, nullptr), "call");
    times.push_back(microseconds(start, Clock::now()));
    spent += times.back();
  }
  return summary("warm", times);
}

constexpr size_t kFlushBytes = size_t{512} << 20;

Timing cold(const Context &context, const Effort &effort, const plait_plan *plan, const Call &call,
            const Stream &stream) {
  const Memory flush(context, kFlushBytes);
  Event start(context), stop(context);
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  while (more(effort, times.size(), microseconds(begin, Clock::now()))) {
    // The fill keeps the device busy while the call is enqueued, so no launch gap is timed.
    check(plait_memory_fill(context.get(), flush.data(), 0, flush.size(), stream.get()), "flush");
    start.record(stream);
    check(call(plan, stream.get()), "call");
    stop.record(stream);
    times.push_back(stop.microseconds_since(start));
  }
  return summary("cold", times);
}

Timing graph(const Context &context, const Effort &effort, const plait_plan *plan, const Call &call,
             const Stream &stream, double estimate) {
  const int64_t calls = std::clamp<int64_t>(static_cast<int64_t>(2000 / (estimate + 1)), 1, 50);
  Graph recorded(context);
  plait_error error = no_error();
  check(plait_graph_begin(context.get(), stream.get(), &error), "graph", error);
  for (int64_t i = 0; i < calls; ++i) check(call(plan, stream.get()), "call in a graph");
  check(plait_graph_end(context.get(), stream.get(), &recorded.graph, &error), "graph", error);
  Event start(context), stop(context);
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < 2; ++i)
    check(plait_graph_launch(context.get(), recorded.graph, stream.get()), "graph");
  while (more(effort, times.size(), microseconds(begin, Clock::now()))) {
    start.record(stream);
    check(plait_graph_launch(context.get(), recorded.graph, stream.get()), "graph");
    stop.record(stream);
    times.push_back(stop.microseconds_since(start) / static_cast<double>(calls));
  }
  return summary("graph", times);
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<Timing> measure(const Context &context, const Effort &effort, const plait_plan *plan,
                            const Call &call) {
  const Stream stream(context);
  for (int i = 0; i < 2; ++i) check(call(plan, stream.get()), "call");
  stream.synchronize();
  if (!context.gpu()) return {warm(effort, plan, call)};
  const Timing first = cold(context, effort, plan, call, stream);
  return {first, graph(context, effort, plan, call, stream, first.median)};
}

Copy::Copy(const Context &context)
    : context_(context),
      size_(size_t{1} << (context.gpu() ? 30 : 28)),
      from_(context, size_),
      to_(context, size_),
      stream_(context),
      start_(context),
      stop_(context) {
  check(plait_memory_fill(context.get(), from_.data(), 1, size_, nullptr), "fill");
  check(plait_memory_fill(context.get(), to_.data(), 2, size_, nullptr), "fill");
  once();
}

double Copy::once() {
  if (context_.gpu()) {
    start_.record(stream_);
    check(plait_memory_copy_async(context_.get(), to_.data(), from_.data(), size_, stream_.get()),
          "copy");
    stop_.record(stream_);
    return stop_.microseconds_since(start_);
  }
  const size_t parts = static_cast<size_t>(std::max(context_.info().threads, 1));
  const auto part = [&](size_t i) {
    const size_t begin = size_ / parts * i, end = i + 1 == parts ? size_ : size_ / parts * (i + 1);
    memcpy(static_cast<char *>(to_.data()) + begin, static_cast<const char *>(from_.data()) + begin,
           end - begin);
  };
  const Clock::time_point start = Clock::now();
  std::vector<std::thread> threads;
  for (size_t i = 1; i < parts; ++i) threads.emplace_back(part, i);
  part(0);
  for (std::thread &thread : threads) thread.join();
  return microseconds(start, Clock::now());
}

void Copy::sample(double seconds) {
  const Clock::time_point begin = Clock::now();
  do microseconds_.push_back(once());
  while (microseconds(begin, Clock::now()) < seconds * 1e6);
}

double Copy::rate() const {
  const double time = median(microseconds_);
  return time > 0 ? 2e-3 * static_cast<double>(size_) / time : 0;
}

}  // namespace plait::cli
