/* SPDX-License-Identifier: MIT */
/**
 * @file indexer.h
 * @brief The sparse indexer: quantisation of queries and keys, the paged key cache, logits, select.
 *
 * For each query row the indexer scores every key of its context with a small multi-head product
 * and keeps the K best. A step of a serving loop:
 *
 *     plait_indexer_write_k       new keys -> quantised -> pages
 *     plait_indexer_quantize_q    queries -> quantised; the scales go into the head weights
 *     plait_indexer_select_…      logits and top-k in one call, without a logits matrix
 *
 * or, in separate steps, plait_indexer_gather_k, plait_indexer_logits_… and plait_topk.
 *
 * Symbols: T tokens; Hq = heads; D = head_dim; P = page_entries; B requests; N = next_n query rows
 * per request; K = topk. The formulas are those of docs/contract.md, after DeepSeek's published
 * inference code.
 *
 * Values of a key or query row: D bytes for the fp8 formats; D / 2 bytes for mxfp4, the even
 * element in the low nibble. Scales: fp8, one f32 a row, a power of two; mxfp4, D / 32 ue8m0 bytes
 * a row.
 */
#ifndef PLAIT_INDEXER_H
#define PLAIT_INDEXER_H

#include <plait/context.h>
#include <plait/topk.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Largest number of heads. */
#define PLAIT_INDEXER_MAX_HEADS 256
/** Largest head_dim. */
#define PLAIT_INDEXER_MAX_HEAD_DIM 256
/** Largest next_n. */
#define PLAIT_INDEXER_MAX_NEXT_N 1024
/** Largest page_entries. */
#define PLAIT_INDEXER_MAX_PAGE_ENTRIES 65536

/** Number formats of quantised queries and keys. Written into no byte: writer and reader must
 * agree. */
enum {
  PLAIT_FORMAT_FP8_E4M3FN = 1,   /**< OCP e4m3: scale = 2^ceil(log2(amax / 448)). */
  PLAIT_FORMAT_FP8_E4M3FNUZ = 2, /**< FNUZ e4m3 (gfx942): scale = 2^ceil(log2(amax / 224)). */
  PLAIT_FORMAT_MXFP4 = 3         /**< E2M1 in groups of 32 with ue8m0 scales. */
};

/** Layouts of a cache page. */
enum {
  /**
   * Value byte b of entry e at e * V + b, V = bytes of a row's values; then P scales of S bytes
   * each at P * V + e * S (fp8: S = 4, an f32; mxfp4: S = D / 32).
   */
  PLAIT_LAYOUT_BLOCK_FLAT = 1,
  /**
   * fp8 formats, P a multiple of 16: value byte (e, d) at
   * (e / 16) * 16 * D + (d / 16) * 256 + (e % 16) * 16 + d % 16: the operand order of 16 x 16
   * matrix units; scales as before.
   */
  PLAIT_LAYOUT_TILED = 2
};

/** Rotary embedding of queries and keys. */
enum {
  PLAIT_ROPE_NONE = 0,
  PLAIT_ROPE_INTERLEAVED = 1, /**< Pairs (2i, 2i + 1). */
  PLAIT_ROPE_HALF_SPLIT = 2   /**< Pairs (i, i + rope_dim / 2). */
};

/** Which rope_dim dimensions are rotated. */
enum {
  PLAIT_ROPE_FIRST = 0, /**< 0 … rope_dim - 1. */
  PLAIT_ROPE_LAST = 1   /**< D - rope_dim … D - 1. */
};

