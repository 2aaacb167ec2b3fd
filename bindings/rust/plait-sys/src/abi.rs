// SPDX-License-Identifier: MIT
// Written by bindings/tools/generate.py from include/plait. Do not edit.
// Structs, constants and functions of the C ABI.

/// Changes when the API breaks.
pub const PLAIT_VERSION_MAJOR: i32 = 0;
/// Changes when the API grows.
pub const PLAIT_VERSION_MINOR: i32 = 1;
/// Changes when only the inside does.
pub const PLAIT_VERSION_PATCH: i32 = 0;
pub const PLAIT_ABI_VERSION: i32 = 1;
pub const PLAIT_ERROR_MESSAGE_SIZE: i32 = 256;
pub const PLAIT_WORKSPACE_ALIGNMENT: i32 = 256;
pub const PLAIT_MHC_MAX_STREAMS: i32 = 8;
pub const PLAIT_MHC_MAX_HIDDEN: i32 = 1048576;
pub const PLAIT_MHC_MAX_SINKHORN_ITERS: i32 = 1000;
pub const PLAIT_INDEXER_MAX_HEADS: i32 = 256;
pub const PLAIT_INDEXER_MAX_HEAD_DIM: i32 = 256;
pub const PLAIT_INDEXER_MAX_NEXT_N: i32 = 1024;
pub const PLAIT_INDEXER_MAX_PAGE_ENTRIES: i32 = 65536;

// Codes: the low 16 bits of a #plait_status.
/// The call did what it says.
pub const PLAIT_OK: i32 = 0;
/// A required pointer is NULL.
pub const PLAIT_ERROR_NULL_ARGUMENT: i32 = 100;
/// struct_size is smaller than the struct's first version.
pub const PLAIT_ERROR_STRUCT_SIZE: i32 = 101;
/// A non-zero field that this version does not know.
pub const PLAIT_ERROR_UNKNOWN_FIELD: i32 = 102;
/// Outside the documented range: zero, negative, NaN, no such enumerator.
pub const PLAIT_ERROR_INVALID_VALUE: i32 = 103;
/// A product of sizes does not fit 63 bits.
pub const PLAIT_ERROR_SIZE_OVERFLOW: i32 = 104;
/// The buffer is smaller than the call needs.
pub const PLAIT_ERROR_BUFFER_TOO_SMALL: i32 = 105;
/// The pointer or stride is not aligned as documented.
pub const PLAIT_ERROR_MISALIGNED: i32 = 106;
/// A stride is shorter than the row.
pub const PLAIT_ERROR_STRIDE: i32 = 107;
/// An output overlaps another buffer.
pub const PLAIT_ERROR_OVERLAP: i32 = 108;
/// row_start is above row_end, or negative.
pub const PLAIT_ERROR_RANGE: i32 = 109;
/// A slot or position outside its table.
pub const PLAIT_ERROR_INDEX_OUT_OF_RANGE: i32 = 110;
/// The plan is of another kind, or without this option.
pub const PLAIT_ERROR_WRONG_PLAN: i32 = 111;
/// The workspace budget is below the least possible.
pub const PLAIT_ERROR_BUDGET_TOO_SMALL: i32 = 112;
/// No implementation covers the shape.
pub const PLAIT_ERROR_UNSUPPORTED_SHAPE: i32 = 200;
/// No implementation covers the number format.
pub const PLAIT_ERROR_UNSUPPORTED_DTYPE: i32 = 201;
/// The device cannot run it.
pub const PLAIT_ERROR_UNSUPPORTED_DEVICE: i32 = 202;
/// The backend does not have this operation.
pub const PLAIT_ERROR_UNSUPPORTED_OPERATION: i32 = 203;
/// The backend or operation is not in this build.
pub const PLAIT_ERROR_NOT_IN_BUILD: i32 = 204;
/// The backend is there, but no such device.
pub const PLAIT_ERROR_NO_DEVICE: i32 = 205;
/// The backend library is of another version.
pub const PLAIT_ERROR_BACKEND_VERSION: i32 = 206;
/// Host or device memory could not be had.
pub const PLAIT_ERROR_OUT_OF_MEMORY: i32 = 300;
/// The worker threads could not be started.
pub const PLAIT_ERROR_THREADS: i32 = 301;
/// A call of the device runtime failed.
pub const PLAIT_ERROR_DEVICE_RUNTIME: i32 = 400;
/// A kernel launch was refused.
pub const PLAIT_ERROR_LAUNCH: i32 = 401;
/// A state that should not occur.
pub const PLAIT_ERROR_INTERNAL: i32 = 500;

