// SPDX-License-Identifier: MIT
#include "src/check.h"

namespace plait {

plait_status load_struct(const void *user, void *local, size_t size, size_t first_size,
                         int32_t argument) {
  if (!user) return status_of(PLAIT_ERROR_NULL_ARGUMENT, argument);
  size_t user_size;
  memcpy(&user_size, user, sizeof user_size);
  if (user_size < first_size || user_size > size + kMaxTail)
    return status_of(PLAIT_ERROR_STRUCT_SIZE, argument);
  const unsigned char *bytes = static_cast<const unsigned char *>(user);
  for (size_t i = size; i < user_size; ++i)
    if (bytes[i] != 0) return status_of(PLAIT_ERROR_UNKNOWN_FIELD, argument);
  memcpy(local, user, user_size < size ? user_size : size);
  memcpy(local, &size, sizeof size);
  return PLAIT_OK;
}

plait_status check_result(const void *user, size_t first_size, int32_t argument) {
  if (!user) return status_of(PLAIT_ERROR_NULL_ARGUMENT, argument);
  size_t user_size;
  memcpy(&user_size, user, sizeof user_size);
  if (user_size < first_size || user_size > first_size + kMaxTail)
    return status_of(PLAIT_ERROR_STRUCT_SIZE, argument);
  return PLAIT_OK;
}

void store_result(void *user, const void *local, size_t size) {
  size_t user_size;
  memcpy(&user_size, user, sizeof user_size);
  unsigned char *out = static_cast<unsigned char *>(user);
  const size_t known = user_size < size ? user_size : size;
  memcpy(out + sizeof user_size, static_cast<const unsigned char *>(local) + sizeof user_size,
         known - sizeof user_size);
  memset(out + known, 0, user_size - known);
}

void Check::buffer_(const void *data, size_t size, int32_t argument, int64_t count, int64_t stride,
                    int64_t row, int64_t element, int64_t alignment, bool output) {
  if (status_) return;
  if (count == 0 || row == 0) return;
  if (!data) return fail(PLAIT_ERROR_NULL_ARGUMENT, argument);
  SizeMath math;
  const int64_t elements = math.add(math.mul(count - 1, stride), row);
  const int64_t bytes = math.mul(elements, element);
  if (math.overflow()) return fail(PLAIT_ERROR_SIZE_OVERFLOW, argument);
  if (size < static_cast<uint64_t>(bytes)) return fail(PLAIT_ERROR_BUFFER_TOO_SMALL, argument);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data);
  if (begin % static_cast<uintptr_t>(alignment ? alignment : element) != 0)
    return fail(PLAIT_ERROR_MISALIGNED, argument);
  if (begin > UINTPTR_MAX - static_cast<uintptr_t>(bytes))
    return fail(PLAIT_ERROR_SIZE_OVERFLOW, argument);
  if (count_ == static_cast<int32_t>(sizeof extents_ / sizeof extents_[0]))
    return fail(PLAIT_ERROR_INTERNAL, argument);
  // stride * element fits: it is at most `bytes`, or the buffer is a single row.
  extents_[count_++] = {begin,
                        begin + static_cast<uintptr_t>(bytes),
                        count > 1 ? stride * element : bytes,
                        row * element,
                        argument,
                        output};
}

void Check::workspace(const plait_buffer &buffer, int64_t needed) {
  if (status_) return;
  if (needed < 0) return fail(PLAIT_ERROR_SIZE_OVERFLOW, PLAIT_ARG_WORKSPACE);
  output(buffer, PLAIT_ARG_WORKSPACE, needed > 0 ? 1 : 0, needed, needed, 1,
         PLAIT_WORKSPACE_ALIGNMENT);
}

// Two strided sets of rows: disjoint when their extents are, or when they interleave at one common
// stride, as three outputs that share a record do.
bool Check::may_overlap(const Extent &a, const Extent &b) const {
  if (a.end <= b.begin || b.end <= a.begin) return false;
  if (a.stride != b.stride) return true;
  const uintptr_t stride = static_cast<uintptr_t>(a.stride);
  const uintptr_t low = a.begin < b.begin ? a.begin : b.begin;
  const uintptr_t at_a = (a.begin - low) % stride, at_b = (b.begin - low) % stride;
  const uintptr_t first = at_a < at_b ? at_a : at_b, second = at_a < at_b ? at_b : at_a;
  const uintptr_t first_row = static_cast<uintptr_t>(at_a < at_b ? a.row : b.row);
  const uintptr_t second_row = static_cast<uintptr_t>(at_a < at_b ? b.row : a.row);
  if (at_a == at_b) return true;
  return first + first_row > second || second + second_row > first + stride;
}

plait_status Check::finish() {
  for (int32_t i = 0; i < count_ && !status_; ++i) {
    const Extent &out = extents_[i];
    if (!out.output) continue;
    for (int32_t j = 0; j < count_; ++j) {
      const Extent &other = extents_[j];
      if (j == i || (other.output && j > i)) continue;  // each pair once
      bool allowed = false;
      for (int32_t s = 0; s < 4; s += 2)
        allowed = allowed || (same_[s] == out.argument && same_[s + 1] == other.argument);
      if (allowed && out.begin == other.begin && out.end == other.end &&
          out.stride == other.stride && out.row == other.row)
        continue;
      if (may_overlap(out, other)) {
        fail(PLAIT_ERROR_OVERLAP, out.argument);
        break;
      }
    }
  }
  return status_;
}

}  // namespace plait
