// SPDX-License-Identifier: MIT
// The part of a problem that quantize_q and write_k share.
#ifndef PLAIT_SRC_GPU_QUANTIZE_H
#define PLAIT_SRC_GPU_QUANTIZE_H

#include <cmath>

#include "kernels/quantize_row.h"
#include "src/gpu/device.h"
#include "src/indexer_layout.h"

namespace plait::gpu {

// n^-0.5: the f32 nearest to it.
inline float inverse_sqrt(int32_t n) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(n)));
}

template <class Args>
kernels::QuantizeRow quantize_row_of(const plait_indexer_plan_desc &p, const Args &a) {
  kernels::QuantizeRow row{};
  row.head_dim = p.head_dim;
  row.format = p.format;
  row.hadamard = p.hadamard;
  row.hadamard_factor = inverse_sqrt(p.head_dim);
  row.rope_mode = p.rope_mode;
  if (p.rope_mode == PLAIT_ROPE_NONE) return row;
  row.rope_dim = p.rope_dim;
  row.rope_first = p.rope_placement == PLAIT_ROPE_LAST ? p.head_dim - p.rope_dim : 0;
  row.cos_sin = static_cast<const float *>(a.cos_sin.data);
  row.positions = static_cast<const int64_t *>(a.positions.data);
  row.positions_known =
      static_cast<int64_t>(a.cos_sin.size / (sizeof(float) * static_cast<size_t>(p.rope_dim)));
  return row;
}

}  // namespace plait::gpu

#endif