// Arguments: bits 16 … 30 of a #plait_status.
pub const PLAIT_ARG_NONE: i32 = 0;
pub const PLAIT_ARG_CONTEXT: i32 = 1;
pub const PLAIT_ARG_PLAN: i32 = 2;
pub const PLAIT_ARG_DESC: i32 = 3;
pub const PLAIT_ARG_ARGS: i32 = 4;
/// The pointer that receives the result.
pub const PLAIT_ARG_RESULT: i32 = 5;
pub const PLAIT_ARG_STRUCT_SIZE: i32 = 6;
pub const PLAIT_ARG_WORKSPACE: i32 = 7;
pub const PLAIT_ARG_TOKENS: i32 = 8;
pub const PLAIT_ARG_ROWS: i32 = 9;
pub const PLAIT_ARG_SIZE: i32 = 10;
pub const PLAIT_ARG_STREAM: i32 = 11;
pub const PLAIT_ARG_OP: i32 = 12;
pub const PLAIT_ARG_INDEX: i32 = 13;
pub const PLAIT_ARG_ERROR: i32 = 14;
pub const PLAIT_ARG_BACKEND: i32 = 20;
pub const PLAIT_ARG_POLICY: i32 = 21;
pub const PLAIT_ARG_DEVICE: i32 = 22;
pub const PLAIT_ARG_THREADS: i32 = 23;
pub const PLAIT_ARG_LOG_LEVEL: i32 = 24;
pub const PLAIT_ARG_BACKEND_DIR: i32 = 25;
pub const PLAIT_ARG_IMPLEMENTATION: i32 = 26;
pub const PLAIT_ARG_HIDDEN: i32 = 40;
pub const PLAIT_ARG_HC_MULT: i32 = 41;
pub const PLAIT_ARG_DTYPE: i32 = 42;
pub const PLAIT_ARG_FN_DTYPE: i32 = 43;
pub const PLAIT_ARG_COLLAPSE: i32 = 44;
pub const PLAIT_ARG_NORM: i32 = 45;
pub const PLAIT_ARG_NORM_WEIGHT_DTYPE: i32 = 46;
pub const PLAIT_ARG_SINKHORN_ITERS: i32 = 47;
pub const PLAIT_ARG_RMS_EPS: i32 = 48;
pub const PLAIT_ARG_PRE_EPS: i32 = 49;
pub const PLAIT_ARG_SINKHORN_EPS: i32 = 50;
pub const PLAIT_ARG_POST_MULT: i32 = 51;
pub const PLAIT_ARG_NORM_EPS: i32 = 52;
pub const PLAIT_ARG_RESIDUAL: i32 = 53;
pub const PLAIT_ARG_FN: i32 = 54;
pub const PLAIT_ARG_BASE: i32 = 55;
pub const PLAIT_ARG_SCALE: i32 = 56;
pub const PLAIT_ARG_NORM_WEIGHT: i32 = 57;
pub const PLAIT_ARG_PREV_PRE: i32 = 58;
pub const PLAIT_ARG_PRE_MIX: i32 = 59;
pub const PLAIT_ARG_POST_MIX: i32 = 60;
pub const PLAIT_ARG_COMB_MIX: i32 = 61;
pub const PLAIT_ARG_LAYER_INPUT: i32 = 62;
pub const PLAIT_ARG_X: i32 = 63;
pub const PLAIT_ARG_X2: i32 = 64;
pub const PLAIT_ARG_RESIDUAL_OUT: i32 = 65;
pub const PLAIT_ARG_NEXT_POST_MIX: i32 = 66;
pub const PLAIT_ARG_NEXT_COMB_MIX: i32 = 67;
pub const PLAIT_ARG_OUT: i32 = 68;
pub const PLAIT_ARG_BROADCAST: i32 = 69;
pub const PLAIT_ARG_HEADS: i32 = 80;
pub const PLAIT_ARG_HEAD_DIM: i32 = 81;
pub const PLAIT_ARG_FORMAT: i32 = 82;
pub const PLAIT_ARG_LAYOUT: i32 = 83;
pub const PLAIT_ARG_PAGE_ENTRIES: i32 = 84;
pub const PLAIT_ARG_PAGE_STRIDE: i32 = 85;
pub const PLAIT_ARG_ROPE_MODE: i32 = 86;
pub const PLAIT_ARG_ROPE_DIM: i32 = 87;
pub const PLAIT_ARG_ROPE_PLACEMENT: i32 = 88;
pub const PLAIT_ARG_HADAMARD: i32 = 89;
pub const PLAIT_ARG_WEIGHTS_DTYPE: i32 = 90;
pub const PLAIT_ARG_LOGITS_DTYPE: i32 = 91;
pub const PLAIT_ARG_NEXT_N: i32 = 92;
pub const PLAIT_ARG_TOPK: i32 = 93;
pub const PLAIT_ARG_ORDER: i32 = 94;
pub const PLAIT_ARG_MAX_KEYS: i32 = 95;
pub const PLAIT_ARG_SELECT_BUDGET: i32 = 96;
pub const PLAIT_ARG_Q: i32 = 97;
pub const PLAIT_ARG_POSITIONS: i32 = 98;
pub const PLAIT_ARG_COS_SIN: i32 = 99;
pub const PLAIT_ARG_WEIGHTS: i32 = 100;
pub const PLAIT_ARG_Q_VALUES: i32 = 101;
pub const PLAIT_ARG_Q_SCALE: i32 = 102;
pub const PLAIT_ARG_WEIGHTS_OUT: i32 = 103;
pub const PLAIT_ARG_K: i32 = 104;
pub const PLAIT_ARG_SLOT_MAPPING: i32 = 105;
pub const PLAIT_ARG_CACHE: i32 = 106;
pub const PLAIT_ARG_REJECTED: i32 = 107;
pub const PLAIT_ARG_REQUESTS: i32 = 108;
pub const PLAIT_ARG_BLOCK_TABLE: i32 = 109;
pub const PLAIT_ARG_BLOCK_TABLE_COLUMNS: i32 = 110;
pub const PLAIT_ARG_CU_LENGTHS: i32 = 111;
pub const PLAIT_ARG_K_VALUES: i32 = 112;
pub const PLAIT_ARG_K_SCALE: i32 = 113;
pub const PLAIT_ARG_KEYS: i32 = 114;
pub const PLAIT_ARG_ROW_START: i32 = 115;
pub const PLAIT_ARG_ROW_END: i32 = 116;
pub const PLAIT_ARG_LOGITS: i32 = 117;
pub const PLAIT_ARG_LENGTHS: i32 = 118;
pub const PLAIT_ARG_COLUMNS: i32 = 119;
pub const PLAIT_ARG_INDICES: i32 = 120;
pub const PLAIT_ARG_VALUES_OUT: i32 = 121;
pub const PLAIT_ARG_SLOTS: i32 = 122;
pub const PLAIT_ARG_TABLE_ROW: i32 = 123;
pub const PLAIT_ARG_FROM_FORMAT: i32 = 124;
pub const PLAIT_ARG_SRC_VALUES: i32 = 125;
pub const PLAIT_ARG_SRC_SCALE: i32 = 126;
pub const PLAIT_ARG_DST_VALUES: i32 = 127;
pub const PLAIT_ARG_DST_SCALE: i32 = 128;
pub const PLAIT_ARG_SRC_CACHE: i32 = 129;
pub const PLAIT_ARG_FILL: i32 = 130;
pub const PLAIT_ARG_LENGTHS_PER_REQUEST: i32 = 131;
pub const PLAIT_ARG_TABLE_COUNT: i32 = 132;
pub const PLAIT_ARG_MAX_COLUMNS: i32 = 150;
pub const PLAIT_ARG_VALUES: i32 = 151;
pub const PLAIT_ARG_SHARDS: i32 = 152;
pub const PLAIT_ARG_CANDIDATES: i32 = 153;
pub const PLAIT_ARG_ROWS_PER_TABLE: i32 = 154;
pub const PLAIT_ARG_INDICES_OUT: i32 = 155;
pub const PLAIT_ARG_POINTER: i32 = 170;
pub const PLAIT_ARG_DST: i32 = 171;
pub const PLAIT_ARG_SRC: i32 = 172;
pub const PLAIT_ARG_GRAPH: i32 = 173;
pub const PLAIT_ARG_EVENT: i32 = 174;

// Number formats of tensors.
/// IEEE binary32.
pub const PLAIT_DTYPE_F32: i32 = 1;
/// IEEE binary16.
pub const PLAIT_DTYPE_F16: i32 = 2;
/// bfloat16: the upper half of a binary32.
pub const PLAIT_DTYPE_BF16: i32 = 3;

// Operations, as plait_plan_explain() and plait_plan_candidate() count them.
pub const PLAIT_OP_MHC_PRE: i32 = 0;
pub const PLAIT_OP_MHC_POST: i32 = 1;
pub const PLAIT_OP_MHC_POST_PRE: i32 = 2;
pub const PLAIT_OP_MHC_HEAD: i32 = 3;
pub const PLAIT_OP_MHC_EXPAND: i32 = 4;
pub const PLAIT_OP_QUANTIZE_Q: i32 = 5;
pub const PLAIT_OP_WRITE_K: i32 = 6;
pub const PLAIT_OP_GATHER_K: i32 = 7;
pub const PLAIT_OP_CONVERT_K: i32 = 8;
pub const PLAIT_OP_CONVERT_CACHE: i32 = 9;
pub const PLAIT_OP_LOGITS_RAGGED: i32 = 10;
pub const PLAIT_OP_LOGITS_PAGED: i32 = 11;
pub const PLAIT_OP_SELECT_RAGGED: i32 = 12;
pub const PLAIT_OP_SELECT_PAGED: i32 = 13;
pub const PLAIT_OP_MAP_SLOTS: i32 = 14;
pub const PLAIT_OP_TOPK: i32 = 15;
pub const PLAIT_OP_TOPK_MERGE: i32 = 16;
/// Grows when operations are added.
pub const PLAIT_OP_COUNT: i32 = 17;

// Backends.
/// The first of HIP, CUDA, CPU that works here.
pub const PLAIT_BACKEND_AUTO: i32 = 0;
/// Always there.
pub const PLAIT_BACKEND_CPU: i32 = 1;
/// AMD, through libplait-hip.so.
pub const PLAIT_BACKEND_HIP: i32 = 2;
/// NVIDIA, through libplait-cuda.so.
pub const PLAIT_BACKEND_CUDA: i32 = 3;

// What to do when the asked backend is not to be had.
/// Fail with a status and a reason.
pub const PLAIT_POLICY_STRICT: i32 = 0;
/// Take the CPU, and say so in the log and the context's info.
pub const PLAIT_POLICY_FALLBACK: i32 = 1;

// Log levels; a line is delivered when its level is at most the context's.
/// Nothing.
pub const PLAIT_LOG_SILENT: i32 = 0;
/// Something asked for was not given: a fallback, a bad variable.
pub const PLAIT_LOG_WARN: i32 = 1;
/// What was chosen: backend, device, implementation per operation.
pub const PLAIT_LOG_INFO: i32 = 2;
/// Every candidate that was considered.
pub const PLAIT_LOG_DEBUG: i32 = 3;

// Kinds of plan.
pub const PLAIT_PLAN_MHC: i32 = 1;
pub const PLAIT_PLAN_INDEXER: i32 = 2;
pub const PLAIT_PLAN_TOPK: i32 = 3;

// Which pre mix collapses the streams into layer_input.
/// The one computed by the same call.
pub const PLAIT_MHC_COLLAPSE_CURRENT: i32 = 0;
/// `prev_pre`, given by the caller (DeepSeek-V4.1).
pub const PLAIT_MHC_COLLAPSE_DELAYED: i32 = 1;