/** @brief The problem that an indexer plan is made for. */
typedef struct plait_indexer_plan_desc {
  size_t struct_size;     /**< sizeof(plait_indexer_plan_desc), by the init function. */
  int32_t heads;          /**< Hq, 1 … #PLAIT_INDEXER_MAX_HEADS; default 64. */
  int32_t head_dim;       /**< D, a multiple of 32 up to #PLAIT_INDEXER_MAX_HEAD_DIM; a power of two
                               with hadamard; default 128. */
  int32_t format;         /**< PLAIT_FORMAT_…; default FP8_E4M3FN. */
  int32_t layout;         /**< PLAIT_LAYOUT_…; default BLOCK_FLAT. */
  int32_t page_entries;   /**< P, 1 … #PLAIT_INDEXER_MAX_PAGE_ENTRIES; default 64. */
  int32_t rope_mode;      /**< PLAIT_ROPE_…; default INTERLEAVED. */
  int32_t rope_dim;       /**< Even, 2 … D; ignored when rope_mode is NONE; default 64. */
  int32_t rope_placement; /**< PLAIT_ROPE_FIRST or _LAST; default LAST. */
  int32_t hadamard;       /**< 1: Hadamard transform of q and of k; default 0. */
  int32_t weights_dtype;  /**< Of the weights given to quantize_q; default F32. */
  int32_t logits_dtype;   /**< F32 or BF16; default F32. */
  int32_t next_n;         /**< N of the paged calls, 1 … #PLAIT_INDEXER_MAX_NEXT_N; default 1. */
  int64_t page_stride;    /**< Bytes between pages; a multiple of 4 (16 when TILED); 0, the
                               default: the smallest such, plait_indexer_sizes::page. */
  int64_t topk;         /**< K of select, 0 … 2^31 - 1; 0, the default: the plan has no select. */
  int64_t max_keys;     /**< Longest row of a select call, 1 … 2^31 - 1; default 1048576. */
  size_t select_budget; /**< Most bytes of workspace_select; default 256 MiB. Plan creation
                             fails with BUDGET_TOO_SMALL, and says the least, when no
                             implementation can work within it. */
  int32_t order;        /**< PLAIT_ORDER_… of select; default ANY. */
  int32_t reserved;     /**< 0. */
  const char *implementation; /**< As in #plait_mhc_plan_desc. */
} plait_indexer_plan_desc;

/**
 * @brief Fills a descriptor with the defaults (the indexer of DeepSeek-V4 without select).
 * @param desc         the descriptor; NULL does nothing.
 * @param struct_size  sizeof(plait_indexer_plan_desc) as the caller was compiled.
 *
 * Class: query. Thread safety: exclusive.
 */
PLAIT_API void plait_indexer_plan_desc_init(plait_indexer_plan_desc *desc, size_t struct_size);

/**
 * @brief Checks a problem and chooses an implementation for each indexer operation.
 * @param context  stays alive inside the plan.
 * @param desc     not kept.
 * @param plan     receives the handle; NULL on failure. Release with plait_plan_destroy().
 * @param error    optional record of a failure.
 * @return as plait_mhc_plan_create(); BUDGET_TOO_SMALL (select_budget).
 *
 * Class: setup. Thread safety: shared (context).
 */
PLAIT_API plait_status plait_indexer_plan_create(plait_context *context,
                                                 const plait_indexer_plan_desc *desc,
                                                 plait_plan **plan, plait_error *error);

/** @brief Bytes of the buffers of the indexer calls, for contiguous strides. */
typedef struct plait_indexer_sizes {
  size_t struct_size;        /**< sizeof(plait_indexer_sizes), set by the caller. */
  size_t q;                  /**< [rows, Hq, D] bf16. */
  size_t q_values;           /**< [rows, Hq, V] bytes. */
  size_t q_scale;            /**< [rows, Hq] f32, or mxfp4 [rows, Hq, D / 32] bytes. */
  size_t weights;            /**< [rows, Hq] weights_dtype. */
  size_t weights_out;        /**< [rows, Hq] f32. */
  size_t k;                  /**< [rows, D] bf16. */
  size_t k_values;           /**< [rows, V] bytes. */
  size_t k_scale;            /**< [rows] f32, or mxfp4 [rows, D / 32] bytes. */
  size_t page;               /**< Bytes of one page's contents: P * (V + S), rounded up to the
                                  granularity of page_stride. */
  size_t page_stride;        /**< Bytes between pages, as the plan resolved it. */
  size_t indices;            /**< [rows, K] int32; slots too. */
  size_t values;             /**< [rows, K] f32: values_out of select. */
  size_t workspace;          /**< The largest of the three below: one that serves every call. */
  size_t workspace_logits;   /**< Workspace of the logits calls. */
  size_t workspace_select;   /**< Workspace of the select calls; at most select_budget. */
  size_t workspace_quantize; /**< Workspace of quantize_q, write_k, gather_k, convert, map_slots. */
  size_t select_least; /**< The least select_budget that this problem can work with; 0 when the
                            plan has no select. */
} plait_indexer_sizes;

