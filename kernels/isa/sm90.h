// SPDX-License-Identifier: MIT
/**
 * @file sm90.h
 * @brief Hopper's own instructions: mbarriers, bulk copies, thread-block clusters, bf16 mma.
 *
 * An mbarrier's phase completes when its arrivals and its announced bytes are in; a waiter gives
 * the parity of the phase it waits for, 0 for the first.
 */
#ifndef PLAIT_KERNELS_ISA_SM90_H
#define PLAIT_KERNELS_ISA_SM90_H

#include "kernels/isa/hip_compat.h"

namespace plait::sm90 {

__device__ inline uint32_t shared_address(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline void barrier_init(uint64_t *barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

/// Makes initialised barriers visible to the cluster and the copy engine.
__device__ inline void barrier_init_done() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void arrive_expect(uint64_t *barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

/// What the copy engine, or a peer's send(), stored with this barrier is visible after it.
__device__ inline void wait(uint64_t *barrier, uint32_t parity) {
  uint32_t done;
  do {
    asm volatile(
        "{\n .reg .pred p;\n"
        " mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        " selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  } while (!done);
}

/// Copies `bytes` (a multiple of 16, addresses too) from global memory; the barrier counts them.
__device__ inline void bulk_copy(void *to, const void *from, uint32_t bytes, uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

/// True in one lane of a whole warp. The copy engine takes its addresses from uniform registers:
/// with this the compiler knows that there is one set of them.
__device__ inline bool elect_one() {
  uint32_t elected;
  asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}"
               : "=r"(elected));
  return elected != 0;
}

/// Orders this thread's accesses to shared memory before the copy engine's that follow.
__device__ inline void fence_copy_engine() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline uint32_t cluster_rank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// The address of another block's copy of a shared variable.
__device__ inline uint32_t peer_address(const void *p, uint32_t rank) {
  uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(shared_address(p)), "r"(rank));
  return address;
}

/// Stores to a peer; its barrier counts the 16 bytes.
__device__ inline void send(uint32_t to, float4 v, uint32_t barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
      "[%5];" ::"r"(to),
      "r"(__float_as_uint(v.x)), "r"(__float_as_uint(v.y)), "r"(__float_as_uint(v.z)),
      "r"(__float_as_uint(v.w)), "r"(barrier)
      : "memory");
}

/// A barrier of some of the block's warps.
__device__ inline void sync_threads(int name, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(count) : "memory");
}

/// acc[16, 8] += A[16, 16] B[16, 8], bf16; the lane's parts as in kernels/isa/mma.h.
__device__ inline void mma_bf16(float (&acc)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/// Two floats rounded to bf16, `low` in the low half.
__device__ inline uint32_t round_pair(float low, float high) {
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

/// 1 / v within 1 unit in the last place, for v whose reciprocal is a normal number.
__device__ inline float reciprocal(float v) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}

/// The upper halves of two words, of `low` in the low half: floats cut to bf16.
__device__ inline uint32_t upper_halves(float low, float high) {
  return __byte_perm(__float_as_uint(low), __float_as_uint(high), 0x7632);
}

/// What is left of a float after its upper half. Exact.
__device__ inline float lower_rest(float v) {
  return v - __uint_as_float(__float_as_uint(v) & 0xFFFF0000u);
}

__device__ inline float low_half(uint32_t pair) { return __uint_as_float(pair << 16); }
__device__ inline float high_half(uint32_t pair) { return __uint_as_float(pair & 0xFFFF0000u); }

}  // namespace plait::sm90

#endif