// Bits of plait_mhc_plan_desc::norm.
/// Fold an RMSNorm into the layer_input of pre and post_pre.
pub const PLAIT_MHC_NORM_LAYER_INPUT: i32 = 1;
/// Fold an RMSNorm into the output of head.
pub const PLAIT_MHC_NORM_HEAD: i32 = 2;

// Order of the indices within an output row.
/// Whatever is fastest; the same on every run.
pub const PLAIT_ORDER_ANY: i32 = 0;
/// Ascending index.
pub const PLAIT_ORDER_INDEX: i32 = 1;
/// Descending value, equal values by ascending index, NaN last.
pub const PLAIT_ORDER_DESCENDING: i32 = 2;

// Number formats of quantised queries and keys.
/// OCP e4m3: scale = 2^ceil(log2(amax / 448)).
pub const PLAIT_FORMAT_FP8_E4M3FN: i32 = 1;
/// FNUZ e4m3 (gfx942): scale = 2^ceil(log2(amax / 224)).
pub const PLAIT_FORMAT_FP8_E4M3FNUZ: i32 = 2;
/// E2M1 in groups of 32 with ue8m0 scales.
pub const PLAIT_FORMAT_MXFP4: i32 = 3;

// Layouts of a cache page.
pub const PLAIT_LAYOUT_BLOCK_FLAT: i32 = 1;
pub const PLAIT_LAYOUT_TILED: i32 = 2;

// Rotary embedding of queries and keys.
pub const PLAIT_ROPE_NONE: i32 = 0;
/// Pairs (2i, 2i + 1).
pub const PLAIT_ROPE_INTERLEAVED: i32 = 1;
/// Pairs (i, i + rope_dim / 2).
pub const PLAIT_ROPE_HALF_SPLIT: i32 = 2;

// Which rope_dim dimensions are rotated.
/// 0 … rope_dim - 1.
pub const PLAIT_ROPE_FIRST: i32 = 0;
/// D - rope_dim … D - 1.
pub const PLAIT_ROPE_LAST: i32 = 1;

pub type plait_status = i32;

/// Opaque.
#[repr(C)]
pub struct plait_context {
    _private: [u8; 0],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Opaque.
#[repr(C)]
pub struct plait_plan {
    _private: [u8; 0],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Opaque.
#[repr(C)]
pub struct plait_graph {
    _private: [u8; 0],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Receives one formatted line, without a newline, during a setup call.
pub type plait_log_fn = Option<unsafe extern "C" fn(user: *mut c_void, level: i32, line: *const c_char)>;

/// A caller-owned record that setup functions fill when they fail.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_error {
    /// sizeof(plait_error), by plait_error_init().
    pub struct_size: usize,
    /// What the function returned.
    pub status: plait_status,
    /// hipError_t, cudaError_t or errno; else 0.
    pub native_code: i32,
    /// Zero-terminated.
    pub message: [c_char; 256],
}

/// Memory that a call may write, with its size.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_buffer {
    /// First byte. Aligned to the element unless the field says otherwise.
    pub data: *mut c_void,
    /// Bytes.
    pub size: usize,
}

/// Memory that a call only reads. See plait_buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_const_buffer {
    /// First byte.
    pub data: *const c_void,
    /// Bytes.
    pub size: usize,
}

/// How to make a context.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_context_desc {
    /// sizeof(plait_context_desc), by the init function.
    pub struct_size: usize,
    /// PLAIT_BACKEND_…; default AUTO.
    pub backend: i32,
    /// PLAIT_POLICY_…; default STRICT. AUTO always ends at the CPU.
    pub policy: i32,
    /// Ordinal as the backend's runtime counts; -1, the default: the calling thread's current
    /// device. The CPU backend has device 0 only.
    pub device: i32,
    /// CPU backend: threads that share one call, the caller's included; 0, the default: as many as
    /// the process may run on.
    pub threads: i32,
    /// PLAIT_LOG_…; default SILENT.
    pub log_level: i32,
    /// 0.
    pub reserved: i32,
    /// Receives the log; NULL: stderr if the environment asked, else none.
    pub log: plait_log_fn,
    /// First argument of `log`.
    pub log_user: *mut c_void,
    /// Folder of the backend libraries; NULL: `plait/` beside libplait.so. Copied.
    pub backend_dir: *const c_char,
    /// Default of the plans' field of that name; NULL: the best. Copied.
    pub implementation: *const c_char,
}

/// What a context turned out to be. The strings live as long as the context.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_context_info {
    /// sizeof(plait_context_info), set by the caller.
    pub struct_size: usize,
    /// PLAIT_BACKEND_CPU, _HIP or _CUDA.
    pub backend: i32,
    /// What was asked, after the environment.
    pub asked_backend: i32,
    /// Ordinal.
    pub device: i32,
    /// CPU backend: threads; a GPU: 0.
    pub threads: i32,
    /// A GPU: compute units or multiprocessors; CPU: threads.
    pub compute_units: i32,
    /// A GPU: lanes of a wave (32 or 64); CPU: f32 lanes of a vector.
    pub wave_size: i32,
    /// Memory of the device; 0 if unknown.
    pub memory_bytes: i64,
    /// As the runtime calls it.
    pub device_name: *const c_char,
    /// "gfx942", "sm_90", "AVX2", …
    pub architecture: *const c_char,
    /// Why the asked backend was not taken; "" if it was.
    pub fallback_reason: *const c_char,
}

/// What is known of a backend before a context is made.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_backend_info {
    /// sizeof(plait_backend_info), set by the caller.
    pub struct_size: usize,
    /// 1 when a context can be made on at least one device.
    pub available: i32,
    /// Devices.
    pub device_count: i32,
    /// The library that was loaded or looked for; "" for the CPU.
    pub path: [c_char; 512],
    /// Why it is not available; "" when it is.
    pub reason: [c_char; 256],
}

/// One entry of an operation's ordered list of implementations. Strings live as long as the plan.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_candidate {
    /// sizeof(plait_candidate), set by the caller.
    pub struct_size: usize,
    /// 1 for the one that the plan runs.
    pub chosen: i32,
    /// 1 when it could run: naming it in a plan's `implementation` works.
    pub usable: i32,
    /// "reference", "generic", …
    pub name: *const c_char,
    /// Why it was refused or passed over; "" for the chosen one.
    pub reason: *const c_char,
}

/// The problem that an mHC plan is made for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_mhc_plan_desc {
    /// sizeof(plait_mhc_plan_desc), by the init function.
    pub struct_size: usize,
    /// H, 1 … PLAIT_MHC_MAX_HIDDEN. Required.
    pub hidden: i64,
    /// n, 1 … PLAIT_MHC_MAX_STREAMS; default 4.
    pub hc_mult: i32,
    /// Of residual, x, layer_input, out: PLAIT_DTYPE_…; default BF16.
    pub dtype: i32,
    /// Of fn and the head's fn; default F32.
    pub fn_dtype: i32,
    /// PLAIT_MHC_COLLAPSE_…; default CURRENT.
    pub collapse: i32,
    /// PLAIT_MHC_NORM_… bits; default 0: no norm folded in.
    pub norm: i32,
    /// Of norm_weight; default BF16.
    pub norm_weight_dtype: i32,
    /// 1 … PLAIT_MHC_MAX_SINKHORN_ITERS; default 20.
    pub sinkhorn_iters: i32,
    /// Finite, >= 0; default 1e-6.
    pub rms_eps: f32,
    /// Added to each pre; finite, >= 0; default 1e-6.
    pub pre_eps: f32,
    /// Finite, >= 0; default 1e-6.
    pub sinkhorn_eps: f32,
    /// Factor of each post; finite; default 2.
    pub post_mult: f32,
    /// Of the folded RMSNorm; finite, >= 0; default 1e-6.
    pub norm_eps: f32,
    /// Name from plait_plan_candidate(), taken for each operation whose list has it; NULL: the
    /// context's, else the best. Copied.
    pub implementation: *const c_char,
}

