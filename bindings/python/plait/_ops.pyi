# SPDX-License-Identifier: MIT
# Written by bindings/tools/generate.py from include/plait. Do not edit.
from typing import Optional, Union

from ._buffers import Buffer, StreamLike
from ._call import Call, PlanBase
from ._context import Context
from ._enums import Collapse, Dtype, Format, Layout, Norm, Order, Rope, RopePlacement
from ._sizes import IndexerSizes, MhcSizes, TopkSizes


class MhcOps(PlanBase):
    def __init__(
            self, context: Context, *, hidden: int, hc_mult: int = ...,
            dtype: Union[Dtype, str, int] = ..., fn_dtype: Union[Dtype, str, int] = ...,
            collapse: Union[Collapse, str, int] = ..., norm: Union[Norm, str, int] = ...,
            norm_weight_dtype: Union[Dtype, str, int] = ..., sinkhorn_iters: int = ...,
            rms_eps: float = ..., pre_eps: float = ..., sinkhorn_eps: float = ...,
            post_mult: float = ..., norm_eps: float = ..., implementation: Optional[str] = ...
    ) -> None:
        """A plan; what is not given has the default of the C descriptor.

        hidden: H, 1 … #PLAIT_MHC_MAX_HIDDEN. Required.
        hc_mult: n, 1 … #PLAIT_MHC_MAX_STREAMS; default 4.
        dtype: Of residual, x, layer_input, out: PLAIT_DTYPE_…; default BF16.
        fn_dtype: Of fn and the head's fn; default F32.
        collapse: PLAIT_MHC_COLLAPSE_…; default CURRENT.
        norm: PLAIT_MHC_NORM_… bits; default 0: no norm folded in.
        norm_weight_dtype: Of norm_weight; default BF16.
        sinkhorn_iters: 1 … #PLAIT_MHC_MAX_SINKHORN_ITERS; default 20.
        rms_eps: Finite, >= 0; default 1e-6.
        pre_eps: Added to each pre; finite, >= 0; default 1e-6.
        sinkhorn_eps: Finite, >= 0; default 1e-6.
        post_mult: Factor of each post; finite; default 2.
        norm_eps: Of the folded RMSNorm; finite, >= 0; default 1e-6.
        implementation: Name from plait_plan_candidate(), taken for each operation whose list
            has it; NULL: the context's, else the best. Copied.
        """

    def sizes(self, tokens: int) -> MhcSizes: ...

    def pre(
            self, *, tokens: int, residual: Buffer = ..., residual_stride: int = ...,
            broadcast: bool = ..., fn: Buffer = ..., base: Buffer = ..., scale: Buffer = ...,
            norm_weight: Buffer = ..., prev_pre: Buffer = ..., prev_pre_stride: int = ...,
            pre_mix: Buffer = ..., pre_mix_stride: int = ..., post_mix: Buffer = ...,
            post_mix_stride: int = ..., comb_mix: Buffer = ..., comb_mix_stride: int = ...,
            layer_input: Buffer = ..., layer_input_stride: int = ..., workspace: Buffer = ...,
            stream: StreamLike = ...
    ) -> None:
        """pre: the mixes of a sublayer and its input.

        tokens: T >= 0; 0 touches nothing.
        residual: [T, n, H] dtype; [T, H] when `broadcast`.
        residual_stride: Elements between tokens; 0: contiguous.
        broadcast: 1: residual is [T, H] and stands for n equal streams.
        fn: [M, n * H] fn_dtype: n rows pre, n post, n * n comb.
        base: [M] f32, in the order of fn's rows.
        scale: [3] f32: pre, post, comb.
        norm_weight: [H] norm_weight_dtype; required exactly when the plan has
            #PLAIT_MHC_NORM_LAYER_INPUT.
        prev_pre: DELAYED only: [T, n] f32; NULL: stream 0, exactly.
        prev_pre_stride: Elements; 0: n.
        pre_mix: [T, n] f32. Required when DELAYED, else optional.
        pre_mix_stride: Elements; 0: n.
        post_mix: [T, n] f32.
        post_mix_stride: Elements; 0: n.
        comb_mix: [T, n, n] f32, [source][destination].
        comb_mix_stride: Elements; 0: n * n.
        layer_input: [T, H] dtype.
        layer_input_stride: Elements; 0: H.
        workspace: workspace_pre bytes, aligned to 256.
        """

    def bind_pre(
            self, *, tokens: int, residual: Buffer = ..., residual_stride: int = ...,
            broadcast: bool = ..., fn: Buffer = ..., base: Buffer = ..., scale: Buffer = ...,
            norm_weight: Buffer = ..., prev_pre: Buffer = ..., prev_pre_stride: int = ...,
            pre_mix: Buffer = ..., pre_mix_stride: int = ..., post_mix: Buffer = ...,
            post_mix_stride: int = ..., comb_mix: Buffer = ..., comb_mix_stride: int = ...,
            layer_input: Buffer = ..., layer_input_stride: int = ..., workspace: Buffer = ...
    ) -> Call:
        """pre with its arguments packed once."""

    def post(
            self, *, tokens: int, x: Buffer = ..., x_stride: int = ..., x2: Buffer = ...,
            x2_stride: int = ..., residual: Buffer = ..., residual_stride: int = ...,
            broadcast: bool = ..., post_mix: Buffer = ..., post_mix_stride: int = ...,
            comb_mix: Buffer = ..., comb_mix_stride: int = ..., residual_out: Buffer = ...,
            residual_out_stride: int = ..., workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """post: mixes a sublayer's output into the residual streams.

        tokens: T >= 0; 0 touches nothing.
        x: [T, H] dtype: the sublayer's output.
        x_stride: Elements; 0: H.
        x2: Optional second output, added to x in f32 (shared expert).
        x2_stride: Elements; 0: H.
        residual: [T, n, H] dtype; [T, H] when `broadcast`.
        residual_stride: Elements; 0: contiguous.
        broadcast: 1: residual is [T, H] and stands for n equal streams.
        post_mix: [T, n] f32.
        post_mix_stride: Elements; 0: n.
        comb_mix: [T, n, n] f32, [source][destination]; NULL: identity.
        comb_mix_stride: Elements; 0: n * n.
        residual_out: [T, n, H] dtype. May be exactly `residual` (same pointer and stride, no
            broadcast): in place.
        residual_out_stride: Elements; 0: n * H.
        workspace: workspace_post bytes, aligned to 256.
        """

    def bind_post(
            self, *, tokens: int, x: Buffer = ..., x_stride: int = ..., x2: Buffer = ...,
            x2_stride: int = ..., residual: Buffer = ..., residual_stride: int = ...,
            broadcast: bool = ..., post_mix: Buffer = ..., post_mix_stride: int = ...,
            comb_mix: Buffer = ..., comb_mix_stride: int = ..., residual_out: Buffer = ...,
            residual_out_stride: int = ..., workspace: Buffer = ...
    ) -> Call:
        """post with its arguments packed once."""

    def post_pre(
            self, *, tokens: int, x: Buffer = ..., x_stride: int = ..., x2: Buffer = ...,
            x2_stride: int = ..., residual: Buffer = ..., residual_stride: int = ...,
            broadcast: bool = ..., post_mix: Buffer = ..., post_mix_stride: int = ...,
            comb_mix: Buffer = ..., comb_mix_stride: int = ..., residual_out: Buffer = ...,
            residual_out_stride: int = ..., fn: Buffer = ..., base: Buffer = ...,
            scale: Buffer = ..., norm_weight: Buffer = ..., prev_pre: Buffer = ...,
            prev_pre_stride: int = ..., pre_mix: Buffer = ..., pre_mix_stride: int = ...,
            next_post_mix: Buffer = ..., next_post_mix_stride: int = ...,
            next_comb_mix: Buffer = ..., next_comb_mix_stride: int = ..., layer_input: Buffer = ...,
            layer_input_stride: int = ..., workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """post of one sublayer and pre of the next, on the rounded new residual: bit for
        bit what plait_mhc_post() followed by plait_mhc_pre() returns.

        tokens: T >= 0; 0 touches nothing.
        x: [T, H] dtype.
        x_stride: Elements; 0: H.
        x2: Optional, added to x in f32.
        x2_stride: Elements; 0: H.
        residual: [T, n, H] dtype; [T, H] when `broadcast`.
        residual_stride: Elements; 0: contiguous.
        broadcast: 1: residual is [T, H] and stands for n equal streams.
        post_mix: [T, n] f32, of the sublayer that ended.
        post_mix_stride: Elements; 0: n.
        comb_mix: [T, n, n] f32; NULL: identity.
        comb_mix_stride: Elements; 0: n * n.
        residual_out: [T, n, H] dtype; may be exactly `residual`.
        residual_out_stride: Elements; 0: n * H.
        fn: [M, n * H] fn_dtype, of the sublayer that begins.
        base: [M] f32.
        scale: [3] f32.
        norm_weight: As in #plait_mhc_pre_args.
        prev_pre: DELAYED only: [T, n] f32; NULL: stream 0, exactly.
        prev_pre_stride: Elements; 0: n.
        pre_mix: [T, n] f32. Required when DELAYED, else optional.
        pre_mix_stride: Elements; 0: n.
        next_post_mix: [T, n] f32.
        next_post_mix_stride: Elements; 0: n.
        next_comb_mix: [T, n, n] f32.
        next_comb_mix_stride: Elements; 0: n * n.
        layer_input: [T, H] dtype.
        layer_input_stride: Elements; 0: H.
        workspace: workspace_post_pre bytes, aligned to 256.
        """

    def bind_post_pre(
            self, *, tokens: int, x: Buffer = ..., x_stride: int = ..., x2: Buffer = ...,
            x2_stride: int = ..., residual: Buffer = ..., residual_stride: int = ...,
            broadcast: bool = ..., post_mix: Buffer = ..., post_mix_stride: int = ...,
            comb_mix: Buffer = ..., comb_mix_stride: int = ..., residual_out: Buffer = ...,
            residual_out_stride: int = ..., fn: Buffer = ..., base: Buffer = ...,
            scale: Buffer = ..., norm_weight: Buffer = ..., prev_pre: Buffer = ...,
            prev_pre_stride: int = ..., pre_mix: Buffer = ..., pre_mix_stride: int = ...,
            next_post_mix: Buffer = ..., next_post_mix_stride: int = ...,
            next_comb_mix: Buffer = ..., next_comb_mix_stride: int = ..., layer_input: Buffer = ...,
            layer_input_stride: int = ..., workspace: Buffer = ...
    ) -> Call:
        """post_pre with its arguments packed once."""

    def head(
            self, *, tokens: int, residual: Buffer = ..., residual_stride: int = ...,
            fn: Buffer = ..., base: Buffer = ..., scale: Buffer = ..., prev_pre: Buffer = ...,
            prev_pre_stride: int = ..., norm_weight: Buffer = ..., out: Buffer = ...,
            out_stride: int = ..., workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """head: collapses the streams after the last layer.

        tokens: T >= 0; 0 touches nothing.
        residual: [T, n, H] dtype.
        residual_stride: Elements; 0: n * H.
        fn: [n, n * H] fn_dtype. CURRENT only; must be NULL when DELAYED.
        base: [n] f32. CURRENT only.
        scale: [1] f32. CURRENT only.
        prev_pre: DELAYED only: p, [T, n] f32; NULL: stream 0, exactly.
        prev_pre_stride: Elements; 0: n.
        norm_weight: [H] norm_weight_dtype; required exactly when the plan has
            #PLAIT_MHC_NORM_HEAD.
        out: [T, H] dtype.
        out_stride: Elements; 0: H.
        workspace: workspace_head bytes, aligned to 256.
        """

    def bind_head(
            self, *, tokens: int, residual: Buffer = ..., residual_stride: int = ...,
            fn: Buffer = ..., base: Buffer = ..., scale: Buffer = ..., prev_pre: Buffer = ...,
            prev_pre_stride: int = ..., norm_weight: Buffer = ..., out: Buffer = ...,
            out_stride: int = ..., workspace: Buffer = ...
    ) -> Call:
        """head with its arguments packed once."""

    def expand(
            self, *, tokens: int, x: Buffer = ..., x_stride: int = ..., residual_out: Buffer = ...,
            residual_out_stride: int = ..., workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """expand: n equal streams from the embedding.

        tokens: T >= 0; 0 touches nothing.
        x: [T, H] dtype: the embedding.
        x_stride: Elements; 0: H.
        residual_out: [T, n, H] dtype: n copies of x.
        residual_out_stride: Elements; 0: n * H.
        workspace: workspace_expand bytes, aligned to 256.
        """

    def bind_expand(
            self, *, tokens: int, x: Buffer = ..., x_stride: int = ..., residual_out: Buffer = ...,
            residual_out_stride: int = ..., workspace: Buffer = ...
    ) -> Call:
        """expand with its arguments packed once."""


class IndexerOps(PlanBase):
    def __init__(
            self, context: Context, *, heads: int = ..., head_dim: int = ...,
            format: Union[Format, str, int] = ..., layout: Union[Layout, str, int] = ...,
            page_entries: int = ..., rope_mode: Union[Rope, str, int] = ..., rope_dim: int = ...,
            rope_placement: Union[RopePlacement, str, int] = ..., hadamard: bool = ...,
            weights_dtype: Union[Dtype, str, int] = ..., logits_dtype: Union[Dtype, str, int] = ...,
            next_n: int = ..., page_stride: int = ..., topk: int = ..., max_keys: int = ...,
            select_budget: int = ..., order: Union[Order, str, int] = ...,
            implementation: Optional[str] = ...
    ) -> None:
        """A plan; what is not given has the default of the C descriptor.

        heads: Hq, 1 … #PLAIT_INDEXER_MAX_HEADS; default 64.
        head_dim: D, a multiple of 32 up to #PLAIT_INDEXER_MAX_HEAD_DIM; a power of two with
            hadamard; default 128.
        format: PLAIT_FORMAT_…; default FP8_E4M3FN.
        layout: PLAIT_LAYOUT_…; default BLOCK_FLAT.
        page_entries: P, 1 … #PLAIT_INDEXER_MAX_PAGE_ENTRIES; default 64.
        rope_mode: PLAIT_ROPE_…; default INTERLEAVED.
        rope_dim: Even, 2 … D; ignored when rope_mode is NONE; default 64.
        rope_placement: PLAIT_ROPE_FIRST or _LAST; default LAST.
        hadamard: 1: Hadamard transform of q and of k; default 0.
        weights_dtype: Of the weights given to quantize_q; default F32.
        logits_dtype: F32 or BF16; default F32.
        next_n: N of the paged calls, 1 … #PLAIT_INDEXER_MAX_NEXT_N; default 1.
        page_stride: Bytes between pages; a multiple of 4 (16 when TILED); 0, the default: the
            smallest such, plait_indexer_sizes::page.
        topk: K of select, 0 … 2^31 - 1; 0, the default: the plan has no select.
        max_keys: Longest row of a select call, 1 … 2^31 - 1; default 1048576.
        select_budget: Most bytes of workspace_select; default 256 MiB. Plan creation fails with
            BUDGET_TOO_SMALL, and says the least, when no implementation can work within it.
        order: PLAIT_ORDER_… of select; default ANY.
        implementation: As in #plait_mhc_plan_desc.
        """

    def sizes(self, rows: int) -> IndexerSizes: ...

    def quantize_q(
            self, *, tokens: int, q: Buffer = ..., q_stride: int = ..., positions: Buffer = ...,
            cos_sin: Buffer = ..., weights: Buffer = ..., weights_stride: int = ...,
            q_values: Buffer = ..., q_scale: Buffer = ..., weights_out: Buffer = ...,
            workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """Rotates, transforms and quantises query rows, and folds scales into the head
        weights.

        tokens: T >= 0; 0 touches nothing.
        q: [T, Hq, D] bf16.
        q_stride: Elements between tokens; 0: Hq * D.
        positions: [T] int64: rows of cos_sin. Not read when rope is NONE.
        cos_sin: [positions, rope_dim] f32: cos of rope_dim / 2 angles, then sin. The number of
            rows is size / (4 * rope_dim).
        weights: [T, Hq] weights_dtype.
        weights_stride: Elements; 0: Hq.
        q_values: [T, Hq, V] bytes, contiguous.
        q_scale: fp8: optional [T, Hq] f32, contiguous. mxfp4: required [T, Hq, D / 32] bytes.
        weights_out: [T, Hq] f32, contiguous.
        workspace: workspace_quantize bytes, aligned to 256.
        """

    def bind_quantize_q(
            self, *, tokens: int, q: Buffer = ..., q_stride: int = ..., positions: Buffer = ...,
            cos_sin: Buffer = ..., weights: Buffer = ..., weights_stride: int = ...,
            q_values: Buffer = ..., q_scale: Buffer = ..., weights_out: Buffer = ...,
            workspace: Buffer = ...
    ) -> Call:
        """quantize_q with its arguments packed once."""

    def write_k(
            self, *, tokens: int, k: Buffer = ..., k_stride: int = ..., positions: Buffer = ...,
            cos_sin: Buffer = ..., slot_mapping: Buffer = ..., cache: Buffer = ...,
            rejected: Buffer = ..., workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """Rotates, transforms and quantises key rows into their pages.

        tokens: T >= 0; 0 touches nothing.
        k: [T, D] bf16.
        k_stride: Elements between tokens; 0: D.
        positions: [T] int64; as for quantize_q.
        cos_sin: As for quantize_q.
        slot_mapping: [T] int64: page * P + entry; negative: the token is skipped. Slots of one
            call must differ from one another.
        cache: The page pool: aligned to 4 bytes (16 when TILED). Its pages are as many as fit
            `size`: the last may lack the stride's tail.
        rejected: Optional [1] int32: how many tokens were left out because their slot lies past
            the cache or their position past cos_sin.
        workspace: workspace_quantize bytes, aligned to 256.
        """

    def bind_write_k(
            self, *, tokens: int, k: Buffer = ..., k_stride: int = ..., positions: Buffer = ...,
            cos_sin: Buffer = ..., slot_mapping: Buffer = ..., cache: Buffer = ...,
            rejected: Buffer = ..., workspace: Buffer = ...
    ) -> Call:
        """write_k with its arguments packed once."""

    def gather_k(
            self, *, requests: int, keys: int = ..., cache: Buffer = ..., block_table: Buffer = ...,
            block_table_columns: int = ..., block_table_stride: int = ..., cu_lengths: Buffer = ...,
            k_values: Buffer = ..., k_scale: Buffer = ..., workspace: Buffer = ...,
            stream: StreamLike = ...
    ) -> None:
        """Copies the keys of several requests from their pages into contiguous rows.

        requests: B >= 0; 0 touches nothing.
        keys: Rows that the outputs have room for; rows past it are not written.
        cache: As for write_k.
        block_table: [B, block_table_columns] int32 page ids.
        block_table_columns: Pages a request has.
        block_table_stride: Elements; 0: block_table_columns.
        cu_lengths: [B + 1] int32, ascending from 0: request b fills rows cu_lengths[b] …
            cu_lengths[b + 1] - 1.
        k_values: [keys, V] bytes, contiguous.
        k_scale: [keys] f32, or mxfp4 [keys, D / 32] bytes; contiguous.
        workspace: workspace_quantize bytes, aligned to 256.
        """

    def bind_gather_k(
            self, *, requests: int, keys: int = ..., cache: Buffer = ..., block_table: Buffer = ...,
            block_table_columns: int = ..., block_table_stride: int = ..., cu_lengths: Buffer = ...,
            k_values: Buffer = ..., k_scale: Buffer = ..., workspace: Buffer = ...
    ) -> Call:
        """gather_k with its arguments packed once."""

    def convert_k(
            self, *, rows: int, from_format: Union[Format, str, int], src_values: Buffer = ...,
            src_scale: Buffer = ..., dst_values: Buffer = ..., dst_scale: Buffer = ...,
            workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """Changes the fp8 flavour of quantised rows, keeping value * scale.

        rows: Rows of D values; 0 touches nothing.
        from_format: The fp8 format of src; the plan's is that of dst.
        src_values: [rows, D] bytes, contiguous.
        src_scale: [rows] f32.
        dst_values: [rows, D] bytes; may be exactly src_values.
        dst_scale: [rows] f32; may be exactly src_scale.
        workspace: workspace_quantize bytes, aligned to 256.
        """

    def bind_convert_k(
            self, *, rows: int, from_format: Union[Format, str, int], src_values: Buffer = ...,
            src_scale: Buffer = ..., dst_values: Buffer = ..., dst_scale: Buffer = ...,
            workspace: Buffer = ...
    ) -> Call:
        """convert_k with its arguments packed once."""

    def convert_cache(
            self, *, from_format: Union[Format, str, int], src_cache: Buffer = ...,
            cache: Buffer = ..., workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """plait_indexer_convert_k() for every entry of every page of a pool. The bytes
        between the end of a page's contents and the next page are not touched.

        from_format: The fp8 format of src_cache; the plan's is that of cache.
        src_cache: A page pool of the plan's layout, P and page_stride.
        cache: Room for as many pages; may be exactly src_cache.
        workspace: workspace_quantize bytes, aligned to 256.
        """

    def bind_convert_cache(
            self, *, from_format: Union[Format, str, int], src_cache: Buffer = ...,
            cache: Buffer = ..., workspace: Buffer = ...
    ) -> Call:
        """convert_cache with its arguments packed once."""

    def logits_ragged(
            self, *, rows: int, keys: int = ..., q_values: Buffer = ..., q_scale: Buffer = ...,
            weights: Buffer = ..., weights_stride: int = ..., k_values: Buffer = ...,
            k_scale: Buffer = ..., row_start: Buffer = ..., row_end: Buffer = ...,
            logits: Buffer = ..., logits_stride: int = ..., fill: bool = ...,
            workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """Logits of packed (prefill) rows over contiguous keys.

        rows: Query rows >= 0; 0 touches nothing.
        keys: Rows of k, 0 … 2^31 - 1; also the columns of `logits`.
        q_values: [rows, Hq, V] bytes.
        q_scale: mxfp4: [rows, Hq, D / 32] bytes. fp8: not read (folded).
        weights: [rows, Hq] f32: weights_out of quantize_q.
        weights_stride: Elements; 0: Hq.
        k_values: [keys, V] bytes.
        k_scale: [keys] f32, or mxfp4 [keys, D / 32] bytes.
        row_start: [rows] int32: first key of a row.
        row_end: [rows] int32: one past its last key; clamped to keys.
        logits: [rows, keys] logits_dtype.
        logits_stride: Elements; 0: keys.
        fill: 1: columns outside a row's range become -inf; 0: not written.
        workspace: workspace_logits bytes, aligned to 256.
        """

    def bind_logits_ragged(
            self, *, rows: int, keys: int = ..., q_values: Buffer = ..., q_scale: Buffer = ...,
            weights: Buffer = ..., weights_stride: int = ..., k_values: Buffer = ...,
            k_scale: Buffer = ..., row_start: Buffer = ..., row_end: Buffer = ...,
            logits: Buffer = ..., logits_stride: int = ..., fill: bool = ...,
            workspace: Buffer = ...
    ) -> Call:
        """logits_ragged with its arguments packed once."""

    def logits_paged(
            self, *, requests: int, columns: int = ..., q_values: Buffer = ...,
            q_scale: Buffer = ..., weights: Buffer = ..., weights_stride: int = ...,
            cache: Buffer = ..., block_table: Buffer = ..., block_table_columns: int = ...,
            block_table_stride: int = ..., lengths: Buffer = ..., lengths_per_request: bool = ...,
            fill: bool = ..., logits: Buffer = ..., logits_stride: int = ...,
            workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """Logits of decode rows over paged keys. A key whose page is past the table or
        outside the cache has the logit -inf.

        requests: B >= 0; 0 touches nothing. Rows are B * N, padding included.
        columns: Columns of `logits`, 0 … 2^31 - 1.
        q_values: [B * N, Hq, V] bytes.
        q_scale: mxfp4: [B * N, Hq, D / 32] bytes. fp8: not read.
        weights: [B * N, Hq] f32.
        weights_stride: Elements; 0: Hq.
        cache: As for write_k.
        block_table: [B, block_table_columns] int32 page ids.
        block_table_columns: Pages a request has.
        block_table_stride: Elements; 0: block_table_columns.
        lengths: [B * N] int32 keys of each row, or [B] when per request; clamped to 0 …
            columns.
        lengths_per_request: 1: row t of a request has lengths[b] - N + t + 1 keys.
        fill: As for the ragged call.
        logits: [B * N, columns] logits_dtype.
        logits_stride: Elements; 0: columns.
        workspace: workspace_logits bytes, aligned to 256.
        """

    def bind_logits_paged(
            self, *, requests: int, columns: int = ..., q_values: Buffer = ...,
            q_scale: Buffer = ..., weights: Buffer = ..., weights_stride: int = ...,
            cache: Buffer = ..., block_table: Buffer = ..., block_table_columns: int = ...,
            block_table_stride: int = ..., lengths: Buffer = ..., lengths_per_request: bool = ...,
            fill: bool = ..., logits: Buffer = ..., logits_stride: int = ...,
            workspace: Buffer = ...
    ) -> Call:
        """logits_paged with its arguments packed once."""

    def select_ragged(
            self, *, rows: int, keys: int = ..., q_values: Buffer = ..., q_scale: Buffer = ...,
            weights: Buffer = ..., weights_stride: int = ..., k_values: Buffer = ...,
            k_scale: Buffer = ..., row_start: Buffer = ..., row_end: Buffer = ...,
            indices: Buffer = ..., indices_stride: int = ..., values_out: Buffer = ...,
            values_out_stride: int = ..., slots: Buffer = ..., slots_stride: int = ...,
            block_table: Buffer = ..., block_table_columns: int = ...,
            block_table_stride: int = ..., table_count: int = ..., table_row: Buffer = ...,
            workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """plait_indexer_logits_ragged() then plait_topk() in one call, without a logits
        matrix: the same indices, in a workspace of at most select_budget bytes whatever
        `keys` is.

        rows: As for logits_ragged.
        keys: As for logits_ragged; at most the plan's max_keys.
        q_values: As for logits_ragged.
        q_scale: As for logits_ragged.
        weights: As for logits_ragged.
        weights_stride: As for logits_ragged.
        k_values: As for logits_ragged.
        k_scale: As for logits_ragged.
        row_start: As for logits_ragged.
        row_end: As for logits_ragged.
        indices: [rows, K] int32, as in plait_topk().
        indices_stride: Elements; 0: K.
        values_out: Optional [rows, K] f32; -inf beside a -1.
        values_out_stride: Elements; 0: K.
        slots: Optional [rows, K] int32, as in plait_topk().
        slots_stride: Elements; 0: K.
        block_table: [table_count, block_table_columns] int32; required with slots.
        block_table_columns: Pages a table row has.
        block_table_stride: Elements; 0: block_table_columns.
        table_count: Rows of the block table.
        table_row: [rows] int32: the table row of each row; required with slots.
        workspace: workspace_select bytes, aligned to 256.
        """

    def bind_select_ragged(
            self, *, rows: int, keys: int = ..., q_values: Buffer = ..., q_scale: Buffer = ...,
            weights: Buffer = ..., weights_stride: int = ..., k_values: Buffer = ...,
            k_scale: Buffer = ..., row_start: Buffer = ..., row_end: Buffer = ...,
            indices: Buffer = ..., indices_stride: int = ..., values_out: Buffer = ...,
            values_out_stride: int = ..., slots: Buffer = ..., slots_stride: int = ...,
            block_table: Buffer = ..., block_table_columns: int = ...,
            block_table_stride: int = ..., table_count: int = ..., table_row: Buffer = ...,
            workspace: Buffer = ...
    ) -> Call:
        """select_ragged with its arguments packed once."""

    def select_paged(
            self, *, requests: int, columns: int = ..., q_values: Buffer = ...,
            q_scale: Buffer = ..., weights: Buffer = ..., weights_stride: int = ...,
            cache: Buffer = ..., block_table: Buffer = ..., block_table_columns: int = ...,
            block_table_stride: int = ..., lengths: Buffer = ..., lengths_per_request: bool = ...,
            indices: Buffer = ..., indices_stride: int = ..., values_out: Buffer = ...,
            values_out_stride: int = ..., slots: Buffer = ..., slots_stride: int = ...,
            workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """plait_indexer_logits_paged() then plait_topk() in one call; see
        plait_indexer_select_ragged().

        requests: B >= 0. Rows are B * N, padding included.
        columns: Longest row, 0 … the plan's max_keys; lengths are clamped to it.
        q_values: As for logits_paged.
        q_scale: As for logits_paged.
        weights: As for logits_paged.
        weights_stride: As for logits_paged.
        cache: As for logits_paged.
        block_table: As for logits_paged; also maps `slots`.
        block_table_columns: As for logits_paged.
        block_table_stride: As for logits_paged.
        lengths: As for logits_paged.
        lengths_per_request: As for logits_paged.
        indices: [B * N, K] int32, as in plait_topk().
        indices_stride: Elements; 0: K.
        values_out: Optional [B * N, K] f32; -inf beside a -1.
        values_out_stride: Elements; 0: K.
        slots: Optional [B * N, K] int32, as in plait_topk().
        slots_stride: Elements; 0: K.
        workspace: workspace_select bytes, aligned to 256.
        """

    def bind_select_paged(
            self, *, requests: int, columns: int = ..., q_values: Buffer = ...,
            q_scale: Buffer = ..., weights: Buffer = ..., weights_stride: int = ...,
            cache: Buffer = ..., block_table: Buffer = ..., block_table_columns: int = ...,
            block_table_stride: int = ..., lengths: Buffer = ..., lengths_per_request: bool = ...,
            indices: Buffer = ..., indices_stride: int = ..., values_out: Buffer = ...,
            values_out_stride: int = ..., slots: Buffer = ..., slots_stride: int = ...,
            workspace: Buffer = ...
    ) -> Call:
        """select_paged with its arguments packed once."""

    def map_slots(
            self, *, rows: int, columns: int = ..., indices: Buffer = ...,
            indices_stride: int = ..., block_table: Buffer = ..., block_table_columns: int = ...,
            block_table_stride: int = ..., table_count: int = ..., table_row: Buffer = ...,
            slots: Buffer = ..., slots_stride: int = ..., workspace: Buffer = ...,
            stream: StreamLike = ...
    ) -> None:
        """Turns indices within a request into cache slots: block_table[i / P] * P + i % P;
        -1 for a negative index, a negative page id, an index past the table or a slot past
        int32.

        rows: >= 0; 0 touches nothing.
        columns: Indices a row has.
        indices: [rows, columns] int32; negative: none.
        indices_stride: Elements; 0: columns.
        block_table: [table_count, block_table_columns] int32.
        block_table_columns: Pages a table row has.
        block_table_stride: Elements; 0: block_table_columns.
        table_count: Rows of the block table.
        table_row: Optional [rows] int32; NULL: row / next_n.
        slots: [rows, columns] int32; may be exactly `indices`.
        slots_stride: Elements; 0: columns.
        workspace: workspace_quantize bytes, aligned to 256.
        """

    def bind_map_slots(
            self, *, rows: int, columns: int = ..., indices: Buffer = ...,
            indices_stride: int = ..., block_table: Buffer = ..., block_table_columns: int = ...,
            block_table_stride: int = ..., table_count: int = ..., table_row: Buffer = ...,
            slots: Buffer = ..., slots_stride: int = ..., workspace: Buffer = ...
    ) -> Call:
        """map_slots with its arguments packed once."""


class TopkOps(PlanBase):
    def __init__(
            self, context: Context, *, max_columns: int, k: int,
            order: Union[Order, str, int] = ..., dtype: Union[Dtype, str, int] = ...,
            page_entries: int = ..., implementation: Optional[str] = ...
    ) -> None:
        """A plan; what is not given has the default of the C descriptor.

        max_columns: Longest row that a call may bring, 1 … 2^31 - 1. Required.
        k: K, 1 … 2^31 - 1. Required. May exceed the rows' length.
        order: PLAIT_ORDER_…; default ANY.
        dtype: Of the values: PLAIT_DTYPE_…; default F32.
        page_entries: P of the block table, for `slots`; default 64.
        implementation: As in #plait_mhc_plan_desc.
        """

    def sizes(self, rows: int) -> TopkSizes: ...

    def topk(
            self, *, rows: int, columns: int = ..., values: Buffer = ..., values_stride: int = ...,
            row_start: Buffer = ..., row_end: Buffer = ..., indices: Buffer = ...,
            indices_stride: int = ..., values_out: Buffer = ..., values_out_stride: int = ...,
            slots: Buffer = ..., slots_stride: int = ..., block_table: Buffer = ...,
            block_table_columns: int = ..., block_table_stride: int = ..., table_count: int = ...,
            table_row: Buffer = ..., rows_per_table: int = ..., workspace: Buffer = ...,
            stream: StreamLike = ...
    ) -> None:
        """The K first of each row in the order above. Exact for any data.

        rows: Padded rows >= 0; 0 touches nothing.
        columns: Width of a row of `values`, 0 … max_columns.
        values: [rows, columns] dtype. Needs the element's alignment only.
        values_stride: Elements; 0: columns.
        row_start: Optional [rows] int32: first column of a row; NULL: 0.
        row_end: Optional [rows] int32: one past its last column (its length when row_start is
            NULL); NULL: columns. Clamped to columns.
        indices: [rows, K] int32, relative to row_start: min(K, length) of them, then -1. Every
            slot is written.
        indices_stride: Elements; 0: K.
        values_out: Optional [rows, K] dtype: the values; -inf beside a -1.
        values_out_stride: Elements; 0: K.
        slots: Optional [rows, K] int32: block_table[i / P] * P + i % P; -1 beside a -1, for a
            negative page id, for i past the table and where the slot does not fit int32.
        slots_stride: Elements; 0: K.
        block_table: [table_count, block_table_columns] int32; required with slots.
        block_table_columns: Pages a table row has.
        block_table_stride: Elements; 0: block_table_columns.
        table_count: Rows of the block table.
        table_row: Optional [rows] int32: the table row of each row (outside the table: slots
            -1); NULL: row / rows_per_table.
        rows_per_table: Rows that share a table row; 0: 1.
        workspace: workspace_topk bytes, aligned to 256.
        """

    def bind_topk(
            self, *, rows: int, columns: int = ..., values: Buffer = ..., values_stride: int = ...,
            row_start: Buffer = ..., row_end: Buffer = ..., indices: Buffer = ...,
            indices_stride: int = ..., values_out: Buffer = ..., values_out_stride: int = ...,
            slots: Buffer = ..., slots_stride: int = ..., block_table: Buffer = ...,
            block_table_columns: int = ..., block_table_stride: int = ..., table_count: int = ...,
            table_row: Buffer = ..., rows_per_table: int = ..., workspace: Buffer = ...
    ) -> Call:
        """topk with its arguments packed once."""

    def merge(
            self, *, rows: int, shards: int = ..., candidates: int = ..., values: Buffer = ...,
            values_stride: int = ..., values_shard_stride: int = ..., indices: Buffer = ...,
            indices_stride: int = ..., indices_shard_stride: int = ..., indices_out: Buffer = ...,
            indices_out_stride: int = ..., values_out: Buffer = ..., values_out_stride: int = ...,
            workspace: Buffer = ..., stream: StreamLike = ...
    ) -> None:
        """The K first, in the same order, of the candidates that several shards found: the
        result of one top-k over the whole row when each shard brought its own top-k.

        rows: Padded rows >= 0; 0 touches nothing.
        shards: >= 1.
        candidates: Per shard and row, >= 1; shards * candidates <= max_columns.
        values: [shards, rows, candidates] dtype.
        values_stride: Elements between rows; 0: candidates.
        values_shard_stride: Elements between shards; 0: rows * values_stride.
        indices: [shards, rows, candidates] int32 global indices; negative: an empty place. A
            row's indices must differ from one another.
        indices_stride: Elements between rows; 0: candidates.
        indices_shard_stride: Elements between shards; 0: rows * indices_stride.
        indices_out: [rows, K] int32 global indices, then -1.
        indices_out_stride: Elements; 0: K.
        values_out: Optional [rows, K] dtype; -inf beside a -1.
        values_out_stride: Elements; 0: K.
        workspace: workspace_merge bytes, aligned to 256.
        """

    def bind_merge(
            self, *, rows: int, shards: int = ..., candidates: int = ..., values: Buffer = ...,
            values_stride: int = ..., values_shard_stride: int = ..., indices: Buffer = ...,
            indices_stride: int = ..., indices_shard_stride: int = ..., indices_out: Buffer = ...,
            indices_out_stride: int = ..., values_out: Buffer = ..., values_out_stride: int = ...,
            workspace: Buffer = ...
    ) -> Call:
        """merge with its arguments packed once."""
