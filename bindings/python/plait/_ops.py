# SPDX-License-Identifier: MIT
# Written by bindings/tools/generate.py from include/plait. Do not edit.
"""How the keywords of each operation fill its struct. Signatures: _ops.pyi."""
from ._abi import *  # noqa: F403
from ._call import Operation, PlanBase, methods


class MhcOps(PlanBase):
    """The execute calls of mhc plans."""

    pre, bind_pre = methods(Operation(
        "plait_mhc_pre", plait_mhc_pre_args, "@QqPQqiiPQPQPQPQPQqPQqPQqPQqPQqPQ",
        248, 32,
        (("tokens", 1, "", False, -1), ("residual", 2, "dtype", False, 4),
        ("residual_stride", 4, "", False, -1), ("broadcast", 5, "", False, -1),
        ("fn", 7, "fn_dtype", False, -1), ("base", 9, "f32", False, -1),
        ("scale", 11, "f32", False, -1), ("norm_weight", 13, "norm_weight_dtype", False, -1),
        ("prev_pre", 15, "f32", False, 17), ("prev_pre_stride", 17, "", False, -1),
        ("pre_mix", 18, "f32", True, 20), ("pre_mix_stride", 20, "", False, -1),
        ("post_mix", 21, "f32", True, 23), ("post_mix_stride", 23, "", False, -1),
        ("comb_mix", 24, "f32", True, 26), ("comb_mix_stride", 26, "", False, -1),
        ("layer_input", 27, "dtype", True, 29), ("layer_input_stride", 29, "", False, -1),
        ("workspace", 30, "bytes", True, -1)),
        "pre: the mixes of a sublayer and its input."))

    post, bind_post = methods(Operation(
        "plait_mhc_post", plait_mhc_post_args, "@QqPQqPQqPQqiiPQqPQqPQqPQ",
        184, 24,
        (("tokens", 1, "", False, -1), ("x", 2, "dtype", False, 4), ("x_stride", 4, "", False, -1),
        ("x2", 5, "dtype", False, 7), ("x2_stride", 7, "", False, -1),
        ("residual", 8, "dtype", False, 10), ("residual_stride", 10, "", False, -1),
        ("broadcast", 11, "", False, -1), ("post_mix", 13, "f32", False, 15),
        ("post_mix_stride", 15, "", False, -1), ("comb_mix", 16, "f32", False, 18),
        ("comb_mix_stride", 18, "", False, -1), ("residual_out", 19, "dtype", True, 21),
        ("residual_out_stride", 21, "", False, -1), ("workspace", 22, "bytes", True, -1)),
        "post: mixes a sublayer's output into the residual streams."))

    post_pre, bind_post_pre = methods(Operation(
        "plait_mhc_post_pre", plait_mhc_post_pre_args, "@QqPQqPQqPQqiiPQqPQqPQqPQPQPQPQPQqPQqPQqPQqPQqPQ",
        368, 47,
        (("tokens", 1, "", False, -1), ("x", 2, "dtype", False, 4), ("x_stride", 4, "", False, -1),
        ("x2", 5, "dtype", False, 7), ("x2_stride", 7, "", False, -1),
        ("residual", 8, "dtype", False, 10), ("residual_stride", 10, "", False, -1),
        ("broadcast", 11, "", False, -1), ("post_mix", 13, "f32", False, 15),
        ("post_mix_stride", 15, "", False, -1), ("comb_mix", 16, "f32", False, 18),
        ("comb_mix_stride", 18, "", False, -1), ("residual_out", 19, "dtype", True, 21),
        ("residual_out_stride", 21, "", False, -1), ("fn", 22, "fn_dtype", False, -1),
        ("base", 24, "f32", False, -1), ("scale", 26, "f32", False, -1),
        ("norm_weight", 28, "norm_weight_dtype", False, -1), ("prev_pre", 30, "f32", False, 32),
        ("prev_pre_stride", 32, "", False, -1), ("pre_mix", 33, "f32", True, 35),
        ("pre_mix_stride", 35, "", False, -1), ("next_post_mix", 36, "f32", True, 38),
        ("next_post_mix_stride", 38, "", False, -1), ("next_comb_mix", 39, "f32", True, 41),
        ("next_comb_mix_stride", 41, "", False, -1), ("layer_input", 42, "dtype", True, 44),
        ("layer_input_stride", 44, "", False, -1), ("workspace", 45, "bytes", True, -1)),
        "post of one sublayer and pre of the next, on the rounded new residual: bit for bit "
        "what plait_mhc_post() followed by plait_mhc_pre() returns."))

    head, bind_head = methods(Operation(
        "plait_mhc_head", plait_mhc_head_args, "@QqPQqPQPQPQPQqPQPQqPQ",
        168, 21,
        (("tokens", 1, "", False, -1), ("residual", 2, "dtype", False, 4),
        ("residual_stride", 4, "", False, -1), ("fn", 5, "fn_dtype", False, -1),
        ("base", 7, "f32", False, -1), ("scale", 9, "f32", False, -1),
        ("prev_pre", 11, "f32", False, 13), ("prev_pre_stride", 13, "", False, -1),
        ("norm_weight", 14, "norm_weight_dtype", False, -1), ("out", 16, "dtype", True, 18),
        ("out_stride", 18, "", False, -1), ("workspace", 19, "bytes", True, -1)),
        "head: collapses the streams after the last layer."))

    expand, bind_expand = methods(Operation(
        "plait_mhc_expand", plait_mhc_expand_args, "@QqPQqPQqPQ",
        80, 10,
        (("tokens", 1, "", False, -1), ("x", 2, "dtype", False, 4), ("x_stride", 4, "", False, -1),
        ("residual_out", 5, "dtype", True, 7), ("residual_out_stride", 7, "", False, -1),
        ("workspace", 8, "bytes", True, -1)),
        "expand: n equal streams from the embedding."))


