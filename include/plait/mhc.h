/* SPDX-License-Identifier: MIT */
/**
 * @file mhc.h
 * @brief Manifold-constrained hyper-connections: pre, post, post_pre, head, expand.
 *
 * A layer keeps n residual streams of width H instead of one. Around each sublayer:
 *
 *     pre        mixes = f(residual);  layer_input = sum_i pre_i * residual_i
 *     sublayer   x = attention or MLP (layer_input)                           (the caller's)
 *     post       residual'_j = post_j * x + sum_i comb_ij * residual_i
 *
 * and post_pre joins one sublayer's post to the next one's pre in a single pass.
 *
 * Symbols: T tokens; n = hc_mult; H = hidden; M = n * (n + 2). "dtype" is the plan's dtype.
 * The formulas are those of docs/contract.md, after DeepSeek's published inference code.
 */
#ifndef PLAIT_MHC_H
#define PLAIT_MHC_H

#include <plait/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Largest hc_mult. */
#define PLAIT_MHC_MAX_STREAMS 8
/** Largest hidden. */
#define PLAIT_MHC_MAX_HIDDEN 1048576
/** Largest sinkhorn_iters. */
#define PLAIT_MHC_MAX_SINKHORN_ITERS 1000

/** Which pre mix collapses the streams into layer_input. */
enum {
  PLAIT_MHC_COLLAPSE_CURRENT = 0, /**< The one computed by the same call. */
  PLAIT_MHC_COLLAPSE_DELAYED = 1  /**< `prev_pre`, given by the caller (DeepSeek-V4.1). */
};

/** Bits of plait_mhc_plan_desc::norm. */
enum {
  PLAIT_MHC_NORM_LAYER_INPUT = 1, /**< Fold an RMSNorm into the layer_input of pre and post_pre. */
  PLAIT_MHC_NORM_HEAD = 2         /**< Fold an RMSNorm into the output of head. */
};

/** @brief The problem that an mHC plan is made for. */
typedef struct plait_mhc_plan_desc {
  size_t struct_size; /**< sizeof(plait_mhc_plan_desc), by the init function. */
  int64_t hidden;     /**< H, 1 … #PLAIT_MHC_MAX_HIDDEN. Required. */
  int32_t hc_mult;    /**< n, 1 … #PLAIT_MHC_MAX_STREAMS; default 4. */
  int32_t dtype;      /**< Of residual, x, layer_input, out: PLAIT_DTYPE_…; default BF16. */
  int32_t fn_dtype;   /**< Of fn and the head's fn; default F32. */
  int32_t collapse;   /**< PLAIT_MHC_COLLAPSE_…; default CURRENT. */
  int32_t norm;       /**< PLAIT_MHC_NORM_… bits; default 0: no norm folded in. */
  int32_t norm_weight_dtype;  /**< Of norm_weight; default BF16. */
  int32_t sinkhorn_iters;     /**< 1 … #PLAIT_MHC_MAX_SINKHORN_ITERS; default 20. */
  float rms_eps;              /**< Finite, >= 0; default 1e-6. */
  float pre_eps;              /**< Added to each pre; finite, >= 0; default 1e-6. */
  float sinkhorn_eps;         /**< Finite, >= 0; default 1e-6. */
  float post_mult;            /**< Factor of each post; finite; default 2. */
  float norm_eps;             /**< Of the folded RMSNorm; finite, >= 0; default 1e-6. */
  const char *implementation; /**< Name from plait_plan_candidate(), taken for each operation whose
                                   list has it; NULL: the context's, else the best. Copied. */
} plait_mhc_plan_desc;

/**
 * @brief Fills a descriptor with the defaults; `hidden` stays 0 and must be set.
 * @param desc         the descriptor; NULL does nothing.
 * @param struct_size  sizeof(plait_mhc_plan_desc) as the caller was compiled.
 *
 * Class: query. Thread safety: exclusive.
 */
PLAIT_API void plait_mhc_plan_desc_init(plait_mhc_plan_desc *desc, size_t struct_size);

/**
 * @brief Checks a problem and chooses an implementation for each mHC operation.
 * @param context  stays alive inside the plan.
 * @param desc     not kept.
 * @param plan     receives the handle; NULL on failure. Release with plait_plan_destroy().
 * @param error    optional record of a failure.
 * @return #PLAIT_OK; NULL_ARGUMENT; STRUCT_SIZE, UNKNOWN_FIELD, INVALID_VALUE (a field);
 *         UNSUPPORTED_SHAPE, UNSUPPORTED_DTYPE, UNSUPPORTED_DEVICE (no implementation, or not the
 *         named one); OUT_OF_MEMORY; NOT_IN_BUILD.
 *
 * Class: setup. Thread safety: shared (context).
 */
