// SPDX-License-Identifier: MIT
// Arrays in host memory, and made-up data that is the same on every machine.
#ifndef PLAIT_SRC_CLI_TENSOR_H
#define PLAIT_SRC_CLI_TENSOR_H

#include <cstdint>
#include <string>
#include <vector>

namespace plait::cli {

enum class Element { F32, F16, BF16, I32, I64, U8 };
size_t element_size(Element element);
Element element_of_dtype(int32_t dtype);  // PLAIT_DTYPE_…

// A tensor belongs to rows (tokens, requests: [rows, row]) or, with rows == 0, to all of them.
struct Tensor {
  Tensor(std::string name_, Element element_, int64_t rows_, int64_t row_)
      : name(std::move(name_)), element(element_), rows(rows_), row(row_) {
    data.resize(static_cast<size_t>(count()) * element_size(element));
  }

  int64_t count() const { return (rows ? rows : 1) * row; }
  double value(int64_t i) const;      // a floating element as a double, an integer one too
  void set(int64_t i, double value);  // rounded to the element
  template <class T>
  T *as() {
    return reinterpret_cast<T *>(data.data());
  }
  template <class T>
  const T *as() const {
    return reinterpret_cast<const T *>(data.data());
  }
  // The rows of `order`, which may name a row more than once; all-rows tensors as they are.
  Tensor pick(const std::vector<int64_t> &order) const;

  std::string name;
  Element element;
  int64_t rows, row;
  std::vector<uint8_t> data;
};

// A fixed sequence, by counter: element i of stream `seed` is always the same.
uint64_t random_bits(uint64_t seed, uint64_t i);
double random_uniform(uint64_t seed, uint64_t i);  // [0, 1)
double random_normal(uint64_t seed, uint64_t i);   // nearly: mean 0, deviation 1, within +-3.5

void fill_normal(Tensor &tensor, uint64_t seed, double deviation);
void fill_bytes_fp8(Tensor &tensor,
                    uint64_t seed);  // any byte but the NaNs and -0 of either flavour

}  // namespace plait::cli

#endif
