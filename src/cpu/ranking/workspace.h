// SPDX-License-Identifier: MIT
// How many candidates a ranking keeps, and the bytes for it.
#ifndef PLAIT_SRC_CPU_RANKING_WORKSPACE_H
#define PLAIT_SRC_CPU_RANKING_WORKSPACE_H

#include <algorithm>
#include <cstdint>

namespace plait::cpu {

// Pieces of a workspace start at multiples of this.
constexpr int64_t round_up(int64_t bytes) { return (bytes + 255) / 256 * 256; }

// No row has more than `longest` values, so no more are kept.
constexpr int64_t kept(int64_t k, int64_t longest) { return std::min(k, longest); }

}  // namespace plait::cpu

#endif
