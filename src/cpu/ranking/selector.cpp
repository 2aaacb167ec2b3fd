// SPDX-License-Identifier: MIT
#include "src/cpu/ranking/selector.h"

namespace plait::cpu {
namespace {

struct Kth {
  int32_t rank;
  int64_t above;  // ranks greater than it
};

// The k-th greatest of the first n > k of scratch.ranks(), which are within [least, greatest].
// Counts them in up to 2048 bins of equal width, and goes on within the bin that holds the k-th:
// each round divides the width by 2048 at least, so three do.
Kth kth_greatest(int64_t n, int64_t k, int32_t least, int32_t greatest,
                 const SelectorScratch &scratch) {
  const int32_t *ranks = scratch.ranks();
  uint32_t *counters = scratch.counters();
  int64_t above = 0;
  for (;;) {
    const uint32_t low = static_cast<uint32_t>(least);
    const uint32_t width = static_cast<uint32_t>(greatest) - low;
    if (width == 0) return {least, above};
    uint32_t shift = 0;
    while ((width >> shift) >= SelectorSize::kBins) ++shift;
    uint32_t bin = width >> shift;
    std::fill(counters, counters + bin + 1, 0);
    for (int64_t i = 0; i < n; ++i) ++counters[(static_cast<uint32_t>(ranks[i]) - low) >> shift];
    while (above + counters[bin] < k) above += counters[bin--];

    const uint32_t first = bin << shift, bin_width = (1u << shift) - 1;
    least = static_cast<int32_t>(low + first);
    greatest = static_cast<int32_t>(low + first + std::min(bin_width, width - first));
    if (shift == 0) return {least, above};
    n = collect_ranks(ranks, n, least, greatest, scratch.collected());
    ranks = scratch.collected();
  }
}

// Sorts by ascending key, equal keys in their order: a pass for each byte, but for those where all
// keys have the same one. Returns the outcome, which is in `places` or in `other`.
Place *sort_places(Place *places, Place *other, int64_t n) {
  for (uint32_t shift = 0; shift < 32; shift += 8) {
    int64_t next[256] = {};
    for (int64_t i = 0; i < n; ++i) ++next[(places[i].key >> shift) & 255];
    if (n == 0 || next[(places[0].key >> shift) & 255] == n) continue;
    int64_t start = 0;
    for (int64_t &entry : next) {
      const int64_t found = entry;
      entry = start;
      start += found;
    }
    for (int64_t i = 0; i < n; ++i) other[next[(places[i].key >> shift) & 255]++] = places[i];
    std::swap(places, other);
  }
  return places;
}

}  // namespace

template <class Append>
void Selector::add(int64_t n, const SelectorScratch &scratch, const Append &append) {
  for (int64_t i = 0; i < n;) {
    // Pieces of at least 256, so that vectors pay; the capacity has room for that beyond k.
    if (size_.capacity - count_ < std::min<int64_t>(n - i, 256)) shrink(scratch);
    const int64_t piece = std::min(n - i, size_.capacity - count_);
    count_ += append(i, piece, values_ + count_, indices_ + count_);
    i += piece;
  }
}

void Selector::add_values(int32_t dtype, const void *values, int64_t n, int64_t first_index,
                          const SelectorScratch &scratch) {
  const uint8_t *bytes = static_cast<const uint8_t *>(values);
  add(n, scratch, [&](int64_t i, int64_t piece, float *values_out, int32_t *indices_out) {
    return append_values(dtype, bytes + i * dtype_bytes(dtype), piece,
                         static_cast<int32_t>(first_index + i), gate_, values_out, indices_out);
  });
}

void Selector::add_pairs(int32_t dtype, const void *values, const int32_t *indices, int64_t n,
                         const SelectorScratch &scratch) {
  const uint8_t *bytes = static_cast<const uint8_t *>(values);
  add(n, scratch, [&](int64_t i, int64_t piece, float *values_out, int32_t *indices_out) {
    return append_pairs(dtype, bytes + i * dtype_bytes(dtype), indices + i, piece, gate_,
                        values_out, indices_out);
  });
}

// Shuts the gate below a value that is likely to be among those from k to 2 * k in the order: the
// one at k's place in a sample, moved down by four standard deviations of that place.
void Selector::guess(int32_t dtype, const void *values, int64_t n, const SelectorScratch &scratch) {
  constexpr int64_t chunk = 16;
  const int64_t chunks = std::min<int64_t>(n / 8, 4096) / chunk, samples = chunks * chunk;
  if (samples < 512 || size_.capacity < samples) return;
  const double place =
      static_cast<double>(size_.k) * static_cast<double>(samples) / static_cast<double>(n);
  const int64_t cautious = static_cast<int64_t>(place + 4 * std::sqrt(place)) + 4;
  if (cautious > samples / 3) return;
  for (int64_t c = 0; c < chunks; ++c)
    for (int64_t i = 0; i < chunk; ++i)
      values_[c * chunk + i] = load(dtype, values, c * (n / chunks) + i);
  int32_t least, greatest;
  rank_values(values_, samples, scratch.ranks(), &least, &greatest);
  const Kth kth = kth_greatest(samples, cautious, least, greatest, scratch);
  gate_ = {false, true, value_of_rank(kth.rank)};
}

void Selector::add_row(int32_t dtype, const void *values, int64_t n, int64_t first_index,
                       const SelectorScratch &scratch) {
  guess(dtype, values, n, scratch);
  add_values(dtype, values, n, first_index, scratch);
  if (count_ >= std::min(size_.k, n)) return;
  // The guess was too high.
  count_ = 0;
  gate_ = {true, false, 0};
  add_values(dtype, values, n, first_index, scratch);
}

// Leaves the k first. Later values must then pass the last of them. Without order, the candidates
// are sorted only if some of those that equal the last one must go: those with the higher indices.
void Selector::shrink(const SelectorScratch &scratch) {
  if (count_ <= size_.k) return;
  int32_t least, greatest;
  rank_values(values_, count_, scratch.ranks(), &least, &greatest);
  const Kth kth = kth_greatest(count_, size_.k, least, greatest, scratch);
  const int64_t equals = size_.k - kth.above;
  if (!in_order_ && std::count(scratch.ranks(), scratch.ranks() + count_, kth.rank) > equals) {
    sort_by_index(scratch);
    rank_values(values_, count_, scratch.ranks(), &least, &greatest);
  }
  count_ = keep_ranks(scratch.ranks(), count_, kth.rank, equals, values_, indices_);
  gate_ = {false, !in_order_, value_of_rank(kth.rank)};
}

void Selector::sort_by_index(const SelectorScratch &scratch) {
  Place *places = scratch.places(), *other = scratch.sorted();
  for (int64_t i = 0; i < count_; ++i)
    places[i] = {static_cast<uint32_t>(indices_[i]), static_cast<uint32_t>(i)};
  const Place *sorted = sort_places(places, other, count_);
  void *free = sorted == places ? other : places;
  float *values = static_cast<float *>(free);
  for (int64_t i = 0; i < count_; ++i) {
    values[i] = values_[sorted[i].position];
    indices_[i] = static_cast<int32_t>(sorted[i].key);
  }
  std::copy(values, values + count_, values_);
}

void Selector::finish(const SelectorScratch &scratch) {
  shrink(scratch);
  if (!in_order_) sort_by_index(scratch);
}

void Selector::write(const RankingOutput &output, int64_t row, int64_t table_row, int32_t order,
                     const SelectorScratch &scratch) const {
  if (order != PLAIT_ORDER_DESCENDING) {
    output.write(row, table_row, count_, [this](int64_t i) {
      return Candidate{values_[i], indices_[i]};
    });
    return;
  }
  // Ascending complement of the rank; equal ranks stay by index.
  Place *places = scratch.places();
  for (int64_t i = 0; i < count_; ++i) {
    const uint32_t rank = static_cast<uint32_t>(rank_of(values_[i])) ^ 0x80000000;
    places[i] = {~rank, static_cast<uint32_t>(i)};
  }
  const Place *sorted = sort_places(places, scratch.sorted(), count_);
  output.write(row, table_row, count_, [this, sorted](int64_t i) {
    return Candidate{values_[sorted[i].position], indices_[sorted[i].position]};
  });
}

}  // namespace plait::cpu
