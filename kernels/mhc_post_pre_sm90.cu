// SPDX-License-Identifier: MIT
// post_pre on Hopper: kernels/mhc/one_pass_sm90.h with post.
#include "kernels/mhc/one_pass_sm90.h"

namespace plait::kernels {

hipError_t mhc_post_pre_sm90_prepare(int64_t hidden, int *clusters) {
  return one_pass::prepare<true>(hidden, clusters);
}

hipError_t mhc_post_pre_sm90(const Post &post, const Mix &mix, int clusters, void *stream) {
  return one_pass::enqueue<true>(mix, post, clusters, stream);
}

}  // namespace plait::kernels