class IndexerOps(PlanBase):
    """The execute calls of indexer plans."""

    quantize_q, bind_quantize_q = methods(Operation(
        "plait_indexer_quantize_q", plait_indexer_quantize_q_args, "@QqPQqPQPQPQqPQPQPQPQ",
        160, 20,
        (("tokens", 1, "", False, -1), ("q", 2, "bf16", False, 4), ("q_stride", 4, "", False, -1),
        ("positions", 5, "i64", False, -1), ("cos_sin", 7, "f32", False, -1),
        ("weights", 9, "weights_dtype", False, 11), ("weights_stride", 11, "", False, -1),
        ("q_values", 12, "bytes", True, -1), ("q_scale", 14, "scale", True, -1),
        ("weights_out", 16, "f32", True, -1), ("workspace", 18, "bytes", True, -1)),
        "Rotates, transforms and quantises query rows, and folds scales into the head "
        "weights."))

    write_k, bind_write_k = methods(Operation(
        "plait_indexer_write_k", plait_indexer_write_k_args, "@QqPQqPQPQPQPQPQPQ",
        136, 17,
        (("tokens", 1, "", False, -1), ("k", 2, "bf16", False, 4), ("k_stride", 4, "", False, -1),
        ("positions", 5, "i64", False, -1), ("cos_sin", 7, "f32", False, -1),
        ("slot_mapping", 9, "i64", False, -1), ("cache", 11, "bytes", True, -1),
        ("rejected", 13, "i32", True, -1), ("workspace", 15, "bytes", True, -1)),
        "Rotates, transforms and quantises key rows into their pages."))

    gather_k, bind_gather_k = methods(Operation(
        "plait_indexer_gather_k", plait_indexer_gather_k_args, "@QqqPQPQqqPQPQPQPQ",
        136, 17,
        (("requests", 1, "", False, -1), ("keys", 2, "", False, -1),
        ("cache", 3, "bytes", False, -1), ("block_table", 5, "i32", False, 8),
        ("block_table_columns", 7, "", False, -1), ("block_table_stride", 8, "", False, -1),
        ("cu_lengths", 9, "i32", False, -1), ("k_values", 11, "bytes", True, -1),
        ("k_scale", 13, "scale", True, -1), ("workspace", 15, "bytes", True, -1)),
        "Copies the keys of several requests from their pages into contiguous rows."))

    convert_k, bind_convert_k = methods(Operation(
        "plait_indexer_convert_k", plait_indexer_convert_k_args, "@QqiiPQPQPQPQPQ",
        104, 14,
        (("rows", 1, "", False, -1), ("from_format", 2, "", False, -1),
        ("src_values", 4, "bytes", False, -1), ("src_scale", 6, "f32", False, -1),
        ("dst_values", 8, "bytes", True, -1), ("dst_scale", 10, "f32", True, -1),
        ("workspace", 12, "bytes", True, -1)),
        "Changes the fp8 flavour of quantised rows, keeping value * scale."))

    convert_cache, bind_convert_cache = methods(Operation(
        "plait_indexer_convert_cache", plait_indexer_convert_cache_args, "@QiiPQPQPQ",
        64, 9,
        (("from_format", 1, "", False, -1), ("src_cache", 3, "bytes", False, -1),
        ("cache", 5, "bytes", True, -1), ("workspace", 7, "bytes", True, -1)),
        "plait_indexer_convert_k() for every entry of every page of a pool. The bytes between"
        " the end of a page's contents and the next page are not touched."))

    logits_ragged, bind_logits_ragged = methods(Operation(
        "plait_indexer_logits_ragged", plait_indexer_logits_ragged_args, "@QqqPQPQPQqPQPQPQPQPQqiiPQ",
        192, 25,
        (("rows", 1, "", False, -1), ("keys", 2, "", False, -1),
        ("q_values", 3, "bytes", False, -1), ("q_scale", 5, "scale", False, -1),
        ("weights", 7, "f32", False, 9), ("weights_stride", 9, "", False, -1),
        ("k_values", 10, "bytes", False, -1), ("k_scale", 12, "scale", False, -1),
        ("row_start", 14, "i32", False, -1), ("row_end", 16, "i32", False, -1),
        ("logits", 18, "logits_dtype", True, 20), ("logits_stride", 20, "", False, -1),
        ("fill", 21, "", False, -1), ("workspace", 23, "bytes", True, -1)),
        "Logits of packed (prefill) rows over contiguous keys."))

    logits_paged, bind_logits_paged = methods(Operation(
        "plait_indexer_logits_paged", plait_indexer_logits_paged_args, "@QqqPQPQPQqPQPQqqPQiiPQqPQ",
        192, 25,
        (("requests", 1, "", False, -1), ("columns", 2, "", False, -1),
        ("q_values", 3, "bytes", False, -1), ("q_scale", 5, "scale", False, -1),
        ("weights", 7, "f32", False, 9), ("weights_stride", 9, "", False, -1),
        ("cache", 10, "bytes", False, -1), ("block_table", 12, "i32", False, 15),
        ("block_table_columns", 14, "", False, -1), ("block_table_stride", 15, "", False, -1),
        ("lengths", 16, "i32", False, -1), ("lengths_per_request", 18, "", False, -1),
        ("fill", 19, "", False, -1), ("logits", 20, "logits_dtype", True, 22),
        ("logits_stride", 22, "", False, -1), ("workspace", 23, "bytes", True, -1)),
        "Logits of decode rows over paged keys. A key whose page is past the table or outside"
        " the cache has the logit -inf."))

    select_ragged, bind_select_ragged = methods(Operation(
        "plait_indexer_select_ragged", plait_indexer_select_ragged_args, "@QqqPQPQPQqPQPQPQPQPQqPQqPQqPQqqqPQPQ",
        288, 36,
        (("rows", 1, "", False, -1), ("keys", 2, "", False, -1),
        ("q_values", 3, "bytes", False, -1), ("q_scale", 5, "scale", False, -1),
        ("weights", 7, "f32", False, 9), ("weights_stride", 9, "", False, -1),
        ("k_values", 10, "bytes", False, -1), ("k_scale", 12, "scale", False, -1),
        ("row_start", 14, "i32", False, -1), ("row_end", 16, "i32", False, -1),
        ("indices", 18, "i32", True, 20), ("indices_stride", 20, "", False, -1),
        ("values_out", 21, "f32", True, 23), ("values_out_stride", 23, "", False, -1),
        ("slots", 24, "i32", True, 26), ("slots_stride", 26, "", False, -1),
        ("block_table", 27, "i32", False, 30), ("block_table_columns", 29, "", False, -1),
        ("block_table_stride", 30, "", False, -1), ("table_count", 31, "", False, -1),
        ("table_row", 32, "i32", False, -1), ("workspace", 34, "bytes", True, -1)),
        "plait_indexer_logits_ragged() then plait_topk() in one call, without a logits "
        "matrix: the same indices, in a workspace of at most select_budget bytes whatever "
        "`keys` is."))

    select_paged, bind_select_paged = methods(Operation(
        "plait_indexer_select_paged", plait_indexer_select_paged_args, "@QqqPQPQPQqPQPQqqPQiiPQqPQqPQqPQ",
        240, 31,
        (("requests", 1, "", False, -1), ("columns", 2, "", False, -1),
        ("q_values", 3, "bytes", False, -1), ("q_scale", 5, "scale", False, -1),
        ("weights", 7, "f32", False, 9), ("weights_stride", 9, "", False, -1),
        ("cache", 10, "bytes", False, -1), ("block_table", 12, "i32", False, 15),
        ("block_table_columns", 14, "", False, -1), ("block_table_stride", 15, "", False, -1),
        ("lengths", 16, "i32", False, -1), ("lengths_per_request", 18, "", False, -1),
        ("indices", 20, "i32", True, 22), ("indices_stride", 22, "", False, -1),
        ("values_out", 23, "f32", True, 25), ("values_out_stride", 25, "", False, -1),
        ("slots", 26, "i32", True, 28), ("slots_stride", 28, "", False, -1),
        ("workspace", 29, "bytes", True, -1)),
        "plait_indexer_logits_paged() then plait_topk() in one call; see "
        "plait_indexer_select_ragged()."))

    map_slots, bind_map_slots = methods(Operation(
        "plait_indexer_map_slots", plait_indexer_map_slots_args, "@QqqPQqPQqqqPQPQqPQ",
        144, 18,
        (("rows", 1, "", False, -1), ("columns", 2, "", False, -1), ("indices", 3, "i32", False, 5),
        ("indices_stride", 5, "", False, -1), ("block_table", 6, "i32", False, 9),
        ("block_table_columns", 8, "", False, -1), ("block_table_stride", 9, "", False, -1),
        ("table_count", 10, "", False, -1), ("table_row", 11, "i32", False, -1),
        ("slots", 13, "i32", True, 15), ("slots_stride", 15, "", False, -1),
        ("workspace", 16, "bytes", True, -1)),
        "Turns indices within a request into cache slots: block_table[i / P] * P + i % P; -1 "
        "for a negative index, a negative page id, an index past the table or a slot past "
        "int32."))


