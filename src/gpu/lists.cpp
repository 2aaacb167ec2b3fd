// SPDX-License-Identifier: MIT
// Which implementations a GPU has for each operation, best first. This table is the policy.
#include "src/gpu/lists.h"

namespace plait::gpu {
namespace {

template <int32_t n>
struct Table {
  const Implementation *entries[n];
};

template <int32_t n>
[[maybe_unused]] ImplementationList as_list(const Table<n> &table) {
  return {table.entries, n};
}

}  // namespace

ImplementationList list(int32_t op) {
  switch (op) {
    default: return {nullptr, 0};
  }
}

}  // namespace plait::gpu
