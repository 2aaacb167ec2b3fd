// SPDX-License-Identifier: MIT
// Written by bindings/tools/generate.py from include/plait. Do not edit.

use crate::buffer::{Any, Input, Output};
use crate::error::check;
use crate::plan::{IndexerPlan, MhcPlan, TopkPlan};
use crate::Result;
use core::ffi::c_void;
use core::ptr::null_mut;
use plait_sys as sys;

/// Number formats of tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dtype(pub i32);

impl Dtype {
    /// IEEE binary32.
    pub const F32: Dtype = Dtype(1);
    /// IEEE binary16.
    pub const F16: Dtype = Dtype(2);
    /// bfloat16: the upper half of a binary32.
    pub const BF16: Dtype = Dtype(3);
}

/// Operations, as plait_plan_explain() and plait_plan_candidate() count them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op(pub i32);

impl Op {
    pub const MHC_PRE: Op = Op(0);
    pub const MHC_POST: Op = Op(1);
    pub const MHC_POST_PRE: Op = Op(2);
    pub const MHC_HEAD: Op = Op(3);
    pub const MHC_EXPAND: Op = Op(4);
    pub const QUANTIZE_Q: Op = Op(5);
    pub const WRITE_K: Op = Op(6);
    pub const GATHER_K: Op = Op(7);
    pub const CONVERT_K: Op = Op(8);
    pub const CONVERT_CACHE: Op = Op(9);
    pub const LOGITS_RAGGED: Op = Op(10);
    pub const LOGITS_PAGED: Op = Op(11);
    pub const SELECT_RAGGED: Op = Op(12);
    pub const SELECT_PAGED: Op = Op(13);
    pub const MAP_SLOTS: Op = Op(14);
    pub const TOPK: Op = Op(15);
    pub const TOPK_MERGE: Op = Op(16);
    /// Grows when operations are added.
    pub const COUNT: Op = Op(17);
}

/// Backends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Backend(pub i32);

impl Backend {
    /// The first of HIP, CUDA, CPU that works here.
    pub const AUTO: Backend = Backend(0);
    /// Always there.
    pub const CPU: Backend = Backend(1);
    /// AMD, through libplait-hip.so.
    pub const HIP: Backend = Backend(2);
    /// NVIDIA, through libplait-cuda.so.
    pub const CUDA: Backend = Backend(3);
}

/// What to do when the asked backend is not to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy(pub i32);

impl Policy {
    /// Fail with a status and a reason.
    pub const STRICT: Policy = Policy(0);
    /// Take the CPU, and say so in the log and the context's info.
    pub const FALLBACK: Policy = Policy(1);
}

/// Log levels; a line is delivered when its level is at most the context's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogLevel(pub i32);

impl LogLevel {
    /// Nothing.
    pub const SILENT: LogLevel = LogLevel(0);
    /// Something asked for was not given: a fallback, a bad variable.
    pub const WARN: LogLevel = LogLevel(1);
    /// What was chosen: backend, device, implementation per operation.
    pub const INFO: LogLevel = LogLevel(2);
    /// Every candidate that was considered.
    pub const DEBUG: LogLevel = LogLevel(3);
}

/// Kinds of plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlanKind(pub i32);

impl PlanKind {
    pub const MHC: PlanKind = PlanKind(1);
    pub const INDEXER: PlanKind = PlanKind(2);
    pub const TOPK: PlanKind = PlanKind(3);
}

/// Which pre mix collapses the streams into layer_input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Collapse(pub i32);

impl Collapse {
    /// The one computed by the same call.
    pub const CURRENT: Collapse = Collapse(0);
    /// `prev_pre`, given by the caller (DeepSeek-V4.1).
    pub const DELAYED: Collapse = Collapse(1);
}

/// Bits of plait_mhc_plan_desc::norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Norm(pub i32);

impl Norm {
    /// Fold an RMSNorm into the layer_input of pre and post_pre.
    pub const LAYER_INPUT: Norm = Norm(1);
    /// Fold an RMSNorm into the output of head.
    pub const HEAD: Norm = Norm(2);
}

impl core::ops::BitOr for Norm {
    type Output = Norm;

    fn bitor(self, other: Norm) -> Norm {
        Norm(self.0 | other.0)
    }
}

/// Order of the indices within an output row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Order(pub i32);

impl Order {
    /// Whatever is fastest; the same on every run.
    pub const ANY: Order = Order(0);
    /// Ascending index.
    pub const INDEX: Order = Order(1);
    /// Descending value, equal values by ascending index, NaN last.
    pub const DESCENDING: Order = Order(2);
}

/// Number formats of quantised queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format(pub i32);

impl Format {
    /// OCP e4m3: scale = 2^ceil(log2(amax / 448)).
    pub const FP8_E4M3FN: Format = Format(1);
    /// FNUZ e4m3 (gfx942): scale = 2^ceil(log2(amax / 224)).
    pub const FP8_E4M3FNUZ: Format = Format(2);
    /// E2M1 in groups of 32 with ue8m0 scales.
    pub const MXFP4: Format = Format(3);
}

/// Layouts of a cache page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout(pub i32);

impl Layout {
    pub const BLOCK_FLAT: Layout = Layout(1);
    pub const TILED: Layout = Layout(2);
}

/// Rotary embedding of queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rope(pub i32);

impl Rope {
    pub const NONE: Rope = Rope(0);
    /// Pairs (2i, 2i + 1).
    pub const INTERLEAVED: Rope = Rope(1);
    /// Pairs (i, i + rope_dim / 2).
    pub const HALF_SPLIT: Rope = Rope(2);
}

/// Which rope_dim dimensions are rotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RopePlacement(pub i32);

impl RopePlacement {
    /// 0 … rope_dim - 1.
    pub const FIRST: RopePlacement = RopePlacement(0);
    /// D - rope_dim … D - 1.
    pub const LAST: RopePlacement = RopePlacement(1);
}

/// What kind of error a call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A required pointer is NULL.
    NullArgument,
    /// struct_size is smaller than the struct's first version.
    StructSize,
    /// A non-zero field that this version does not know.
    UnknownField,
    /// Outside the documented range: zero, negative, NaN, no such enumerator.
    InvalidValue,
    /// A product of sizes does not fit 63 bits.
    SizeOverflow,
    /// The buffer is smaller than the call needs.
    BufferTooSmall,
    /// The pointer or stride is not aligned as documented.
    Misaligned,
    /// A stride is shorter than the row.
    Stride,
    /// An output overlaps another buffer.
    Overlap,
    /// row_start is above row_end, or negative.
    Range,
    /// A slot or position outside its table.
    IndexOutOfRange,
    /// The plan is of another kind, or without this option.
    WrongPlan,
    /// The workspace budget is below the least possible.
    BudgetTooSmall,
    /// No implementation covers the shape.
    UnsupportedShape,
    /// No implementation covers the number format.
    UnsupportedDtype,
    /// The device cannot run it.
    UnsupportedDevice,
    /// The backend does not have this operation.
    UnsupportedOperation,
    /// The backend or operation is not in this build.
    NotInBuild,
    /// The backend is there, but no such device.
    NoDevice,
    /// The backend library is of another version.
    BackendVersion,
    /// Host or device memory could not be had.
    OutOfMemory,
    /// The worker threads could not be started.
    Threads,
    /// A call of the device runtime failed.
    DeviceRuntime,
    /// A kernel launch was refused.
    Launch,
    /// A state that should not occur.
    Internal,
    /// A code that this version of the crate does not know.
    Unknown(i32),
}

