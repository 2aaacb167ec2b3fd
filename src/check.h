// SPDX-License-Identifier: MIT
// Argument checks of the C ABI. Nothing is written before all of them have passed.
#ifndef PLAIT_SRC_CHECK_H
#define PLAIT_SRC_CHECK_H

#include <cstring>

#include "src/backend.h"

namespace plait {

// --- Structs that carry their size --------------------------------------------------------------

// The largest struct_size that is believed. A larger one is a struct that nobody initialised.
constexpr size_t kMaxTail = 4096;

// Copies a caller's struct of `user_size` bytes over a `size`-byte default. The shortest accepted
// is `first_size`, the struct's first version.
plait_status load_struct(const void *user, void *local, size_t size, size_t first_size,
                         int32_t argument);

template <class T>
plait_status load(const T *user, T &local, int32_t argument) {
  return load_struct(user, &local, sizeof(T), sizeof(T), argument);
}

// A struct that a query fills: checks the caller's struct_size, and writes as much as it has room
// for, zeros past what this version knows.
plait_status check_result(const void *user, size_t first_size, int32_t argument);
void store_result(void *user, const void *local, size_t size);

template <class T>
void store(T *user, const T &local) {
  store_result(user, &local, sizeof(T));
}

// --- Sizes -----------------------------------------------------------------------------------

// Products and sums of sizes. Once one does not fit 63 bits all results are 0 and overflow() holds.
class SizeMath {
 public:
  int64_t mul(int64_t a, int64_t b) {
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r)) return fail();
    return r;
  }
  int64_t add(int64_t a, int64_t b) {
    int64_t r;
    if (__builtin_add_overflow(a, b, &r)) return fail();
    return r;
  }
  template <class... Rest>
  int64_t product(int64_t a, Rest... rest) {
    int64_t r = a;
    ((r = mul(r, static_cast<int64_t>(rest))), ...);
    return overflow_ ? 0 : r;
  }
  bool overflow() const { return overflow_; }

 private:
  int64_t fail() {
    overflow_ = true;
    return 0;
  }
  bool overflow_ = false;
};

inline int64_t dtype_size(int32_t dtype) {
  return dtype == PLAIT_DTYPE_F32                                ? 4
         : dtype == PLAIT_DTYPE_F16 || dtype == PLAIT_DTYPE_BF16 ? 2
                                                                 : 0;
}

// --- Buffers ---------------------------------------------------------------------------------

// Collects the checks of one call. The first error stays; later checks do nothing.
class Check {
 public:
  void fail(plait_status status) {
    if (!status_) status_ = status;
  }
  void fail(int32_t code, int32_t argument) { fail(status_of(code, argument)); }
  void require(bool condition, int32_t code, int32_t argument) {
    if (!condition) fail(code, argument);
  }
  void flag(int32_t value, int32_t argument) {
    require(value == 0 || value == 1, PLAIT_ERROR_INVALID_VALUE, argument);
  }
  // A field that this version keeps for later.
  void reserved(int32_t value) { require(value == 0, PLAIT_ERROR_UNKNOWN_FIELD, PLAIT_ARG_ARGS); }

  // Resolves stride 0 to `row` and refuses a shorter one.
  void stride(int64_t &stride, int64_t row, int32_t argument) {
    if (stride == 0) stride = row;
    require(stride >= row, PLAIT_ERROR_STRIDE, argument);
  }

  // `count` rows of `row` elements of `element` bytes, `stride` elements apart.
  void input(const plait_const_buffer &buffer, int32_t argument, int64_t count, int64_t stride,
             int64_t row, int64_t element, int64_t alignment = 0) {
    buffer_(buffer.data, buffer.size, argument, count, stride, row, element, alignment, false);
  }
  void output(const plait_buffer &buffer, int32_t argument, int64_t count, int64_t stride,
              int64_t row, int64_t element, int64_t alignment = 0) {
    buffer_(buffer.data, buffer.size, argument, count, stride, row, element, alignment, true);
  }
  // Contiguous elements.
  void input(const plait_const_buffer &buffer, int32_t argument, int64_t count, int64_t element) {
    input(buffer, argument, count > 0 ? 1 : 0, count, count, element);
  }
  void output(const plait_buffer &buffer, int32_t argument, int64_t count, int64_t element) {
    output(buffer, argument, count > 0 ? 1 : 0, count, count, element);
  }
  // A buffer that must not be given.
  void absent(const plait_const_buffer &buffer, int32_t argument) {
    require(buffer.data == nullptr, PLAIT_ERROR_WRONG_PLAN, argument);
  }
  void workspace(const plait_buffer &buffer, int64_t needed);

  // Allows the last output to be exactly the given input.
  void allow_same(int32_t output_argument, int32_t input_argument) {
    same_[0] = output_argument;
    same_[1] = input_argument;
  }
  void allow_same_too(int32_t output_argument, int32_t input_argument) {
    same_[2] = output_argument;
    same_[3] = input_argument;
  }

  // After all buffers: refuses outputs that overlap another buffer. Returns the first error.
  plait_status finish();

  plait_status status() const { return status_; }

 private:
  struct Extent {
    uintptr_t begin, end;  // bytes from the first element's to past the last one's
    int64_t stride, row;   // bytes
    int32_t argument;
    bool output;
  };
  void buffer_(const void *data, size_t size, int32_t argument, int64_t count, int64_t stride,
               int64_t row, int64_t element, int64_t alignment, bool output);
  bool may_overlap(const Extent &a, const Extent &b) const;

  plait_status status_ = PLAIT_OK;
  int32_t count_ = 0;
  int32_t same_[4] = {0, 0, 0, 0};
  Extent extents_[32];
};

}  // namespace plait

#endif