/// Bytes of every buffer of the mHC calls, for contiguous strides.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_mhc_sizes {
    /// sizeof(plait_mhc_sizes), set by the caller.
    pub struct_size: usize,
    /// \[T, n, H\] dtype.
    pub residual: usize,
    /// \[T, H\] dtype: x, x2, layer_input, the head's out.
    pub hidden: usize,
    /// \[T, n\] f32; prev_pre too.
    pub pre_mix: usize,
    /// \[T, n\] f32.
    pub post_mix: usize,
    /// \[T, n, n\] f32.
    pub comb_mix: usize,
    /// \[M, n * H\] fn_dtype.
    pub r#fn: usize,
    /// \[M\] f32.
    pub base: usize,
    /// \[3\] f32.
    pub scale: usize,
    /// \[n, n * H\] fn_dtype.
    pub head_fn: usize,
    /// \[n\] f32.
    pub head_base: usize,
    /// \[1\] f32.
    pub head_scale: usize,
    /// \[H\] norm_weight_dtype.
    pub norm_weight: usize,
    /// The largest of the five below: one that serves every call.
    pub workspace: usize,
    /// Workspace of plait_mhc_pre().
    pub workspace_pre: usize,
    /// Workspace of plait_mhc_post().
    pub workspace_post: usize,
    /// Workspace of plait_mhc_post_pre().
    pub workspace_post_pre: usize,
    /// Workspace of plait_mhc_head().
    pub workspace_head: usize,
    /// Workspace of plait_mhc_expand().
    pub workspace_expand: usize,
}

/// Arguments of plait_mhc_pre(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_mhc_pre_args {
    /// sizeof(plait_mhc_pre_args).
    pub struct_size: usize,
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, n, H\] dtype; \[T, H\] when `broadcast`.
    pub residual: plait_const_buffer,
    /// Elements between tokens; 0: contiguous.
    pub residual_stride: i64,
    /// 1: residual is \[T, H\] and stands for n equal streams.
    pub broadcast: i32,
    /// 0.
    pub reserved: i32,
    /// \[M, n * H\] fn_dtype: n rows pre, n post, n * n comb.
    pub r#fn: plait_const_buffer,
    /// \[M\] f32, in the order of fn's rows.
    pub base: plait_const_buffer,
    /// \[3\] f32: pre, post, comb.
    pub scale: plait_const_buffer,
    /// \[H\] norm_weight_dtype; required exactly when the plan has PLAIT_MHC_NORM_LAYER_INPUT.
    pub norm_weight: plait_const_buffer,
    /// DELAYED only: \[T, n\] f32; NULL: stream 0, exactly.
    pub prev_pre: plait_const_buffer,
    /// Elements; 0: n.
    pub prev_pre_stride: i64,
    /// \[T, n\] f32. Required when DELAYED, else optional.
    pub pre_mix: plait_buffer,
    /// Elements; 0: n.
    pub pre_mix_stride: i64,
    /// \[T, n\] f32.
    pub post_mix: plait_buffer,
    /// Elements; 0: n.
    pub post_mix_stride: i64,
    /// \[T, n, n\] f32, \[source\]\[destination\].
    pub comb_mix: plait_buffer,
    /// Elements; 0: n * n.
    pub comb_mix_stride: i64,
    /// \[T, H\] dtype.
    pub layer_input: plait_buffer,
    /// Elements; 0: H.
    pub layer_input_stride: i64,
    /// workspace_pre bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_mhc_post(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_mhc_post_args {
    /// sizeof(plait_mhc_post_args).
    pub struct_size: usize,
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, H\] dtype: the sublayer's output.
    pub x: plait_const_buffer,
    /// Elements; 0: H.
    pub x_stride: i64,
    /// Optional second output, added to x in f32 (shared expert).
    pub x2: plait_const_buffer,
    /// Elements; 0: H.
    pub x2_stride: i64,
    /// \[T, n, H\] dtype; \[T, H\] when `broadcast`.
    pub residual: plait_const_buffer,
    /// Elements; 0: contiguous.
    pub residual_stride: i64,
    /// 1: residual is \[T, H\] and stands for n equal streams.
    pub broadcast: i32,
    /// 0.
    pub reserved: i32,
    /// \[T, n\] f32.
    pub post_mix: plait_const_buffer,
    /// Elements; 0: n.
    pub post_mix_stride: i64,
    /// \[T, n, n\] f32, \[source\]\[destination\]; NULL: identity.
    pub comb_mix: plait_const_buffer,
    /// Elements; 0: n * n.
    pub comb_mix_stride: i64,
    /// \[T, n, H\] dtype. May be exactly `residual` (same pointer and stride, no broadcast): in
    /// place.
    pub residual_out: plait_buffer,
    /// Elements; 0: n * H.
    pub residual_out_stride: i64,
    /// workspace_post bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_mhc_post_pre(): those of post for the sublayer that ended, and those of pre
/// for the one that begins.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_mhc_post_pre_args {
    /// sizeof(plait_mhc_post_pre_args).
    pub struct_size: usize,
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, H\] dtype.
    pub x: plait_const_buffer,
    /// Elements; 0: H.
    pub x_stride: i64,
    /// Optional, added to x in f32.
    pub x2: plait_const_buffer,
    /// Elements; 0: H.
    pub x2_stride: i64,
    /// \[T, n, H\] dtype; \[T, H\] when `broadcast`.
    pub residual: plait_const_buffer,
    /// Elements; 0: contiguous.
    pub residual_stride: i64,
    /// 1: residual is \[T, H\] and stands for n equal streams.
    pub broadcast: i32,
    /// 0.
    pub reserved: i32,
    /// \[T, n\] f32, of the sublayer that ended.
    pub post_mix: plait_const_buffer,
    /// Elements; 0: n.
    pub post_mix_stride: i64,
    /// \[T, n, n\] f32; NULL: identity.
    pub comb_mix: plait_const_buffer,
    /// Elements; 0: n * n.
    pub comb_mix_stride: i64,
    /// \[T, n, H\] dtype; may be exactly `residual`.
    pub residual_out: plait_buffer,
    /// Elements; 0: n * H.
    pub residual_out_stride: i64,
    /// \[M, n * H\] fn_dtype, of the sublayer that begins.
    pub r#fn: plait_const_buffer,
    /// \[M\] f32.
    pub base: plait_const_buffer,
    /// \[3\] f32.
    pub scale: plait_const_buffer,
    /// As in plait_mhc_pre_args.
    pub norm_weight: plait_const_buffer,
    /// DELAYED only: \[T, n\] f32; NULL: stream 0, exactly.
    pub prev_pre: plait_const_buffer,
    /// Elements; 0: n.
    pub prev_pre_stride: i64,
    /// \[T, n\] f32. Required when DELAYED, else optional.
    pub pre_mix: plait_buffer,
    /// Elements; 0: n.
    pub pre_mix_stride: i64,
    /// \[T, n\] f32.
    pub next_post_mix: plait_buffer,
    /// Elements; 0: n.
    pub next_post_mix_stride: i64,
    /// \[T, n, n\] f32.
    pub next_comb_mix: plait_buffer,
    /// Elements; 0: n * n.
    pub next_comb_mix_stride: i64,
    /// \[T, H\] dtype.
    pub layer_input: plait_buffer,
    /// Elements; 0: H.
    pub layer_input_stride: i64,
    /// workspace_post_pre bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_mhc_head(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_mhc_head_args {
    /// sizeof(plait_mhc_head_args).
    pub struct_size: usize,
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, n, H\] dtype.
    pub residual: plait_const_buffer,
    /// Elements; 0: n * H.
    pub residual_stride: i64,
    /// \[n, n * H\] fn_dtype. CURRENT only; must be NULL when DELAYED.
    pub r#fn: plait_const_buffer,
    /// \[n\] f32. CURRENT only.
    pub base: plait_const_buffer,
    /// \[1\] f32. CURRENT only.
    pub scale: plait_const_buffer,
    /// DELAYED only: p, \[T, n\] f32; NULL: stream 0, exactly.
    pub prev_pre: plait_const_buffer,
    /// Elements; 0: n.
    pub prev_pre_stride: i64,
    /// \[H\] norm_weight_dtype; required exactly when the plan has PLAIT_MHC_NORM_HEAD.
    pub norm_weight: plait_const_buffer,
    /// \[T, H\] dtype.
    pub out: plait_buffer,
    /// Elements; 0: H.
    pub out_stride: i64,
    /// workspace_head bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_mhc_expand().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_mhc_expand_args {
    /// sizeof(plait_mhc_expand_args).
    pub struct_size: usize,
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, H\] dtype: the embedding.
    pub x: plait_const_buffer,
    /// Elements; 0: H.
    pub x_stride: i64,
    /// \[T, n, H\] dtype: n copies of x.
    pub residual_out: plait_buffer,
    /// Elements; 0: n * H.
    pub residual_out_stride: i64,
    /// workspace_expand bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// The problem that a top-k plan is made for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_topk_plan_desc {
    /// sizeof(plait_topk_plan_desc), by the init function.
    pub struct_size: usize,
    /// Longest row that a call may bring, 1 … 2^31 - 1. Required.
    pub max_columns: i64,
    /// K, 1 … 2^31 - 1. Required. May exceed the rows' length.
    pub k: i64,
    /// PLAIT_ORDER_…; default ANY.
    pub order: i32,
    /// Of the values: PLAIT_DTYPE_…; default F32.
    pub dtype: i32,
    /// P of the block table, for `slots`; default 64.
    pub page_entries: i32,
    /// 0.
    pub reserved: i32,
    /// As in plait_mhc_plan_desc.
    pub implementation: *const c_char,
}

