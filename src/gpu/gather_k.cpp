// SPDX-License-Identifier: MIT
#include "kernels/gather_k.h"

#include "src/gpu/device.h"
#include "src/gpu/lists.h"
#include "src/indexer_layout.h"

namespace plait::gpu::gather_k {
namespace {

using Op = Define<PLAIT_OP_GATHER_K>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *stream) {
  kernels::GatherK g{};
  g.requests = a.requests;
  g.keys = a.keys;
  g.cache = static_cast<const uint8_t *>(a.cache.data);
  g.pages = page_count(p, a.cache.size);
  g.page_stride = p.page_stride;
  g.table = {static_cast<const int32_t *>(a.block_table.data), a.requests, a.block_table_columns,
             a.block_table_stride, p.page_entries};
  g.cu_lengths = static_cast<const int32_t *>(a.cu_lengths.data);
  g.value_bytes = static_cast<int32_t>(value_bytes(p));
  g.scale_bytes = static_cast<int32_t>(scale_bytes(p));
  g.head_dim = p.head_dim;
  g.tiled = p.layout == PLAIT_LAYOUT_TILED;
  g.fp4 = !is_fp8(p.format);
  g.values = static_cast<uint8_t *>(a.k_values.data);
  g.scale = static_cast<uint8_t *>(a.k_scale.data);
  return run_on(device, [&] { return kernels::gather_k(g, stream); });
}

}  // namespace

const Implementation generic = Op::make<nullptr, nullptr, run>("generic");

}  // namespace plait::gpu::gather_k