/**
 * @brief Sizes for up to `rows` rows (tokens, keys, or padded query rows B * N).
 *
 * Each grows with `rows` and depends on nothing else.
 *
 * @param plan   an indexer plan.
 * @param rows   >= 0, **padded**: B * N for the paged calls, not the real tokens.
 * @param sizes  the caller sets struct_size; the rest is always written, with zeros on an error
 *               that comes after the struct was found valid.
 * @return #PLAIT_OK; NULL_ARGUMENT; WRONG_PLAN; STRUCT_SIZE; INVALID_VALUE, SIZE_OVERFLOW (rows).
 *
 * Class: query. Thread safety: shared.
 */
PLAIT_API plait_status plait_indexer_plan_sizes(const plait_plan *plan, int64_t rows,
                                                plait_indexer_sizes *sizes);

/** @brief Arguments of plait_indexer_quantize_q(). Zero is the default of every optional field. */
typedef struct plait_indexer_quantize_q_args {
  size_t struct_size;           /**< sizeof(plait_indexer_quantize_q_args). */
  int64_t tokens;               /**< T >= 0; 0 touches nothing. */
  plait_const_buffer q;         /**< [T, Hq, D] bf16. */
  int64_t q_stride;             /**< Elements between tokens; 0: Hq * D. */
  plait_const_buffer positions; /**< [T] int64: rows of cos_sin. Not read when rope is NONE. */
  plait_const_buffer cos_sin;   /**< [positions, rope_dim] f32: cos of rope_dim / 2 angles, then
                                     sin. The number of rows is size / (4 * rope_dim). */
  plait_const_buffer weights;   /**< [T, Hq] weights_dtype. */
  int64_t weights_stride;       /**< Elements; 0: Hq. */
  plait_buffer q_values;        /**< [T, Hq, V] bytes, contiguous. */
  plait_buffer q_scale;         /**< fp8: optional [T, Hq] f32, contiguous. mxfp4: required
                                     [T, Hq, D / 32] bytes. */
  plait_buffer weights_out;     /**< [T, Hq] f32, contiguous. */
  plait_buffer workspace;       /**< workspace_quantize bytes, aligned to 256. */
} plait_indexer_quantize_q_args;

/**
 * @brief Rotates, transforms and quantises query rows, and folds scales into the head weights.
 *
 *     fp8:    weights_out = ((w * q_scale) * D^-0.5) * Hq^-0.5
 *     mxfp4:  weights_out = (w * D^-0.5) * Hq^-0.5
 *
 * A position outside the table is INDEX_OUT_OF_RANGE on the CPU; on a GPU that token's values are
 * zero bytes and its weights NaN.
 *
 * @param plan    an indexer plan.
 * @param args    see #plait_indexer_quantize_q_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre(); INDEX_OUT_OF_RANGE (positions; CPU only).
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_indexer_quantize_q(const plait_plan *plan,
                                                const plait_indexer_quantize_q_args *args,
                                                void *stream);

/** @brief Arguments of plait_indexer_write_k(). Zero is the default of every optional field. */
typedef struct plait_indexer_write_k_args {
  size_t struct_size;              /**< sizeof(plait_indexer_write_k_args). */
  int64_t tokens;                  /**< T >= 0; 0 touches nothing. */
  plait_const_buffer k;            /**< [T, D] bf16. */
  int64_t k_stride;                /**< Elements between tokens; 0: D. */
  plait_const_buffer positions;    /**< [T] int64; as for quantize_q. */
  plait_const_buffer cos_sin;      /**< As for quantize_q. */
  plait_const_buffer slot_mapping; /**< [T] int64: page * P + entry; negative: the token is skipped.
                                        Slots of one call must differ from one another. */
  plait_buffer cache;     /**< The page pool: aligned to 4 bytes (16 when TILED). Its pages are
                               as many as fit `size`: the last may lack the stride's tail. */
  plait_buffer rejected;  /**< Optional [1] int32: how many tokens were left out because their
                               slot lies past the cache or their position past cos_sin. */
  plait_buffer workspace; /**< workspace_quantize bytes, aligned to 256. */
} plait_indexer_write_k_args;