impl ErrorKind {
    pub(crate) fn from_code(code: i32) -> ErrorKind {
        match code {
            100 => ErrorKind::NullArgument,
            101 => ErrorKind::StructSize,
            102 => ErrorKind::UnknownField,
            103 => ErrorKind::InvalidValue,
            104 => ErrorKind::SizeOverflow,
            105 => ErrorKind::BufferTooSmall,
            106 => ErrorKind::Misaligned,
            107 => ErrorKind::Stride,
            108 => ErrorKind::Overlap,
            109 => ErrorKind::Range,
            110 => ErrorKind::IndexOutOfRange,
            111 => ErrorKind::WrongPlan,
            112 => ErrorKind::BudgetTooSmall,
            200 => ErrorKind::UnsupportedShape,
            201 => ErrorKind::UnsupportedDtype,
            202 => ErrorKind::UnsupportedDevice,
            203 => ErrorKind::UnsupportedOperation,
            204 => ErrorKind::NotInBuild,
            205 => ErrorKind::NoDevice,
            206 => ErrorKind::BackendVersion,
            300 => ErrorKind::OutOfMemory,
            301 => ErrorKind::Threads,
            400 => ErrorKind::DeviceRuntime,
            401 => ErrorKind::Launch,
            500 => ErrorKind::Internal,
            other => ErrorKind::Unknown(other),
        }
    }
}

/// What a [`MhcPlan`] is made for; `None` is the C descriptor's default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MhcOptions<'a> {
    /// H, 1 … PLAIT_MHC_MAX_HIDDEN. Required.
    pub hidden: i64,
    /// n, 1 … PLAIT_MHC_MAX_STREAMS; default 4.
    pub hc_mult: Option<i32>,
    /// Of residual, x, layer_input, out: PLAIT_DTYPE_…; default BF16.
    pub dtype: Option<Dtype>,
    /// Of fn and the head's fn; default F32.
    pub fn_dtype: Option<Dtype>,
    /// PLAIT_MHC_COLLAPSE_…; default CURRENT.
    pub collapse: Option<Collapse>,
    /// PLAIT_MHC_NORM_… bits; default 0: no norm folded in.
    pub norm: Option<Norm>,
    /// Of norm_weight; default BF16.
    pub norm_weight_dtype: Option<Dtype>,
    /// 1 … PLAIT_MHC_MAX_SINKHORN_ITERS; default 20.
    pub sinkhorn_iters: Option<i32>,
    /// Finite, >= 0; default 1e-6.
    pub rms_eps: Option<f32>,
    /// Added to each pre; finite, >= 0; default 1e-6.
    pub pre_eps: Option<f32>,
    /// Finite, >= 0; default 1e-6.
    pub sinkhorn_eps: Option<f32>,
    /// Factor of each post; finite; default 2.
    pub post_mult: Option<f32>,
    /// Of the folded RMSNorm; finite, >= 0; default 1e-6.
    pub norm_eps: Option<f32>,
    /// Name from plait_plan_candidate(), taken for each operation whose list has it; NULL: the
    /// context's, else the best. Copied.
    pub implementation: Option<&'a str>,
}

impl MhcOptions<'_> {
    pub(crate) fn apply(&self, desc: &mut sys::plait_mhc_plan_desc) {
        desc.hidden = self.hidden;
        if let Some(value) = self.hc_mult {
            desc.hc_mult = value;
        }
        if let Some(value) = self.dtype {
            desc.dtype = value.0;
        }
        if let Some(value) = self.fn_dtype {
            desc.fn_dtype = value.0;
        }
        if let Some(value) = self.collapse {
            desc.collapse = value.0;
        }
        if let Some(value) = self.norm {
            desc.norm = value.0;
        }
        if let Some(value) = self.norm_weight_dtype {
            desc.norm_weight_dtype = value.0;
        }
        if let Some(value) = self.sinkhorn_iters {
            desc.sinkhorn_iters = value;
        }
        if let Some(value) = self.rms_eps {
            desc.rms_eps = value;
        }
        if let Some(value) = self.pre_eps {
            desc.pre_eps = value;
        }
        if let Some(value) = self.sinkhorn_eps {
            desc.sinkhorn_eps = value;
        }
        if let Some(value) = self.post_mult {
            desc.post_mult = value;
        }
        if let Some(value) = self.norm_eps {
            desc.norm_eps = value;
        }
    }
}

/// What a [`IndexerPlan`] is made for; `None` is the C descriptor's default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IndexerOptions<'a> {
    /// Hq, 1 … PLAIT_INDEXER_MAX_HEADS; default 64.
    pub heads: Option<i32>,
    /// D, a multiple of 32 up to PLAIT_INDEXER_MAX_HEAD_DIM; a power of two with hadamard; default
    /// 128.
    pub head_dim: Option<i32>,
    /// PLAIT_FORMAT_…; default FP8_E4M3FN.
    pub format: Option<Format>,
    /// PLAIT_LAYOUT_…; default BLOCK_FLAT.
    pub layout: Option<Layout>,
    /// P, 1 … PLAIT_INDEXER_MAX_PAGE_ENTRIES; default 64.
    pub page_entries: Option<i32>,
    /// PLAIT_ROPE_…; default INTERLEAVED.
    pub rope_mode: Option<Rope>,
    /// Even, 2 … D; ignored when rope_mode is NONE; default 64.
    pub rope_dim: Option<i32>,
    /// PLAIT_ROPE_FIRST or _LAST; default LAST.
    pub rope_placement: Option<RopePlacement>,
    /// 1: Hadamard transform of q and of k; default 0.
    pub hadamard: Option<bool>,
    /// Of the weights given to quantize_q; default F32.
    pub weights_dtype: Option<Dtype>,
    /// F32 or BF16; default F32.
    pub logits_dtype: Option<Dtype>,
    /// N of the paged calls, 1 … PLAIT_INDEXER_MAX_NEXT_N; default 1.
    pub next_n: Option<i32>,
    /// Bytes between pages; a multiple of 4 (16 when TILED); 0, the default: the smallest such,
    /// plait_indexer_sizes::page.
    pub page_stride: Option<i64>,
    /// K of select, 0 … 2^31 - 1; 0, the default: the plan has no select.
    pub topk: Option<i64>,
    /// Longest row of a select call, 1 … 2^31 - 1; default 1048576.
    pub max_keys: Option<i64>,
    /// Most bytes of workspace_select; default 256 MiB. Plan creation fails with BUDGET_TOO_SMALL,
    /// and says the least, when no implementation can work within it.
    pub select_budget: Option<usize>,
    /// PLAIT_ORDER_… of select; default ANY.
    pub order: Option<Order>,
    /// As in plait_mhc_plan_desc.
    pub implementation: Option<&'a str>,
}