PLAIT_API plait_status plait_mhc_plan_create(plait_context *context,
                                             const plait_mhc_plan_desc *desc, plait_plan **plan,
                                             plait_error *error);

/** @brief Bytes of every buffer of the mHC calls, for contiguous strides. */
typedef struct plait_mhc_sizes {
  size_t struct_size;        /**< sizeof(plait_mhc_sizes), set by the caller. */
  size_t residual;           /**< [T, n, H] dtype. */
  size_t hidden;             /**< [T, H] dtype: x, x2, layer_input, the head's out. */
  size_t pre_mix;            /**< [T, n] f32; prev_pre too. */
  size_t post_mix;           /**< [T, n] f32. */
  size_t comb_mix;           /**< [T, n, n] f32. */
  size_t fn;                 /**< [M, n * H] fn_dtype. */
  size_t base;               /**< [M] f32. */
  size_t scale;              /**< [3] f32. */
  size_t head_fn;            /**< [n, n * H] fn_dtype. */
  size_t head_base;          /**< [n] f32. */
  size_t head_scale;         /**< [1] f32. */
  size_t norm_weight;        /**< [H] norm_weight_dtype. */
  size_t workspace;          /**< The largest of the five below: one that serves every call. */
  size_t workspace_pre;      /**< Workspace of plait_mhc_pre(). */
  size_t workspace_post;     /**< Workspace of plait_mhc_post(). */
  size_t workspace_post_pre; /**< Workspace of plait_mhc_post_pre(). */
  size_t workspace_head;     /**< Workspace of plait_mhc_head(). */
  size_t workspace_expand;   /**< Workspace of plait_mhc_expand(). */
} plait_mhc_sizes;

/**
 * @brief Sizes for up to `tokens` tokens. Each grows with `tokens` and depends on nothing else.
 * @param plan    an mHC plan.
 * @param tokens  T >= 0, padding included.
 * @param sizes   the caller sets struct_size; the rest is always written, with zeros on an error
 *                that comes after the struct was found valid.
 * @return #PLAIT_OK; NULL_ARGUMENT; WRONG_PLAN; STRUCT_SIZE; INVALID_VALUE (tokens);
 *         SIZE_OVERFLOW (tokens).
 *
 * Class: query. Thread safety: shared.
 */
PLAIT_API plait_status plait_mhc_plan_sizes(const plait_plan *plan, int64_t tokens,
                                            plait_mhc_sizes *sizes);

/**
 * @brief Arguments of plait_mhc_pre(). Zero is the default of every optional field.
 *
 * A caller that keeps all mixes in one [T, M] record passes three pointers into it with
 * `…_stride` = M.
 */
typedef struct plait_mhc_pre_args {
  size_t struct_size;             /**< sizeof(plait_mhc_pre_args). */
  int64_t tokens;                 /**< T >= 0; 0 touches nothing. */
  plait_const_buffer residual;    /**< [T, n, H] dtype; [T, H] when `broadcast`. */
  int64_t residual_stride;        /**< Elements between tokens; 0: contiguous. */
  int32_t broadcast;              /**< 1: residual is [T, H] and stands for n equal streams. */
  int32_t reserved;               /**< 0. */
  plait_const_buffer fn;          /**< [M, n * H] fn_dtype: n rows pre, n post, n * n comb. */
  plait_const_buffer base;        /**< [M] f32, in the order of fn's rows. */
  plait_const_buffer scale;       /**< [3] f32: pre, post, comb. */
  plait_const_buffer norm_weight; /**< [H] norm_weight_dtype; required exactly when the plan has
                                       #PLAIT_MHC_NORM_LAYER_INPUT. */
  plait_const_buffer prev_pre;    /**< DELAYED only: [T, n] f32; NULL: stream 0, exactly. */
  int64_t prev_pre_stride;        /**< Elements; 0: n. */
  plait_buffer pre_mix;           /**< [T, n] f32. Required when DELAYED, else optional. */
  int64_t pre_mix_stride;         /**< Elements; 0: n. */
  plait_buffer post_mix;          /**< [T, n] f32. */
  int64_t post_mix_stride;        /**< Elements; 0: n. */
  plait_buffer comb_mix;          /**< [T, n, n] f32, [source][destination]. */
  int64_t comb_mix_stride;        /**< Elements; 0: n * n. */
  plait_buffer layer_input;       /**< [T, H] dtype. */
  int64_t layer_input_stride;     /**< Elements; 0: H. */
  plait_buffer workspace;         /**< workspace_pre bytes, aligned to 256. */
} plait_mhc_pre_args;

