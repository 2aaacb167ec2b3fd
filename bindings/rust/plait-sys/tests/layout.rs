// SPDX-License-Identifier: MIT
// Written by bindings/tools/generate.py from include/plait. Do not edit.
// Sizes and offsets as a C compiler lays the structs out (LP64).
#![allow(clippy::all)]
use core::mem::{size_of, MaybeUninit};
use core::ptr::addr_of;
use plait_sys::*;

macro_rules! offset {
    ($struct:ident, $field:ident) => {{
        let value = MaybeUninit::<$struct>::uninit();
        let base = value.as_ptr();
        // SAFETY: the address of a field, never read.
        (unsafe { addr_of!((*base).$field) } as usize) - (base as usize)
    }};
}

#[test]
fn plait_error_layout() {
    assert_eq!(size_of::<plait_error>(), 272);
    assert_eq!(offset!(plait_error, struct_size), 0);
    assert_eq!(offset!(plait_error, status), 8);
    assert_eq!(offset!(plait_error, native_code), 12);
    assert_eq!(offset!(plait_error, message), 16);
}

#[test]
fn plait_buffer_layout() {
    assert_eq!(size_of::<plait_buffer>(), 16);
    assert_eq!(offset!(plait_buffer, data), 0);
    assert_eq!(offset!(plait_buffer, size), 8);
}

#[test]
fn plait_const_buffer_layout() {
    assert_eq!(size_of::<plait_const_buffer>(), 16);
    assert_eq!(offset!(plait_const_buffer, data), 0);
    assert_eq!(offset!(plait_const_buffer, size), 8);
}

#[test]
fn plait_context_desc_layout() {
    assert_eq!(size_of::<plait_context_desc>(), 64);
    assert_eq!(offset!(plait_context_desc, struct_size), 0);
    assert_eq!(offset!(plait_context_desc, backend), 8);
    assert_eq!(offset!(plait_context_desc, policy), 12);
    assert_eq!(offset!(plait_context_desc, device), 16);
    assert_eq!(offset!(plait_context_desc, threads), 20);
    assert_eq!(offset!(plait_context_desc, log_level), 24);
    assert_eq!(offset!(plait_context_desc, reserved), 28);
    assert_eq!(offset!(plait_context_desc, log), 32);
    assert_eq!(offset!(plait_context_desc, log_user), 40);
    assert_eq!(offset!(plait_context_desc, backend_dir), 48);
    assert_eq!(offset!(plait_context_desc, implementation), 56);
}

#[test]
fn plait_context_info_layout() {
    assert_eq!(size_of::<plait_context_info>(), 64);
    assert_eq!(offset!(plait_context_info, struct_size), 0);
    assert_eq!(offset!(plait_context_info, backend), 8);
    assert_eq!(offset!(plait_context_info, asked_backend), 12);
    assert_eq!(offset!(plait_context_info, device), 16);
    assert_eq!(offset!(plait_context_info, threads), 20);
    assert_eq!(offset!(plait_context_info, compute_units), 24);
    assert_eq!(offset!(plait_context_info, wave_size), 28);
    assert_eq!(offset!(plait_context_info, memory_bytes), 32);
    assert_eq!(offset!(plait_context_info, device_name), 40);
    assert_eq!(offset!(plait_context_info, architecture), 48);
    assert_eq!(offset!(plait_context_info, fallback_reason), 56);
}

#[test]
fn plait_backend_info_layout() {
    assert_eq!(size_of::<plait_backend_info>(), 784);
    assert_eq!(offset!(plait_backend_info, struct_size), 0);
    assert_eq!(offset!(plait_backend_info, available), 8);
    assert_eq!(offset!(plait_backend_info, device_count), 12);
    assert_eq!(offset!(plait_backend_info, path), 16);
    assert_eq!(offset!(plait_backend_info, reason), 528);
}

#[test]
fn plait_candidate_layout() {
    assert_eq!(size_of::<plait_candidate>(), 32);
    assert_eq!(offset!(plait_candidate, struct_size), 0);
    assert_eq!(offset!(plait_candidate, chosen), 8);
    assert_eq!(offset!(plait_candidate, usable), 12);
    assert_eq!(offset!(plait_candidate, name), 16);
    assert_eq!(offset!(plait_candidate, reason), 24);
}