impl IndexerOptions<'_> {
    pub(crate) fn apply(&self, desc: &mut sys::plait_indexer_plan_desc) {
        if let Some(value) = self.heads {
            desc.heads = value;
        }
        if let Some(value) = self.head_dim {
            desc.head_dim = value;
        }
        if let Some(value) = self.format {
            desc.format = value.0;
        }
        if let Some(value) = self.layout {
            desc.layout = value.0;
        }
        if let Some(value) = self.page_entries {
            desc.page_entries = value;
        }
        if let Some(value) = self.rope_mode {
            desc.rope_mode = value.0;
        }
        if let Some(value) = self.rope_dim {
            desc.rope_dim = value;
        }
        if let Some(value) = self.rope_placement {
            desc.rope_placement = value.0;
        }
        if let Some(value) = self.hadamard {
            desc.hadamard = i32::from(value);
        }
        if let Some(value) = self.weights_dtype {
            desc.weights_dtype = value.0;
        }
        if let Some(value) = self.logits_dtype {
            desc.logits_dtype = value.0;
        }
        if let Some(value) = self.next_n {
            desc.next_n = value;
        }
        if let Some(value) = self.page_stride {
            desc.page_stride = value;
        }
        if let Some(value) = self.topk {
            desc.topk = value;
        }
        if let Some(value) = self.max_keys {
            desc.max_keys = value;
        }
        if let Some(value) = self.select_budget {
            desc.select_budget = value;
        }
        if let Some(value) = self.order {
            desc.order = value.0;
        }
    }
}

/// What a [`TopkPlan`] is made for; `None` is the C descriptor's default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TopkOptions<'a> {
    /// Longest row that a call may bring, 1 … 2^31 - 1. Required.
    pub max_columns: i64,
    /// K, 1 … 2^31 - 1. Required. May exceed the rows' length.
    pub k: i64,
    /// PLAIT_ORDER_…; default ANY.
    pub order: Option<Order>,
    /// Of the values: PLAIT_DTYPE_…; default F32.
    pub dtype: Option<Dtype>,
    /// P of the block table, for `slots`; default 64.
    pub page_entries: Option<i32>,
    /// As in plait_mhc_plan_desc.
    pub implementation: Option<&'a str>,
}

impl TopkOptions<'_> {
    pub(crate) fn apply(&self, desc: &mut sys::plait_topk_plan_desc) {
        desc.max_columns = self.max_columns;
        desc.k = self.k;
        if let Some(value) = self.order {
            desc.order = value.0;
        }
        if let Some(value) = self.dtype {
            desc.dtype = value.0;
        }
        if let Some(value) = self.page_entries {
            desc.page_entries = value;
        }
    }
}

