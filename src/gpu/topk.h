// SPDX-License-Identifier: MIT
// How a GPU runs top-k: select uses it too.
#ifndef PLAIT_SRC_GPU_TOPK_H
#define PLAIT_SRC_GPU_TOPK_H

#include "kernels/topk.h"
#include "src/gpu/device.h"

namespace plait::gpu {

int64_t round_to_workspace(int64_t bytes);

// The least power of two from n on.
int64_t power_of_two_from(int64_t n);

// The problem of a top-k, whichever operation it belongs to.
struct TopkProblem {
  int64_t max_columns;
  int64_t k;
  int32_t order;
  int32_t dtype;
};

namespace topk {

// One pass over a row, and its special case of rows in registers.
plait_status filter_can_run(const Device &device, const TopkProblem &p, Reason &reason);
int64_t filter_workspace(const Device &device, const TopkProblem &p, int64_t rows);
hipError_t filter_run(const Device &device, const TopkProblem &p, const kernels::TopkInput &input,
                      const kernels::TopkOutput &output, void *workspace, void *stream);

// Several passes, for any k.
int64_t passes_workspace(const Device &device, const TopkProblem &p, int64_t rows);
hipError_t passes_run(const Device &device, const TopkProblem &p, const kernels::TopkInput &input,
                      const kernels::TopkOutput &output, void *workspace, void *stream);

// The better of the two.
int64_t workspace(const Device &device, const TopkProblem &p, int64_t rows);
hipError_t run(const Device &device, const TopkProblem &p, const kernels::TopkInput &input,
               const kernels::TopkOutput &output, void *workspace, void *stream);
plait_status prepare(Device &device, const TopkProblem &p, Failure &failure);

}  // namespace topk
}  // namespace plait::gpu

#endif