#[test]
fn plait_mhc_plan_desc_layout() {
    assert_eq!(size_of::<plait_mhc_plan_desc>(), 72);
    assert_eq!(offset!(plait_mhc_plan_desc, struct_size), 0);
    assert_eq!(offset!(plait_mhc_plan_desc, hidden), 8);
    assert_eq!(offset!(plait_mhc_plan_desc, hc_mult), 16);
    assert_eq!(offset!(plait_mhc_plan_desc, dtype), 20);
    assert_eq!(offset!(plait_mhc_plan_desc, fn_dtype), 24);
    assert_eq!(offset!(plait_mhc_plan_desc, collapse), 28);
    assert_eq!(offset!(plait_mhc_plan_desc, norm), 32);
    assert_eq!(offset!(plait_mhc_plan_desc, norm_weight_dtype), 36);
    assert_eq!(offset!(plait_mhc_plan_desc, sinkhorn_iters), 40);
    assert_eq!(offset!(plait_mhc_plan_desc, rms_eps), 44);
    assert_eq!(offset!(plait_mhc_plan_desc, pre_eps), 48);
    assert_eq!(offset!(plait_mhc_plan_desc, sinkhorn_eps), 52);
    assert_eq!(offset!(plait_mhc_plan_desc, post_mult), 56);
    assert_eq!(offset!(plait_mhc_plan_desc, norm_eps), 60);
    assert_eq!(offset!(plait_mhc_plan_desc, implementation), 64);
}