/**
 * @brief Rotates, transforms and quantises key rows into their pages.
 *
 * A slot past the cache, or a position outside cos_sin, never touches memory. On the CPU the call
 * then returns INDEX_OUT_OF_RANGE and writes nothing, unless `rejected` is given. With `rejected`,
 * and always on a GPU, such tokens are left out and counted.
 *
 * @param plan    an indexer plan.
 * @param args    see #plait_indexer_write_k_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre(); INDEX_OUT_OF_RANGE (slot_mapping, positions; CPU only).
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_indexer_write_k(const plait_plan *plan,
                                             const plait_indexer_write_k_args *args, void *stream);

/** @brief Arguments of plait_indexer_gather_k(). Zero is the default of every optional field. */
typedef struct plait_indexer_gather_k_args {
  size_t struct_size;             /**< sizeof(plait_indexer_gather_k_args). */
  int64_t requests;               /**< B >= 0; 0 touches nothing. */
  int64_t keys;                   /**< Rows that the outputs have room for; rows past it are not
                                       written. */
  plait_const_buffer cache;       /**< As for write_k. */
  plait_const_buffer block_table; /**< [B, block_table_columns] int32 page ids. */
  int64_t block_table_columns;    /**< Pages a request has. */
  int64_t block_table_stride;     /**< Elements; 0: block_table_columns. */
  plait_const_buffer cu_lengths;  /**< [B + 1] int32, ascending from 0: request b fills rows
                                       cu_lengths[b] … cu_lengths[b + 1] - 1. */
  plait_buffer k_values;          /**< [keys, V] bytes, contiguous. */
  plait_buffer k_scale;           /**< [keys] f32, or mxfp4 [keys, D / 32] bytes; contiguous. */
  plait_buffer workspace;         /**< workspace_quantize bytes, aligned to 256. */
} plait_indexer_gather_k_args;

/**
 * @brief Copies the keys of several requests from their pages into contiguous rows.
 *
 * A key whose page is past the table or outside the cache becomes zero bytes with a NaN scale
 * (mxfp4: scale bytes 0xFF). Rows at and past cu_lengths[B] are not written.
 *
 * @param plan    an indexer plan.
 * @param args    see #plait_indexer_gather_k_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre(); RANGE (cu_lengths not ascending from 0; CPU only: on a GPU the
 * affected rows are unspecified, and nothing outside the outputs is touched).
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_indexer_gather_k(const plait_plan *plan,
                                              const plait_indexer_gather_k_args *args,
                                              void *stream);

/** @brief Arguments of plait_indexer_convert_k(). */
typedef struct plait_indexer_convert_k_args {
  size_t struct_size;            /**< sizeof(plait_indexer_convert_k_args). */
  int64_t rows;                  /**< Rows of D values; 0 touches nothing. */
  int32_t from_format;           /**< The fp8 format of src; the plan's is that of dst. */
  int32_t reserved;              /**< 0. */
  plait_const_buffer src_values; /**< [rows, D] bytes, contiguous. */
  plait_const_buffer src_scale;  /**< [rows] f32. */
  plait_buffer dst_values;       /**< [rows, D] bytes; may be exactly src_values. */
  plait_buffer dst_scale;        /**< [rows] f32; may be exactly src_scale. */
  plait_buffer workspace;        /**< workspace_quantize bytes, aligned to 256. */
} plait_indexer_convert_k_args;

