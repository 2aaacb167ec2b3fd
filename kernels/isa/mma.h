// SPDX-License-Identifier: MIT
/**
 * @file mma.h
 * @brief One interface to the matrix instructions of AMD and NVIDIA: acc[M,N] += A[M,K] * B[N,K]^T.
 *
 * Tile<isa, T> is one instruction, executed by a wave of Tile::wave lanes. A kernel is a template
 * on the Isa, and the host launches the instance that fits the device. In every other target's
 * machine code `available` is false, so that the instance is empty there:
 *
 *     using Tile = plait::Tile<isa, Bf16>;
 *     if constexpr (Tile::available) {
 *       auto acc = Tile::zero();
 *       for (int64_t k = 0; k < depth; k += Tile::K)
 *         Tile::mma(acc, Tile::load_a(lane, a + k, depth), Tile::load_b(lane, b + k, depth));
 *       for (int i = 0; i < Tile::acc_count; ++i)
 *         c[Tile::acc_row(lane, i) * Tile::N + Tile::acc_col(lane, i)] = acc.v[i];
 *     }
 *
 * Both operands are stored with k contiguous. Element i of a lane's
 *
 *     A is  A[a_row(lane, i)][a_k(lane, i)]         acc is  C[acc_row(lane, i)][acc_col(lane, i)]
 *     B is  B[b_col(lane, i)][b_k(lane, i)]
 *
 *     instruction             M  N  K  wave  A   B   acc  targets
 *     mfma bf16              16 16 16   64   4   4    4   gfx90a, gfx942, gfx950
 *     mfma fp8               16 16 32   64   8   8    4   gfx942 (fnuz), gfx950 (fn)
 *     wmma bf16              16 16 16   32  16  16    8   gfx11
 *     wmma bf16              16 16 16   32   8   8    8   gfx12
 *     wmma fp8               16 16 16   32   8   8    8   gfx12 (fn)
 *     mma.sync bf16          16  8 16   32   8   4    4   sm_80 and later
 *     mma.sync e4m3          16  8 32   32  16   8    4   sm_89 and later (fn)
 */
#ifndef PLAIT_KERNELS_ISA_MMA_H
#define PLAIT_KERNELS_ISA_MMA_H

#include "kernels/isa/hip_compat.h"
#include "kernels/isa/number.h"