#[test]
fn plait_mhc_sizes_layout() {
    assert_eq!(size_of::<plait_mhc_sizes>(), 152);
    assert_eq!(offset!(plait_mhc_sizes, struct_size), 0);
    assert_eq!(offset!(plait_mhc_sizes, residual), 8);
    assert_eq!(offset!(plait_mhc_sizes, hidden), 16);
    assert_eq!(offset!(plait_mhc_sizes, pre_mix), 24);
    assert_eq!(offset!(plait_mhc_sizes, post_mix), 32);
    assert_eq!(offset!(plait_mhc_sizes, comb_mix), 40);
    assert_eq!(offset!(plait_mhc_sizes, r#fn), 48);
    assert_eq!(offset!(plait_mhc_sizes, base), 56);
    assert_eq!(offset!(plait_mhc_sizes, scale), 64);
    assert_eq!(offset!(plait_mhc_sizes, head_fn), 72);
    assert_eq!(offset!(plait_mhc_sizes, head_base), 80);
    assert_eq!(offset!(plait_mhc_sizes, head_scale), 88);
    assert_eq!(offset!(plait_mhc_sizes, norm_weight), 96);
    assert_eq!(offset!(plait_mhc_sizes, workspace), 104);
    assert_eq!(offset!(plait_mhc_sizes, workspace_pre), 112);
    assert_eq!(offset!(plait_mhc_sizes, workspace_post), 120);
    assert_eq!(offset!(plait_mhc_sizes, workspace_post_pre), 128);
    assert_eq!(offset!(plait_mhc_sizes, workspace_head), 136);
    assert_eq!(offset!(plait_mhc_sizes, workspace_expand), 144);
}

#[test]
fn plait_mhc_pre_args_layout() {
    assert_eq!(size_of::<plait_mhc_pre_args>(), 248);
    assert_eq!(offset!(plait_mhc_pre_args, struct_size), 0);
    assert_eq!(offset!(plait_mhc_pre_args, tokens), 8);
    assert_eq!(offset!(plait_mhc_pre_args, residual), 16);
    assert_eq!(offset!(plait_mhc_pre_args, residual_stride), 32);
    assert_eq!(offset!(plait_mhc_pre_args, broadcast), 40);
    assert_eq!(offset!(plait_mhc_pre_args, reserved), 44);
    assert_eq!(offset!(plait_mhc_pre_args, r#fn), 48);
    assert_eq!(offset!(plait_mhc_pre_args, base), 64);
    assert_eq!(offset!(plait_mhc_pre_args, scale), 80);
    assert_eq!(offset!(plait_mhc_pre_args, norm_weight), 96);
    assert_eq!(offset!(plait_mhc_pre_args, prev_pre), 112);
    assert_eq!(offset!(plait_mhc_pre_args, prev_pre_stride), 128);
    assert_eq!(offset!(plait_mhc_pre_args, pre_mix), 136);
    assert_eq!(offset!(plait_mhc_pre_args, pre_mix_stride), 152);
    assert_eq!(offset!(plait_mhc_pre_args, post_mix), 160);
    assert_eq!(offset!(plait_mhc_pre_args, post_mix_stride), 176);
    assert_eq!(offset!(plait_mhc_pre_args, comb_mix), 184);
    assert_eq!(offset!(plait_mhc_pre_args, comb_mix_stride), 200);
    assert_eq!(offset!(plait_mhc_pre_args, layer_input), 208);
    assert_eq!(offset!(plait_mhc_pre_args, layer_input_stride), 224);
    assert_eq!(offset!(plait_mhc_pre_args, workspace), 232);
}

#[test]
fn plait_mhc_post_args_layout() {
    assert_eq!(size_of::<plait_mhc_post_args>(), 184);
    assert_eq!(offset!(plait_mhc_post_args, struct_size), 0);
    assert_eq!(offset!(plait_mhc_post_args, tokens), 8);
    assert_eq!(offset!(plait_mhc_post_args, x), 16);
    assert_eq!(offset!(plait_mhc_post_args, x_stride), 32);
    assert_eq!(offset!(plait_mhc_post_args, x2), 40);
    assert_eq!(offset!(plait_mhc_post_args, x2_stride), 56);
    assert_eq!(offset!(plait_mhc_post_args, residual), 64);
    assert_eq!(offset!(plait_mhc_post_args, residual_stride), 80);
    assert_eq!(offset!(plait_mhc_post_args, broadcast), 88);
    assert_eq!(offset!(plait_mhc_post_args, reserved), 92);
    assert_eq!(offset!(plait_mhc_post_args, post_mix), 96);
    assert_eq!(offset!(plait_mhc_post_args, post_mix_stride), 112);
    assert_eq!(offset!(plait_mhc_post_args, comb_mix), 120);
    assert_eq!(offset!(plait_mhc_post_args, comb_mix_stride), 136);
    assert_eq!(offset!(plait_mhc_post_args, residual_out), 144);
    assert_eq!(offset!(plait_mhc_post_args, residual_out_stride), 160);
    assert_eq!(offset!(plait_mhc_post_args, workspace), 168);
}

#[test]
fn plait_mhc_post_pre_args_layout() {
    assert_eq!(size_of::<plait_mhc_post_pre_args>(), 368);
    assert_eq!(offset!(plait_mhc_post_pre_args, struct_size), 0);
    assert_eq!(offset!(plait_mhc_post_pre_args, tokens), 8);
    assert_eq!(offset!(plait_mhc_post_pre_args, x), 16);
    assert_eq!(offset!(plait_mhc_post_pre_args, x_stride), 32);
    assert_eq!(offset!(plait_mhc_post_pre_args, x2), 40);
    assert_eq!(offset!(plait_mhc_post_pre_args, x2_stride), 56);
    assert_eq!(offset!(plait_mhc_post_pre_args, residual), 64);
    assert_eq!(offset!(plait_mhc_post_pre_args, residual_stride), 80);
    assert_eq!(offset!(plait_mhc_post_pre_args, broadcast), 88);
    assert_eq!(offset!(plait_mhc_post_pre_args, reserved), 92);
    assert_eq!(offset!(plait_mhc_post_pre_args, post_mix), 96);
    assert_eq!(offset!(plait_mhc_post_pre_args, post_mix_stride), 112);
    assert_eq!(offset!(plait_mhc_post_pre_args, comb_mix), 120);
    assert_eq!(offset!(plait_mhc_post_pre_args, comb_mix_stride), 136);
    assert_eq!(offset!(plait_mhc_post_pre_args, residual_out), 144);
    assert_eq!(offset!(plait_mhc_post_pre_args, residual_out_stride), 160);
    assert_eq!(offset!(plait_mhc_post_pre_args, r#fn), 168);
    assert_eq!(offset!(plait_mhc_post_pre_args, base), 184);
    assert_eq!(offset!(plait_mhc_post_pre_args, scale), 200);
    assert_eq!(offset!(plait_mhc_post_pre_args, norm_weight), 216);
    assert_eq!(offset!(plait_mhc_post_pre_args, prev_pre), 232);
    assert_eq!(offset!(plait_mhc_post_pre_args, prev_pre_stride), 248);
    assert_eq!(offset!(plait_mhc_post_pre_args, pre_mix), 256);
    assert_eq!(offset!(plait_mhc_post_pre_args, pre_mix_stride), 272);
    assert_eq!(offset!(plait_mhc_post_pre_args, next_post_mix), 280);
    assert_eq!(offset!(plait_mhc_post_pre_args, next_post_mix_stride), 296);
    assert_eq!(offset!(plait_mhc_post_pre_args, next_comb_mix), 304);
    assert_eq!(offset!(plait_mhc_post_pre_args, next_comb_mix_stride), 320);
    assert_eq!(offset!(plait_mhc_post_pre_args, layer_input), 328);
    assert_eq!(offset!(plait_mhc_post_pre_args, layer_input_stride), 344);
    assert_eq!(offset!(plait_mhc_post_pre_args, workspace), 352);
}

#[test]
fn plait_mhc_head_args_layout() {
    assert_eq!(size_of::<plait_mhc_head_args>(), 168);
    assert_eq!(offset!(plait_mhc_head_args, struct_size), 0);
    assert_eq!(offset!(plait_mhc_head_args, tokens), 8);
    assert_eq!(offset!(plait_mhc_head_args, residual), 16);
    assert_eq!(offset!(plait_mhc_head_args, residual_stride), 32);
    assert_eq!(offset!(plait_mhc_head_args, r#fn), 40);
    assert_eq!(offset!(plait_mhc_head_args, base), 56);
    assert_eq!(offset!(plait_mhc_head_args, scale), 72);
    assert_eq!(offset!(plait_mhc_head_args, prev_pre), 88);
    assert_eq!(offset!(plait_mhc_head_args, prev_pre_stride), 104);
    assert_eq!(offset!(plait_mhc_head_args, norm_weight), 112);
    assert_eq!(offset!(plait_mhc_head_args, out), 128);
    assert_eq!(offset!(plait_mhc_head_args, out_stride), 144);
    assert_eq!(offset!(plait_mhc_head_args, workspace), 152);
}

#[test]
fn plait_mhc_expand_args_layout() {
    assert_eq!(size_of::<plait_mhc_expand_args>(), 80);
    assert_eq!(offset!(plait_mhc_expand_args, struct_size), 0);
    assert_eq!(offset!(plait_mhc_expand_args, tokens), 8);
    assert_eq!(offset!(plait_mhc_expand_args, x), 16);
    assert_eq!(offset!(plait_mhc_expand_args, x_stride), 32);
    assert_eq!(offset!(plait_mhc_expand_args, residual_out), 40);
    assert_eq!(offset!(plait_mhc_expand_args, residual_out_stride), 56);
    assert_eq!(offset!(plait_mhc_expand_args, workspace), 64);
}

#[test]
fn plait_topk_plan_desc_layout() {
    assert_eq!(size_of::<plait_topk_plan_desc>(), 48);
    assert_eq!(offset!(plait_topk_plan_desc, struct_size), 0);
    assert_eq!(offset!(plait_topk_plan_desc, max_columns), 8);
    assert_eq!(offset!(plait_topk_plan_desc, k), 16);
    assert_eq!(offset!(plait_topk_plan_desc, order), 24);
    assert_eq!(offset!(plait_topk_plan_desc, dtype), 28);
    assert_eq!(offset!(plait_topk_plan_desc, page_entries), 32);
    assert_eq!(offset!(plait_topk_plan_desc, reserved), 36);
    assert_eq!(offset!(plait_topk_plan_desc, implementation), 40);
}

#[test]
fn plait_topk_sizes_layout() {
    assert_eq!(size_of::<plait_topk_sizes>(), 48);
    assert_eq!(offset!(plait_topk_sizes, struct_size), 0);
    assert_eq!(offset!(plait_topk_sizes, indices), 8);
    assert_eq!(offset!(plait_topk_sizes, values), 16);
    assert_eq!(offset!(plait_topk_sizes, workspace), 24);
    assert_eq!(offset!(plait_topk_sizes, workspace_topk), 32);
    assert_eq!(offset!(plait_topk_sizes, workspace_merge), 40);
}

#[test]
fn plait_topk_args_layout() {
    assert_eq!(size_of::<plait_topk_args>(), 232);
    assert_eq!(offset!(plait_topk_args, struct_size), 0);
    assert_eq!(offset!(plait_topk_args, rows), 8);
    assert_eq!(offset!(plait_topk_args, columns), 16);
    assert_eq!(offset!(plait_topk_args, values), 24);
    assert_eq!(offset!(plait_topk_args, values_stride), 40);
    assert_eq!(offset!(plait_topk_args, row_start), 48);
    assert_eq!(offset!(plait_topk_args, row_end), 64);
    assert_eq!(offset!(plait_topk_args, indices), 80);
    assert_eq!(offset!(plait_topk_args, indices_stride), 96);
    assert_eq!(offset!(plait_topk_args, values_out), 104);
    assert_eq!(offset!(plait_topk_args, values_out_stride), 120);
    assert_eq!(offset!(plait_topk_args, slots), 128);
    assert_eq!(offset!(plait_topk_args, slots_stride), 144);
    assert_eq!(offset!(plait_topk_args, block_table), 152);
    assert_eq!(offset!(plait_topk_args, block_table_columns), 168);
    assert_eq!(offset!(plait_topk_args, block_table_stride), 176);
    assert_eq!(offset!(plait_topk_args, table_count), 184);
    assert_eq!(offset!(plait_topk_args, table_row), 192);
    assert_eq!(offset!(plait_topk_args, rows_per_table), 208);
    assert_eq!(offset!(plait_topk_args, workspace), 216);
}

#[test]
fn plait_topk_merge_args_layout() {
    assert_eq!(size_of::<plait_topk_merge_args>(), 160);
    assert_eq!(offset!(plait_topk_merge_args, struct_size), 0);
    assert_eq!(offset!(plait_topk_merge_args, rows), 8);
    assert_eq!(offset!(plait_topk_merge_args, shards), 16);
    assert_eq!(offset!(plait_topk_merge_args, candidates), 24);
    assert_eq!(offset!(plait_topk_merge_args, values), 32);
    assert_eq!(offset!(plait_topk_merge_args, values_stride), 48);
    assert_eq!(offset!(plait_topk_merge_args, values_shard_stride), 56);
    assert_eq!(offset!(plait_topk_merge_args, indices), 64);
    assert_eq!(offset!(plait_topk_merge_args, indices_stride), 80);
    assert_eq!(offset!(plait_topk_merge_args, indices_shard_stride), 88);
    assert_eq!(offset!(plait_topk_merge_args, indices_out), 96);
    assert_eq!(offset!(plait_topk_merge_args, indices_out_stride), 112);
    assert_eq!(offset!(plait_topk_merge_args, values_out), 120);
    assert_eq!(offset!(plait_topk_merge_args, values_out_stride), 136);
    assert_eq!(offset!(plait_topk_merge_args, workspace), 144);
}

#[test]
fn plait_indexer_plan_desc_layout() {
    assert_eq!(size_of::<plait_indexer_plan_desc>(), 104);
    assert_eq!(offset!(plait_indexer_plan_desc, struct_size), 0);
    assert_eq!(offset!(plait_indexer_plan_desc, heads), 8);
    assert_eq!(offset!(plait_indexer_plan_desc, head_dim), 12);
    assert_eq!(offset!(plait_indexer_plan_desc, format), 16);
    assert_eq!(offset!(plait_indexer_plan_desc, layout), 20);
    assert_eq!(offset!(plait_indexer_plan_desc, page_entries), 24);
    assert_eq!(offset!(plait_indexer_plan_desc, rope_mode), 28);
    assert_eq!(offset!(plait_indexer_plan_desc, rope_dim), 32);
    assert_eq!(offset!(plait_indexer_plan_desc, rope_placement), 36);
    assert_eq!(offset!(plait_indexer_plan_desc, hadamard), 40);
    assert_eq!(offset!(plait_indexer_plan_desc, weights_dtype), 44);
    assert_eq!(offset!(plait_indexer_plan_desc, logits_dtype), 48);
    assert_eq!(offset!(plait_indexer_plan_desc, next_n), 52);
    assert_eq!(offset!(plait_indexer_plan_desc, page_stride), 56);
    assert_eq!(offset!(plait_indexer_plan_desc, topk), 64);
    assert_eq!(offset!(plait_indexer_plan_desc, max_keys), 72);
    assert_eq!(offset!(plait_indexer_plan_desc, select_budget), 80);
    assert_eq!(offset!(plait_indexer_plan_desc, order), 88);
    assert_eq!(offset!(plait_indexer_plan_desc, reserved), 92);
    assert_eq!(offset!(plait_indexer_plan_desc, implementation), 96);
}

#[test]
fn plait_indexer_sizes_layout() {
    assert_eq!(size_of::<plait_indexer_sizes>(), 144);
    assert_eq!(offset!(plait_indexer_sizes, struct_size), 0);
    assert_eq!(offset!(plait_indexer_sizes, q), 8);
    assert_eq!(offset!(plait_indexer_sizes, q_values), 16);
    assert_eq!(offset!(plait_indexer_sizes, q_scale), 24);
    assert_eq!(offset!(plait_indexer_sizes, weights), 32);
    assert_eq!(offset!(plait_indexer_sizes, weights_out), 40);
    assert_eq!(offset!(plait_indexer_sizes, k), 48);
    assert_eq!(offset!(plait_indexer_sizes, k_values), 56);
    assert_eq!(offset!(plait_indexer_sizes, k_scale), 64);
    assert_eq!(offset!(plait_indexer_sizes, page), 72);
    assert_eq!(offset!(plait_indexer_sizes, page_stride), 80);
    assert_eq!(offset!(plait_indexer_sizes, indices), 88);
    assert_eq!(offset!(plait_indexer_sizes, values), 96);
    assert_eq!(offset!(plait_indexer_sizes, workspace), 104);
    assert_eq!(offset!(plait_indexer_sizes, workspace_logits), 112);
    assert_eq!(offset!(plait_indexer_sizes, workspace_select), 120);
    assert_eq!(offset!(plait_indexer_sizes, workspace_quantize), 128);
    assert_eq!(offset!(plait_indexer_sizes, select_least), 136);
}

#[test]
fn plait_indexer_quantize_q_args_layout() {
    assert_eq!(size_of::<plait_indexer_quantize_q_args>(), 160);
    assert_eq!(offset!(plait_indexer_quantize_q_args, struct_size), 0);
    assert_eq!(offset!(plait_indexer_quantize_q_args, tokens), 8);
    assert_eq!(offset!(plait_indexer_quantize_q_args, q), 16);
    assert_eq!(offset!(plait_indexer_quantize_q_args, q_stride), 32);
    assert_eq!(offset!(plait_indexer_quantize_q_args, positions), 40);
    assert_eq!(offset!(plait_indexer_quantize_q_args, cos_sin), 56);
    assert_eq!(offset!(plait_indexer_quantize_q_args, weights), 72);
    assert_eq!(offset!(plait_indexer_quantize_q_args, weights_stride), 88);
    assert_eq!(offset!(plait_indexer_quantize_q_args, q_values), 96);
    assert_eq!(offset!(plait_indexer_quantize_q_args, q_scale), 112);
    assert_eq!(offset!(plait_indexer_quantize_q_args, weights_out), 128);
    assert_eq!(offset!(plait_indexer_quantize_q_args, workspace), 144);
}

#[test]
fn plait_indexer_write_k_args_layout() {
    assert_eq!(size_of::<plait_indexer_write_k_args>(), 136);
    assert_eq!(offset!(plait_indexer_write_k_args, struct_size), 0);
    assert_eq!(offset!(plait_indexer_write_k_args, tokens), 8);
    assert_eq!(offset!(plait_indexer_write_k_args, k), 16);
    assert_eq!(offset!(plait_indexer_write_k_args, k_stride), 32);
    assert_eq!(offset!(plait_indexer_write_k_args, positions), 40);
    assert_eq!(offset!(plait_indexer_write_k_args, cos_sin), 56);
    assert_eq!(offset!(plait_indexer_write_k_args, slot_mapping), 72);
    assert_eq!(offset!(plait_indexer_write_k_args, cache), 88);
    assert_eq!(offset!(plait_indexer_write_k_args, rejected), 104);
    assert_eq!(offset!(plait_indexer_write_k_args, workspace), 120);
}

#[test]
fn plait_indexer_gather_k_args_layout() {
    assert_eq!(size_of::<plait_indexer_gather_k_args>(), 136);
    assert_eq!(offset!(plait_indexer_gather_k_args, struct_size), 0);
    assert_eq!(offset!(plait_indexer_gather_k_args, requests), 8);
    assert_eq!(offset!(plait_indexer_gather_k_args, keys), 16);
    assert_eq!(offset!(plait_indexer_gather_k_args, cache), 24);
    assert_eq!(offset!(plait_indexer_gather_k_args, block_table), 40);
    assert_eq!(offset!(plait_indexer_gather_k_args, block_table_columns), 56);
    assert_eq!(offset!(plait_indexer_gather_k_args, block_table_stride), 64);
    assert_eq!(offset!(plait_indexer_gather_k_args, cu_lengths), 72);
    assert_eq!(offset!(plait_indexer_gather_k_args, k_values), 88);
    assert_eq!(offset!(plait_indexer_gather_k_args, k_scale), 104);
    assert_eq!(offset!(plait_indexer_gather_k_args, workspace), 120);
}

#[test]
fn plait_indexer_convert_k_args_layout() {
    assert_eq!(size_of::<plait_indexer_convert_k_args>(), 104);
    assert_eq!(offset!(plait_indexer_convert_k_args, struct_size), 0);
    assert_eq!(offset!(plait_indexer_convert_k_args, rows), 8);
    assert_eq!(offset!(plait_indexer_convert_k_args, from_format), 16);
    assert_eq!(offset!(plait_indexer_convert_k_args, reserved), 20);
    assert_eq!(offset!(plait_indexer_convert_k_args, src_values), 24);
    assert_eq!(offset!(plait_indexer_convert_k_args, src_scale), 40);
    assert_eq!(offset!(plait_indexer_convert_k_args, dst_values), 56);
    assert_eq!(offset!(plait_indexer_convert_k_args, dst_scale), 72);
    assert_eq!(offset!(plait_indexer_convert_k_args, workspace), 88);
}

#[test]
fn plait_indexer_convert_cache_args_layout() {
    assert_eq!(size_of::<plait_indexer_convert_cache_args>(), 64);
    assert_eq!(offset!(plait_indexer_convert_cache_args, struct_size), 0);
    assert_eq!(offset!(plait_indexer_convert_cache_args, from_format), 8);
    assert_eq!(offset!(plait_indexer_convert_cache_args, reserved), 12);
    assert_eq!(offset!(plait_indexer_convert_cache_args, src_cache), 16);
    assert_eq!(offset!(plait_indexer_convert_cache_args, cache), 32);
    assert_eq!(offset!(plait_indexer_convert_cache_args, workspace), 48);
}

#[test]
fn plait_indexer_logits_ragged_args_layout() {
    assert_eq!(size_of::<plait_indexer_logits_ragged_args>(), 192);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, struct_size), 0);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, rows), 8);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, keys), 16);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, q_values), 24);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, q_scale), 40);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, weights), 56);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, weights_stride), 72);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, k_values), 80);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, k_scale), 96);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, row_start), 112);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, row_end), 128);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, logits), 144);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, logits_stride), 160);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, fill), 168);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, reserved), 172);
    assert_eq!(offset!(plait_indexer_logits_ragged_args, workspace), 176);
}

