// SPDX-License-Identifier: MIT
// Keys on their way from memory into the registers of Hopper's logits kernel.
#ifndef PLAIT_KERNELS_LOGITS_RING_SM90_H
#define PLAIT_KERNELS_LOGITS_RING_SM90_H

#include "isa/sm90.h"
#include "logits_keys.h"

namespace plait::kernels {

// Copies 16 bytes into shared memory, from an address aligned to Align, or zeroes them. The thread
// itself may read them after wait_copies().
template <int Align>
__device__ inline void copy16(uint4 *to, const uint8_t *from) {
  const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  if (from == nullptr) {
    *to = uint4{0, 0, 0, 0};
  } else if constexpr (Align == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  } else if constexpr (Align == 4) {
#pragma unroll
    for (int i = 0; i < 16; i += 4)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address + i), "l"(from + i)
                   : "memory");
  } else {
    uint8_t *bytes = reinterpret_cast<uint8_t *>(to);
#pragma unroll
    for (int i = 0; i < 16; ++i) bytes[i] = from[i];
  }
}
__device__ inline void copy4(float *to, const uint8_t *from) {
  if (from == nullptr)
    *to = 0;
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(from)
                 : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Where keys are. page16: 16-byte aligned pages of a power of two and at least 16 entries: sixteen
// keys lie side by side in one page, in either layout, and so do their scales; all of a page's
// entries may be read.
enum class Keys { contiguous, any_page, page16 };

// The next tiles of a warp on their way through shared memory: a ring of Stages places that only
// this warp, or this lane, touches, so that no barrier of the block is needed. A tile is Parts
// times sixteen keys. A lane gets rows g = lane / 4 and g + 8 of each part, chunks t and t + 4 of a
// row; t = lane % 4. It puts out the logit of row g + 8 (t / 2); with two parts, of part t % 2.
//
//     look_up(first)   reads the pages of the tile that begins with key `first`
//     copy(place)      starts to copy that tile into a place
//     wait(place)      until the oldest tile, in that place, has arrived
//     chunk(), scale() of the tile waited for; missing(): the key to put out has no page

// Keys anywhere: each lane copies what it will read itself.
template <int Threads, int D, int Parts, int Align, int Stages, Keys keys>
struct LaneRing {
  static constexpr int chunks = D / 64, rows = 2 * Parts;
  static constexpr int bytes = Stages * Threads * (rows * chunks * 16 + 4);
  const Logits &a;
  int64_t request;
  uint32_t end;         // of the keys
  uint4 *values;        // [Stages][rows][chunks][Threads], from this thread's on
  float *scales;        // [Stages][Threads]: of the row whose logit it puts out
  uint32_t first = 0;   // key of the tile looked up
  int32_t page[rows];   // of its rows
  uint32_t absent = 0;  // bit i: the tile copied i tiles ago

  __device__ static void prepare(uint8_t *) {}
  __device__ LaneRing(const Logits &args, int64_t its_request, uint32_t past, uint8_t *shared,
                      uint32_t *)
      : a(args), request(its_request), end(past) {
    values = reinterpret_cast<uint4 *>(shared) + threadIdx.x;
    scales =
        reinterpret_cast<float *>(shared + Stages * rows * chunks * Threads * 16) + threadIdx.x;
  }

  __device__ uint32_t key(int row) const { return first + threadIdx.x % 32 / 4 + 8 * row; }
  __device__ void look_up(uint32_t key0) {
    first = key0;
    if constexpr (keys != Keys::contiguous) {
#pragma unroll
      for (int row = 0; row < rows; ++row)
        page[row] = key(row) < end ? a.table.page_of(request, key(row)) : -1;
    }
  }

  __device__ void copy(int place) {
    const int t = static_cast<int>(threadIdx.x) % 4, own = (Parts > 1 ? t % 2 * 2 : 0) + t / 2;
    absent <<= 1;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      Key at{nullptr, nullptr};
      if constexpr (keys != Keys::contiguous)
        at = key_of_page(a, page[row], key(row));
      else if (key(row) < end)
        at = {a.k + static_cast<int64_t>(key(row)) * D,
              a.k_scale + static_cast<int64_t>(key(row)) * 4};
      const int32_t step = keys != Keys::contiguous && a.tiled ? 256 : 16;
#pragma unroll
      for (int c = 0; c < chunks; ++c)
        copy16<Align>(values + ((place * rows + row) * chunks + c) * Threads,
                      at.values ? at.values + (t + 4 * c) * step : nullptr);
      if (row == own) {
        copy4(scales + place * Threads, at.scale);
        absent |= at.values == nullptr;
      }
    }
    commit_copies();
  }

  __device__ void wait(int) { wait_copies<Stages - 1>(); }
  __device__ uint4 chunk(int place, int row, int c) const {
    return values[((place * rows + row) * chunks + c) * Threads];
  }
  __device__ float scale(int place) const { return scales[place * Threads]; }
  __device__ bool missing() const { return absent >> (Stages - 1) & 1; }
};

