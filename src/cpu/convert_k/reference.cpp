// SPDX-License-Identifier: MIT
#include "src/cpu/device.h"
#include "src/cpu/indexer/flavour.h"
#include "src/cpu/lists.h"

namespace plait::cpu::convert_k {
namespace {

using Op = Define<PLAIT_OP_CONVERT_K>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *) {
  const uint8_t *src_values = static_cast<const uint8_t *>(a.src_values.data);
  const float *src_scale = static_cast<const float *>(a.src_scale.data);
  uint8_t *dst_values = static_cast<uint8_t *>(a.dst_values.data);
  float *dst_scale = static_cast<float *>(a.dst_scale.data);
  const int64_t d = p.head_dim;
  parallel_for(device, a.rows, 256, [&](int64_t begin, int64_t end) {
    convert_values(a.from_format, p.format, src_values + begin * d, dst_values + begin * d,
                   (end - begin) * d);
    convert_scales(a.from_format, p.format, src_scale + begin, dst_scale + begin, end - begin);
  });
  return PLAIT_OK;
}

}  // namespace

const Implementation reference = Op::make<nullptr, nullptr, run>("reference");

}  // namespace plait::cpu::convert_k