#[test]
fn plait_indexer_logits_paged_args_layout() {
    assert_eq!(size_of::<plait_indexer_logits_paged_args>(), 192);
    assert_eq!(offset!(plait_indexer_logits_paged_args, struct_size), 0);
    assert_eq!(offset!(plait_indexer_logits_paged_args, requests), 8);
    assert_eq!(offset!(plait_indexer_logits_paged_args, columns), 16);
    assert_eq!(offset!(plait_indexer_logits_paged_args, q_values), 24);
    assert_eq!(offset!(plait_indexer_logits_paged_args, q_scale), 40);
    assert_eq!(offset!(plait_indexer_logits_paged_args, weights), 56);
    assert_eq!(offset!(plait_indexer_logits_paged_args, weights_stride), 72);
    assert_eq!(offset!(plait_indexer_logits_paged_args, cache), 80);
    assert_eq!(offset!(plait_indexer_logits_paged_args, block_table), 96);
    assert_eq!(offset!(plait_indexer_logits_paged_args, block_table_columns), 112);
    assert_eq!(offset!(plait_indexer_logits_paged_args, block_table_stride), 120);
    assert_eq!(offset!(plait_indexer_logits_paged_args, lengths), 128);
    assert_eq!(offset!(plait_indexer_logits_paged_args, lengths_per_request), 144);
    assert_eq!(offset!(plait_indexer_logits_paged_args, fill), 148);
    assert_eq!(offset!(plait_indexer_logits_paged_args, logits), 152);
    assert_eq!(offset!(plait_indexer_logits_paged_args, logits_stride), 168);
    assert_eq!(offset!(plait_indexer_logits_paged_args, workspace), 176);
}