namespace plait {

/// Families of matrix instructions.
enum class Isa { gfx90a, gfx942, gfx950, gfx11, gfx12, sm80, sm89 };

/// A lane's part of an operand: packed elements, the lowest in the low bits.
template <int Words>
struct Operand {
  uint32_t w[Words];
};

/// A lane's part of the accumulator.
template <int Count>
struct Accumulator {
  float v[Count];
};

namespace detail {

/// `Words` words from memory aligned to min(16, 4 * Words) bytes, with loads as wide as that
/// allows.
template <int Words>
__device__ inline void load_words(uint32_t *to, const void *from) {
  if constexpr (Words % 4 == 0) {
#pragma unroll
    for (int i = 0; i < Words / 4; ++i) {
      const uint4 q = static_cast<const uint4 *>(from)[i];
      to[4 * i] = q.x, to[4 * i + 1] = q.y, to[4 * i + 2] = q.z, to[4 * i + 3] = q.w;
    }
  } else if constexpr (Words % 2 == 0) {
#pragma unroll
    for (int i = 0; i < Words / 2; ++i) {
      const uint2 q = static_cast<const uint2 *>(from)[i];
      to[2 * i] = q.x, to[2 * i + 1] = q.y;
    }
  } else {
#pragma unroll
    for (int i = 0; i < Words; ++i) to[i] = static_cast<const uint32_t *>(from)[i];
  }
}

#if defined(__HIPCC__)
template <class T, int N>
using Vector = T __attribute__((ext_vector_type(N)));
#endif

/*
 * Each layout below says where elements are and holds the instruction; Fragments makes loads of it.
 * `run` is how many elements of a lane lie side by side in k, from a multiple of `run` on.
 */

/**
 * MFMA 16x16, four lanes to a row. With E = 4 (bf16) or 8 (fp8) elements a lane:
 *
 *     lane    A: row, k                B: column, k             acc: column, rows
 *      0-15   lane,      0 ... E-1     lane,      0 ... E-1     lane,       0 ...  3
 *     16-31   lane - 16, E ... 2E-1    lane - 16, E ... 2E-1    lane - 16,  4 ...  7
 *     32-47   lane - 32, 2E ...        lane - 32, 2E ...        lane - 32,  8 ... 11
 *     48-63   lane - 48, 3E ...        lane - 48, 3E ...        lane - 48, 12 ... 15
 */
template <int E, class T>
struct MfmaLayout {
  using Element = T;
  static constexpr int M = 16, N = 16, K = 4 * E, wave = 64, run = E;
  static constexpr int a_count = E, b_count = E, acc_count = 4;
  __device__ static int a_row(int lane, int = 0) { return lane % 16; }
  __device__ static int a_k(int lane, int i) { return lane / 16 * E + i; }
  __device__ static int b_col(int lane, int = 0) { return lane % 16; }
  __device__ static int b_k(int lane, int i) { return lane / 16 * E + i; }
  __device__ static int acc_row(int lane, int i) { return lane / 16 * 4 + i; }
  __device__ static int acc_col(int lane, int) { return lane % 16; }
};

struct MfmaBf16 : MfmaLayout<4, Bf16> {
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
  static constexpr bool available = true;
  __device__ static void issue(Accumulator<4> &acc, Operand<2> a, Operand<2> b) {
    using S = Vector<short, 4>;
    using F = Vector<float, 4>;
    acc = bit_cast<Accumulator<4>>(__builtin_amdgcn_mfma_f32_16x16x16bf16_1k(
        bit_cast<S>(a), bit_cast<S>(b), bit_cast<F>(acc), 0, 0, 0));
  }
#else
  static constexpr bool available = false;
#endif
};

/// The bytes are FNUZ on gfx942 and OCP on gfx950: the instruction is the same, its meaning is not.
template <class T>
struct MfmaFp8 : MfmaLayout<8, T> {
#if defined(__gfx942__) || defined(__gfx950__)
  static constexpr bool available = true;
  __device__ static void issue(Accumulator<4> &acc, Operand<2> a, Operand<2> b) {
    using F = Vector<float, 4>;
    acc = bit_cast<Accumulator<4>>(__builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(
        bit_cast<long>(a), bit_cast<long>(b), bit_cast<F>(acc), 0, 0, 0));
  }
#else
  static constexpr bool available = false;
#endif
};

/**
 * WMMA of gfx11: every lane holds a whole row, and lanes 16-31 the same as lanes 0-15.
 *
 *     lane    A: row, k              B: column, k           acc: column, rows
 *      0-15   lane,      0 ... 15    lane,      0 ... 15    lane,      0 2 4 ... 14
 *     16-31   lane - 16, 0 ... 15    lane - 16, 0 ... 15    lane - 16, 1 3 5 ... 15
 */
struct WmmaBf16Gfx11 {
  using Element = Bf16;
  static constexpr int M = 16, N = 16, K = 16, wave = 32, run = 16;
  static constexpr int a_count = 16, b_count = 16, acc_count = 8;
  __device__ static int a_row(int lane, int = 0) { return lane % 16; }
  __device__ static int a_k(int, int i) { return i; }
  __device__ static int b_col(int lane, int = 0) { return lane % 16; }
  __device__ static int b_k(int, int i) { return i; }
  __device__ static int acc_row(int lane, int i) { return 2 * i + lane / 16; }
  __device__ static int acc_col(int lane, int) { return lane % 16; }
#if defined(__GFX11__)
  static constexpr bool available = true;
  __device__ static void issue(Accumulator<8> &acc, Operand<8> a, Operand<8> b) {
    using S = Vector<short, 16>;
    using F = Vector<float, 8>;
    acc = bit_cast<Accumulator<8>>(__builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(
        bit_cast<S>(a), bit_cast<S>(b), bit_cast<F>(acc)));
  }
#else
  static constexpr bool available = false;
#endif
};

/**
 * WMMA of gfx12: two lanes to a row, nothing held twice.
 *
 *     lane    A: row, k              B: column, k           acc: column, rows
 *      0-15   lane,      0 ...  7    lane,      0 ...  7    lane,      0 ...  7
 *     16-31   lane - 16, 8 ... 15    lane - 16, 8 ... 15    lane - 16, 8 ... 15
 *
 * For 16-bit elements the hardware's own k order interleaves the two halves by fours; the product
 * is the same for any order that A and B share.
 */
template <class T>
struct WmmaGfx12Layout {
  using Element = T;
  static constexpr int M = 16, N = 16, K = 16, wave = 32, run = 8;
  static constexpr int a_count = 8, b_count = 8, acc_count = 8;
  __device__ static int a_row(int lane, int = 0) { return lane % 16; }
  __device__ static int a_k(int lane, int i) { return lane / 16 * 8 + i; }
  __device__ static int b_col(int lane, int = 0) { return lane % 16; }
  __device__ static int b_k(int lane, int i) { return lane / 16 * 8 + i; }
  __device__ static int acc_row(int lane, int i) { return lane / 16 * 8 + i; }
  __device__ static int acc_col(int lane, int) { return lane % 16; }
#if defined(__gfx1200__) || defined(__gfx1201__)
  static constexpr bool available = true;
#else
  static constexpr bool available = false;
#endif
};

struct WmmaBf16Gfx12 : WmmaGfx12Layout<Bf16> {
#if defined(__gfx1200__) || defined(__gfx1201__)
  __device__ static void issue(Accumulator<8> &acc, Operand<4> a, Operand<4> b) {
    using S = Vector<short, 8>;
    using F = Vector<float, 8>;
    acc = bit_cast<Accumulator<8>>(__builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(
        bit_cast<S>(a), bit_cast<S>(b), bit_cast<F>(acc)));
  }
#endif
};

struct WmmaFp8Gfx12 : WmmaGfx12Layout<E4m3fn> {
#if defined(__gfx1200__) || defined(__gfx1201__)
  __device__ static void issue(Accumulator<8> &acc, Operand<2> a, Operand<2> b) {
    using I = Vector<int, 2>;
    using F = Vector<float, 8>;
    acc = bit_cast<Accumulator<8>>(__builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(
        bit_cast<I>(a), bit_cast<I>(b), bit_cast<F>(acc)));
  }
#endif
};

/**
 * mma.sync m16n8: four lanes to a row, in pieces of P = 2 (bf16) or 4 (e4m3) elements, 32 bits
 * each. With g = lane / 4 and t = lane % 4:
 *
 *     A    pieces 0, 1: rows g, g + 8 at k = P t       pieces 2, 3: the same rows at k = P t + 4 P
 *     B    piece 0: column g at k = P t                piece 1: column g at k = P t + 4 P
 *     acc  0, 1: row g, columns 2 t, 2 t + 1           2, 3: row g + 8
 */
template <int P, class T>
struct MmaSyncLayout {
  using Element = T;
  static constexpr int M = 16, N = 8, K = 8 * P, wave = 32, run = P;
  static constexpr int a_count = 4 * P, b_count = 2 * P, acc_count = 4;
  __device__ static int a_row(int lane, int i) { return lane / 4 + i / P % 2 * 8; }
  __device__ static int a_k(int lane, int i) { return lane % 4 * P + i % P + i / (2 * P) * 4 * P; }
  __device__ static int b_col(int lane, int = 0) { return lane / 4; }
  __device__ static int b_k(int lane, int i) { return lane % 4 * P + i % P + i / P * 4 * P; }
  __device__ static int acc_row(int lane, int i) { return lane / 4 + i / 2 * 8; }
  __device__ static int acc_col(int lane, int i) { return lane % 4 * 2 + i % 2; }
};

#define PLAIT_MMA_SYNC(name)                                                      \
  asm volatile("mma.sync.aligned." name                                           \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+f"(acc.v[0]), "+f"(acc.v[1]), "+f"(acc.v[2]), "+f"(acc.v[3])   \
               : "r"(a.w[0]), "r"(a.w[1]), "r"(a.w[2]), "r"(a.w[3]), "r"(b.w[0]), "r"(b.w[1]))

struct MmaSyncBf16 : MmaSyncLayout<2, Bf16> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  static constexpr bool available = true;
  __device__ static void issue(Accumulator<4> &acc, Operand<4> a, Operand<2> b) {
    PLAIT_MMA_SYNC("m16n8k16.row.col.f32.bf16.bf16.f32");
  }
#else
  static constexpr bool available = false;
#endif
};

/// Adds the products with fewer bits than f32 has: exact only while sums are small integers.
struct MmaSyncE4m3 : MmaSyncLayout<4, E4m3fn> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  static constexpr bool available = true;
  __device__ static void issue(Accumulator<4> &acc, Operand<4> a, Operand<2> b) {
    PLAIT_MMA_SYNC("m16n8k32.row.col.f32.e4m3.e4m3.f32");
  }
#else
  static constexpr bool available = false;
#endif
};

#undef PLAIT_MMA_SYNC

/// The loads of a layout.
template <class Layout>
struct Fragments : Layout {
  using Element = typename Layout::Element;
  static constexpr int per_word = 4 / static_cast<int>(sizeof(Element));
  static constexpr int run_words = Layout::run / per_word;
  using A = Operand<Layout::a_count / per_word>;
  using B = Operand<Layout::b_count / per_word>;
  using Acc = Accumulator<Layout::acc_count>;

