// SPDX-License-Identifier: MIT
/**
 * @file wgmma.h
 * @brief Hopper's warpgroup multiplication of e4m3 operands: A in registers, B in shared memory.
 */
#ifndef PLAIT_KERNELS_ISA_WGMMA_H
#define PLAIT_KERNELS_ISA_WGMMA_H

#include "kernels/isa/hip_compat.h"

namespace plait::kernels {

__device__ inline void fence_operands() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ inline void wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

// Operand B: K-major, 128-byte swizzle, 8 columns of 128 bytes a group.
__device__ inline uint64_t descriptor(uint32_t shared_address) {
  return static_cast<uint64_t>((shared_address & 0x3FFFF) >> 4) | (uint64_t{1} << 16) |
         (uint64_t{64} << 32) | (uint64_t{1} << 62);
}

#define PLAIT_ACC8(d, i)                                                                        \
  "+f"((d)[i]), "+f"((d)[(i) + 1]), "+f"((d)[(i) + 2]), "+f"((d)[(i) + 3]), "+f"((d)[(i) + 4]), \
      "+f"((d)[(i) + 5]), "+f"((d)[(i) + 6]), "+f"((d)[(i) + 7])

// d[64, N] (+)= a[64, 32] * b[N, 32]^T
template <int N>
__device__ inline void multiply(float (&d)[N / 2], const uint32_t *a, uint64_t b, int add);

template <>
__device__ inline void multiply<32>(float (&d)[16], const uint32_t *a, uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %21, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, "
      "{%16,%17,%18,%19}, %20, p, 1, 1;\n}\n"
      : PLAIT_ACC8(d, 0), PLAIT_ACC8(d, 8)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

template <>
__device__ inline void multiply<64>(float (&d)[32], const uint32_t *a, uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"
      "%24,%25,%26,%27,%28,%29,%30,%31}, "
      "{%32,%33,%34,%35}, %36, p, 1, 1;\n}\n"
      : PLAIT_ACC8(d, 0), PLAIT_ACC8(d, 8), PLAIT_ACC8(d, 16), PLAIT_ACC8(d, 24)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

template <>
__device__ inline void multiply<128>(float (&d)[64], const uint32_t *a, uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"
      "%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,"
      "%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "
      "{%64,%65,%66,%67}, %68, p, 1, 1;\n}\n"
      : PLAIT_ACC8(d, 0), PLAIT_ACC8(d, 8), PLAIT_ACC8(d, 16), PLAIT_ACC8(d, 24), PLAIT_ACC8(d, 32),
        PLAIT_ACC8(d, 40), PLAIT_ACC8(d, 48), PLAIT_ACC8(d, 56)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

#undef PLAIT_ACC8

}  // namespace plait::kernels

#endif
