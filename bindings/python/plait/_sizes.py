# SPDX-License-Identifier: MIT
# Written by bindings/tools/generate.py from include/plait. Do not edit.
"""Sizes in bytes, as the plans give them."""
from typing import NamedTuple


class MhcSizes(NamedTuple):
    """Bytes of the buffers and workspaces of the mhc calls."""

    residual: int
    """[T, n, H] dtype."""
    hidden: int
    """[T, H] dtype: x, x2, layer_input, the head's out."""
    pre_mix: int
    """[T, n] f32; prev_pre too."""
    post_mix: int
    """[T, n] f32."""
    comb_mix: int
    """[T, n, n] f32."""
    fn: int
    """[M, n * H] fn_dtype."""
    base: int
    """[M] f32."""
    scale: int
    """[3] f32."""
    head_fn: int
    """[n, n * H] fn_dtype."""
    head_base: int
    """[n] f32."""
    head_scale: int
    """[1] f32."""
    norm_weight: int
    """[H] norm_weight_dtype."""
    workspace: int
    """The largest of the five below: one that serves every call."""
    workspace_pre: int
    """Workspace of plait_mhc_pre()."""
    workspace_post: int
    """Workspace of plait_mhc_post()."""
    workspace_post_pre: int
    """Workspace of plait_mhc_post_pre()."""
    workspace_head: int
    """Workspace of plait_mhc_head()."""
    workspace_expand: int
    """Workspace of plait_mhc_expand()."""


class IndexerSizes(NamedTuple):
    """Bytes of the buffers and workspaces of the indexer calls."""

    q: int
    """[rows, Hq, D] bf16."""
    q_values: int
    """[rows, Hq, V] bytes."""
    q_scale: int
    """[rows, Hq] f32, or mxfp4 [rows, Hq, D / 32] bytes."""
    weights: int
    """[rows, Hq] weights_dtype."""
    weights_out: int
    """[rows, Hq] f32."""
    k: int
    """[rows, D] bf16."""
    k_values: int
    """[rows, V] bytes."""
    k_scale: int
    """[rows] f32, or mxfp4 [rows, D / 32] bytes."""
    page: int
    """Bytes of one page's contents: P * (V + S), rounded up to the granularity of
    page_stride."""
    page_stride: int
    """Bytes between pages, as the plan resolved it."""
    indices: int
    """[rows, K] int32; slots too."""
    values: int
    """[rows, K] f32: values_out of select."""
    workspace: int
    """The largest of the three below: one that serves every call."""
    workspace_logits: int
    """Workspace of the logits calls."""
    workspace_select: int
    """Workspace of the select calls; at most select_budget."""
    workspace_quantize: int
    """Workspace of quantize_q, write_k, gather_k, convert, map_slots."""
    select_least: int
    """The least select_budget that this problem can work with; 0 when the plan has no
    select."""


class TopkSizes(NamedTuple):
    """Bytes of the buffers and workspaces of the topk calls."""

    indices: int
    """[rows, K] int32; slots too."""
    values: int
    """[rows, K] dtype: values_out."""
    workspace: int
    """The larger of the two below."""
    workspace_topk: int
    """Workspace of plait_topk()."""
    workspace_merge: int
    """Workspace of plait_topk_merge()."""
