// SPDX-License-Identifier: MIT
#include "src/cli/tensor.h"

#include <plait/types.h>

#include <cmath>
#include <cstring>

#include "src/number.h"

namespace plait::cli {

size_t element_size(Element element) {
  switch (element) {
    case Element::F32:
    case Element::I32: return 4;
    case Element::F16:
    case Element::BF16: return 2;
    case Element::I64: return 8;
    case Element::U8: break;
  }
  return 1;
}

Element element_of_dtype(int32_t dtype) {
  return dtype == PLAIT_DTYPE_F32   ? Element::F32
         : dtype == PLAIT_DTYPE_F16 ? Element::F16
                                    : Element::BF16;
}

double Tensor::value(int64_t i) const {
  switch (element) {
    case Element::F32: return static_cast<double>(as<float>()[i]);
    case Element::F16: return static_cast<double>(f16_to_f32(as<uint16_t>()[i]));
    case Element::BF16: return static_cast<double>(bf16_to_f32(as<uint16_t>()[i]));
    case Element::I32: return as<int32_t>()[i];
    case Element::I64: return static_cast<double>(as<int64_t>()[i]);
    case Element::U8: break;
  }
  return as<uint8_t>()[i];
}

void Tensor::set(int64_t i, double value) {
  switch (element) {
    case Element::F32: as<float>()[i] = static_cast<float>(value); break;
    case Element::F16: as<uint16_t>()[i] = f32_to_f16(static_cast<float>(value)); break;
    case Element::BF16: as<uint16_t>()[i] = f32_to_bf16(static_cast<float>(value)); break;
    case Element::I32: as<int32_t>()[i] = static_cast<int32_t>(value); break;
    case Element::I64: as<int64_t>()[i] = static_cast<int64_t>(value); break;
    case Element::U8: as<uint8_t>()[i] = static_cast<uint8_t>(value); break;
  }
}

Tensor Tensor::pick(const std::vector<int64_t> &order) const {
  if (!rows) return *this;
  Tensor picked(name, element, static_cast<int64_t>(order.size()), row);
  const size_t bytes = static_cast<size_t>(row) * element_size(element);
  for (size_t i = 0; i < order.size(); ++i)
    memcpy(picked.data.data() + i * bytes, data.data() + static_cast<size_t>(order[i]) * bytes,
           bytes);
  return picked;
}

uint64_t random_bits(uint64_t seed, uint64_t i) {
  uint64_t z = (seed << 40) + i * 0x9E3779B97F4A7C15u + 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double random_uniform(uint64_t seed, uint64_t i) {
  return static_cast<double>(random_bits(seed, i) >> 11) * 0x1p-53;
}

// The sum of four uniform numbers of 16 bits, which has variance 4 / 12.
double random_normal(uint64_t seed, uint64_t i) {
  const uint64_t bits = random_bits(seed, i);
  const int64_t sum = static_cast<int64_t>((bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) +
                                           ((bits >> 32) & 0xFFFF) + (bits >> 48));
  return static_cast<double>(sum - 131070) * (1.7320508075688772 / 65536);
}

void fill_normal(Tensor &tensor, uint64_t seed, double deviation) {
  const int64_t count = tensor.count();
  for (int64_t i = 0; i < count; ++i)
    tensor.set(i, deviation * random_normal(seed, static_cast<uint64_t>(i)));
}

void fill_bytes_fp8(Tensor &tensor, uint64_t seed) {
  uint8_t *bytes = tensor.as<uint8_t>();
  const int64_t count = tensor.count();
  for (int64_t i = 0; i < count; ++i) {
    const double normal = random_normal(seed, static_cast<uint64_t>(i));
    bytes[i] = f32_to_e4m3fn(static_cast<float>(120 * normal));  // as quantised rows look
    if (bytes[i] == 0x80) bytes[i] = 0;
  }
}

}  // namespace plait::cli
