// SPDX-License-Identifier: MIT
#include "src/cli/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace plait::cli {
namespace {

// One unit in the last place of `element` at `value`.
double ulp_at(Element element, double value) {
  const int digits = element == Element::F32 ? 23 : element == Element::F16 ? 10 : 7;
  const int least = element == Element::F16 ? -14 : -126;
  const int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - digits);
}

bool same_element(const Tensor &a, const Tensor &b, int64_t i) {
  const size_t size = element_size(a.element);
  return memcmp(a.data.data() + static_cast<size_t>(i) * size,
                b.data.data() + static_cast<size_t>(i) * size, size) == 0;
}

// The elements of a row as sorted bits.
std::vector<int64_t> sorted_row(const Tensor &t, int64_t row, int64_t length) {
  const size_t size = element_size(t.element);
  std::vector<int64_t> bits(static_cast<size_t>(length));
  for (int64_t i = 0; i < length; ++i) {
    int64_t value = 0;
    memcpy(&value, t.data.data() + static_cast<size_t>(row * length + i) * size, size);
    bits[static_cast<size_t>(i)] = value;
  }
  std::sort(bits.begin(), bits.end());
  return bits;
}

Difference compare_sets(const Output &o, const Tensor &got, const Tensor &want) {
  Difference d;
  const int64_t rows = got.rows ? got.rows : 1;
  for (int64_t r = 0; r < rows; ++r) {
    const std::vector<int64_t> a = sorted_row(got, r, got.row), b = sorted_row(want, r, got.row);
    std::vector<int64_t> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    const double missing = static_cast<double>(a.size() - common.size());
    // A row of few entries may still swap one of them.
    const double allowed =
        o.rule == Rule::Set ? 0 : std::max(1.0, o.bound * static_cast<double>(a.size()));
    if (missing > allowed) ++d.wrong;
  }
  return d;
}

double row_largest(const Tensor &t, int64_t row) {
  double largest = 0;
  for (int64_t i = 0; i < t.row; ++i) {
    const double v = std::fabs(t.value(row * t.row + i));
    if (std::isfinite(v)) largest = std::max(largest, v);
  }
  return largest;
}

Difference compare_values(const Output &o, const Tensor &got, const Tensor &want,
                          const std::vector<double> &slack, double least_share) {
  Difference d;
  double largest = 0, floor = 0;
  if (o.rule == Rule::Share && least_share > 0) {
    for (int64_t row = 0; row < std::max<int64_t>(want.rows, 1); ++row)
      floor = std::max(floor, least_share * row_largest(want, row));
  }
  for (int64_t i = 0; i < want.count(); ++i) {
    if (o.rule == Rule::Share && i % want.row == 0) largest = row_largest(want, i / want.row);
    if (same_element(got, want, i)) continue;
    const double g = got.value(i), w = want.value(i);
    if ((std::isnan(g) && std::isnan(w)) || g == w) continue;
    const double error = std::fabs(g - w);
    const double extra = slack.empty() ? 0 : slack[static_cast<size_t>(i)];
    double allowed = o.bound;
    if (o.rule == Rule::Rounded) {
      const double ulp = ulp_at(o.element, w);
      allowed = o.bound * ulp + extra;
      if (error > extra) d.ulp = std::max(d.ulp, std::round((error - extra) / ulp));
    } else if (o.rule == Rule::Share) {
      allowed = std::max(o.bound * largest, floor);
    }
    if (!(error <= allowed)) ++d.wrong;
    if (!(error <= d.absolute)) d.absolute = error;
  }
  return d;
}

}  // namespace

void Difference::add(const Difference &other) {
  if (!(other.absolute <= absolute)) absolute = other.absolute;
  ulp = std::max(ulp, other.ulp);
  if (other.wrong && where.empty()) where = other.where;
  wrong += other.wrong;
  count += other.count;
}

Difference compare(const Output &o, const Tensor &got, const Tensor &want,
                   const std::vector<double> &slack, double least_share) {
  Difference d;
  if (got.data.size() != want.data.size()) throw Failure("reference of another size: " + o.name);
  switch (o.rule) {
    case Rule::Exact:
    case Rule::Near:
      for (int64_t i = 0; i < got.count(); ++i) d.wrong += !same_element(got, want, i);
      if (o.rule == Rule::Near &&
          static_cast<double>(d.wrong) <= std::max(1.0, o.bound * static_cast<double>(got.count())))
        d.wrong = 0;
      break;
    case Rule::Set:
    case Rule::Overlap: d = compare_sets(o, got, want); break;
    default: d = compare_values(o, got, want, slack, least_share); break;
  }
  d.count = got.count();
  if (d.wrong) d.where = o.name;
  return d;
}

bool same_bits(const std::vector<Tensor> &a, const std::vector<Tensor> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].data != b[i].data) return false;
  return true;
}

}  // namespace plait::cli
