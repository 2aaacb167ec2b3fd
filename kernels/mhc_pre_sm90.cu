// SPDX-License-Identifier: MIT
// pre on Hopper: kernels/mhc/one_pass_sm90.h without post.
#include "kernels/mhc/one_pass_sm90.h"

namespace plait::kernels {

hipError_t mhc_pre_sm90_prepare(int64_t hidden, int *clusters) {
  return one_pass::prepare<false>(hidden, clusters);
}

hipError_t mhc_pre_sm90(const Mix &mix, int clusters, void *stream) {
  return one_pass::enqueue<false>(mix, Post{}, clusters, stream);
}

}  // namespace plait::kernels
