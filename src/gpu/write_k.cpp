// SPDX-License-Identifier: MIT
#include "kernels/write_k.h"

#include "src/gpu/lists.h"
#include "src/gpu/quantize.h"

namespace plait::gpu::write_k {
namespace {

using Op = Define<PLAIT_OP_WRITE_K>;

plait_status run(const Device &device, const Op::P &p, const Op::A &a, void *stream) {
  kernels::WriteK w{};
  w.row = quantize_row_of(p, a);
  w.tokens = a.tokens;
  w.k = static_cast<const uint16_t *>(a.k.data);
  w.k_stride = a.k_stride;
  w.slots = static_cast<const int64_t *>(a.slot_mapping.data);
  w.cache = static_cast<uint8_t *>(a.cache.data);
  w.pages = page_count(p, a.cache.size);
  w.page_stride = p.page_stride;
  w.page_entries = p.page_entries;
  w.tiled = p.layout == PLAIT_LAYOUT_TILED;
  w.rejected = static_cast<int32_t *>(a.rejected.data);
  return run_on(device, [&] { return kernels::write_k(w, stream); });
}

}  // namespace

const Implementation generic = Op::make<nullptr, nullptr, run>("generic");

}  // namespace plait::gpu::write_k