#[test]
fn plait_indexer_select_ragged_args_layout() {
    assert_eq!(size_of::<plait_indexer_select_ragged_args>(), 288);
    assert_eq!(offset!(plait_indexer_select_ragged_args, struct_size), 0);
    assert_eq!(offset!(plait_indexer_select_ragged_args, rows), 8);
    assert_eq!(offset!(plait_indexer_select_ragged_args, keys), 16);
    assert_eq!(offset!(plait_indexer_select_ragged_args, q_values), 24);
    assert_eq!(offset!(plait_indexer_select_ragged_args, q_scale), 40);
    assert_eq!(offset!(plait_indexer_select_ragged_args, weights), 56);
    assert_eq!(offset!(plait_indexer_select_ragged_args, weights_stride), 72);
    assert_eq!(offset!(plait_indexer_select_ragged_args, k_values), 80);
    assert_eq!(offset!(plait_indexer_select_ragged_args, k_scale), 96);
    assert_eq!(offset!(plait_indexer_select_ragged_args, row_start), 112);
    assert_eq!(offset!(plait_indexer_select_ragged_args, row_end), 128);
    assert_eq!(offset!(plait_indexer_select_ragged_args, indices), 144);
    assert_eq!(offset!(plait_indexer_select_ragged_args, indices_stride), 160);
    assert_eq!(offset!(plait_indexer_select_ragged_args, values_out), 168);
    assert_eq!(offset!(plait_indexer_select_ragged_args, values_out_stride), 184);
    assert_eq!(offset!(plait_indexer_select_ragged_args, slots), 192);
    assert_eq!(offset!(plait_indexer_select_ragged_args, slots_stride), 208);
    assert_eq!(offset!(plait_indexer_select_ragged_args, block_table), 216);
    assert_eq!(offset!(plait_indexer_select_ragged_args, block_table_columns), 232);
    assert_eq!(offset!(plait_indexer_select_ragged_args, block_table_stride), 240);
    assert_eq!(offset!(plait_indexer_select_ragged_args, table_count), 248);
    assert_eq!(offset!(plait_indexer_select_ragged_args, table_row), 256);
    assert_eq!(offset!(plait_indexer_select_ragged_args, workspace), 272);
}

