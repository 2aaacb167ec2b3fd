// SPDX-License-Identifier: MIT
// How bench measures.
#ifndef PLAIT_SRC_CLI_BENCH_H
#define PLAIT_SRC_CLI_BENCH_H

#include <string>
#include <vector>

#include "src/cli/case.h"

namespace plait::cli {

struct Timing {
  const char *mode;              // "warm" (CPU), "cold" and "graph" (GPU)
  double median = 0, least = 0;  // microseconds
  int64_t repeats = 0;
};

struct Effort {
  double seconds;   // for each timing
  int64_t repeats;  // 0: as many as fit `seconds`
};

// CPU: the calls back to back, by the clock. GPU, cold: a fill of more than the L2 before each
// call, events around the call. GPU, graph: as many calls as make a graph of some length, replayed.
std::vector<Timing> measure(const Context &context, const Effort &effort, const plait_plan *plan,
                            const Call &call);

// The machine's copy rate in GB/s, read and written bytes together. GPU: 1 GiB from device memory
// to device memory. CPU: 256 MiB, cut into as many parts as the context has threads, one memcpy on
// a thread of its own for each.
class Copy {
 public:
  explicit Copy(const Context &context);
  void sample(double seconds);
  double rate() const;  // of the median of all samples so far

 private:
  double once();

  const Context &context_;
  size_t size_;
  Memory from_, to_;
  Stream stream_;
  Event start_, stop_;
  std::vector<double> microseconds_;
};

double median(std::vector<double> values);

}  // namespace plait::cli

#endif
