// SPDX-License-Identifier: MIT
// Keys on their way from memory into the registers of Hopper's logits kernel.
#ifndef PLAIT_KERNELS_LOGITS_RING_SM90_H
#define PLAIT_KERNELS_LOGITS_RING_SM90_H

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

// Where keys are. Page16: pages of a power of two and at least 16 entries, so that the sixteen keys
// of a warp share a page, and all of a page's entries may be read.
enum class Keys { contiguous, any_page, page16 };

// A lane's bytes of tiles to come: places of its own in a ring of Stages tiles, so that no barrier
// is needed. A tile is rows g = lane / 4 and g + 8 of each warp's sixteen.
template <int Threads, int D, int Align, int Stages, Keys keys>
struct Ring {
  static constexpr int chunks = D / 64;
  static constexpr int bytes = Stages * Threads * (2 * chunks * 16 + 4);
  const Logits &a;
  int64_t request;
  int32_t end;                 // of the keys
  uint4 *chunk;                // [Stages][2 * chunks][Threads], from this thread's on
  float *scale;                // [Stages][Threads]: of the row whose logit it puts out
  int32_t page[2] = {-1, -1};  // of the tile that comes after the one copied last
  uint32_t missing = 0;        // bit i: the row put out i tiles ago has no page

  // Looks up the pages of the tile whose first key of this warp is `first`.
  __device__ void look_up(int32_t first) {
    if constexpr (keys == Keys::page16) {
      const uint32_t column = static_cast<uint32_t>(first) >> a.page_shift;
      page[0] = first < end && column < a.table.columns
                    ? a.table.ids[request * a.table.stride + column]
                    : -1;
    } else if constexpr (keys == Keys::any_page) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int32_t key = first + static_cast<int32_t>(threadIdx.x) % 32 / 4 + 8 * half;
        page[half] = key < end ? a.table.page_of(request, static_cast<uint32_t>(key)) : -1;
      }
    }
  }

  __device__ void copy(int stage, int32_t first) {
    const int lane = static_cast<int>(threadIdx.x) % 32, t = lane % 4;
    uint4 *to = chunk + stage * 2 * chunks * Threads;
    missing <<= 1;
    if constexpr (keys == Keys::page16) {
      const bool there = page[0] >= 0 && page[0] < a.pages;
      const uint8_t *values = nullptr, *its_scale = nullptr;
      if (there) {
        const uint8_t *start = a.cache + page[0] * a.page_stride;
        const int32_t entry = first & (a.table.page_entries - 1);
        values = start + (entry * D + (a.tiled ? lane / 4 * 16 + t * 256 : lane / 4 * D + t * 16));
        its_scale = start + (a.table.page_entries * D + (entry + lane / 4 + 8 * (t / 2)) * 4);
      }
      const int32_t half_step = a.tiled ? 128 : 8 * D, chunk_step = a.tiled ? 1024 : 64;
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int c = 0; c < chunks; ++c)
          copy16<Align>(to + (half * chunks + c) * Threads,
                        there ? values + (half * half_step + c * chunk_step) : nullptr);
      copy4(scale + stage * Threads, its_scale);
      missing |= !there;
    } else {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int32_t key = first + lane / 4 + 8 * half;
        Key at{nullptr, nullptr};
        if constexpr (keys == Keys::any_page)
          at = key_of_page(a, page[half], static_cast<uint32_t>(key));
        else if (key < end)
          at = {a.k + static_cast<int64_t>(key) * D, a.k_scale + static_cast<int64_t>(key) * 4};
        const int32_t step = keys == Keys::any_page && a.tiled ? 256 : 16;
#pragma unroll
        for (int c = 0; c < chunks; ++c)
          copy16<Align>(to + (half * chunks + c) * Threads,
                        at.values ? at.values + (t + 4 * c) * step : nullptr);
        if (half == t / 2) {
          copy4(scale + stage * Threads, at.scale);
          missing |= at.values == nullptr;
        }
      }
    }
  }
};

}  // namespace plait::kernels

#endif
