// SPDX-License-Identifier: MIT
// convert_k and convert_cache.
#include "kernels/convert_k.h"

#include "src/gpu/device.h"
#include "src/gpu/lists.h"
#include "src/indexer_layout.h"

namespace plait::gpu {

namespace convert_k {
namespace {

using Op = Define<PLAIT_OP_CONVERT_K>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *stream) {
  const kernels::ConvertK c{1,
                            0,
                            a.rows * p.head_dim,
                            a.rows,
                            static_cast<const uint8_t *>(a.src_values.data),
                            static_cast<const uint8_t *>(a.src_scale.data),
                            static_cast<uint8_t *>(a.dst_values.data),
                            static_cast<uint8_t *>(a.dst_scale.data),
                            a.from_format,
                            p.format};
  return run_on(device, [&] { return kernels::convert_k(c, stream); });
}

}  // namespace

const Implementation generic = Op::make<nullptr, nullptr, run>("generic");

}  // namespace convert_k

namespace convert_cache {
namespace {

using Op = Define<PLAIT_OP_CONVERT_CACHE>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *stream) {
  const int64_t scales = scale_offset(p, 0);
  const uint8_t *from = static_cast<const uint8_t *>(a.src_cache.data);
  uint8_t *to = static_cast<uint8_t *>(a.cache.data);
  const kernels::ConvertK c{page_count(p, a.src_cache.size),
                            p.page_stride,
                            scales,
                            p.page_entries,
                            from,
                            from + scales,
                            to,
                            to + scales,
                            a.from_format,
                            p.format};
  return run_on(device, [&] { return kernels::convert_k(c, stream); });
}

}  // namespace

const Implementation generic = Op::make<nullptr, nullptr, run>("generic");

}  // namespace convert_cache
}  // namespace plait::gpu
