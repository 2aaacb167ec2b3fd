/* SPDX-License-Identifier: MIT */
/**
 * @file topk.h
 * @brief Exact top-k of each row under a total order, and the merge of several shards.
 *
 * The order: a larger value comes first; of equal values the lower index; +0 equals -0; NaN comes
 * after everything, -inf included, and is chosen only when fewer than K others exist.
 */
#ifndef PLAIT_TOPK_H
#define PLAIT_TOPK_H

#include <plait/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Order of the indices within an output row. */
enum {
  PLAIT_ORDER_ANY = 0,       /**< Whatever is fastest; the same on every run. */
  PLAIT_ORDER_INDEX = 1,     /**< Ascending index. */
  PLAIT_ORDER_DESCENDING = 2 /**< Descending value, equal values by ascending index, NaN last. */
};

/** @brief The problem that a top-k plan is made for. */
typedef struct plait_topk_plan_desc {
  size_t struct_size;         /**< sizeof(plait_topk_plan_desc), by the init function. */
  int64_t max_columns;        /**< Longest row that a call may bring, 1 … 2^31 - 1. Required. */
  int64_t k;                  /**< K, 1 … 2^31 - 1. Required. May exceed the rows' length. */
  int32_t order;              /**< PLAIT_ORDER_…; default ANY. */
  int32_t dtype;              /**< Of the values: PLAIT_DTYPE_…; default F32. */
  int32_t page_entries;       /**< P of the block table, for `slots`; default 64. */
  int32_t reserved;           /**< 0. */
  const char *implementation; /**< As in #plait_mhc_plan_desc. */
} plait_topk_plan_desc;

/**
 * @brief Fills a descriptor with the defaults; `max_columns` and `k` stay 0 and must be set.
 * @param desc         the descriptor; NULL does nothing.
 * @param struct_size  sizeof(plait_topk_plan_desc) as the caller was compiled.
 *
 * Class: query. Thread safety: exclusive.
 */
PLAIT_API void plait_topk_plan_desc_init(plait_topk_plan_desc *desc, size_t struct_size);

/**
 * @brief Checks a problem and chooses the implementations of topk and merge.
 * @param context  stays alive inside the plan.
 * @param desc     not kept.
 * @param plan     receives the handle; NULL on failure. Release with plait_plan_destroy().
 * @param error    optional record of a failure.
 * @return as plait_mhc_plan_create().
 *
 * Class: setup. Thread safety: shared (context).
 */
PLAIT_API plait_status plait_topk_plan_create(plait_context *context,
                                              const plait_topk_plan_desc *desc, plait_plan **plan,
                                              plait_error *error);

/** @brief Bytes of the outputs and workspaces of the top-k calls, for contiguous strides. */
typedef struct plait_topk_sizes {
  size_t struct_size;     /**< sizeof(plait_topk_sizes), set by the caller. */
  size_t indices;         /**< [rows, K] int32; slots too. */
  size_t values;          /**< [rows, K] dtype: values_out. */
  size_t workspace;       /**< The larger of the two below. */
  size_t workspace_topk;  /**< Workspace of plait_topk(). */
  size_t workspace_merge; /**< Workspace of plait_topk_merge(). */
} plait_topk_sizes;

/**
 * @brief Sizes for up to `rows` rows. Each grows with `rows` and depends on nothing else.
 * @param plan   a top-k plan.
 * @param rows   >= 0, padding included.
 * @param sizes  the caller sets struct_size; the rest is always written, with zeros on an error
 *               that comes after the struct was found valid.
 * @return #PLAIT_OK; NULL_ARGUMENT; WRONG_PLAN; STRUCT_SIZE; INVALID_VALUE, SIZE_OVERFLOW (rows).
 *
 * Class: query. Thread safety: shared.
 */
PLAIT_API plait_status plait_topk_plan_sizes(const plait_plan *plan, int64_t rows,
                                             plait_topk_sizes *sizes);

