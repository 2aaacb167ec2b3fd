// SPDX-License-Identifier: MIT
// 16-bit instructions on vector registers past 127, for wide_halves.py.
#include <hip/hip_runtime.h>

extern "C" __global__ __launch_bounds__(64) void wide_halves(const unsigned *in, unsigned *out) {
  const unsigned x = in[threadIdx.x];
  unsigned r[6];
  asm volatile(
      "v_mov_b32 v0, %7\n"
      "v_mov_b32 v200, %6\n"
      "s_nop 4\n"
      "v_cvt_f32_f16_e32 v128, v200\n"
      "v_cvt_f16_f32_e32 v129, v128\n"
      "v_lshlrev_b16_e32 v130, 3, v200\n"
      "v_add_u16_e32 v131, v200, v200\n"
      "v_cmp_gt_u16_e32 vcc, v200, v131\n"
      "s_nop 4\n"
      "v_cndmask_b32_e64 %4, 0, 1, vcc\n"
      "v_mov_b32 %0, v128\n"
      "v_and_b32 %1, 0xffff, v129\n"
      "v_and_b32 %2, 0xffff, v130\n"
      "v_and_b32 %3, 0xffff, v131\n"
      "v_mov_b32 %5, v0\n"
      : "=&v"(r[0]), "=&v"(r[1]), "=&v"(r[2]), "=&v"(r[3]), "=&v"(r[4]), "=&v"(r[5])
      : "v"(x), "v"(threadIdx.x)
      : "v0", "v128", "v129", "v130", "v131", "v200", "vcc");
  for (int i = 0; i < 6; ++i) out[i * 64 + threadIdx.x] = r[i];
}