/**
 * @brief Changes the fp8 flavour of quantised rows, keeping value * scale.
 *
 * The same byte is worth half in FNUZ, so bytes stay and scales double (FN -> FNUZ) or halve. Exact
 * but for these: FN -> FNUZ: 0x80 (-0) -> 0x00, 0x7F and 0xFF (NaN) -> 0x80. FNUZ -> FN: 0x80 (NaN)
 * -> 0x7F; 0x7F and 0xFF (+-240, which FN would hold as 480) saturate to 0x7E and 0xFE (448). plait
 * never quantises to +-240. Works for query rows too (rows = T * Hq). Equal formats: a copy.
 *
 * @param plan    an indexer plan with an fp8 format.
 * @param args    see #plait_indexer_convert_k_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre().
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_indexer_convert_k(const plait_plan *plan,
                                               const plait_indexer_convert_k_args *args,
                                               void *stream);

/** @brief Arguments of plait_indexer_convert_cache(). */
typedef struct plait_indexer_convert_cache_args {
  size_t struct_size;           /**< sizeof(plait_indexer_convert_cache_args). */
  int32_t from_format;          /**< The fp8 format of src_cache; the plan's is that of cache. */
  int32_t reserved;             /**< 0. */
  plait_const_buffer src_cache; /**< A page pool of the plan's layout, P and page_stride. */
  plait_buffer cache;           /**< Room for as many pages; may be exactly src_cache. */
  plait_buffer workspace;       /**< workspace_quantize bytes, aligned to 256. */
} plait_indexer_convert_cache_args;

/**
 * @brief plait_indexer_convert_k() for every entry of every page of a pool. The bytes between the
 * end of a page's contents and the next page are not touched.
 * @param plan    an indexer plan with an fp8 format.
 * @param args    see #plait_indexer_convert_cache_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre().
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_indexer_convert_cache(const plait_plan *plan,
                                                   const plait_indexer_convert_cache_args *args,
                                                   void *stream);

/** @brief Arguments of plait_indexer_logits_ragged(). Zero is the default of every optional field.
 */
typedef struct plait_indexer_logits_ragged_args {
  size_t struct_size;           /**< sizeof(plait_indexer_logits_ragged_args). */
  int64_t rows;                 /**< Query rows >= 0; 0 touches nothing. */
  int64_t keys;                 /**< Rows of k, 0 … 2^31 - 1; also the columns of `logits`. */
  plait_const_buffer q_values;  /**< [rows, Hq, V] bytes. */
  plait_const_buffer q_scale;   /**< mxfp4: [rows, Hq, D / 32] bytes. fp8: not read (folded). */
  plait_const_buffer weights;   /**< [rows, Hq] f32: weights_out of quantize_q. */
  int64_t weights_stride;       /**< Elements; 0: Hq. */
  plait_const_buffer k_values;  /**< [keys, V] bytes. */
  plait_const_buffer k_scale;   /**< [keys] f32, or mxfp4 [keys, D / 32] bytes. */
  plait_const_buffer row_start; /**< [rows] int32: first key of a row. */
  plait_const_buffer row_end;   /**< [rows] int32: one past its last key; clamped to keys. */
  plait_buffer logits;          /**< [rows, keys] logits_dtype. */
  int64_t logits_stride;        /**< Elements; 0: keys. */
  int32_t fill;           /**< 1: columns outside a row's range become -inf; 0: not written. */
  int32_t reserved;       /**< 0. */
  plait_buffer workspace; /**< workspace_logits bytes, aligned to 256. */
} plait_indexer_logits_ragged_args;

/**
 * @brief Logits of packed (prefill) rows over contiguous keys.
 *
 *     L[r,s] = k_scale[s] * sum_h weights[r,h] * relu(sum_d q[r,h,d] * k[s,d]),  start <= s < end
 *
 * row_start > row_end, or a negative row_start, is RANGE on the CPU, which sees the values; on a
 * GPU such a row is empty.
 *
 * @param plan    an indexer plan.
 * @param args    see #plait_indexer_logits_ragged_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre(); RANGE (row_start; CPU only).
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_indexer_logits_ragged(const plait_plan *plan,
                                                   const plait_indexer_logits_ragged_args *args,
                                                   void *stream);

/** @brief Arguments of plait_indexer_logits_paged(). Zero is the default of every optional field.
 */