/**
 * @brief pre: the mixes of a sublayer and its input.
 *
 *     v    = f32(residual[t]), stream-major, n * H long
 *     g    = 1 / sqrt(sum(v^2) / (n * H) + rms_eps)
 *     m    = (fn . v) * g
 *     pre_i  = sigmoid(m_i * scale_0 + base_i) + pre_eps
 *     post_j = post_mult * sigmoid(m_{n+j} * scale_1 + base_{n+j})
 *     comb   = sinkhorn(m_{2n+in+j} * scale_2 + base_{2n+in+j})
 *     layer_input = round(sum_i pre_i * v_i)           then, with the norm folded in,
 *     layer_input = round(z * rsqrt(mean(z^2) + norm_eps) * norm_weight),  z = f32(layer_input)
 *
 * sinkhorn: softmax over the destination j, plus sinkhorn_eps, divided by column sums + eps; then
 * sinkhorn_iters - 1 times: divided by row sums + eps, by column sums + eps.
 *
 * @param plan    an mHC plan.
 * @param args    see #plait_mhc_pre_args.
 * @param stream  hipStream_t or cudaStream_t; NULL: the default stream; ignored on the CPU.
 * @return #PLAIT_OK; NULL_ARGUMENT, STRUCT_SIZE, UNKNOWN_FIELD, INVALID_VALUE, SIZE_OVERFLOW,
 *         BUFFER_TOO_SMALL, MISALIGNED, STRIDE, OVERLAP, each with the field; WRONG_PLAN;
 *         LAUNCH, DEVICE_RUNTIME.
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_mhc_pre(const plait_plan *plan, const plait_mhc_pre_args *args,
                                     void *stream);

/** @brief Arguments of plait_mhc_post(). Zero is the default of every optional field. */
typedef struct plait_mhc_post_args {
  size_t struct_size;          /**< sizeof(plait_mhc_post_args). */
  int64_t tokens;              /**< T >= 0; 0 touches nothing. */
  plait_const_buffer x;        /**< [T, H] dtype: the sublayer's output. */
  int64_t x_stride;            /**< Elements; 0: H. */
  plait_const_buffer x2;       /**< Optional second output, added to x in f32 (shared expert). */
  int64_t x2_stride;           /**< Elements; 0: H. */
  plait_const_buffer residual; /**< [T, n, H] dtype; [T, H] when `broadcast`. */
  int64_t residual_stride;     /**< Elements; 0: contiguous. */
  int32_t broadcast;           /**< 1: residual is [T, H] and stands for n equal streams. */
  int32_t reserved;            /**< 0. */
  plait_const_buffer post_mix; /**< [T, n] f32. */
  int64_t post_mix_stride;     /**< Elements; 0: n. */
  plait_const_buffer comb_mix; /**< [T, n, n] f32, [source][destination]; NULL: identity. */
  int64_t comb_mix_stride;     /**< Elements; 0: n * n. */
  plait_buffer residual_out;   /**< [T, n, H] dtype. May be exactly `residual` (same pointer and
                                    stride, no broadcast): in place. */
  int64_t residual_out_stride; /**< Elements; 0: n * H. */
  plait_buffer workspace;      /**< workspace_post bytes, aligned to 256. */
} plait_mhc_post_args;

/**
 * @brief post: mixes a sublayer's output into the residual streams.
 *
 *     residual_out[t,j,h] = round(post_j * (x + x2) + sum_i comb_ij * residual[t,i,h])
 *
 * in f32, i ascending, one rounding. comb is indexed [source][destination].
 *
 * @param plan    an mHC plan.
 * @param args    see #plait_mhc_post_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre().
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_mhc_post(const plait_plan *plan, const plait_mhc_post_args *args,
                                      void *stream);

/**
 * @brief Arguments of plait_mhc_post_pre(): those of post for the sublayer that ended, and those
 *        of pre for the one that begins.
 */