#[test]
fn plait_indexer_select_paged_args_layout() {
    assert_eq!(size_of::<plait_indexer_select_paged_args>(), 240);
    assert_eq!(offset!(plait_indexer_select_paged_args, struct_size), 0);
    assert_eq!(offset!(plait_indexer_select_paged_args, requests), 8);
    assert_eq!(offset!(plait_indexer_select_paged_args, columns), 16);
    assert_eq!(offset!(plait_indexer_select_paged_args, q_values), 24);
    assert_eq!(offset!(plait_indexer_select_paged_args, q_scale), 40);
    assert_eq!(offset!(plait_indexer_select_paged_args, weights), 56);
    assert_eq!(offset!(plait_indexer_select_paged_args, weights_stride), 72);
    assert_eq!(offset!(plait_indexer_select_paged_args, cache), 80);
    assert_eq!(offset!(plait_indexer_select_paged_args, block_table), 96);
    assert_eq!(offset!(plait_indexer_select_paged_args, block_table_columns), 112);
    assert_eq!(offset!(plait_indexer_select_paged_args, block_table_stride), 120);
    assert_eq!(offset!(plait_indexer_select_paged_args, lengths), 128);
    assert_eq!(offset!(plait_indexer_select_paged_args, lengths_per_request), 144);
    assert_eq!(offset!(plait_indexer_select_paged_args, reserved), 148);
    assert_eq!(offset!(plait_indexer_select_paged_args, indices), 152);
    assert_eq!(offset!(plait_indexer_select_paged_args, indices_stride), 168);
    assert_eq!(offset!(plait_indexer_select_paged_args, values_out), 176);
    assert_eq!(offset!(plait_indexer_select_paged_args, values_out_stride), 192);
    assert_eq!(offset!(plait_indexer_select_paged_args, slots), 200);
    assert_eq!(offset!(plait_indexer_select_paged_args, slots_stride), 216);
    assert_eq!(offset!(plait_indexer_select_paged_args, workspace), 224);
}

#[test]
fn plait_indexer_map_slots_args_layout() {
    assert_eq!(size_of::<plait_indexer_map_slots_args>(), 144);
    assert_eq!(offset!(plait_indexer_map_slots_args, struct_size), 0);
    assert_eq!(offset!(plait_indexer_map_slots_args, rows), 8);
    assert_eq!(offset!(plait_indexer_map_slots_args, columns), 16);
    assert_eq!(offset!(plait_indexer_map_slots_args, indices), 24);
    assert_eq!(offset!(plait_indexer_map_slots_args, indices_stride), 40);
    assert_eq!(offset!(plait_indexer_map_slots_args, block_table), 48);
    assert_eq!(offset!(plait_indexer_map_slots_args, block_table_columns), 64);
    assert_eq!(offset!(plait_indexer_map_slots_args, block_table_stride), 72);
    assert_eq!(offset!(plait_indexer_map_slots_args, table_count), 80);
    assert_eq!(offset!(plait_indexer_map_slots_args, table_row), 88);
    assert_eq!(offset!(plait_indexer_map_slots_args, slots), 104);
    assert_eq!(offset!(plait_indexer_map_slots_args, slots_stride), 120);
    assert_eq!(offset!(plait_indexer_map_slots_args, workspace), 128);
}
