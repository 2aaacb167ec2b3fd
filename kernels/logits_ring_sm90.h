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

// Where keys are. page16: 16-byte aligned pages of a power of two and at least 16 entries: the
// sixteen keys of a warp's tile lie side by side in one page, in either layout, and so do their
// scales; all of a page's entries may be read.
enum class Keys { contiguous, any_page, page16 };

// The next tiles of a warp, sixteen keys each, on their way through shared memory; a ring of Stages
// places that only this warp, or this lane, touches, so that no barrier of the block is needed. A
// lane gets rows g = lane / 4 and g + 8, chunks t and t + 4 of each; t = lane % 4.
//
//     look_up(first)   reads the page of the tile that begins with key `first`
//     copy(place)      starts to copy that tile into a place
//     wait(place)      until the oldest tile, in that place, has arrived
//     chunk(), scale() of the tile waited for; missing(): it has no page (for this lane's logit)

// Keys anywhere: each lane copies what it will read itself.
template <int Threads, int D, int Align, int Stages, Keys keys>
struct LaneRing {
  static constexpr int chunks = D / 64;
  static constexpr int bytes = Stages * Threads * (2 * chunks * 16 + 4);
  const Logits &a;
  int64_t request;
  int32_t end;          // of the keys
  uint4 *values;        // [Stages][2 * chunks][Threads], from this thread's on
  float *scales;        // [Stages][Threads]: of the row whose logit it puts out
  int32_t key[2];       // of the tile looked up
  int32_t page[2];      // of them
  uint32_t absent = 0;  // bit i: the tile copied i tiles ago

  __device__ static void prepare(uint8_t *) {}
  __device__ LaneRing(const Logits &args, int64_t its_request, int32_t past, uint8_t *shared,
                      uint32_t *)
      : a(args), request(its_request), end(past) {
    values = reinterpret_cast<uint4 *>(shared) + threadIdx.x;
    scales = reinterpret_cast<float *>(shared + Stages * 2 * chunks * Threads * 16) + threadIdx.x;
  }

  __device__ void look_up(int32_t first) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      key[half] = first + static_cast<int32_t>(threadIdx.x) % 32 / 4 + 8 * half;
      if constexpr (keys != Keys::contiguous)
        page[half] =
            key[half] < end ? a.table.page_of(request, static_cast<uint32_t>(key[half])) : -1;
    }
  }

  __device__ void copy(int place) {
    const int t = static_cast<int>(threadIdx.x) % 4;
    absent <<= 1;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Key at{nullptr, nullptr};
      if constexpr (keys != Keys::contiguous)
        at = key_of_page(a, page[half], static_cast<uint32_t>(key[half]));
      else if (key[half] < end)
        at = {a.k + static_cast<int64_t>(key[half]) * D,
              a.k_scale + static_cast<int64_t>(key[half]) * 4};
      const int32_t step = keys != Keys::contiguous && a.tiled ? 256 : 16;
#pragma unroll
      for (int c = 0; c < chunks; ++c)
        copy16<Align>(values + ((place * 2 + half) * chunks + c) * Threads,
                      at.values ? at.values + (t + 4 * c) * step : nullptr);
      if (half == t / 2) {
        copy4(scales + place * Threads, at.scale);
        absent |= at.values == nullptr;
      }
    }
    commit_copies();
  }

  __device__ void wait(int) { wait_copies<Stages - 1>(); }
  __device__ uint4 chunk(int place, int half, int c) const {
    return values[((place * 2 + half) * chunks + c) * Threads];
  }
  __device__ float scale(int place) const { return scales[place * Threads]; }
  __device__ bool missing() const { return absent >> (Stages - 1) & 1; }
};

// page16: one lane asks the copy engine for the whole tile.
template <int Threads, int D, int Stages>
struct PageRing {
  static constexpr int tile = 16 * (D + 4), warps = Threads / 32;
  static constexpr int bytes = warps * Stages * (tile + 8);
  const Logits &a;
  int64_t request;
  int32_t end;
  uint8_t *tiles;      // of this warp: [Stages][16 rows of D | 16 scales]
  uint64_t *barriers;  // of this warp
  int32_t page = -1, entry = 0;
  uint32_t absent = 0;
  uint32_t *parity;  // bit i: of the phase that place i waits for; outlives the ring

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
  __device__ PageRing(const Logits &args, int64_t its_request, int32_t past, uint8_t *shared,
                      uint32_t *its_parity)
      : a(args), request(its_request), end(past), parity(its_parity) {
    tiles = shared + static_cast<int>(threadIdx.x) / 32 * (Stages * tile);
    barriers = barriers_in(shared);
  }

  __device__ void look_up(int32_t first) {
    const uint32_t column = static_cast<uint32_t>(first) >> a.page_shift;
    page = first < end && column < a.table.columns ? a.table.ids[request * a.table.stride + column]
                                                   : -1;
    entry = first & (a.table.page_entries - 1);
  }

  __device__ void copy(int place) {
    const bool there = page >= 0 && page < a.pages;
    absent = absent << 1 | !there;
    __syncwarp();  // all lanes have read what the place held
    if (there && threadIdx.x % 32 == 0) {
      const uint8_t *from = a.cache + page * a.page_stride;
      sm90::arrive_expect(barriers + place, tile);
      sm90::bulk_copy(tiles + place * tile, from + entry * D, 16 * D, barriers + place);
      sm90::bulk_copy(tiles + place * tile + 16 * D, from + (a.table.page_entries * D + entry * 4),
                      64, barriers + place);
    }
  }

  __device__ void wait(int place) {
    if (missing()) return;
    sm90::wait(barriers + place, *parity >> place & 1);
    *parity ^= 1u << place;
  }
  __device__ uint4 chunk(int place, int half, int c) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, row = lane / 4 + 8 * half,
              at = lane % 4 + 4 * c;
    return *reinterpret_cast<const uint4 *>(tiles + place * tile +
                                            (a.tiled ? at * 256 + row * 16 : row * D + at * 16));
  }
  __device__ float scale(int place) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    return reinterpret_cast<const float *>(tiles + place * tile +
                                           16 * D)[lane / 4 + 8 * (lane % 4 / 2)];
  }
  __device__ bool missing() const { return absent >> (Stages - 1) & 1; }
};

template <int Threads, int D, int Align, int Stages, Keys keys>
struct RingOf {
  using Type = LaneRing<Threads, D, Align, Stages, keys>;
};
template <int Threads, int D, int Align, int Stages>
struct RingOf<Threads, D, Align, Stages, Keys::page16> {
  using Type = PageRing<Threads, D, Stages>;
};
template <int Threads, int D, int Align, int Stages, Keys keys>
using Ring = typename RingOf<Threads, D, Align, Stages, keys>::Type;

}  // namespace plait::kernels

#endif