// page16: one lane asks the copy engine for the tile.
template <int Threads, int D, int Parts, int Stages>
struct PageRing {
  static constexpr int keys = 16 * Parts, tile = keys * (D + 4), warps = Threads / 32;
  static constexpr int bytes = warps * Stages * (tile + 8);
  const Logits &a;
  const int32_t *table;  // of this request
  uint32_t end, entry = 0;
  uint8_t *tiles;                // of this warp: [Stages][keys of D | scales]
  uint64_t *barriers;            // of this warp
  const uint8_t *lane_values;    // row g, chunk t of the first place
  int32_t row_step, chunk_step;  // from it to row g + 8 and to chunk t + 4
  int32_t page[Parts];
  uint32_t absent = 0;  // Parts bits a tile, the tile copied last in the lowest
  uint32_t *parity;     // bit i: of the phase that place i waits for; outlives the ring

  __device__ static uint64_t *barriers_in(uint8_t *shared) {
    return reinterpret_cast<uint64_t *>(shared + warps * Stages * tile) + threadIdx.x / 32 * Stages;
  }
  __device__ static void prepare(uint8_t *shared) {
    if (threadIdx.x % 32 == 0) {
      for (int i = 0; i < Stages; ++i) sm90::barrier_init(barriers_in(shared) + i, 1);
      sm90::barrier_init_done();
    }
    __syncwarp();
  }
  __device__ PageRing(const Logits &args, int64_t request, uint32_t past, uint8_t *shared,
                      uint32_t *its_parity)
      : a(args),
        table(args.table.ids + request * args.table.stride),
        end(past),
        parity(its_parity) {
    tiles = shared + static_cast<int>(threadIdx.x) / 32 * (Stages * tile);
    barriers = barriers_in(shared);
    const int g = static_cast<int>(threadIdx.x) % 32 / 4, t = static_cast<int>(threadIdx.x) % 4;
    lane_values = tiles + (a.tiled ? t * 256 + g * 16 : g * D + t * 16);
    row_step = a.tiled ? 128 : 8 * D;
    chunk_step = a.tiled ? 1024 : 64;
  }

  __device__ bool one_page() const { return Parts == 1 || a.page_shift > 4; }
  __device__ int32_t page_of(uint32_t key) const {
    const uint32_t column = key >> a.page_shift;
    const int32_t id = key < end && column < a.table.columns ? table[column] : -1;
    return id < a.pages ? id : -1;
  }
  __device__ void look_up(uint32_t first) {
    entry = first & static_cast<uint32_t>(a.table.page_entries - 1);
    page[0] = page_of(first);
    if constexpr (Parts == 2) page[1] = one_page() ? page[0] : page_of(first + 16);
  }

  __device__ void copy_part(int place, int part, uint32_t count) const {
    const uint8_t *from = a.cache + page[part] * a.page_stride;
    uint8_t *to = tiles + place * tile;
    sm90::bulk_copy(to + part * 16 * D, from + entry * D, count * D, barriers + place);
    sm90::bulk_copy(to + keys * D + part * 64, from + (a.table.page_entries * D + entry * 4),
                    count * 4, barriers + place);
  }
  __device__ void copy(int place) {
    absent = absent << 1 | (page[0] < 0);
    if constexpr (Parts == 2) absent = absent << 1 | (page[1] < 0);
    __syncwarp();  // all lanes have read what the place held
    if (threadIdx.x % 32 != 0) return;
    if (one_page()) {
      if (page[0] < 0) return;
      sm90::arrive_expect(barriers + place, tile);
      copy_part(place, 0, keys);
    } else {
      const int there = (page[0] >= 0) + (page[Parts - 1] >= 0);
      if (there == 0) return;
      sm90::arrive_expect(barriers + place, static_cast<uint32_t>(there) * (tile / Parts));
#pragma unroll
      for (int part = 0; part < Parts; ++part)
        if (page[part] >= 0) copy_part(place, part, 16);
    }
  }

  __device__ uint32_t oldest() const {
    return absent >> (Stages - 1) * Parts & ((1u << Parts) - 1);
  }
  __device__ void wait(int place) {
    if (oldest() == (1u << Parts) - 1) return;
    sm90::wait(barriers + place, *parity >> place & 1);
    *parity ^= 1u << place;
  }
  __device__ uint4 chunk(int place, int row, int c) const {
    return *reinterpret_cast<const uint4 *>(lane_values + place * tile + row / 2 * 16 * D +
                                            row % 2 * row_step + c * chunk_step);
  }
  __device__ float scale(int place) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, t = lane % 4;
    return reinterpret_cast<const float *>(
        tiles + place * tile + keys * D)[lane / 4 + t / 2 * 8 + (Parts > 1 ? t % 2 * 16 : 0)];
  }
  // Part 0 is the higher bit.
  __device__ bool missing() const {
    return oldest() >> (Parts > 1 ? 1 - static_cast<int>(threadIdx.x) % 2 : 0) & 1;
  }
};

template <int Threads, int D, int Parts, int Align, int Stages, Keys keys>
struct RingOf {
  using Type = LaneRing<Threads, D, Parts, Align, Stages, keys>;
};
template <int Threads, int D, int Parts, int Align, int Stages>
struct RingOf<Threads, D, Parts, Align, Stages, Keys::page16> {
  using Type = PageRing<Threads, D, Parts, Stages>;
};
template <int Threads, int D, int Parts, int Align, int Stages, Keys keys>
using Ring = typename RingOf<Threads, D, Parts, Align, Stages, keys>::Type;

}  // namespace plait::kernels

#endif