typedef struct plait_mhc_post_pre_args {
  size_t struct_size;             /**< sizeof(plait_mhc_post_pre_args). */
  int64_t tokens;                 /**< T >= 0; 0 touches nothing. */
  plait_const_buffer x;           /**< [T, H] dtype. */
  int64_t x_stride;               /**< Elements; 0: H. */
  plait_const_buffer x2;          /**< Optional, added to x in f32. */
  int64_t x2_stride;              /**< Elements; 0: H. */
  plait_const_buffer residual;    /**< [T, n, H] dtype; [T, H] when `broadcast`. */
  int64_t residual_stride;        /**< Elements; 0: contiguous. */
  int32_t broadcast;              /**< 1: residual is [T, H] and stands for n equal streams. */
  int32_t reserved;               /**< 0. */
  plait_const_buffer post_mix;    /**< [T, n] f32, of the sublayer that ended. */
  int64_t post_mix_stride;        /**< Elements; 0: n. */
  plait_const_buffer comb_mix;    /**< [T, n, n] f32; NULL: identity. */
  int64_t comb_mix_stride;        /**< Elements; 0: n * n. */
  plait_buffer residual_out;      /**< [T, n, H] dtype; may be exactly `residual`. */
  int64_t residual_out_stride;    /**< Elements; 0: n * H. */
  plait_const_buffer fn;          /**< [M, n * H] fn_dtype, of the sublayer that begins. */
  plait_const_buffer base;        /**< [M] f32. */
  plait_const_buffer scale;       /**< [3] f32. */
  plait_const_buffer norm_weight; /**< As in #plait_mhc_pre_args. */
  plait_const_buffer prev_pre;    /**< DELAYED only: [T, n] f32; NULL: stream 0, exactly. */
  int64_t prev_pre_stride;        /**< Elements; 0: n. */
  plait_buffer pre_mix;           /**< [T, n] f32. Required when DELAYED, else optional. */
  int64_t pre_mix_stride;         /**< Elements; 0: n. */
  plait_buffer next_post_mix;     /**< [T, n] f32. */
  int64_t next_post_mix_stride;   /**< Elements; 0: n. */
  plait_buffer next_comb_mix;     /**< [T, n, n] f32. */
  int64_t next_comb_mix_stride;   /**< Elements; 0: n * n. */
  plait_buffer layer_input;       /**< [T, H] dtype. */
  int64_t layer_input_stride;     /**< Elements; 0: H. */
  plait_buffer workspace;         /**< workspace_post_pre bytes, aligned to 256. */
} plait_mhc_post_pre_args;

/**
 * @brief post of one sublayer and pre of the next, on the rounded new residual: bit for bit what
 *        plait_mhc_post() followed by plait_mhc_pre() returns.
 * @param plan    an mHC plan.
 * @param args    see #plait_mhc_post_pre_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre().
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_mhc_post_pre(const plait_plan *plan,
                                          const plait_mhc_post_pre_args *args, void *stream);

/** @brief Arguments of plait_mhc_head(). Zero is the default of every optional field. */
typedef struct plait_mhc_head_args {
  size_t struct_size;          /**< sizeof(plait_mhc_head_args). */
  int64_t tokens;              /**< T >= 0; 0 touches nothing. */
  plait_const_buffer residual; /**< [T, n, H] dtype. */
  int64_t residual_stride;     /**< Elements; 0: n * H. */
  plait_const_buffer fn;       /**< [n, n * H] fn_dtype. CURRENT only; must be NULL when DELAYED. */
  plait_const_buffer base;     /**< [n] f32. CURRENT only. */
  plait_const_buffer scale;    /**< [1] f32. CURRENT only. */
  plait_const_buffer prev_pre; /**< DELAYED only: p, [T, n] f32; NULL: stream 0, exactly. */
  int64_t prev_pre_stride;     /**< Elements; 0: n. */
  plait_const_buffer norm_weight; /**< [H] norm_weight_dtype; required exactly when the plan has
                                       #PLAIT_MHC_NORM_HEAD. */
  plait_buffer out;               /**< [T, H] dtype. */
  int64_t out_stride;             /**< Elements; 0: H. */
  plait_buffer workspace;         /**< workspace_head bytes, aligned to 256. */
} plait_mhc_head_args;

/**
 * @brief head: collapses the streams after the last layer.
 *
 *     p_k = sigmoid((fn . v)_k * g * scale_0 + base_k) + pre_eps     (CURRENT; DELAYED: prev_pre)
 *     out = round(sum_k p_k * v_k), then the norm if the plan folds it in
 *
 * @param plan    an mHC plan.
 * @param args    see #plait_mhc_head_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre().
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_mhc_head(const plait_plan *plan, const plait_mhc_head_args *args,
                                      void *stream);

/** @brief Arguments of plait_mhc_expand(). */
typedef struct plait_mhc_expand_args {
  size_t struct_size;          /**< sizeof(plait_mhc_expand_args). */
  int64_t tokens;              /**< T >= 0; 0 touches nothing. */
  plait_const_buffer x;        /**< [T, H] dtype: the embedding. */
  int64_t x_stride;            /**< Elements; 0: H. */
  plait_buffer residual_out;   /**< [T, n, H] dtype: n copies of x. */
  int64_t residual_out_stride; /**< Elements; 0: n * H. */
  plait_buffer workspace;      /**< workspace_expand bytes, aligned to 256. */
} plait_mhc_expand_args;

/**
 * @brief expand: n equal streams from the embedding.
 * @param plan    an mHC plan.
 * @param args    see #plait_mhc_expand_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre().
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_mhc_expand(const plait_plan *plan, const plait_mhc_expand_args *args,
                                        void *stream);

#ifdef __cplusplus
}
#endif

#endif