  __device__ static Acc zero() { return Acc{}; }

  __device__ static void mma(Acc &acc, const A &a, const B &b) {
    if constexpr (Layout::available) Layout::issue(acc, a, b);
  }

  /// From a function get(row, k) that returns an Element.
  template <class Get>
  __device__ static A load_a(int lane, Get get) {
    A a{};
#pragma unroll
    for (int i = 0; i < Layout::a_count; ++i)
      put(a.w, i, get(Layout::a_row(lane, i), Layout::a_k(lane, i)));
    return a;
  }

  /// From a function get(column, k).
  template <class Get>
  __device__ static B load_b(int lane, Get get) {
    B b{};
#pragma unroll
    for (int i = 0; i < Layout::b_count; ++i)
      put(b.w, i, get(Layout::b_col(lane, i), Layout::b_k(lane, i)));
    return b;
  }

  /// From memory, `stride` elements between rows; rows aligned to min(16, run * sizeof(Element)).
  __device__ static A load_a(int lane, const Element *rows, int64_t stride) {
    A a;
#pragma unroll
    for (int i = 0; i < Layout::a_count; i += Layout::run)
      load_words<run_words>(a.w + i / per_word,
                            rows + Layout::a_row(lane, i) * stride + Layout::a_k(lane, i));
    return a;
  }