/// Bytes of the outputs and workspaces of the top-k calls, for contiguous strides.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_topk_sizes {
    /// sizeof(plait_topk_sizes), set by the caller.
    pub struct_size: usize,
    /// \[rows, K\] int32; slots too.
    pub indices: usize,
    /// \[rows, K\] dtype: values_out.
    pub values: usize,
    /// The larger of the two below.
    pub workspace: usize,
    /// Workspace of plait_topk().
    pub workspace_topk: usize,
    /// Workspace of plait_topk_merge().
    pub workspace_merge: usize,
}

/// Arguments of plait_topk(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_topk_args {
    /// sizeof(plait_topk_args).
    pub struct_size: usize,
    /// Padded rows >= 0; 0 touches nothing.
    pub rows: i64,
    /// Width of a row of `values`, 0 … max_columns.
    pub columns: i64,
    /// \[rows, columns\] dtype. Needs the element's alignment only.
    pub values: plait_const_buffer,
    /// Elements; 0: columns.
    pub values_stride: i64,
    /// Optional \[rows\] int32: first column of a row; NULL: 0.
    pub row_start: plait_const_buffer,
    /// Optional \[rows\] int32: one past its last column (its length when row_start is NULL); NULL:
    /// columns. Clamped to columns.
    pub row_end: plait_const_buffer,
    /// \[rows, K\] int32, relative to row_start: min(K, length) of them, then -1. Every slot is
    /// written.
    pub indices: plait_buffer,
    /// Elements; 0: K.
    pub indices_stride: i64,
    /// Optional \[rows, K\] dtype: the values; -inf beside a -1.
    pub values_out: plait_buffer,
    /// Elements; 0: K.
    pub values_out_stride: i64,
    /// Optional \[rows, K\] int32: block_table\[i / P\] * P + i % P; -1 beside a -1, for a negative
    /// page id, for i past the table and where the slot does not fit int32.
    pub slots: plait_buffer,
    /// Elements; 0: K.
    pub slots_stride: i64,
    /// \[table_count, block_table_columns\] int32; required with slots.
    pub block_table: plait_const_buffer,
    /// Pages a table row has.
    pub block_table_columns: i64,
    /// Elements; 0: block_table_columns.
    pub block_table_stride: i64,
    /// Rows of the block table.
    pub table_count: i64,
    /// Optional \[rows\] int32: the table row of each row (outside the table: slots -1); NULL: row
    /// / rows_per_table.
    pub table_row: plait_const_buffer,
    /// Rows that share a table row; 0: 1.
    pub rows_per_table: i64,
    /// workspace_topk bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_topk_merge(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_topk_merge_args {
    /// sizeof(plait_topk_merge_args).
    pub struct_size: usize,
    /// Padded rows >= 0; 0 touches nothing.
    pub rows: i64,
    /// >= 1.
    pub shards: i64,
    /// Per shard and row, >= 1; shards * candidates <= max_columns.
    pub candidates: i64,
    /// \[shards, rows, candidates\] dtype.
    pub values: plait_const_buffer,
    /// Elements between rows; 0: candidates.
    pub values_stride: i64,
    /// Elements between shards; 0: rows * values_stride.
    pub values_shard_stride: i64,
    /// \[shards, rows, candidates\] int32 global indices; negative: an empty place. A row's indices
    /// must differ from one another.
    pub indices: plait_const_buffer,
    /// Elements between rows; 0: candidates.
    pub indices_stride: i64,
    /// Elements between shards; 0: rows * indices_stride.
    pub indices_shard_stride: i64,
    /// \[rows, K\] int32 global indices, then -1.
    pub indices_out: plait_buffer,
    /// Elements; 0: K.
    pub indices_out_stride: i64,
    /// Optional \[rows, K\] dtype; -inf beside a -1.
    pub values_out: plait_buffer,
    /// Elements; 0: K.
    pub values_out_stride: i64,
    /// workspace_merge bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// The problem that an indexer plan is made for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_plan_desc {
    /// sizeof(plait_indexer_plan_desc), by the init function.
    pub struct_size: usize,
    /// Hq, 1 … PLAIT_INDEXER_MAX_HEADS; default 64.
    pub heads: i32,
    /// D, a multiple of 32 up to PLAIT_INDEXER_MAX_HEAD_DIM; a power of two with hadamard; default
    /// 128.
    pub head_dim: i32,
    /// PLAIT_FORMAT_…; default FP8_E4M3FN.
    pub format: i32,
    /// PLAIT_LAYOUT_…; default BLOCK_FLAT.
    pub layout: i32,
    /// P, 1 … PLAIT_INDEXER_MAX_PAGE_ENTRIES; default 64.
    pub page_entries: i32,
    /// PLAIT_ROPE_…; default INTERLEAVED.
    pub rope_mode: i32,
    /// Even, 2 … D; ignored when rope_mode is NONE; default 64.
    pub rope_dim: i32,
    /// PLAIT_ROPE_FIRST or _LAST; default LAST.
    pub rope_placement: i32,
    /// 1: Hadamard transform of q and of k; default 0.
    pub hadamard: i32,
    /// Of the weights given to quantize_q; default F32.
    pub weights_dtype: i32,
    /// F32 or BF16; default F32.
    pub logits_dtype: i32,
    /// N of the paged calls, 1 … PLAIT_INDEXER_MAX_NEXT_N; default 1.
    pub next_n: i32,
    /// Bytes between pages; a multiple of 4 (16 when TILED); 0, the default: the smallest such,
    /// plait_indexer_sizes::page.
    pub page_stride: i64,
    /// K of select, 0 … 2^31 - 1; 0, the default: the plan has no select.
    pub topk: i64,
    /// Longest row of a select call, 1 … 2^31 - 1; default 1048576.
    pub max_keys: i64,
    /// Most bytes of workspace_select; default 256 MiB. Plan creation fails with BUDGET_TOO_SMALL,
    /// and says the least, when no implementation can work within it.
    pub select_budget: usize,
    /// PLAIT_ORDER_… of select; default ANY.
    pub order: i32,
    /// 0.
    pub reserved: i32,
    /// As in plait_mhc_plan_desc.
    pub implementation: *const c_char,
}

/// Bytes of the buffers of the indexer calls, for contiguous strides.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_sizes {
    /// sizeof(plait_indexer_sizes), set by the caller.
    pub struct_size: usize,
    /// \[rows, Hq, D\] bf16.
    pub q: usize,
    /// \[rows, Hq, V\] bytes.
    pub q_values: usize,
    /// \[rows, Hq\] f32, or mxfp4 \[rows, Hq, D / 32\] bytes.
    pub q_scale: usize,
    /// \[rows, Hq\] weights_dtype.
    pub weights: usize,
    /// \[rows, Hq\] f32.
    pub weights_out: usize,
    /// \[rows, D\] bf16.
    pub k: usize,
    /// \[rows, V\] bytes.
    pub k_values: usize,
    /// \[rows\] f32, or mxfp4 \[rows, D / 32\] bytes.
    pub k_scale: usize,
    /// Bytes of one page's contents: P * (V + S), rounded up to the granularity of page_stride.
    pub page: usize,
    /// Bytes between pages, as the plan resolved it.
    pub page_stride: usize,
    /// \[rows, K\] int32; slots too.
    pub indices: usize,
    /// \[rows, K\] f32: values_out of select.
    pub values: usize,
    /// The largest of the three below: one that serves every call.
    pub workspace: usize,
    /// Workspace of the logits calls.
    pub workspace_logits: usize,
    /// Workspace of the select calls; at most select_budget.
    pub workspace_select: usize,
    /// Workspace of quantize_q, write_k, gather_k, convert, map_slots.
    pub workspace_quantize: usize,
    /// The least select_budget that this problem can work with; 0 when the plan has no select.
    pub select_least: usize,
}