class TopkOps(PlanBase):
    """The execute calls of topk plans."""

    topk, bind_topk = methods(Operation(
        "plait_topk", plait_topk_args, "@QqqPQqPQPQPQqPQqPQqPQqqqPQqPQ",
        232, 29,
        (("rows", 1, "", False, -1), ("columns", 2, "", False, -1),
        ("values", 3, "dtype", False, 5), ("values_stride", 5, "", False, -1),
        ("row_start", 6, "i32", False, -1), ("row_end", 8, "i32", False, -1),
        ("indices", 10, "i32", True, 12), ("indices_stride", 12, "", False, -1),
        ("values_out", 13, "dtype", True, 15), ("values_out_stride", 15, "", False, -1),
        ("slots", 16, "i32", True, 18), ("slots_stride", 18, "", False, -1),
        ("block_table", 19, "i32", False, 22), ("block_table_columns", 21, "", False, -1),
        ("block_table_stride", 22, "", False, -1), ("table_count", 23, "", False, -1),
        ("table_row", 24, "i32", False, -1), ("rows_per_table", 26, "", False, -1),
        ("workspace", 27, "bytes", True, -1)),
        "The K first of each row in the order above. Exact for any data."))

    merge, bind_merge = methods(Operation(
        "plait_topk_merge", plait_topk_merge_args, "@QqqqPQqqPQqqPQqPQqPQ",
        160, 20,
        (("rows", 1, "", False, -1), ("shards", 2, "", False, -1), ("candidates", 3, "", False, -1),
        ("values", 4, "dtype", False, 6), ("values_stride", 6, "", False, -1),
        ("values_shard_stride", 7, "", False, -1), ("indices", 8, "i32", False, 10),
        ("indices_stride", 10, "", False, -1), ("indices_shard_stride", 11, "", False, -1),
        ("indices_out", 12, "i32", True, 14), ("indices_out_stride", 14, "", False, -1),
        ("values_out", 15, "dtype", True, 17), ("values_out_stride", 17, "", False, -1),
        ("workspace", 18, "bytes", True, -1)),
        "The K first, in the same order, of the candidates that several shards found: the "
        "result of one top-k over the whole row when each shard brought its own top-k."))
