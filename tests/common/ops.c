// SPDX-License-Identifier: MIT
// The fields of every argument struct, as data.
#include <string.h>

#include "call.h"

// A buffer with a stride, and one without; `f` is the field's name.
#define S(f, arg, flags) \
  { #f, PLAIT_ARG_##arg, offsetof(A, f), offsetof(A, f##_stride), flags, NULL }
#define B(f, arg, flags) \
  { #f, PLAIT_ARG_##arg, offsetof(A, f), 0, flags, NULL }
// An output that may be exactly `in`.
#define S_IN_PLACE(f, arg, flags, in) \
  { #f, PLAIT_ARG_##arg, offsetof(A, f), offsetof(A, f##_stride), flags, in }
#define B_IN_PLACE(f, arg, flags, in) \
  { #f, PLAIT_ARG_##arg, offsetof(A, f), 0, flags, in }
#define COUNT(f, arg) \
  { #f, PLAIT_ARG_##arg, offsetof(A, f) }

enum {
  OUT = SLOT_OUT,
  OPT = SLOT_OPTIONAL,
  PER = SLOT_PER_COUNT,
  ANY = SLOT_ANY_SIZE,
  INOUT = SLOT_OUT | SLOT_INOUT
};

#define EXECUTE(function, args_type)                                                               \
  static plait_status execute_##function(const plait_plan *plan, const void *args, void *stream) { \
    return plait_##function(plan, (const args_type *)args, stream);                                \
  }

EXECUTE(mhc_pre, plait_mhc_pre_args)
EXECUTE(mhc_post, plait_mhc_post_args)
EXECUTE(mhc_post_pre, plait_mhc_post_pre_args)
EXECUTE(mhc_head, plait_mhc_head_args)
EXECUTE(mhc_expand, plait_mhc_expand_args)
EXECUTE(indexer_quantize_q, plait_indexer_quantize_q_args)
EXECUTE(indexer_write_k, plait_indexer_write_k_args)
EXECUTE(indexer_gather_k, plait_indexer_gather_k_args)
EXECUTE(indexer_convert_k, plait_indexer_convert_k_args)
EXECUTE(indexer_convert_cache, plait_indexer_convert_cache_args)
EXECUTE(indexer_logits_ragged, plait_indexer_logits_ragged_args)
EXECUTE(indexer_logits_paged, plait_indexer_logits_paged_args)
EXECUTE(indexer_select_ragged, plait_indexer_select_ragged_args)
EXECUTE(indexer_select_paged, plait_indexer_select_paged_args)
EXECUTE(indexer_map_slots, plait_indexer_map_slots_args)
EXECUTE(topk, plait_topk_args)
EXECUTE(topk_merge, plait_topk_merge_args)

#define HEAD(op, name, kind, function) \
  op, name, PLAIT_PLAN_##kind, sizeof(A), execute_##function, offsetof(A, workspace)
#define RESERVED offsetof(A, reserved)

static const op_type types[] = {
#define A plait_mhc_pre_args
    {HEAD(PLAIT_OP_MHC_PRE, "mhc_pre", MHC, mhc_pre),
     RESERVED,
     {S(residual, RESIDUAL, PER), B(fn, FN, 0), B(base, BASE, 0), B(scale, SCALE, 0),
      B(norm_weight, NORM_WEIGHT, 0), S(prev_pre, PREV_PRE, OPT | PER),
      S(pre_mix, PRE_MIX, OUT | OPT | PER), S(post_mix, POST_MIX, OUT | PER),
      S(comb_mix, COMB_MIX, OUT | PER), S(layer_input, LAYER_INPUT, OUT | PER)},
     {COUNT(tokens, TOKENS)}},
#undef A
#define A plait_mhc_post_args
    {HEAD(PLAIT_OP_MHC_POST, "mhc_post", MHC, mhc_post),
     RESERVED,
     {S(x, X, PER), S(x2, X2, OPT | PER), S(residual, RESIDUAL, PER), S(post_mix, POST_MIX, PER),
      S(comb_mix, COMB_MIX, OPT | PER),
      S_IN_PLACE(residual_out, RESIDUAL_OUT, OUT | PER, "residual")},
     {COUNT(tokens, TOKENS)}},
#undef A
#define A plait_mhc_post_pre_args
    {HEAD(PLAIT_OP_MHC_POST_PRE, "mhc_post_pre", MHC, mhc_post_pre),
     RESERVED,
     {S(x, X, PER), S(x2, X2, OPT | PER), S(residual, RESIDUAL, PER), S(post_mix, POST_MIX, PER),
      S(comb_mix, COMB_MIX, OPT | PER),
      S_IN_PLACE(residual_out, RESIDUAL_OUT, OUT | PER, "residual"), B(fn, FN, 0), B(base, BASE, 0),
      B(scale, SCALE, 0), B(norm_weight, NORM_WEIGHT, 0), S(prev_pre, PREV_PRE, OPT | PER),
      S(pre_mix, PRE_MIX, OUT | OPT | PER), S(next_post_mix, NEXT_POST_MIX, OUT | PER),
      S(next_comb_mix, NEXT_COMB_MIX, OUT | PER), S(layer_input, LAYER_INPUT, OUT | PER)},
     {COUNT(tokens, TOKENS)}},
#undef A
#define A plait_mhc_head_args
    {HEAD(PLAIT_OP_MHC_HEAD, "mhc_head", MHC, mhc_head),
     0,
     {S(residual, RESIDUAL, PER), B(fn, FN, 0), B(base, BASE, 0), B(scale, SCALE, 0),
      S(prev_pre, PREV_PRE, OPT | PER), B(norm_weight, NORM_WEIGHT, 0), S(out, OUT, OUT | PER)},
     {COUNT(tokens, TOKENS)}},
#undef A
#define A plait_mhc_expand_args
    {HEAD(PLAIT_OP_MHC_EXPAND, "mhc_expand", MHC, mhc_expand),
     0,
     {S(x, X, PER), S(residual_out, RESIDUAL_OUT, OUT | PER)},
     {COUNT(tokens, TOKENS)}},
#undef A
#define A plait_indexer_quantize_q_args
    {HEAD(PLAIT_OP_QUANTIZE_Q, "quantize_q", INDEXER, indexer_quantize_q),
     0,
     {S(q, Q, PER), B(positions, POSITIONS, PER), B(cos_sin, COS_SIN, ANY),
      S(weights, WEIGHTS, PER), B(q_values, Q_VALUES, OUT | PER),
      B(q_scale, Q_SCALE, OUT | OPT | PER), B(weights_out, WEIGHTS_OUT, OUT | PER)},
     {COUNT(tokens, TOKENS)}},
#undef A
#define A plait_indexer_write_k_args
    {HEAD(PLAIT_OP_WRITE_K, "write_k", INDEXER, indexer_write_k),
     0,
     {S(k, K, 0), B(positions, POSITIONS, 0), B(cos_sin, COS_SIN, ANY),
      B(slot_mapping, SLOT_MAPPING, 0), B(cache, CACHE, INOUT | ANY),
      B(rejected, REJECTED, OUT | OPT)},
     {COUNT(tokens, TOKENS)}},
#undef A
#define A plait_indexer_gather_k_args
    {HEAD(PLAIT_OP_GATHER_K, "gather_k", INDEXER, indexer_gather_k),
     0,
     {B(cache, CACHE, ANY), S(block_table, BLOCK_TABLE, 0), B(cu_lengths, CU_LENGTHS, 0),
      B(k_values, K_VALUES, OUT), B(k_scale, K_SCALE, OUT)},
     {COUNT(requests, REQUESTS), COUNT(keys, KEYS),
      COUNT(block_table_columns, BLOCK_TABLE_COLUMNS)}},
#undef A
#define A plait_indexer_convert_k_args
    {HEAD(PLAIT_OP_CONVERT_K, "convert_k", INDEXER, indexer_convert_k),
     RESERVED,
     {B(src_values, SRC_VALUES, PER), B(src_scale, SRC_SCALE, PER),
      B_IN_PLACE(dst_values, DST_VALUES, OUT | PER, "src_values"),
      B_IN_PLACE(dst_scale, DST_SCALE, OUT | PER, "src_scale")},
     {COUNT(rows, ROWS)}},
#undef A
#define A plait_indexer_convert_cache_args
    {HEAD(PLAIT_OP_CONVERT_CACHE, "convert_cache", INDEXER, indexer_convert_cache),
     RESERVED,
     {B(src_cache, SRC_CACHE, ANY), B_IN_PLACE(cache, CACHE, INOUT, "src_cache")},
     {{NULL, 0, 0}}},
#undef A
#define A plait_indexer_logits_ragged_args
    {HEAD(PLAIT_OP_LOGITS_RAGGED, "logits_ragged", INDEXER, indexer_logits_ragged),
     RESERVED,
     {B(q_values, Q_VALUES, PER), B(q_scale, Q_SCALE, PER), S(weights, WEIGHTS, PER),
      B(k_values, K_VALUES, 0), B(k_scale, K_SCALE, 0), B(row_start, ROW_START, PER),
      B(row_end, ROW_END, PER), S(logits, LOGITS, OUT | PER)},
     {COUNT(rows, ROWS), COUNT(keys, KEYS)}},
#undef A
#define A plait_indexer_logits_paged_args
    {HEAD(PLAIT_OP_LOGITS_PAGED, "logits_paged", INDEXER, indexer_logits_paged),
     0,
     {B(q_values, Q_VALUES, PER), B(q_scale, Q_SCALE, PER), S(weights, WEIGHTS, PER),
      B(cache, CACHE, ANY), S(block_table, BLOCK_TABLE, PER), B(lengths, LENGTHS, PER),
      S(logits, LOGITS, OUT | PER)},
     {COUNT(requests, REQUESTS), COUNT(columns, COLUMNS),
      COUNT(block_table_columns, BLOCK_TABLE_COLUMNS)}},
#undef A
#define A plait_indexer_select_ragged_args
    {HEAD(PLAIT_OP_SELECT_RAGGED, "select_ragged", INDEXER, indexer_select_ragged),
     0,
     {B(q_values, Q_VALUES, PER), B(q_scale, Q_SCALE, PER), S(weights, WEIGHTS, PER),
      B(k_values, K_VALUES, 0), B(k_scale, K_SCALE, 0), B(row_start, ROW_START, PER),
      B(row_end, ROW_END, PER), S(indices, INDICES, OUT | PER),
      S(values_out, VALUES_OUT, OUT | OPT | PER), S(slots, SLOTS, OUT | OPT | PER),
      S(block_table, BLOCK_TABLE, 0), B(table_row, TABLE_ROW, PER)},
     {COUNT(rows, ROWS), COUNT(keys, KEYS), COUNT(block_table_columns, BLOCK_TABLE_COLUMNS),
      COUNT(table_count, TABLE_COUNT)}},
#undef A
#define A plait_indexer_select_paged_args
    {HEAD(PLAIT_OP_SELECT_PAGED, "select_paged", INDEXER, indexer_select_paged),
     RESERVED,
     {B(q_values, Q_VALUES, PER), B(q_scale, Q_SCALE, PER), S(weights, WEIGHTS, PER),
      B(cache, CACHE, ANY), S(block_table, BLOCK_TABLE, PER), B(lengths, LENGTHS, PER),
      S(indices, INDICES, OUT | PER), S(values_out, VALUES_OUT, OUT | OPT | PER),
      S(slots, SLOTS, OUT | OPT | PER)},
     {COUNT(requests, REQUESTS), COUNT(columns, COLUMNS),
      COUNT(block_table_columns, BLOCK_TABLE_COLUMNS)}},
#undef A
#define A plait_indexer_map_slots_args
    {HEAD(PLAIT_OP_MAP_SLOTS, "map_slots", INDEXER, indexer_map_slots),
     0,
     {S(indices, INDICES, PER), S(block_table, BLOCK_TABLE, 0), B(table_row, TABLE_ROW, OPT | PER),
      S_IN_PLACE(slots, SLOTS, OUT | PER, "indices")},
     {COUNT(rows, ROWS), COUNT(columns, COLUMNS), COUNT(block_table_columns, BLOCK_TABLE_COLUMNS),
      COUNT(table_count, TABLE_COUNT)}},
#undef A
#define A plait_topk_args
    {HEAD(PLAIT_OP_TOPK, "topk", TOPK, topk),
     0,
     {S(values, VALUES, PER), B(row_start, ROW_START, OPT | PER), B(row_end, ROW_END, OPT | PER),
      S(indices, INDICES, OUT | PER), S(values_out, VALUES_OUT, OUT | OPT | PER),
      S(slots, SLOTS, OUT | OPT | PER), S(block_table, BLOCK_TABLE, 0),
      B(table_row, TABLE_ROW, OPT | PER)},
     {COUNT(rows, ROWS), COUNT(columns, COLUMNS), COUNT(block_table_columns, BLOCK_TABLE_COLUMNS),
      COUNT(table_count, TABLE_COUNT), COUNT(rows_per_table, ROWS_PER_TABLE)}},
#undef A
#define A plait_topk_merge_args
    {HEAD(PLAIT_OP_TOPK_MERGE, "topk_merge", TOPK, topk_merge),
     0,
     {S(values, VALUES, 0), S(indices, INDICES, 0), S(indices_out, INDICES_OUT, OUT),
      S(values_out, VALUES_OUT, OUT | OPT)},
     {COUNT(rows, ROWS), COUNT(shards, SHARDS), COUNT(candidates, CANDIDATES)}},
#undef A
};

const op_type *op_find(int32_t op) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].op == op) return &types[i];
  return NULL;
}