/// Arguments of [`MhcPlan::pre`].
#[derive(Default)]
pub struct MhcPre<'a> {
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, n, H\] dtype; \[T, H\] when `broadcast`.
    pub residual: Input<'a, Any>,
    /// Elements between tokens; 0: contiguous.
    pub residual_stride: i64,
    /// 1: residual is \[T, H\] and stands for n equal streams.
    pub broadcast: bool,
    /// \[M, n * H\] fn_dtype: n rows pre, n post, n * n comb.
    pub r#fn: Input<'a, Any>,
    /// \[M\] f32, in the order of fn's rows.
    pub base: Input<'a, f32>,
    /// \[3\] f32: pre, post, comb.
    pub scale: Input<'a, f32>,
    /// \[H\] norm_weight_dtype; required exactly when the plan has PLAIT_MHC_NORM_LAYER_INPUT.
    pub norm_weight: Input<'a, Any>,
    /// DELAYED only: \[T, n\] f32; NULL: stream 0, exactly.
    pub prev_pre: Input<'a, f32>,
    /// Elements; 0: n.
    pub prev_pre_stride: i64,
    /// \[T, n\] f32. Required when DELAYED, else optional.
    pub pre_mix: Output<'a, f32>,
    /// Elements; 0: n.
    pub pre_mix_stride: i64,
    /// \[T, n\] f32.
    pub post_mix: Output<'a, f32>,
    /// Elements; 0: n.
    pub post_mix_stride: i64,
    /// \[T, n, n\] f32, \[source\]\[destination\].
    pub comb_mix: Output<'a, f32>,
    /// Elements; 0: n * n.
    pub comb_mix_stride: i64,
    /// \[T, H\] dtype.
    pub layer_input: Output<'a, Any>,
    /// Elements; 0: H.
    pub layer_input_stride: i64,
    /// workspace_pre bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl MhcPre<'_> {
    fn raw(&mut self) -> sys::plait_mhc_pre_args {
        sys::plait_mhc_pre_args {
            struct_size: core::mem::size_of::<sys::plait_mhc_pre_args>(),
            tokens: self.tokens,
            residual: self.residual.raw,
            residual_stride: self.residual_stride,
            broadcast: i32::from(self.broadcast),
            reserved: 0,
            r#fn: self.r#fn.raw,
            base: self.base.raw,
            scale: self.scale.raw,
            norm_weight: self.norm_weight.raw,
            prev_pre: self.prev_pre.raw,
            prev_pre_stride: self.prev_pre_stride,
            pre_mix: self.pre_mix.raw,
            pre_mix_stride: self.pre_mix_stride,
            post_mix: self.post_mix.raw,
            post_mix_stride: self.post_mix_stride,
            comb_mix: self.comb_mix.raw,
            comb_mix_stride: self.comb_mix_stride,
            layer_input: self.layer_input.raw,
            layer_input_stride: self.layer_input_stride,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`MhcPlan::post`].
#[derive(Default)]
pub struct MhcPost<'a> {
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, H\] dtype: the sublayer's output.
    pub x: Input<'a, Any>,
    /// Elements; 0: H.
    pub x_stride: i64,
    /// Optional second output, added to x in f32 (shared expert).
    pub x2: Input<'a, Any>,
    /// Elements; 0: H.
    pub x2_stride: i64,
    /// \[T, n, H\] dtype; \[T, H\] when `broadcast`.
    /// [`Input::IN_PLACE`]: it is `residual_out`.
    pub residual: Input<'a, Any>,
    /// Elements; 0: contiguous.
    pub residual_stride: i64,
    /// 1: residual is \[T, H\] and stands for n equal streams.
    pub broadcast: bool,
    /// \[T, n\] f32.
    pub post_mix: Input<'a, f32>,
    /// Elements; 0: n.
    pub post_mix_stride: i64,
    /// \[T, n, n\] f32, \[source\]\[destination\]; NULL: identity.
    pub comb_mix: Input<'a, f32>,
    /// Elements; 0: n * n.
    pub comb_mix_stride: i64,
    /// \[T, n, H\] dtype. May be exactly `residual` (same pointer and stride, no broadcast): in
    /// place.
    pub residual_out: Output<'a, Any>,
    /// Elements; 0: n * H.
    pub residual_out_stride: i64,
    /// workspace_post bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl MhcPost<'_> {
    fn raw(&mut self) -> sys::plait_mhc_post_args {
        sys::plait_mhc_post_args {
            struct_size: core::mem::size_of::<sys::plait_mhc_post_args>(),
            tokens: self.tokens,
            x: self.x.raw,
            x_stride: self.x_stride,
            x2: self.x2.raw,
            x2_stride: self.x2_stride,
            residual: self.residual.or_same(&self.residual_out),
            residual_stride: self.residual_stride,
            broadcast: i32::from(self.broadcast),
            reserved: 0,
            post_mix: self.post_mix.raw,
            post_mix_stride: self.post_mix_stride,
            comb_mix: self.comb_mix.raw,
            comb_mix_stride: self.comb_mix_stride,
            residual_out: self.residual_out.raw,
            residual_out_stride: self.residual_out_stride,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`MhcPlan::post_pre`].
#[derive(Default)]
pub struct MhcPostPre<'a> {
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, H\] dtype.
    pub x: Input<'a, Any>,
    /// Elements; 0: H.
    pub x_stride: i64,
    /// Optional, added to x in f32.
    pub x2: Input<'a, Any>,
    /// Elements; 0: H.
    pub x2_stride: i64,
    /// \[T, n, H\] dtype; \[T, H\] when `broadcast`.
    /// [`Input::IN_PLACE`]: it is `residual_out`.
    pub residual: Input<'a, Any>,
    /// Elements; 0: contiguous.
    pub residual_stride: i64,
    /// 1: residual is \[T, H\] and stands for n equal streams.
    pub broadcast: bool,
    /// \[T, n\] f32, of the sublayer that ended.
    pub post_mix: Input<'a, f32>,
    /// Elements; 0: n.
    pub post_mix_stride: i64,
    /// \[T, n, n\] f32; NULL: identity.
    pub comb_mix: Input<'a, f32>,
    /// Elements; 0: n * n.
    pub comb_mix_stride: i64,
    /// \[T, n, H\] dtype; may be exactly `residual`.
    pub residual_out: Output<'a, Any>,
    /// Elements; 0: n * H.
    pub residual_out_stride: i64,
    /// \[M, n * H\] fn_dtype, of the sublayer that begins.
    pub r#fn: Input<'a, Any>,
    /// \[M\] f32.
    pub base: Input<'a, f32>,
    /// \[3\] f32.
    pub scale: Input<'a, f32>,
    /// As in plait_mhc_pre_args.
    pub norm_weight: Input<'a, Any>,
    /// DELAYED only: \[T, n\] f32; NULL: stream 0, exactly.
    pub prev_pre: Input<'a, f32>,
    /// Elements; 0: n.
    pub prev_pre_stride: i64,
    /// \[T, n\] f32. Required when DELAYED, else optional.
    pub pre_mix: Output<'a, f32>,
    /// Elements; 0: n.
    pub pre_mix_stride: i64,
    /// \[T, n\] f32.
    pub next_post_mix: Output<'a, f32>,
    /// Elements; 0: n.
    pub next_post_mix_stride: i64,
    /// \[T, n, n\] f32.
    pub next_comb_mix: Output<'a, f32>,
    /// Elements; 0: n * n.
    pub next_comb_mix_stride: i64,
    /// \[T, H\] dtype.
    pub layer_input: Output<'a, Any>,
    /// Elements; 0: H.
    pub layer_input_stride: i64,
    /// workspace_post_pre bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl MhcPostPre<'_> {
    fn raw(&mut self) -> sys::plait_mhc_post_pre_args {
        sys::plait_mhc_post_pre_args {
            struct_size: core::mem::size_of::<sys::plait_mhc_post_pre_args>(),
            tokens: self.tokens,
            x: self.x.raw,
            x_stride: self.x_stride,
            x2: self.x2.raw,
            x2_stride: self.x2_stride,
            residual: self.residual.or_same(&self.residual_out),
            residual_stride: self.residual_stride,
            broadcast: i32::from(self.broadcast),
            reserved: 0,
            post_mix: self.post_mix.raw,
            post_mix_stride: self.post_mix_stride,
            comb_mix: self.comb_mix.raw,
            comb_mix_stride: self.comb_mix_stride,
            residual_out: self.residual_out.raw,
            residual_out_stride: self.residual_out_stride,
            r#fn: self.r#fn.raw,
            base: self.base.raw,
            scale: self.scale.raw,
            norm_weight: self.norm_weight.raw,
            prev_pre: self.prev_pre.raw,
            prev_pre_stride: self.prev_pre_stride,
            pre_mix: self.pre_mix.raw,
            pre_mix_stride: self.pre_mix_stride,
            next_post_mix: self.next_post_mix.raw,
            next_post_mix_stride: self.next_post_mix_stride,
            next_comb_mix: self.next_comb_mix.raw,
            next_comb_mix_stride: self.next_comb_mix_stride,
            layer_input: self.layer_input.raw,
            layer_input_stride: self.layer_input_stride,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`MhcPlan::head`].
#[derive(Default)]
pub struct MhcHead<'a> {
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, n, H\] dtype.
    pub residual: Input<'a, Any>,
    /// Elements; 0: n * H.
    pub residual_stride: i64,
    /// \[n, n * H\] fn_dtype. CURRENT only; must be NULL when DELAYED.
    pub r#fn: Input<'a, Any>,
    /// \[n\] f32. CURRENT only.
    pub base: Input<'a, f32>,
    /// \[1\] f32. CURRENT only.
    pub scale: Input<'a, f32>,
    /// DELAYED only: p, \[T, n\] f32; NULL: stream 0, exactly.
    pub prev_pre: Input<'a, f32>,
    /// Elements; 0: n.
    pub prev_pre_stride: i64,
    /// \[H\] norm_weight_dtype; required exactly when the plan has PLAIT_MHC_NORM_HEAD.
    pub norm_weight: Input<'a, Any>,
    /// \[T, H\] dtype.
    pub out: Output<'a, Any>,
    /// Elements; 0: H.
    pub out_stride: i64,
    /// workspace_head bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl MhcHead<'_> {
    fn raw(&mut self) -> sys::plait_mhc_head_args {
        sys::plait_mhc_head_args {
            struct_size: core::mem::size_of::<sys::plait_mhc_head_args>(),
            tokens: self.tokens,
            residual: self.residual.raw,
            residual_stride: self.residual_stride,
            r#fn: self.r#fn.raw,
            base: self.base.raw,
            scale: self.scale.raw,
            prev_pre: self.prev_pre.raw,
            prev_pre_stride: self.prev_pre_stride,
            norm_weight: self.norm_weight.raw,
            out: self.out.raw,
            out_stride: self.out_stride,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`MhcPlan::expand`].
#[derive(Default)]
pub struct MhcExpand<'a> {
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, H\] dtype: the embedding.
    pub x: Input<'a, Any>,
    /// Elements; 0: H.
    pub x_stride: i64,
    /// \[T, n, H\] dtype: n copies of x.
    pub residual_out: Output<'a, Any>,
    /// Elements; 0: n * H.
    pub residual_out_stride: i64,
    /// workspace_expand bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl MhcExpand<'_> {
    fn raw(&mut self) -> sys::plait_mhc_expand_args {
        sys::plait_mhc_expand_args {
            struct_size: core::mem::size_of::<sys::plait_mhc_expand_args>(),
            tokens: self.tokens,
            x: self.x.raw,
            x_stride: self.x_stride,
            residual_out: self.residual_out.raw,
            residual_out_stride: self.residual_out_stride,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`TopkPlan::topk`].
#[derive(Default)]
pub struct Topk<'a> {
    /// Padded rows >= 0; 0 touches nothing.
    pub rows: i64,
    /// Width of a row of `values`, 0 … max_columns.
    pub columns: i64,
    /// \[rows, columns\] dtype. Needs the element's alignment only.
    pub values: Input<'a, Any>,
    /// Elements; 0: columns.
    pub values_stride: i64,
    /// Optional \[rows\] int32: first column of a row; NULL: 0.
    pub row_start: Input<'a, i32>,
    /// Optional \[rows\] int32: one past its last column (its length when row_start is NULL); NULL:
    /// columns. Clamped to columns.
    pub row_end: Input<'a, i32>,
    /// \[rows, K\] int32, relative to row_start: min(K, length) of them, then -1. Every slot is
    /// written.
    pub indices: Output<'a, i32>,
    /// Elements; 0: K.
    pub indices_stride: i64,
    /// Optional \[rows, K\] dtype: the values; -inf beside a -1.
    pub values_out: Output<'a, Any>,
    /// Elements; 0: K.
    pub values_out_stride: i64,
    /// Optional \[rows, K\] int32: block_table\[i / P\] * P + i % P; -1 beside a -1, for a negative
    /// page id, for i past the table and where the slot does not fit int32.
    pub slots: Output<'a, i32>,
    /// Elements; 0: K.
    pub slots_stride: i64,
    /// \[table_count, block_table_columns\] int32; required with slots.
    pub block_table: Input<'a, i32>,
    /// Pages a table row has.
    pub block_table_columns: i64,
    /// Elements; 0: block_table_columns.
    pub block_table_stride: i64,
    /// Rows of the block table.
    pub table_count: i64,
    /// Optional \[rows\] int32: the table row of each row (outside the table: slots -1); NULL: row
    /// / rows_per_table.
    pub table_row: Input<'a, i32>,
    /// Rows that share a table row; 0: 1.
    pub rows_per_table: i64,
    /// workspace_topk bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl Topk<'_> {
    fn raw(&mut self) -> sys::plait_topk_args {
        sys::plait_topk_args {
            struct_size: core::mem::size_of::<sys::plait_topk_args>(),
            rows: self.rows,
            columns: self.columns,
            values: self.values.raw,
            values_stride: self.values_stride,
            row_start: self.row_start.raw,
            row_end: self.row_end.raw,
            indices: self.indices.raw,
            indices_stride: self.indices_stride,
            values_out: self.values_out.raw,
            values_out_stride: self.values_out_stride,
            slots: self.slots.raw,
            slots_stride: self.slots_stride,
            block_table: self.block_table.raw,
            block_table_columns: self.block_table_columns,
            block_table_stride: self.block_table_stride,
            table_count: self.table_count,
            table_row: self.table_row.raw,
            rows_per_table: self.rows_per_table,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`TopkPlan::merge`].
#[derive(Default)]
pub struct TopkMerge<'a> {
    /// Padded rows >= 0; 0 touches nothing.
    pub rows: i64,
    /// >= 1.
    pub shards: i64,
    /// Per shard and row, >= 1; shards * candidates <= max_columns.
    pub candidates: i64,
    /// \[shards, rows, candidates\] dtype.
    pub values: Input<'a, Any>,
    /// Elements between rows; 0: candidates.
    pub values_stride: i64,
    /// Elements between shards; 0: rows * values_stride.
    pub values_shard_stride: i64,
    /// \[shards, rows, candidates\] int32 global indices; negative: an empty place. A row's indices
    /// must differ from one another.
    pub indices: Input<'a, i32>,
    /// Elements between rows; 0: candidates.
    pub indices_stride: i64,
    /// Elements between shards; 0: rows * indices_stride.
    pub indices_shard_stride: i64,
    /// \[rows, K\] int32 global indices, then -1.
    pub indices_out: Output<'a, i32>,
    /// Elements; 0: K.
    pub indices_out_stride: i64,
    /// Optional \[rows, K\] dtype; -inf beside a -1.
    pub values_out: Output<'a, Any>,
    /// Elements; 0: K.
    pub values_out_stride: i64,
    /// workspace_merge bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl TopkMerge<'_> {
    fn raw(&mut self) -> sys::plait_topk_merge_args {
        sys::plait_topk_merge_args {
            struct_size: core::mem::size_of::<sys::plait_topk_merge_args>(),
            rows: self.rows,
            shards: self.shards,
            candidates: self.candidates,
            values: self.values.raw,
            values_stride: self.values_stride,
            values_shard_stride: self.values_shard_stride,
            indices: self.indices.raw,
            indices_stride: self.indices_stride,
            indices_shard_stride: self.indices_shard_stride,
            indices_out: self.indices_out.raw,
            indices_out_stride: self.indices_out_stride,
            values_out: self.values_out.raw,
            values_out_stride: self.values_out_stride,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`IndexerPlan::quantize_q`].
#[derive(Default)]
pub struct IndexerQuantizeQ<'a> {
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, Hq, D\] bf16.
    pub q: Input<'a, u16>,
    /// Elements between tokens; 0: Hq * D.
    pub q_stride: i64,
    /// \[T\] int64: rows of cos_sin. Not read when rope is NONE.
    pub positions: Input<'a, i64>,
    /// \[positions, rope_dim\] f32: cos of rope_dim / 2 angles, then sin. The number of rows is
    /// size / (4 * rope_dim).
    pub cos_sin: Input<'a, f32>,
    /// \[T, Hq\] weights_dtype.
    pub weights: Input<'a, Any>,
    /// Elements; 0: Hq.
    pub weights_stride: i64,
    /// \[T, Hq, V\] bytes, contiguous.
    pub q_values: Output<'a, u8>,
    /// fp8: optional \[T, Hq\] f32, contiguous. mxfp4: required \[T, Hq, D / 32\] bytes.
    pub q_scale: Output<'a, Any>,
    /// \[T, Hq\] f32, contiguous.
    pub weights_out: Output<'a, f32>,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl IndexerQuantizeQ<'_> {
    fn raw(&mut self) -> sys::plait_indexer_quantize_q_args {
        sys::plait_indexer_quantize_q_args {
            struct_size: core::mem::size_of::<sys::plait_indexer_quantize_q_args>(),
            tokens: self.tokens,
            q: self.q.raw,
            q_stride: self.q_stride,
            positions: self.positions.raw,
            cos_sin: self.cos_sin.raw,
            weights: self.weights.raw,
            weights_stride: self.weights_stride,
            q_values: self.q_values.raw,
            q_scale: self.q_scale.raw,
            weights_out: self.weights_out.raw,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`IndexerPlan::write_k`].
#[derive(Default)]
pub struct IndexerWriteK<'a> {
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, D\] bf16.
    pub k: Input<'a, u16>,
    /// Elements between tokens; 0: D.
    pub k_stride: i64,
    /// \[T\] int64; as for quantize_q.
    pub positions: Input<'a, i64>,
    /// As for quantize_q.
    pub cos_sin: Input<'a, f32>,
    /// \[T\] int64: page * P + entry; negative: the token is skipped. Slots of one call must differ
    /// from one another.
    pub slot_mapping: Input<'a, i64>,
    /// The page pool: aligned to 4 bytes (16 when TILED). Its pages are as many as fit `size`: the
    /// last may lack the stride's tail.
    pub cache: Output<'a, u8>,
    /// Optional \[1\] int32: how many tokens were left out because their slot lies past the cache
    /// or their position past cos_sin.
    pub rejected: Output<'a, i32>,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl IndexerWriteK<'_> {
    fn raw(&mut self) -> sys::plait_indexer_write_k_args {
        sys::plait_indexer_write_k_args {
            struct_size: core::mem::size_of::<sys::plait_indexer_write_k_args>(),
            tokens: self.tokens,
            k: self.k.raw,
            k_stride: self.k_stride,
            positions: self.positions.raw,
            cos_sin: self.cos_sin.raw,
            slot_mapping: self.slot_mapping.raw,
            cache: self.cache.raw,
            rejected: self.rejected.raw,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`IndexerPlan::gather_k`].
#[derive(Default)]
pub struct IndexerGatherK<'a> {
    /// B >= 0; 0 touches nothing.
    pub requests: i64,
    /// Rows that the outputs have room for; rows past it are not written.
    pub keys: i64,
    /// As for write_k.
    pub cache: Input<'a, u8>,
    /// \[B, block_table_columns\] int32 page ids.
    pub block_table: Input<'a, i32>,
    /// Pages a request has.
    pub block_table_columns: i64,
    /// Elements; 0: block_table_columns.
    pub block_table_stride: i64,
    /// \[B + 1\] int32, ascending from 0: request b fills rows cu_lengths\[b\] … cu_lengths\[b +
    /// 1\] - 1.
    pub cu_lengths: Input<'a, i32>,
    /// \[keys, V\] bytes, contiguous.
    pub k_values: Output<'a, u8>,
    /// \[keys\] f32, or mxfp4 \[keys, D / 32\] bytes; contiguous.
    pub k_scale: Output<'a, Any>,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl IndexerGatherK<'_> {
    fn raw(&mut self) -> sys::plait_indexer_gather_k_args {
        sys::plait_indexer_gather_k_args {
            struct_size: core::mem::size_of::<sys::plait_indexer_gather_k_args>(),
            requests: self.requests,
            keys: self.keys,
            cache: self.cache.raw,
            block_table: self.block_table.raw,
            block_table_columns: self.block_table_columns,
            block_table_stride: self.block_table_stride,
            cu_lengths: self.cu_lengths.raw,
            k_values: self.k_values.raw,
            k_scale: self.k_scale.raw,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`IndexerPlan::convert_k`].
#[derive(Default)]
pub struct IndexerConvertK<'a> {
    /// Rows of D values; 0 touches nothing.
    pub rows: i64,
    /// The fp8 format of src; the plan's is that of dst.
    pub from_format: Option<Format>,
    /// \[rows, D\] bytes, contiguous.
    /// [`Input::IN_PLACE`]: it is `dst_values`.
    pub src_values: Input<'a, u8>,
    /// \[rows\] f32.
    /// [`Input::IN_PLACE`]: it is `dst_scale`.
    pub src_scale: Input<'a, f32>,
    /// \[rows, D\] bytes; may be exactly src_values.
    pub dst_values: Output<'a, u8>,
    /// \[rows\] f32; may be exactly src_scale.
    pub dst_scale: Output<'a, f32>,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl IndexerConvertK<'_> {
    fn raw(&mut self) -> sys::plait_indexer_convert_k_args {
        sys::plait_indexer_convert_k_args {
            struct_size: core::mem::size_of::<sys::plait_indexer_convert_k_args>(),
            rows: self.rows,
            from_format: self.from_format.map_or(0, |value| value.0),
            reserved: 0,
            src_values: self.src_values.or_same(&self.dst_values),
            src_scale: self.src_scale.or_same(&self.dst_scale),
            dst_values: self.dst_values.raw,
            dst_scale: self.dst_scale.raw,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`IndexerPlan::convert_cache`].
#[derive(Default)]
pub struct IndexerConvertCache<'a> {
    /// The fp8 format of src_cache; the plan's is that of cache.
    pub from_format: Option<Format>,
    /// A page pool of the plan's layout, P and page_stride.
    /// [`Input::IN_PLACE`]: it is `cache`.
    pub src_cache: Input<'a, u8>,
    /// Room for as many pages; may be exactly src_cache.
    pub cache: Output<'a, u8>,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl IndexerConvertCache<'_> {
    fn raw(&mut self) -> sys::plait_indexer_convert_cache_args {
        sys::plait_indexer_convert_cache_args {
            struct_size: core::mem::size_of::<sys::plait_indexer_convert_cache_args>(),
            from_format: self.from_format.map_or(0, |value| value.0),
            reserved: 0,
            src_cache: self.src_cache.or_same(&self.cache),
            cache: self.cache.raw,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`IndexerPlan::logits_ragged`].
#[derive(Default)]
pub struct IndexerLogitsRagged<'a> {
    /// Query rows >= 0; 0 touches nothing.
    pub rows: i64,
    /// Rows of k, 0 … 2^31 - 1; also the columns of `logits`.
    pub keys: i64,
    /// \[rows, Hq, V\] bytes.
    pub q_values: Input<'a, u8>,
    /// mxfp4: \[rows, Hq, D / 32\] bytes. fp8: not read (folded).
    pub q_scale: Input<'a, Any>,
    /// \[rows, Hq\] f32: weights_out of quantize_q.
    pub weights: Input<'a, f32>,
    /// Elements; 0: Hq.
    pub weights_stride: i64,
    /// \[keys, V\] bytes.
    pub k_values: Input<'a, u8>,
    /// \[keys\] f32, or mxfp4 \[keys, D / 32\] bytes.
    pub k_scale: Input<'a, Any>,
    /// \[rows\] int32: first key of a row.
    pub row_start: Input<'a, i32>,
    /// \[rows\] int32: one past its last key; clamped to keys.
    pub row_end: Input<'a, i32>,
    /// \[rows, keys\] logits_dtype.
    pub logits: Output<'a, Any>,
    /// Elements; 0: keys.
    pub logits_stride: i64,
    /// 1: columns outside a row's range become -inf; 0: not written.
    pub fill: bool,
    /// workspace_logits bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl IndexerLogitsRagged<'_> {
    fn raw(&mut self) -> sys::plait_indexer_logits_ragged_args {
        sys::plait_indexer_logits_ragged_args {
            struct_size: core::mem::size_of::<sys::plait_indexer_logits_ragged_args>(),
            rows: self.rows,
            keys: self.keys,
            q_values: self.q_values.raw,
            q_scale: self.q_scale.raw,
            weights: self.weights.raw,
            weights_stride: self.weights_stride,
            k_values: self.k_values.raw,
            k_scale: self.k_scale.raw,
            row_start: self.row_start.raw,
            row_end: self.row_end.raw,
            logits: self.logits.raw,
            logits_stride: self.logits_stride,
            fill: i32::from(self.fill),
            reserved: 0,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`IndexerPlan::logits_paged`].
#[derive(Default)]
pub struct IndexerLogitsPaged<'a> {
    /// B >= 0; 0 touches nothing. Rows are B * N, padding included.
    pub requests: i64,
    /// Columns of `logits`, 0 … 2^31 - 1.
    pub columns: i64,
    /// \[B * N, Hq, V\] bytes.
    pub q_values: Input<'a, u8>,
    /// mxfp4: \[B * N, Hq, D / 32\] bytes. fp8: not read.
    pub q_scale: Input<'a, Any>,
    /// \[B * N, Hq\] f32.
    pub weights: Input<'a, f32>,
    /// Elements; 0: Hq.
    pub weights_stride: i64,
    /// As for write_k.
    pub cache: Input<'a, u8>,
    /// \[B, block_table_columns\] int32 page ids.
    pub block_table: Input<'a, i32>,
    /// Pages a request has.
    pub block_table_columns: i64,
    /// Elements; 0: block_table_columns.
    pub block_table_stride: i64,
    /// \[B * N\] int32 keys of each row, or \[B\] when per request; clamped to 0 … columns.
    pub lengths: Input<'a, i32>,
    /// 1: row t of a request has lengths\[b\] - N + t + 1 keys.
    pub lengths_per_request: bool,
    /// As for the ragged call.
    pub fill: bool,
    /// \[B * N, columns\] logits_dtype.
    pub logits: Output<'a, Any>,
    /// Elements; 0: columns.
    pub logits_stride: i64,
    /// workspace_logits bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl IndexerLogitsPaged<'_> {
    fn raw(&mut self) -> sys::plait_indexer_logits_paged_args {
        sys::plait_indexer_logits_paged_args {
            struct_size: core::mem::size_of::<sys::plait_indexer_logits_paged_args>(),
            requests: self.requests,
            columns: self.columns,
            q_values: self.q_values.raw,
            q_scale: self.q_scale.raw,
            weights: self.weights.raw,
            weights_stride: self.weights_stride,
            cache: self.cache.raw,
            block_table: self.block_table.raw,
            block_table_columns: self.block_table_columns,
            block_table_stride: self.block_table_stride,
            lengths: self.lengths.raw,
            lengths_per_request: i32::from(self.lengths_per_request),
            fill: i32::from(self.fill),
            logits: self.logits.raw,
            logits_stride: self.logits_stride,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`IndexerPlan::select_ragged`].
#[derive(Default)]
pub struct IndexerSelectRagged<'a> {
    /// As for logits_ragged.
    pub rows: i64,
    /// As for logits_ragged; at most the plan's max_keys.
    pub keys: i64,
    /// As for logits_ragged.
    pub q_values: Input<'a, u8>,
    /// As for logits_ragged.
    pub q_scale: Input<'a, Any>,
    /// As for logits_ragged.
    pub weights: Input<'a, f32>,
    /// As for logits_ragged.
    pub weights_stride: i64,
    /// As for logits_ragged.
    pub k_values: Input<'a, u8>,
    /// As for logits_ragged.
    pub k_scale: Input<'a, Any>,
    /// As for logits_ragged.
    pub row_start: Input<'a, i32>,
    /// As for logits_ragged.
    pub row_end: Input<'a, i32>,
    /// \[rows, K\] int32, as in plait_topk().
    pub indices: Output<'a, i32>,
    /// Elements; 0: K.
    pub indices_stride: i64,
    /// Optional \[rows, K\] f32; -inf beside a -1.
    pub values_out: Output<'a, f32>,
    /// Elements; 0: K.
    pub values_out_stride: i64,
    /// Optional \[rows, K\] int32, as in plait_topk().
    pub slots: Output<'a, i32>,
    /// Elements; 0: K.
    pub slots_stride: i64,
    /// \[table_count, block_table_columns\] int32; required with slots.
    pub block_table: Input<'a, i32>,
    /// Pages a table row has.
    pub block_table_columns: i64,
    /// Elements; 0: block_table_columns.
    pub block_table_stride: i64,
    /// Rows of the block table.
    pub table_count: i64,
    /// \[rows\] int32: the table row of each row; required with slots.
    pub table_row: Input<'a, i32>,
    /// workspace_select bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl IndexerSelectRagged<'_> {
    fn raw(&mut self) -> sys::plait_indexer_select_ragged_args {
        sys::plait_indexer_select_ragged_args {
            struct_size: core::mem::size_of::<sys::plait_indexer_select_ragged_args>(),
            rows: self.rows,
            keys: self.keys,
            q_values: self.q_values.raw,
            q_scale: self.q_scale.raw,
            weights: self.weights.raw,
            weights_stride: self.weights_stride,
            k_values: self.k_values.raw,
            k_scale: self.k_scale.raw,
            row_start: self.row_start.raw,
            row_end: self.row_end.raw,
            indices: self.indices.raw,
            indices_stride: self.indices_stride,
            values_out: self.values_out.raw,
            values_out_stride: self.values_out_stride,
            slots: self.slots.raw,
            slots_stride: self.slots_stride,
            block_table: self.block_table.raw,
            block_table_columns: self.block_table_columns,
            block_table_stride: self.block_table_stride,
            table_count: self.table_count,
            table_row: self.table_row.raw,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`IndexerPlan::select_paged`].
#[derive(Default)]
pub struct IndexerSelectPaged<'a> {
    /// B >= 0. Rows are B * N, padding included.
    pub requests: i64,
    /// Longest row, 0 … the plan's max_keys; lengths are clamped to it.
    pub columns: i64,
    /// As for logits_paged.
    pub q_values: Input<'a, u8>,
    /// As for logits_paged.
    pub q_scale: Input<'a, Any>,
    /// As for logits_paged.
    pub weights: Input<'a, f32>,
    /// As for logits_paged.
    pub weights_stride: i64,
    /// As for logits_paged.
    pub cache: Input<'a, u8>,
    /// As for logits_paged; also maps `slots`.
    pub block_table: Input<'a, i32>,
    /// As for logits_paged.
    pub block_table_columns: i64,
    /// As for logits_paged.
    pub block_table_stride: i64,
    /// As for logits_paged.
    pub lengths: Input<'a, i32>,
    /// As for logits_paged.
    pub lengths_per_request: bool,
    /// \[B * N, K\] int32, as in plait_topk().
    pub indices: Output<'a, i32>,
    /// Elements; 0: K.
    pub indices_stride: i64,
    /// Optional \[B * N, K\] f32; -inf beside a -1.
    pub values_out: Output<'a, f32>,
    /// Elements; 0: K.
    pub values_out_stride: i64,
    /// Optional \[B * N, K\] int32, as in plait_topk().
    pub slots: Output<'a, i32>,
    /// Elements; 0: K.
    pub slots_stride: i64,
    /// workspace_select bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl IndexerSelectPaged<'_> {
    fn raw(&mut self) -> sys::plait_indexer_select_paged_args {
        sys::plait_indexer_select_paged_args {
            struct_size: core::mem::size_of::<sys::plait_indexer_select_paged_args>(),
            requests: self.requests,
            columns: self.columns,
            q_values: self.q_values.raw,
            q_scale: self.q_scale.raw,
            weights: self.weights.raw,
            weights_stride: self.weights_stride,
            cache: self.cache.raw,
            block_table: self.block_table.raw,
            block_table_columns: self.block_table_columns,
            block_table_stride: self.block_table_stride,
            lengths: self.lengths.raw,
            lengths_per_request: i32::from(self.lengths_per_request),
            reserved: 0,
            indices: self.indices.raw,
            indices_stride: self.indices_stride,
            values_out: self.values_out.raw,
            values_out_stride: self.values_out_stride,
            slots: self.slots.raw,
            slots_stride: self.slots_stride,
            workspace: self.workspace.raw,
        }
    }
}

/// Arguments of [`IndexerPlan::map_slots`].
#[derive(Default)]
pub struct IndexerMapSlots<'a> {
    /// >= 0; 0 touches nothing.
    pub rows: i64,
    /// Indices a row has.
    pub columns: i64,
    /// \[rows, columns\] int32; negative: none.
    /// [`Input::IN_PLACE`]: it is `slots`.
    pub indices: Input<'a, i32>,
    /// Elements; 0: columns.
    pub indices_stride: i64,
    /// \[table_count, block_table_columns\] int32.
    pub block_table: Input<'a, i32>,
    /// Pages a table row has.
    pub block_table_columns: i64,
    /// Elements; 0: block_table_columns.
    pub block_table_stride: i64,
    /// Rows of the block table.
    pub table_count: i64,
    /// Optional \[rows\] int32; NULL: row / next_n.
    pub table_row: Input<'a, i32>,
    /// \[rows, columns\] int32; may be exactly `indices`.
    pub slots: Output<'a, i32>,
    /// Elements; 0: columns.
    pub slots_stride: i64,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: Output<'a, u8>,
}

impl IndexerMapSlots<'_> {
    fn raw(&mut self) -> sys::plait_indexer_map_slots_args {
        sys::plait_indexer_map_slots_args {
            struct_size: core::mem::size_of::<sys::plait_indexer_map_slots_args>(),
            rows: self.rows,
            columns: self.columns,
            indices: self.indices.or_same(&self.slots),
            indices_stride: self.indices_stride,
            block_table: self.block_table.raw,
            block_table_columns: self.block_table_columns,
            block_table_stride: self.block_table_stride,
            table_count: self.table_count,
            table_row: self.table_row.raw,
            slots: self.slots.raw,
            slots_stride: self.slots_stride,
            workspace: self.workspace.raw,
        }
    }
}

impl MhcPlan {
    /// pre: the mixes of a sublayer and its input.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn pre(&self, args: &mut MhcPre<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_mhc_pre(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::pre`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn pre_on(
        &self,
        args: &mut MhcPre<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_mhc_pre(self.0.raw, &raw, stream))
    }

    /// post: mixes a sublayer's output into the residual streams.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn post(&self, args: &mut MhcPost<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_mhc_post(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::post`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn post_on(
        &self,
        args: &mut MhcPost<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_mhc_post(self.0.raw, &raw, stream))
    }

    /// post of one sublayer and pre of the next, on the rounded new residual: bit for bit what
    /// plait_mhc_post() followed by plait_mhc_pre() returns.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn post_pre(&self, args: &mut MhcPostPre<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_mhc_post_pre(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::post_pre`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn post_pre_on(
        &self,
        args: &mut MhcPostPre<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_mhc_post_pre(self.0.raw, &raw, stream))
    }

    /// head: collapses the streams after the last layer.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn head(&self, args: &mut MhcHead<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_mhc_head(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::head`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn head_on(
        &self,
        args: &mut MhcHead<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_mhc_head(self.0.raw, &raw, stream))
    }

    /// expand: n equal streams from the embedding.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn expand(&self, args: &mut MhcExpand<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_mhc_expand(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::expand`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn expand_on(
        &self,
        args: &mut MhcExpand<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_mhc_expand(self.0.raw, &raw, stream))
    }
}

impl IndexerPlan {
    /// Rotates, transforms and quantises query rows, and folds scales into the head weights.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn quantize_q(&self, args: &mut IndexerQuantizeQ<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_indexer_quantize_q(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::quantize_q`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn quantize_q_on(
        &self,
        args: &mut IndexerQuantizeQ<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_indexer_quantize_q(self.0.raw, &raw, stream))
    }

    /// Rotates, transforms and quantises key rows into their pages.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn write_k(&self, args: &mut IndexerWriteK<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_indexer_write_k(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::write_k`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn write_k_on(
        &self,
        args: &mut IndexerWriteK<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_indexer_write_k(self.0.raw, &raw, stream))
    }

    /// Copies the keys of several requests from their pages into contiguous rows.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn gather_k(&self, args: &mut IndexerGatherK<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_indexer_gather_k(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::gather_k`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn gather_k_on(
        &self,
        args: &mut IndexerGatherK<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_indexer_gather_k(self.0.raw, &raw, stream))
    }

    /// Changes the fp8 flavour of quantised rows, keeping value * scale.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn convert_k(&self, args: &mut IndexerConvertK<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_indexer_convert_k(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::convert_k`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn convert_k_on(
        &self,
        args: &mut IndexerConvertK<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_indexer_convert_k(self.0.raw, &raw, stream))
    }

    /// plait_indexer_convert_k() for every entry of every page of a pool. The bytes between the end
    /// of a page's contents and the next page are not touched.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn convert_cache(&self, args: &mut IndexerConvertCache<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_indexer_convert_cache(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::convert_cache`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn convert_cache_on(
        &self,
        args: &mut IndexerConvertCache<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_indexer_convert_cache(self.0.raw, &raw, stream))
    }

    /// Logits of packed (prefill) rows over contiguous keys.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn logits_ragged(&self, args: &mut IndexerLogitsRagged<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_indexer_logits_ragged(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::logits_ragged`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn logits_ragged_on(
        &self,
        args: &mut IndexerLogitsRagged<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_indexer_logits_ragged(self.0.raw, &raw, stream))
    }

    /// Logits of decode rows over paged keys. A key whose page is past the table or outside the
    /// cache has the logit -inf.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn logits_paged(&self, args: &mut IndexerLogitsPaged<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_indexer_logits_paged(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::logits_paged`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn logits_paged_on(
        &self,
        args: &mut IndexerLogitsPaged<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_indexer_logits_paged(self.0.raw, &raw, stream))
    }

    /// plait_indexer_logits_ragged() then plait_topk() in one call, without a logits matrix: the
    /// same indices, in a workspace of at most select_budget bytes whatever `keys` is.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn select_ragged(&self, args: &mut IndexerSelectRagged<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_indexer_select_ragged(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::select_ragged`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn select_ragged_on(
        &self,
        args: &mut IndexerSelectRagged<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_indexer_select_ragged(self.0.raw, &raw, stream))
    }

    /// plait_indexer_logits_paged() then plait_topk() in one call; see
    /// plait_indexer_select_ragged().
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn select_paged(&self, args: &mut IndexerSelectPaged<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_indexer_select_paged(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::select_paged`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn select_paged_on(
        &self,
        args: &mut IndexerSelectPaged<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_indexer_select_paged(self.0.raw, &raw, stream))
    }

    /// Turns indices within a request into cache slots: block_table\[i / P\] * P + i % P; -1 for a
    /// negative index, a negative page id, an index past the table or a slot past int32.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn map_slots(&self, args: &mut IndexerMapSlots<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_indexer_map_slots(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::map_slots`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn map_slots_on(
        &self,
        args: &mut IndexerMapSlots<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_indexer_map_slots(self.0.raw, &raw, stream))
    }
}