  /// The same for B, whose columns are the rows of B^T in memory.
  __device__ static B load_b(int lane, const Element *columns, int64_t stride) {
    B b;
#pragma unroll
    for (int i = 0; i < Layout::b_count; i += Layout::run)
      load_words<run_words>(b.w + i / per_word,
                            columns + Layout::b_col(lane, i) * stride + Layout::b_k(lane, i));
    return b;
  }

 private:
  __device__ static void put(uint32_t *w, int i, Element e) {
    const int bits = 32 / per_word;
    w[i / per_word] |= static_cast<uint32_t>(e.bits) << i % per_word * bits;
  }
};

}  // namespace detail

/// One matrix instruction. What a family does not have is not declared.
template <Isa isa, class T>
struct Tile;

template <>
struct Tile<Isa::gfx90a, Bf16> : detail::Fragments<detail::MfmaBf16> {};
template <>
struct Tile<Isa::gfx942, Bf16> : detail::Fragments<detail::MfmaBf16> {};
template <>
struct Tile<Isa::gfx950, Bf16> : detail::Fragments<detail::MfmaBf16> {};
template <>
struct Tile<Isa::gfx11, Bf16> : detail::Fragments<detail::WmmaBf16Gfx11> {};
template <>
struct Tile<Isa::gfx12, Bf16> : detail::Fragments<detail::WmmaBf16Gfx12> {};
template <>
struct Tile<Isa::sm80, Bf16> : detail::Fragments<detail::MmaSyncBf16> {};
template <>
struct Tile<Isa::sm89, Bf16> : detail::Fragments<detail::MmaSyncBf16> {};
template <>
struct Tile<Isa::gfx942, E4m3fnuz> : detail::Fragments<detail::MfmaFp8<E4m3fnuz>> {};
template <>
struct Tile<Isa::gfx950, E4m3fn> : detail::Fragments<detail::MfmaFp8<E4m3fn>> {};
template <>
struct Tile<Isa::gfx12, E4m3fn> : detail::Fragments<detail::WmmaFp8Gfx12> {};
template <>
struct Tile<Isa::sm89, E4m3fn> : detail::Fragments<detail::MmaSyncE4m3> {};

}  // namespace plait

#endif