typedef struct plait_indexer_logits_paged_args {
  size_t struct_size;          /**< sizeof(plait_indexer_logits_paged_args). */
  int64_t requests;            /**< B >= 0; 0 touches nothing. Rows are B * N, padding included. */
  int64_t columns;             /**< Columns of `logits`, 0 … 2^31 - 1. */
  plait_const_buffer q_values; /**< [B * N, Hq, V] bytes. */
  plait_const_buffer q_scale;  /**< mxfp4: [B * N, Hq, D / 32] bytes. fp8: not read. */
  plait_const_buffer weights;  /**< [B * N, Hq] f32. */
  int64_t weights_stride;      /**< Elements; 0: Hq. */
  plait_const_buffer cache;    /**< As for write_k. */
  plait_const_buffer block_table; /**< [B, block_table_columns] int32 page ids. */
  int64_t block_table_columns;    /**< Pages a request has. */
  int64_t block_table_stride;     /**< Elements; 0: block_table_columns. */
  plait_const_buffer lengths;     /**< [B * N] int32 keys of each row, or [B] when per request;
                                       clamped to 0 … columns. */
  int32_t lengths_per_request;    /**< 1: row t of a request has lengths[b] - N + t + 1 keys. */
  int32_t fill;                   /**< As for the ragged call. */
  plait_buffer logits;            /**< [B * N, columns] logits_dtype. */
  int64_t logits_stride;          /**< Elements; 0: columns. */
  plait_buffer workspace;         /**< workspace_logits bytes, aligned to 256. */
} plait_indexer_logits_paged_args;

/**
 * @brief Logits of decode rows over paged keys. A key whose page is past the table or outside the
 *        cache has the logit -inf.
 * @param plan    an indexer plan.
 * @param args    see #plait_indexer_logits_paged_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre().
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_indexer_logits_paged(const plait_plan *plan,
                                                  const plait_indexer_logits_paged_args *args,
                                                  void *stream);

/** @brief Arguments of plait_indexer_select_ragged(). Zero is the default of every optional field.
 */
typedef struct plait_indexer_select_ragged_args {
  size_t struct_size;           /**< sizeof(plait_indexer_select_ragged_args). */
  int64_t rows;                 /**< As for logits_ragged. */
  int64_t keys;                 /**< As for logits_ragged; at most the plan's max_keys. */
  plait_const_buffer q_values;  /**< As for logits_ragged. */
  plait_const_buffer q_scale;   /**< As for logits_ragged. */
  plait_const_buffer weights;   /**< As for logits_ragged. */
  int64_t weights_stride;       /**< As for logits_ragged. */
  plait_const_buffer k_values;  /**< As for logits_ragged. */
  plait_const_buffer k_scale;   /**< As for logits_ragged. */
  plait_const_buffer row_start; /**< As for logits_ragged. */
  plait_const_buffer row_end;   /**< As for logits_ragged. */
  plait_buffer indices;         /**< [rows, K] int32, as in plait_topk(). */
  int64_t indices_stride;       /**< Elements; 0: K. */
  plait_buffer values_out;      /**< Optional [rows, K] f32; -inf beside a -1. */
  int64_t values_out_stride;    /**< Elements; 0: K. */
  plait_buffer slots;           /**< Optional [rows, K] int32, as in plait_topk(). */
  int64_t slots_stride;         /**< Elements; 0: K. */
  plait_const_buffer
      block_table; /**< [table_count, block_table_columns] int32; required with slots. */
  int64_t block_table_columns; /**< Pages a table row has. */
  int64_t block_table_stride;  /**< Elements; 0: block_table_columns. */
  int64_t table_count;         /**< Rows of the block table. */
  plait_const_buffer
      table_row;          /**< [rows] int32: the table row of each row; required with slots. */
  plait_buffer workspace; /**< workspace_select bytes, aligned to 256. */
} plait_indexer_select_ragged_args;

/**
 * @brief plait_indexer_logits_ragged() then plait_topk() in one call, without a logits matrix: the
 *        same indices, in a workspace of at most select_budget bytes whatever `keys` is.
 *
 * With logits_dtype BF16 the ranking is by the rounded logits, as in the two separate calls.
 *
 * @param plan    an indexer plan with topk > 0.
 * @param args    see #plait_indexer_select_ragged_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_indexer_logits_ragged(); WRONG_PLAN (topk: the plan has no select).
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_indexer_select_ragged(const plait_plan *plan,
                                                   const plait_indexer_select_ragged_args *args,
                                                   void *stream);

/** @brief Arguments of plait_indexer_select_paged(). Zero is the default of every optional field.
 */