impl TopkPlan {
    /// The K first of each row in the order above. Exact for any data.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn topk(&self, args: &mut Topk<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_topk(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::topk`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn topk_on(
        &self,
        args: &mut Topk<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_topk(self.0.raw, &raw, stream))
    }

    /// The K first, in the same order, of the candidates that several shards found: the result of
    /// one top-k over the whole row when each shard brought its own top-k.
    ///
    /// For plans on the CPU, with host slices; it returns when the work is done.
    pub fn merge(&self, args: &mut TopkMerge<'_>) -> Result<()> {
        self.0.host_only()?;
        let raw = args.raw();
        // SAFETY: the slices live for the call, which returns when it is done.
        check(unsafe { sys::plait_topk_merge(self.0.raw, &raw, null_mut()) })
    }

    /// As [`Self::merge`], enqueued on a stream; for plans on any device.
    ///
    /// # Safety
    /// Every buffer must be reachable by the plan's device, and must live and stay unshared until
    /// the stream has passed the call. `stream` is a stream of that device, or null.
    pub unsafe fn merge_on(
        &self,
        args: &mut TopkMerge<'_>,
        stream: *mut c_void,
    ) -> Result<()> {
        let raw = args.raw();
        check(sys::plait_topk_merge(self.0.raw, &raw, stream))
    }
}