/** @brief Arguments of plait_topk(). Zero is the default of every optional field. */
typedef struct plait_topk_args {
  size_t struct_size;             /**< sizeof(plait_topk_args). */
  int64_t rows;                   /**< Padded rows >= 0; 0 touches nothing. */
  int64_t columns;                /**< Width of a row of `values`, 0 … max_columns. */
  plait_const_buffer values;      /**< [rows, columns] dtype. Needs the element's alignment only. */
  int64_t values_stride;          /**< Elements; 0: columns. */
  plait_const_buffer row_start;   /**< Optional [rows] int32: first column of a row; NULL: 0. */
  plait_const_buffer row_end;     /**< Optional [rows] int32: one past its last column (its length
                                       when row_start is NULL); NULL: columns. Clamped to columns. */
  plait_buffer indices;           /**< [rows, K] int32, relative to row_start: min(K, length) of
                                       them, then -1. Every slot is written. */
  int64_t indices_stride;         /**< Elements; 0: K. */
  plait_buffer values_out;        /**< Optional [rows, K] dtype: the values; -inf beside a -1. */
  int64_t values_out_stride;      /**< Elements; 0: K. */
  plait_buffer slots;             /**< Optional [rows, K] int32: block_table[i / P] * P + i % P; -1
                                       beside a -1, for a negative page id, for i past the table and
                                       where the slot does not fit int32. */
  int64_t slots_stride;           /**< Elements; 0: K. */
  plait_const_buffer block_table; /**< [table_count, block_table_columns] int32; required with
                                       slots. */
  int64_t block_table_columns;    /**< Pages a table row has. */
  int64_t block_table_stride;     /**< Elements; 0: block_table_columns. */
  int64_t table_count;            /**< Rows of the block table. */
  plait_const_buffer table_row;   /**< Optional [rows] int32: the table row of each row (outside the
                                       table: slots -1); NULL: row / rows_per_table. */
  int64_t rows_per_table;         /**< Rows that share a table row; 0: 1. */
  plait_buffer workspace;         /**< workspace_topk bytes, aligned to 256. */
} plait_topk_args;

/**
 * @brief The K first of each row in the order above. Exact for any data.
 *
 * Nothing outside a row's range is read for its value. A row with length <= K gives 0 … length-1
 * (by descending value if the plan's order says so). row_start > row_end, or a negative row_start,
 * is RANGE on the CPU, which sees the values; on a GPU such a row is empty.
 *
 * @param plan    a top-k plan.
 * @param args    see #plait_topk_args.
 * @param stream  as in plait_mhc_pre().
 * @return #PLAIT_OK; NULL_ARGUMENT, STRUCT_SIZE, UNKNOWN_FIELD, INVALID_VALUE, SIZE_OVERFLOW,
 *         BUFFER_TOO_SMALL, MISALIGNED, STRIDE, OVERLAP, RANGE, each with the field; WRONG_PLAN;
 *         LAUNCH, DEVICE_RUNTIME.
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_topk(const plait_plan *plan, const plait_topk_args *args,
                                  void *stream);

/** @brief Arguments of plait_topk_merge(). Zero is the default of every optional field. */
typedef struct plait_topk_merge_args {
  size_t struct_size;           /**< sizeof(plait_topk_merge_args). */
  int64_t rows;                 /**< Padded rows >= 0; 0 touches nothing. */
  int64_t shards;               /**< >= 1. */
  int64_t candidates;           /**< Per shard and row, >= 1; shards * candidates <= max_columns. */
  plait_const_buffer values;    /**< [shards, rows, candidates] dtype. */
  int64_t values_stride;        /**< Elements between rows; 0: candidates. */
  int64_t values_shard_stride;  /**< Elements between shards; 0: rows * values_stride. */
  plait_const_buffer indices;   /**< [shards, rows, candidates] int32 global indices; negative: an
                                     empty place. A row's indices must differ from one another. */
  int64_t indices_stride;       /**< Elements between rows; 0: candidates. */
  int64_t indices_shard_stride; /**< Elements between shards; 0: rows * indices_stride. */
  plait_buffer indices_out;     /**< [rows, K] int32 global indices, then -1. */
  int64_t indices_out_stride;   /**< Elements; 0: K. */
  plait_buffer values_out;      /**< Optional [rows, K] dtype; -inf beside a -1. */
  int64_t values_out_stride;    /**< Elements; 0: K. */
  plait_buffer workspace;       /**< workspace_merge bytes, aligned to 256. */
} plait_topk_merge_args;

/**
 * @brief The K first, in the same order, of the candidates that several shards found: the result of
 *        one top-k over the whole row when each shard brought its own top-k.
 * @param plan    a top-k plan.
 * @param args    see #plait_topk_merge_args.
 * @param stream  as in plait_mhc_pre().
 * @return as plait_topk().
 *
 * Class: execute. Thread safety: buffers.
 */
PLAIT_API plait_status plait_topk_merge(const plait_plan *plan, const plait_topk_merge_args *args,
                                        void *stream);

#ifdef __cplusplus
}
#endif

#endif