typedef struct plait_indexer_select_paged_args {
  size_t struct_size;          /**< sizeof(plait_indexer_select_paged_args). */
  int64_t requests;            /**< B >= 0. Rows are B * N, padding included. */
  int64_t columns;             /**< Longest row, 0 … the plan's max_keys; lengths are clamped to
                                    it. */
  plait_const_buffer q_values; /**< As for logits_paged. */
  plait_const_buffer q_scale;  /**< As for logits_paged. */
  plait_const_buffer weights;  /**< As for logits_paged. */
  int64_t weights_stride;      /**< As for logits_paged. */
  plait_const_buffer cache;    /**< As for logits_paged. */
  plait_const_buffer block_table; /**< As for logits_paged; also maps `slots`. */
  int64_t block_table_columns;    /**< As for logits_paged. */
  int64_t block_table_stride;     /**< As for logits_paged. */
  plait_const_buffer lengths;     /**< As for logits_paged. */
  int32_t lengths_per_request;    /**< As for logits_paged. */
  int32_t reserved;               /**< 0. */
  plait_buffer indices;           /**< [B * N, K] int32, as in plait_topk(). */
  int64_t indices_stride;         /**< Elements; 0: K. */
  plait_buffer values_out;        /**< Optional [B * N, K] f32; -inf beside a -1. */
  int64_t values_out_stride;      /**< Elements; 0: K. */
  plait_buffer slots;             /**< Optional [B * N, K] int32, as in plait_topk(). */
  int64_t slots_stride;           /**< Elements; 0: K. */
  plait_buffer workspace;         /**< workspace_select bytes, aligned to 256. */
} plait_indexer_select_paged_args;

/**
 * @brief plait_indexer_logits_paged() then plait_topk() in one call; see
 *        plait_indexer_select_ragged().
 * @param plan    an indexer plan with topk > 0.
 * @param args    see #plait_indexer_select_paged_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_indexer_logits_paged(); WRONG_PLAN (topk: the plan has no select).
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_indexer_select_paged(const plait_plan *plan,
                                                  const plait_indexer_select_paged_args *args,
                                                  void *stream);

/** @brief Arguments of plait_indexer_map_slots(). Zero is the default of every optional field. */
typedef struct plait_indexer_map_slots_args {
  size_t struct_size;             /**< sizeof(plait_indexer_map_slots_args). */
  int64_t rows;                   /**< >= 0; 0 touches nothing. */
  int64_t columns;                /**< Indices a row has. */
  plait_const_buffer indices;     /**< [rows, columns] int32; negative: none. */
  int64_t indices_stride;         /**< Elements; 0: columns. */
  plait_const_buffer block_table; /**< [table_count, block_table_columns] int32. */
  int64_t block_table_columns;    /**< Pages a table row has. */
  int64_t block_table_stride;     /**< Elements; 0: block_table_columns. */
  int64_t table_count;            /**< Rows of the block table. */
  plait_const_buffer table_row;   /**< Optional [rows] int32; NULL: row / next_n. */
  plait_buffer slots;             /**< [rows, columns] int32; may be exactly `indices`. */
  int64_t slots_stride;           /**< Elements; 0: columns. */
  plait_buffer workspace;         /**< workspace_quantize bytes, aligned to 256. */
} plait_indexer_map_slots_args;

/**
 * @brief Turns indices within a request into cache slots: block_table[i / P] * P + i % P; -1 for a
 *        negative index, a negative page id, an index past the table or a slot past int32.
 * @param plan    an indexer plan.
 * @param args    see #plait_indexer_map_slots_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_mhc_pre().
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_indexer_map_slots(const plait_plan *plan,
                                               const plait_indexer_map_slots_args *args,
                                               void *stream);

#ifdef __cplusplus
}
#endif

#endif