/// Arguments of plait_indexer_quantize_q(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_quantize_q_args {
    /// sizeof(plait_indexer_quantize_q_args).
    pub struct_size: usize,
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, Hq, D\] bf16.
    pub q: plait_const_buffer,
    /// Elements between tokens; 0: Hq * D.
    pub q_stride: i64,
    /// \[T\] int64: rows of cos_sin. Not read when rope is NONE.
    pub positions: plait_const_buffer,
    /// \[positions, rope_dim\] f32: cos of rope_dim / 2 angles, then sin. The number of rows is
    /// size / (4 * rope_dim).
    pub cos_sin: plait_const_buffer,
    /// \[T, Hq\] weights_dtype.
    pub weights: plait_const_buffer,
    /// Elements; 0: Hq.
    pub weights_stride: i64,
    /// \[T, Hq, V\] bytes, contiguous.
    pub q_values: plait_buffer,
    /// fp8: optional \[T, Hq\] f32, contiguous. mxfp4: required \[T, Hq, D / 32\] bytes.
    pub q_scale: plait_buffer,
    /// \[T, Hq\] f32, contiguous.
    pub weights_out: plait_buffer,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_indexer_write_k(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_write_k_args {
    /// sizeof(plait_indexer_write_k_args).
    pub struct_size: usize,
    /// T >= 0; 0 touches nothing.
    pub tokens: i64,
    /// \[T, D\] bf16.
    pub k: plait_const_buffer,
    /// Elements between tokens; 0: D.
    pub k_stride: i64,
    /// \[T\] int64; as for quantize_q.
    pub positions: plait_const_buffer,
    /// As for quantize_q.
    pub cos_sin: plait_const_buffer,
    /// \[T\] int64: page * P + entry; negative: the token is skipped. Slots of one call must differ
    /// from one another.
    pub slot_mapping: plait_const_buffer,
    /// The page pool: aligned to 4 bytes (16 when TILED). Its pages are as many as fit `size`: the
    /// last may lack the stride's tail.
    pub cache: plait_buffer,
    /// Optional \[1\] int32: how many tokens were left out because their slot lies past the cache
    /// or their position past cos_sin.
    pub rejected: plait_buffer,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_indexer_gather_k(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_gather_k_args {
    /// sizeof(plait_indexer_gather_k_args).
    pub struct_size: usize,
    /// B >= 0; 0 touches nothing.
    pub requests: i64,
    /// Rows that the outputs have room for; rows past it are not written.
    pub keys: i64,
    /// As for write_k.
    pub cache: plait_const_buffer,
    /// \[B, block_table_columns\] int32 page ids.
    pub block_table: plait_const_buffer,
    /// Pages a request has.
    pub block_table_columns: i64,
    /// Elements; 0: block_table_columns.
    pub block_table_stride: i64,
    /// \[B + 1\] int32, ascending from 0: request b fills rows cu_lengths\[b\] … cu_lengths\[b +
    /// 1\] - 1.
    pub cu_lengths: plait_const_buffer,
    /// \[keys, V\] bytes, contiguous.
    pub k_values: plait_buffer,
    /// \[keys\] f32, or mxfp4 \[keys, D / 32\] bytes; contiguous.
    pub k_scale: plait_buffer,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_indexer_convert_k().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_convert_k_args {
    /// sizeof(plait_indexer_convert_k_args).
    pub struct_size: usize,
    /// Rows of D values; 0 touches nothing.
    pub rows: i64,
    /// The fp8 format of src; the plan's is that of dst.
    pub from_format: i32,
    /// 0.
    pub reserved: i32,
    /// \[rows, D\] bytes, contiguous.
    pub src_values: plait_const_buffer,
    /// \[rows\] f32.
    pub src_scale: plait_const_buffer,
    /// \[rows, D\] bytes; may be exactly src_values.
    pub dst_values: plait_buffer,
    /// \[rows\] f32; may be exactly src_scale.
    pub dst_scale: plait_buffer,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_indexer_convert_cache().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_convert_cache_args {
    /// sizeof(plait_indexer_convert_cache_args).
    pub struct_size: usize,
    /// The fp8 format of src_cache; the plan's is that of cache.
    pub from_format: i32,
    /// 0.
    pub reserved: i32,
    /// A page pool of the plan's layout, P and page_stride.
    pub src_cache: plait_const_buffer,
    /// Room for as many pages; may be exactly src_cache.
    pub cache: plait_buffer,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_indexer_logits_ragged(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_logits_ragged_args {
    /// sizeof(plait_indexer_logits_ragged_args).
    pub struct_size: usize,
    /// Query rows >= 0; 0 touches nothing.
    pub rows: i64,
    /// Rows of k, 0 … 2^31 - 1; also the columns of `logits`.
    pub keys: i64,
    /// \[rows, Hq, V\] bytes.
    pub q_values: plait_const_buffer,
    /// mxfp4: \[rows, Hq, D / 32\] bytes. fp8: not read (folded).
    pub q_scale: plait_const_buffer,
    /// \[rows, Hq\] f32: weights_out of quantize_q.
    pub weights: plait_const_buffer,
    /// Elements; 0: Hq.
    pub weights_stride: i64,
    /// \[keys, V\] bytes.
    pub k_values: plait_const_buffer,
    /// \[keys\] f32, or mxfp4 \[keys, D / 32\] bytes.
    pub k_scale: plait_const_buffer,
    /// \[rows\] int32: first key of a row.
    pub row_start: plait_const_buffer,
    /// \[rows\] int32: one past its last key; clamped to keys.
    pub row_end: plait_const_buffer,
    /// \[rows, keys\] logits_dtype.
    pub logits: plait_buffer,
    /// Elements; 0: keys.
    pub logits_stride: i64,
    /// 1: columns outside a row's range become -inf; 0: not written.
    pub fill: i32,
    /// 0.
    pub reserved: i32,
    /// workspace_logits bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_indexer_logits_paged(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_logits_paged_args {
    /// sizeof(plait_indexer_logits_paged_args).
    pub struct_size: usize,
    /// B >= 0; 0 touches nothing. Rows are B * N, padding included.
    pub requests: i64,
    /// Columns of `logits`, 0 … 2^31 - 1.
    pub columns: i64,
    /// \[B * N, Hq, V\] bytes.
    pub q_values: plait_const_buffer,
    /// mxfp4: \[B * N, Hq, D / 32\] bytes. fp8: not read.
    pub q_scale: plait_const_buffer,
    /// \[B * N, Hq\] f32.
    pub weights: plait_const_buffer,
    /// Elements; 0: Hq.
    pub weights_stride: i64,
    /// As for write_k.
    pub cache: plait_const_buffer,
    /// \[B, block_table_columns\] int32 page ids.
    pub block_table: plait_const_buffer,
    /// Pages a request has.
    pub block_table_columns: i64,
    /// Elements; 0: block_table_columns.
    pub block_table_stride: i64,
    /// \[B * N\] int32 keys of each row, or \[B\] when per request; clamped to 0 … columns.
    pub lengths: plait_const_buffer,
    /// 1: row t of a request has lengths\[b\] - N + t + 1 keys.
    pub lengths_per_request: i32,
    /// As for the ragged call.
    pub fill: i32,
    /// \[B * N, columns\] logits_dtype.
    pub logits: plait_buffer,
    /// Elements; 0: columns.
    pub logits_stride: i64,
    /// workspace_logits bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_indexer_select_ragged(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_select_ragged_args {
    /// sizeof(plait_indexer_select_ragged_args).
    pub struct_size: usize,
    /// As for logits_ragged.
    pub rows: i64,
    /// As for logits_ragged; at most the plan's max_keys.
    pub keys: i64,
    /// As for logits_ragged.
    pub q_values: plait_const_buffer,
    /// As for logits_ragged.
    pub q_scale: plait_const_buffer,
    /// As for logits_ragged.
    pub weights: plait_const_buffer,
    /// As for logits_ragged.
    pub weights_stride: i64,
    /// As for logits_ragged.
    pub k_values: plait_const_buffer,
    /// As for logits_ragged.
    pub k_scale: plait_const_buffer,
    /// As for logits_ragged.
    pub row_start: plait_const_buffer,
    /// As for logits_ragged.
    pub row_end: plait_const_buffer,
    /// \[rows, K\] int32, as in plait_topk().
    pub indices: plait_buffer,
    /// Elements; 0: K.
    pub indices_stride: i64,
    /// Optional \[rows, K\] f32; -inf beside a -1.
    pub values_out: plait_buffer,
    /// Elements; 0: K.
    pub values_out_stride: i64,
    /// Optional \[rows, K\] int32, as in plait_topk().
    pub slots: plait_buffer,
    /// Elements; 0: K.
    pub slots_stride: i64,
    /// \[table_count, block_table_columns\] int32; required with slots.
    pub block_table: plait_const_buffer,
    /// Pages a table row has.
    pub block_table_columns: i64,
    /// Elements; 0: block_table_columns.
    pub block_table_stride: i64,
    /// Rows of the block table.
    pub table_count: i64,
    /// \[rows\] int32: the table row of each row; required with slots.
    pub table_row: plait_const_buffer,
    /// workspace_select bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_indexer_select_paged(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_select_paged_args {
    /// sizeof(plait_indexer_select_paged_args).
    pub struct_size: usize,
    /// B >= 0. Rows are B * N, padding included.
    pub requests: i64,
    /// Longest row, 0 … the plan's max_keys; lengths are clamped to it.
    pub columns: i64,
    /// As for logits_paged.
    pub q_values: plait_const_buffer,
    /// As for logits_paged.
    pub q_scale: plait_const_buffer,
    /// As for logits_paged.
    pub weights: plait_const_buffer,
    /// As for logits_paged.
    pub weights_stride: i64,
    /// As for logits_paged.
    pub cache: plait_const_buffer,
    /// As for logits_paged; also maps `slots`.
    pub block_table: plait_const_buffer,
    /// As for logits_paged.
    pub block_table_columns: i64,
    /// As for logits_paged.
    pub block_table_stride: i64,
    /// As for logits_paged.
    pub lengths: plait_const_buffer,
    /// As for logits_paged.
    pub lengths_per_request: i32,
    /// 0.
    pub reserved: i32,
    /// \[B * N, K\] int32, as in plait_topk().
    pub indices: plait_buffer,
    /// Elements; 0: K.
    pub indices_stride: i64,
    /// Optional \[B * N, K\] f32; -inf beside a -1.
    pub values_out: plait_buffer,
    /// Elements; 0: K.
    pub values_out_stride: i64,
    /// Optional \[B * N, K\] int32, as in plait_topk().
    pub slots: plait_buffer,
    /// Elements; 0: K.
    pub slots_stride: i64,
    /// workspace_select bytes, aligned to 256.
    pub workspace: plait_buffer,
}

/// Arguments of plait_indexer_map_slots(). Zero is the default of every optional field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct plait_indexer_map_slots_args {
    /// sizeof(plait_indexer_map_slots_args).
    pub struct_size: usize,
    /// >= 0; 0 touches nothing.
    pub rows: i64,
    /// Indices a row has.
    pub columns: i64,
    /// \[rows, columns\] int32; negative: none.
    pub indices: plait_const_buffer,
    /// Elements; 0: columns.
    pub indices_stride: i64,
    /// \[table_count, block_table_columns\] int32.
    pub block_table: plait_const_buffer,
    /// Pages a table row has.
    pub block_table_columns: i64,
    /// Elements; 0: block_table_columns.
    pub block_table_stride: i64,
    /// Rows of the block table.
    pub table_count: i64,
    /// Optional \[rows\] int32; NULL: row / next_n.
    pub table_row: plait_const_buffer,
    /// \[rows, columns\] int32; may be exactly `indices`.
    pub slots: plait_buffer,
    /// Elements; 0: columns.
    pub slots_stride: i64,
    /// workspace_quantize bytes, aligned to 256.
    pub workspace: plait_buffer,
}

functions! {
    /// The version of the library that is loaded: major * 1000000 + minor * 1000 + patch.
    fn plait_version() -> i32;
    /// The same as text, "0.1.0". Static storage.
    fn plait_version_string() -> *const c_char;
    /// PLAIT_ABI_VERSION of the library that is loaded; compare it after dlopen.
    fn plait_abi_version() -> i32;
    /// The code of a status: its low 16 bits. For a negative integer, the integer itself.
    fn plait_status_code(status: plait_status) -> i32;
    /// The argument of a status, one of PLAIT_ARG_…; 0 when it names none.
    fn plait_status_argument(status: plait_status) -> i32;
    /// The code's name, "PLAIT_ERROR_BUFFER_TOO_SMALL"; for any integer, never NULL. Static.
    fn plait_status_name(status: plait_status) -> *const c_char;
    /// One English sentence about the code; for any integer, never NULL. Static storage.
    fn plait_status_description(status: plait_status) -> *const c_char;
    /// The name of an argument number, "comb_mix"; for any integer, never NULL ("" for
    /// PLAIT_ARG_NONE). Static storage.
    fn plait_argument_name(argument: i32) -> *const c_char;
    /// Clears an error record and sets its struct_size.
    fn plait_error_init(error: *mut plait_error, struct_size: usize);
    /// The name of an operation, "mhc_pre"; for any integer, never NULL ("" when unknown).
    fn plait_op_name(op: i32) -> *const c_char;
    /// Fills a descriptor with the defaults.
    fn plait_context_desc_init(desc: *mut plait_context_desc, struct_size: usize);
    /// Makes a context.
    fn plait_context_create(desc: *const plait_context_desc, context: *mut *mut plait_context, error: *mut plait_error) -> plait_status;
    /// Gives up the caller's hold on a context. NULL does nothing. Plans made from it live on.
    fn plait_context_destroy(context: *mut plait_context);
    /// Tells what a context is.
    fn plait_context_get_info(context: *const plait_context, info: *mut plait_context_info) -> plait_status;
    /// Looks whether a backend works here, and if not, why.
    fn plait_backend_probe(backend: i32, backend_dir: *const c_char, info: *mut plait_backend_info) -> plait_status;
    /// The kind of a plan, one of PLAIT_PLAN_…; 0 for NULL.
    fn plait_plan_kind(plan: *const plait_plan) -> i32;
    /// Gives up a plan. NULL does nothing. No call that uses it may still be running; on a GPU,
    /// work already enqueued goes on unharmed.
    fn plait_plan_destroy(plan: *mut plait_plan);
    /// Writes, for every operation of the plan, what was chosen and why the better ones were not.
    fn plait_plan_explain(plan: *const plait_plan, text: *mut c_char, size: usize, needed: *mut usize) -> plait_status;
    /// Entry `index` of the ordered list of implementations of `op`, best first.
    fn plait_plan_candidate(plan: *const plait_plan, op: i32, index: i32, candidate: *mut plait_candidate) -> plait_status;
    /// Memory on the context's device, aligned to 256 bytes at least; contents unspecified.
    fn plait_memory_alloc(context: *mut plait_context, size: usize, data: *mut *mut c_void, error: *mut plait_error) -> plait_status;
    /// Releases memory of plait_memory_alloc(). NULL does nothing. On a GPU it waits for the
    /// device.
    fn plait_memory_free(context: *mut plait_context, data: *mut c_void);
    /// Copies between any two places, host or device, after the work enqueued on `stream`, and
    /// waits for the copy.
    fn plait_memory_copy(context: *mut plait_context, dst: *mut c_void, src: *const c_void, size: usize, stream: *mut c_void) -> plait_status;
    /// Sets every byte of device memory, in stream order, without waiting.
    fn plait_memory_fill(context: *mut plait_context, dst: *mut c_void, byte: i32, size: usize, stream: *mut c_void) -> plait_status;
    /// Copies device memory to device memory in stream order, without waiting.
    fn plait_memory_copy_async(context: *mut plait_context, dst: *mut c_void, src: *const c_void, size: usize, stream: *mut c_void) -> plait_status;
    /// Makes a stream that does not wait for the default stream. The CPU backend gives NULL.
    fn plait_stream_create(context: *mut plait_context, stream: *mut *mut c_void, error: *mut plait_error) -> plait_status;
    /// Releases a stream of plait_stream_create(). NULL does nothing.
    fn plait_stream_destroy(context: *mut plait_context, stream: *mut c_void);
    /// Waits until everything enqueued on a stream is done, and returns its first error.
    fn plait_stream_synchronize(context: *mut plait_context, stream: *mut c_void) -> plait_status;
    /// Makes an event: a point in time on a stream.
    fn plait_event_create(context: *mut plait_context, event: *mut *mut c_void, error: *mut plait_error) -> plait_status;
    /// Releases an event. NULL does nothing.
    fn plait_event_destroy(context: *mut plait_context, event: *mut c_void);
    /// Records an event on a stream. The CPU backend notes the time of day.
    fn plait_event_record(context: *mut plait_context, event: *mut c_void, stream: *mut c_void) -> plait_status;
    /// Waits for both events and gives the time between them.
    fn plait_event_elapsed(context: *mut plait_context, start: *mut c_void, stop: *mut c_void, microseconds: *mut f64) -> plait_status;
    /// Begins recording what this thread enqueues on `stream` instead of running it.
    fn plait_graph_begin(context: *mut plait_context, stream: *mut c_void, error: *mut plait_error) -> plait_status;
    /// Ends recording and makes the graph ready to launch.
    fn plait_graph_end(context: *mut plait_context, stream: *mut c_void, graph: *mut *mut plait_graph, error: *mut plait_error) -> plait_status;
    /// Enqueues a graph on a stream.
    fn plait_graph_launch(context: *mut plait_context, graph: *mut plait_graph, stream: *mut c_void) -> plait_status;
    /// Releases a graph. NULL does nothing.
    fn plait_graph_destroy(context: *mut plait_context, graph: *mut plait_graph);
    /// Fills a descriptor with the defaults; `hidden` stays 0 and must be set.
    fn plait_mhc_plan_desc_init(desc: *mut plait_mhc_plan_desc, struct_size: usize);
    /// Checks a problem and chooses an implementation for each mHC operation.
    fn plait_mhc_plan_create(context: *mut plait_context, desc: *const plait_mhc_plan_desc, plan: *mut *mut plait_plan, error: *mut plait_error) -> plait_status;
    /// Sizes for up to `tokens` tokens. Each grows with `tokens` and depends on nothing else.
    fn plait_mhc_plan_sizes(plan: *const plait_plan, tokens: i64, sizes: *mut plait_mhc_sizes) -> plait_status;
    /// pre: the mixes of a sublayer and its input.
    fn plait_mhc_pre(plan: *const plait_plan, args: *const plait_mhc_pre_args, stream: *mut c_void) -> plait_status;
    /// post: mixes a sublayer's output into the residual streams.
    fn plait_mhc_post(plan: *const plait_plan, args: *const plait_mhc_post_args, stream: *mut c_void) -> plait_status;
    /// post of one sublayer and pre of the next, on the rounded new residual: bit for bit what
    /// plait_mhc_post() followed by plait_mhc_pre() returns.
    fn plait_mhc_post_pre(plan: *const plait_plan, args: *const plait_mhc_post_pre_args, stream: *mut c_void) -> plait_status;
    /// head: collapses the streams after the last layer.
    fn plait_mhc_head(plan: *const plait_plan, args: *const plait_mhc_head_args, stream: *mut c_void) -> plait_status;
    /// expand: n equal streams from the embedding.
    fn plait_mhc_expand(plan: *const plait_plan, args: *const plait_mhc_expand_args, stream: *mut c_void) -> plait_status;
    /// Fills a descriptor with the defaults; `max_columns` and `k` stay 0 and must be set.
    fn plait_topk_plan_desc_init(desc: *mut plait_topk_plan_desc, struct_size: usize);
    /// Checks a problem and chooses the implementations of topk and merge.
    fn plait_topk_plan_create(context: *mut plait_context, desc: *const plait_topk_plan_desc, plan: *mut *mut plait_plan, error: *mut plait_error) -> plait_status;
    /// Sizes for up to `rows` rows. Each grows with `rows` and depends on nothing else.
    fn plait_topk_plan_sizes(plan: *const plait_plan, rows: i64, sizes: *mut plait_topk_sizes) -> plait_status;
    /// The K first of each row in the order above. Exact for any data.
    fn plait_topk(plan: *const plait_plan, args: *const plait_topk_args, stream: *mut c_void) -> plait_status;
    /// The K first, in the same order, of the candidates that several shards found: the result of
    /// one top-k over the whole row when each shard brought its own top-k.
    fn plait_topk_merge(plan: *const plait_plan, args: *const plait_topk_merge_args, stream: *mut c_void) -> plait_status;
    /// Fills a descriptor with the defaults (the indexer of DeepSeek-V4 without select).
    fn plait_indexer_plan_desc_init(desc: *mut plait_indexer_plan_desc, struct_size: usize);
    /// Checks a problem and chooses an implementation for each indexer operation.
    fn plait_indexer_plan_create(context: *mut plait_context, desc: *const plait_indexer_plan_desc, plan: *mut *mut plait_plan, error: *mut plait_error) -> plait_status;
    /// Sizes for up to `rows` rows (tokens, keys, or padded query rows B * N).
    fn plait_indexer_plan_sizes(plan: *const plait_plan, rows: i64, sizes: *mut plait_indexer_sizes) -> plait_status;
    /// Rotates, transforms and quantises query rows, and folds scales into the head weights.
    fn plait_indexer_quantize_q(plan: *const plait_plan, args: *const plait_indexer_quantize_q_args, stream: *mut c_void) -> plait_status;
    /// Rotates, transforms and quantises key rows into their pages.
    fn plait_indexer_write_k(plan: *const plait_plan, args: *const plait_indexer_write_k_args, stream: *mut c_void) -> plait_status;
    /// Copies the keys of several requests from their pages into contiguous rows.
    fn plait_indexer_gather_k(plan: *const plait_plan, args: *const plait_indexer_gather_k_args, stream: *mut c_void) -> plait_status;
    /// Changes the fp8 flavour of quantised rows, keeping value * scale.
    fn plait_indexer_convert_k(plan: *const plait_plan, args: *const plait_indexer_convert_k_args, stream: *mut c_void) -> plait_status;
    /// plait_indexer_convert_k() for every entry of every page of a pool. The bytes between the end
    /// of a page's contents and the next page are not touched.
    fn plait_indexer_convert_cache(plan: *const plait_plan, args: *const plait_indexer_convert_cache_args, stream: *mut c_void) -> plait_status;
    /// Logits of packed (prefill) rows over contiguous keys.
    fn plait_indexer_logits_ragged(plan: *const plait_plan, args: *const plait_indexer_logits_ragged_args, stream: *mut c_void) -> plait_status;
    /// Logits of decode rows over paged keys. A key whose page is past the table or outside the
    /// cache has the logit -inf.
    fn plait_indexer_logits_paged(plan: *const plait_plan, args: *const plait_indexer_logits_paged_args, stream: *mut c_void) -> plait_status;
    /// plait_indexer_logits_ragged() then plait_topk() in one call, without a logits matrix: the
    /// same indices, in a workspace of at most select_budget bytes whatever `keys` is.
    fn plait_indexer_select_ragged(plan: *const plait_plan, args: *const plait_indexer_select_ragged_args, stream: *mut c_void) -> plait_status;
    /// plait_indexer_logits_paged() then plait_topk() in one call; see
    /// plait_indexer_select_ragged().
    fn plait_indexer_select_paged(plan: *const plait_plan, args: *const plait_indexer_select_paged_args, stream: *mut c_void) -> plait_status;
    /// Turns indices within a request into cache slots: block_table\[i / P\] * P + i % P; -1 for a
    /// negative index, a negative page id, an index past the table or a slot past int32.
    fn plait_indexer_map_slots(plan: *const plait_plan, args: *const plait_indexer_map_slots_args, stream: *mut c_void) -> plait_status;
}
