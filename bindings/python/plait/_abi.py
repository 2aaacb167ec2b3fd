# SPDX-License-Identifier: MIT
# Written by bindings/tools/generate.py from include/plait. Do not edit.
"""Structs, prototypes and constants of the C ABI."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int32,
                    c_int64, c_size_t, c_void_p)

PLAIT_VERSION_MAJOR = 0
PLAIT_VERSION_MINOR = 1
PLAIT_VERSION_PATCH = 0
PLAIT_ABI_VERSION = 1
PLAIT_ERROR_MESSAGE_SIZE = 256
PLAIT_WORKSPACE_ALIGNMENT = 256
PLAIT_MHC_MAX_STREAMS = 8
PLAIT_MHC_MAX_HIDDEN = 1048576
PLAIT_MHC_MAX_SINKHORN_ITERS = 1000
PLAIT_INDEXER_MAX_HEADS = 256
PLAIT_INDEXER_MAX_HEAD_DIM = 256
PLAIT_INDEXER_MAX_NEXT_N = 1024
PLAIT_INDEXER_MAX_PAGE_ENTRIES = 65536

PLAIT_OK = 0
PLAIT_ERROR_NULL_ARGUMENT = 100
PLAIT_ERROR_STRUCT_SIZE = 101
PLAIT_ERROR_UNKNOWN_FIELD = 102
PLAIT_ERROR_INVALID_VALUE = 103
PLAIT_ERROR_SIZE_OVERFLOW = 104
PLAIT_ERROR_BUFFER_TOO_SMALL = 105
PLAIT_ERROR_MISALIGNED = 106
PLAIT_ERROR_STRIDE = 107
PLAIT_ERROR_OVERLAP = 108
PLAIT_ERROR_RANGE = 109
PLAIT_ERROR_INDEX_OUT_OF_RANGE = 110
PLAIT_ERROR_WRONG_PLAN = 111
PLAIT_ERROR_BUDGET_TOO_SMALL = 112
PLAIT_ERROR_UNSUPPORTED_SHAPE = 200
PLAIT_ERROR_UNSUPPORTED_DTYPE = 201
PLAIT_ERROR_UNSUPPORTED_DEVICE = 202
PLAIT_ERROR_UNSUPPORTED_OPERATION = 203
PLAIT_ERROR_NOT_IN_BUILD = 204
PLAIT_ERROR_NO_DEVICE = 205
PLAIT_ERROR_BACKEND_VERSION = 206
PLAIT_ERROR_OUT_OF_MEMORY = 300
PLAIT_ERROR_THREADS = 301
PLAIT_ERROR_DEVICE_RUNTIME = 400
PLAIT_ERROR_LAUNCH = 401
PLAIT_ERROR_INTERNAL = 500

PLAIT_ARG_NONE = 0
PLAIT_ARG_CONTEXT = 1
PLAIT_ARG_PLAN = 2
PLAIT_ARG_DESC = 3
PLAIT_ARG_ARGS = 4
PLAIT_ARG_RESULT = 5
PLAIT_ARG_STRUCT_SIZE = 6
PLAIT_ARG_WORKSPACE = 7
PLAIT_ARG_TOKENS = 8
PLAIT_ARG_ROWS = 9
PLAIT_ARG_SIZE = 10
PLAIT_ARG_STREAM = 11
PLAIT_ARG_OP = 12
PLAIT_ARG_INDEX = 13
PLAIT_ARG_ERROR = 14
PLAIT_ARG_BACKEND = 20
PLAIT_ARG_POLICY = 21
PLAIT_ARG_DEVICE = 22
PLAIT_ARG_THREADS = 23
PLAIT_ARG_LOG_LEVEL = 24
PLAIT_ARG_BACKEND_DIR = 25
PLAIT_ARG_IMPLEMENTATION = 26
PLAIT_ARG_HIDDEN = 40
PLAIT_ARG_HC_MULT = 41
PLAIT_ARG_DTYPE = 42
PLAIT_ARG_FN_DTYPE = 43
PLAIT_ARG_COLLAPSE = 44
PLAIT_ARG_NORM = 45
PLAIT_ARG_NORM_WEIGHT_DTYPE = 46
PLAIT_ARG_SINKHORN_ITERS = 47
PLAIT_ARG_RMS_EPS = 48
PLAIT_ARG_PRE_EPS = 49
PLAIT_ARG_SINKHORN_EPS = 50
PLAIT_ARG_POST_MULT = 51
PLAIT_ARG_NORM_EPS = 52
PLAIT_ARG_RESIDUAL = 53
PLAIT_ARG_FN = 54
PLAIT_ARG_BASE = 55
PLAIT_ARG_SCALE = 56
PLAIT_ARG_NORM_WEIGHT = 57
PLAIT_ARG_PREV_PRE = 58
PLAIT_ARG_PRE_MIX = 59
PLAIT_ARG_POST_MIX = 60
PLAIT_ARG_COMB_MIX = 61
PLAIT_ARG_LAYER_INPUT = 62
PLAIT_ARG_X = 63
PLAIT_ARG_X2 = 64
PLAIT_ARG_RESIDUAL_OUT = 65
PLAIT_ARG_NEXT_POST_MIX = 66
PLAIT_ARG_NEXT_COMB_MIX = 67
PLAIT_ARG_OUT = 68
PLAIT_ARG_BROADCAST = 69
PLAIT_ARG_HEADS = 80
PLAIT_ARG_HEAD_DIM = 81
PLAIT_ARG_FORMAT = 82
PLAIT_ARG_LAYOUT = 83
PLAIT_ARG_PAGE_ENTRIES = 84
PLAIT_ARG_PAGE_STRIDE = 85
PLAIT_ARG_ROPE_MODE = 86
PLAIT_ARG_ROPE_DIM = 87
PLAIT_ARG_ROPE_PLACEMENT = 88
PLAIT_ARG_HADAMARD = 89
PLAIT_ARG_WEIGHTS_DTYPE = 90
PLAIT_ARG_LOGITS_DTYPE = 91
PLAIT_ARG_NEXT_N = 92
PLAIT_ARG_TOPK = 93
PLAIT_ARG_ORDER = 94
PLAIT_ARG_MAX_KEYS = 95
PLAIT_ARG_SELECT_BUDGET = 96
PLAIT_ARG_Q = 97
PLAIT_ARG_POSITIONS = 98
PLAIT_ARG_COS_SIN = 99
PLAIT_ARG_WEIGHTS = 100
PLAIT_ARG_Q_VALUES = 101
PLAIT_ARG_Q_SCALE = 102
PLAIT_ARG_WEIGHTS_OUT = 103
PLAIT_ARG_K = 104
PLAIT_ARG_SLOT_MAPPING = 105
PLAIT_ARG_CACHE = 106
PLAIT_ARG_REJECTED = 107
PLAIT_ARG_REQUESTS = 108
PLAIT_ARG_BLOCK_TABLE = 109
PLAIT_ARG_BLOCK_TABLE_COLUMNS = 110
PLAIT_ARG_CU_LENGTHS = 111
PLAIT_ARG_K_VALUES = 112
PLAIT_ARG_K_SCALE = 113
PLAIT_ARG_KEYS = 114
PLAIT_ARG_ROW_START = 115
PLAIT_ARG_ROW_END = 116
PLAIT_ARG_LOGITS = 117
PLAIT_ARG_LENGTHS = 118
PLAIT_ARG_COLUMNS = 119
PLAIT_ARG_INDICES = 120
PLAIT_ARG_VALUES_OUT = 121
PLAIT_ARG_SLOTS = 122
PLAIT_ARG_TABLE_ROW = 123
PLAIT_ARG_FROM_FORMAT = 124
PLAIT_ARG_SRC_VALUES = 125
PLAIT_ARG_SRC_SCALE = 126
PLAIT_ARG_DST_VALUES = 127
PLAIT_ARG_DST_SCALE = 128
PLAIT_ARG_SRC_CACHE = 129
PLAIT_ARG_FILL = 130
PLAIT_ARG_LENGTHS_PER_REQUEST = 131
PLAIT_ARG_TABLE_COUNT = 132
PLAIT_ARG_MAX_COLUMNS = 150
PLAIT_ARG_VALUES = 151
PLAIT_ARG_SHARDS = 152
PLAIT_ARG_CANDIDATES = 153
PLAIT_ARG_ROWS_PER_TABLE = 154
PLAIT_ARG_INDICES_OUT = 155
PLAIT_ARG_POINTER = 170
PLAIT_ARG_DST = 171
PLAIT_ARG_SRC = 172
PLAIT_ARG_GRAPH = 173
PLAIT_ARG_EVENT = 174

PLAIT_DTYPE_F32 = 1
PLAIT_DTYPE_F16 = 2
PLAIT_DTYPE_BF16 = 3

PLAIT_OP_MHC_PRE = 0
PLAIT_OP_MHC_POST = 1
PLAIT_OP_MHC_POST_PRE = 2
PLAIT_OP_MHC_HEAD = 3
PLAIT_OP_MHC_EXPAND = 4
PLAIT_OP_QUANTIZE_Q = 5
PLAIT_OP_WRITE_K = 6
PLAIT_OP_GATHER_K = 7
PLAIT_OP_CONVERT_K = 8
PLAIT_OP_CONVERT_CACHE = 9
PLAIT_OP_LOGITS_RAGGED = 10
PLAIT_OP_LOGITS_PAGED = 11
PLAIT_OP_SELECT_RAGGED = 12
PLAIT_OP_SELECT_PAGED = 13
PLAIT_OP_MAP_SLOTS = 14
PLAIT_OP_TOPK = 15
PLAIT_OP_TOPK_MERGE = 16
PLAIT_OP_COUNT = 17

PLAIT_BACKEND_AUTO = 0
PLAIT_BACKEND_CPU = 1
PLAIT_BACKEND_HIP = 2
PLAIT_BACKEND_CUDA = 3

PLAIT_POLICY_STRICT = 0
PLAIT_POLICY_FALLBACK = 1

PLAIT_LOG_SILENT = 0
PLAIT_LOG_WARN = 1
PLAIT_LOG_INFO = 2
PLAIT_LOG_DEBUG = 3

PLAIT_PLAN_MHC = 1
PLAIT_PLAN_INDEXER = 2
PLAIT_PLAN_TOPK = 3

PLAIT_MHC_COLLAPSE_CURRENT = 0
PLAIT_MHC_COLLAPSE_DELAYED = 1

PLAIT_MHC_NORM_LAYER_INPUT = 1
PLAIT_MHC_NORM_HEAD = 2

PLAIT_ORDER_ANY = 0
PLAIT_ORDER_INDEX = 1
PLAIT_ORDER_DESCENDING = 2

PLAIT_FORMAT_FP8_E4M3FN = 1
PLAIT_FORMAT_FP8_E4M3FNUZ = 2
PLAIT_FORMAT_MXFP4 = 3

PLAIT_LAYOUT_BLOCK_FLAT = 1
PLAIT_LAYOUT_TILED = 2

PLAIT_ROPE_NONE = 0
PLAIT_ROPE_INTERLEAVED = 1
PLAIT_ROPE_HALF_SPLIT = 2

PLAIT_ROPE_FIRST = 0
PLAIT_ROPE_LAST = 1

plait_log_fn = CFUNCTYPE(None, c_void_p, c_int32, c_char_p)


class plait_error(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("status", c_int32),
        ("native_code", c_int32),
        ("message", c_char * 256),
    ]


class plait_buffer(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("size", c_size_t),
    ]


class plait_const_buffer(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("size", c_size_t),
    ]


class plait_context_desc(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("backend", c_int32),
        ("policy", c_int32),
        ("device", c_int32),
        ("threads", c_int32),
        ("log_level", c_int32),
        ("reserved", c_int32),
        ("log", plait_log_fn),
        ("log_user", c_void_p),
        ("backend_dir", c_char_p),
        ("implementation", c_char_p),
    ]


class plait_context_info(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("backend", c_int32),
        ("asked_backend", c_int32),
        ("device", c_int32),
        ("threads", c_int32),
        ("compute_units", c_int32),
        ("wave_size", c_int32),
        ("memory_bytes", c_int64),
        ("device_name", c_char_p),
        ("architecture", c_char_p),
        ("fallback_reason", c_char_p),
    ]


class plait_backend_info(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("available", c_int32),
        ("device_count", c_int32),
        ("path", c_char * 512),
        ("reason", c_char * 256),
    ]


class plait_candidate(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("chosen", c_int32),
        ("usable", c_int32),
        ("name", c_char_p),
        ("reason", c_char_p),
    ]


class plait_mhc_plan_desc(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("hidden", c_int64),
        ("hc_mult", c_int32),
        ("dtype", c_int32),
        ("fn_dtype", c_int32),
        ("collapse", c_int32),
        ("norm", c_int32),
        ("norm_weight_dtype", c_int32),
        ("sinkhorn_iters", c_int32),
        ("rms_eps", c_float),
        ("pre_eps", c_float),
        ("sinkhorn_eps", c_float),
        ("post_mult", c_float),
        ("norm_eps", c_float),
        ("implementation", c_char_p),
    ]


class plait_mhc_sizes(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("residual", c_size_t),
        ("hidden", c_size_t),
        ("pre_mix", c_size_t),
        ("post_mix", c_size_t),
        ("comb_mix", c_size_t),
        ("fn", c_size_t),
        ("base", c_size_t),
        ("scale", c_size_t),
        ("head_fn", c_size_t),
        ("head_base", c_size_t),
        ("head_scale", c_size_t),
        ("norm_weight", c_size_t),
        ("workspace", c_size_t),
        ("workspace_pre", c_size_t),
        ("workspace_post", c_size_t),
        ("workspace_post_pre", c_size_t),
        ("workspace_head", c_size_t),
        ("workspace_expand", c_size_t),
    ]


class plait_mhc_pre_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("tokens", c_int64),
        ("residual", plait_const_buffer),
        ("residual_stride", c_int64),
        ("broadcast", c_int32),
        ("reserved", c_int32),
        ("fn", plait_const_buffer),
        ("base", plait_const_buffer),
        ("scale", plait_const_buffer),
        ("norm_weight", plait_const_buffer),
        ("prev_pre", plait_const_buffer),
        ("prev_pre_stride", c_int64),
        ("pre_mix", plait_buffer),
        ("pre_mix_stride", c_int64),
        ("post_mix", plait_buffer),
        ("post_mix_stride", c_int64),
        ("comb_mix", plait_buffer),
        ("comb_mix_stride", c_int64),
        ("layer_input", plait_buffer),
        ("layer_input_stride", c_int64),
        ("workspace", plait_buffer),
    ]


class plait_mhc_post_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("tokens", c_int64),
        ("x", plait_const_buffer),
        ("x_stride", c_int64),
        ("x2", plait_const_buffer),
        ("x2_stride", c_int64),
        ("residual", plait_const_buffer),
        ("residual_stride", c_int64),
        ("broadcast", c_int32),
        ("reserved", c_int32),
        ("post_mix", plait_const_buffer),
        ("post_mix_stride", c_int64),
        ("comb_mix", plait_const_buffer),
        ("comb_mix_stride", c_int64),
        ("residual_out", plait_buffer),
        ("residual_out_stride", c_int64),
        ("workspace", plait_buffer),
    ]


class plait_mhc_post_pre_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("tokens", c_int64),
        ("x", plait_const_buffer),
        ("x_stride", c_int64),
        ("x2", plait_const_buffer),
        ("x2_stride", c_int64),
        ("residual", plait_const_buffer),
        ("residual_stride", c_int64),
        ("broadcast", c_int32),
        ("reserved", c_int32),
        ("post_mix", plait_const_buffer),
        ("post_mix_stride", c_int64),
        ("comb_mix", plait_const_buffer),
        ("comb_mix_stride", c_int64),
        ("residual_out", plait_buffer),
        ("residual_out_stride", c_int64),
        ("fn", plait_const_buffer),
        ("base", plait_const_buffer),
        ("scale", plait_const_buffer),
        ("norm_weight", plait_const_buffer),
        ("prev_pre", plait_const_buffer),
        ("prev_pre_stride", c_int64),
        ("pre_mix", plait_buffer),
        ("pre_mix_stride", c_int64),
        ("next_post_mix", plait_buffer),
        ("next_post_mix_stride", c_int64),
        ("next_comb_mix", plait_buffer),
        ("next_comb_mix_stride", c_int64),
        ("layer_input", plait_buffer),
        ("layer_input_stride", c_int64),
        ("workspace", plait_buffer),
    ]


class plait_mhc_head_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("tokens", c_int64),
        ("residual", plait_const_buffer),
        ("residual_stride", c_int64),
        ("fn", plait_const_buffer),
        ("base", plait_const_buffer),
        ("scale", plait_const_buffer),
        ("prev_pre", plait_const_buffer),
        ("prev_pre_stride", c_int64),
        ("norm_weight", plait_const_buffer),
        ("out", plait_buffer),
        ("out_stride", c_int64),
        ("workspace", plait_buffer),
    ]


class plait_mhc_expand_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("tokens", c_int64),
        ("x", plait_const_buffer),
        ("x_stride", c_int64),
        ("residual_out", plait_buffer),
        ("residual_out_stride", c_int64),
        ("workspace", plait_buffer),
    ]


class plait_topk_plan_desc(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("max_columns", c_int64),
        ("k", c_int64),
        ("order", c_int32),
        ("dtype", c_int32),
        ("page_entries", c_int32),
        ("reserved", c_int32),
        ("implementation", c_char_p),
    ]


class plait_topk_sizes(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("indices", c_size_t),
        ("values", c_size_t),
        ("workspace", c_size_t),
        ("workspace_topk", c_size_t),
        ("workspace_merge", c_size_t),
    ]


class plait_topk_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("columns", c_int64),
        ("values", plait_const_buffer),
        ("values_stride", c_int64),
        ("row_start", plait_const_buffer),
        ("row_end", plait_const_buffer),
        ("indices", plait_buffer),
        ("indices_stride", c_int64),
        ("values_out", plait_buffer),
        ("values_out_stride", c_int64),
        ("slots", plait_buffer),
        ("slots_stride", c_int64),
        ("block_table", plait_const_buffer),
        ("block_table_columns", c_int64),
        ("block_table_stride", c_int64),
        ("table_count", c_int64),
        ("table_row", plait_const_buffer),
        ("rows_per_table", c_int64),
        ("workspace", plait_buffer),
    ]


class plait_topk_merge_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("shards", c_int64),
        ("candidates", c_int64),
        ("values", plait_const_buffer),
        ("values_stride", c_int64),
        ("values_shard_stride", c_int64),
        ("indices", plait_const_buffer),
        ("indices_stride", c_int64),
        ("indices_shard_stride", c_int64),
        ("indices_out", plait_buffer),
        ("indices_out_stride", c_int64),
        ("values_out", plait_buffer),
        ("values_out_stride", c_int64),
        ("workspace", plait_buffer),
    ]


class plait_indexer_plan_desc(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("heads", c_int32),
        ("head_dim", c_int32),
        ("format", c_int32),
        ("layout", c_int32),
        ("page_entries", c_int32),
        ("rope_mode", c_int32),
        ("rope_dim", c_int32),
        ("rope_placement", c_int32),
        ("hadamard", c_int32),
        ("weights_dtype", c_int32),
        ("logits_dtype", c_int32),
        ("next_n", c_int32),
        ("page_stride", c_int64),
        ("topk", c_int64),
        ("max_keys", c_int64),
        ("select_budget", c_size_t),
        ("order", c_int32),
        ("reserved", c_int32),
        ("implementation", c_char_p),
    ]


class plait_indexer_sizes(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("q", c_size_t),
        ("q_values", c_size_t),
        ("q_scale", c_size_t),
        ("weights", c_size_t),
        ("weights_out", c_size_t),
        ("k", c_size_t),
        ("k_values", c_size_t),
        ("k_scale", c_size_t),
        ("page", c_size_t),
        ("page_stride", c_size_t),
        ("indices", c_size_t),
        ("values", c_size_t),
        ("workspace", c_size_t),
        ("workspace_logits", c_size_t),
        ("workspace_select", c_size_t),
        ("workspace_quantize", c_size_t),
        ("select_least", c_size_t),
    ]


class plait_indexer_quantize_q_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("tokens", c_int64),
        ("q", plait_const_buffer),
        ("q_stride", c_int64),
        ("positions", plait_const_buffer),
        ("cos_sin", plait_const_buffer),
        ("weights", plait_const_buffer),
        ("weights_stride", c_int64),
        ("q_values", plait_buffer),
        ("q_scale", plait_buffer),
        ("weights_out", plait_buffer),
        ("workspace", plait_buffer),
    ]


class plait_indexer_write_k_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("tokens", c_int64),
        ("k", plait_const_buffer),
        ("k_stride", c_int64),
        ("positions", plait_const_buffer),
        ("cos_sin", plait_const_buffer),
        ("slot_mapping", plait_const_buffer),
        ("cache", plait_buffer),
        ("rejected", plait_buffer),
        ("workspace", plait_buffer),
    ]


class plait_indexer_gather_k_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("requests", c_int64),
        ("keys", c_int64),
        ("cache", plait_const_buffer),
        ("block_table", plait_const_buffer),
        ("block_table_columns", c_int64),
        ("block_table_stride", c_int64),
        ("cu_lengths", plait_const_buffer),
        ("k_values", plait_buffer),
        ("k_scale", plait_buffer),
        ("workspace", plait_buffer),
    ]


class plait_indexer_convert_k_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("from_format", c_int32),
        ("reserved", c_int32),
        ("src_values", plait_const_buffer),
        ("src_scale", plait_const_buffer),
        ("dst_values", plait_buffer),
        ("dst_scale", plait_buffer),
        ("workspace", plait_buffer),
    ]


class plait_indexer_convert_cache_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("from_format", c_int32),
        ("reserved", c_int32),
        ("src_cache", plait_const_buffer),
        ("cache", plait_buffer),
        ("workspace", plait_buffer),
    ]


class plait_indexer_logits_ragged_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("keys", c_int64),
        ("q_values", plait_const_buffer),
        ("q_scale", plait_const_buffer),
        ("weights", plait_const_buffer),
        ("weights_stride", c_int64),
        ("k_values", plait_const_buffer),
        ("k_scale", plait_const_buffer),
        ("row_start", plait_const_buffer),
        ("row_end", plait_const_buffer),
        ("logits", plait_buffer),
        ("logits_stride", c_int64),
        ("fill", c_int32),
        ("reserved", c_int32),
        ("workspace", plait_buffer),
    ]


class plait_indexer_logits_paged_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("requests", c_int64),
        ("columns", c_int64),
        ("q_values", plait_const_buffer),
        ("q_scale", plait_const_buffer),
        ("weights", plait_const_buffer),
        ("weights_stride", c_int64),
        ("cache", plait_const_buffer),
        ("block_table", plait_const_buffer),
        ("block_table_columns", c_int64),
        ("block_table_stride", c_int64),
        ("lengths", plait_const_buffer),
        ("lengths_per_request", c_int32),
        ("fill", c_int32),
        ("logits", plait_buffer),
        ("logits_stride", c_int64),
        ("workspace", plait_buffer),
    ]


class plait_indexer_select_ragged_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("keys", c_int64),
        ("q_values", plait_const_buffer),
        ("q_scale", plait_const_buffer),
        ("weights", plait_const_buffer),
        ("weights_stride", c_int64),
        ("k_values", plait_const_buffer),
        ("k_scale", plait_const_buffer),
        ("row_start", plait_const_buffer),
        ("row_end", plait_const_buffer),
        ("indices", plait_buffer),
        ("indices_stride", c_int64),
        ("values_out", plait_buffer),
        ("values_out_stride", c_int64),
        ("slots", plait_buffer),
        ("slots_stride", c_int64),
        ("block_table", plait_const_buffer),
        ("block_table_columns", c_int64),
        ("block_table_stride", c_int64),
        ("table_count", c_int64),
        ("table_row", plait_const_buffer),
        ("workspace", plait_buffer),
    ]


class plait_indexer_select_paged_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("requests", c_int64),
        ("columns", c_int64),
        ("q_values", plait_const_buffer),
        ("q_scale", plait_const_buffer),
        ("weights", plait_const_buffer),
        ("weights_stride", c_int64),
        ("cache", plait_const_buffer),
        ("block_table", plait_const_buffer),
        ("block_table_columns", c_int64),
        ("block_table_stride", c_int64),
        ("lengths", plait_const_buffer),
        ("lengths_per_request", c_int32),
        ("reserved", c_int32),
        ("indices", plait_buffer),
        ("indices_stride", c_int64),
        ("values_out", plait_buffer),
        ("values_out_stride", c_int64),
        ("slots", plait_buffer),
        ("slots_stride", c_int64),
        ("workspace", plait_buffer),
    ]


class plait_indexer_map_slots_args(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("columns", c_int64),
        ("indices", plait_const_buffer),
        ("indices_stride", c_int64),
        ("block_table", plait_const_buffer),
        ("block_table_columns", c_int64),
        ("block_table_stride", c_int64),
        ("table_count", c_int64),
        ("table_row", plait_const_buffer),
        ("slots", plait_buffer),
        ("slots_stride", c_int64),
        ("workspace", plait_buffer),
    ]


# name: (result, parameters)
FUNCTIONS = {
    "plait_version": (c_int32, ()),
    "plait_version_string": (c_char_p, ()),
    "plait_abi_version": (c_int32, ()),
    "plait_status_code": (c_int32, (c_int32,)),
    "plait_status_argument": (c_int32, (c_int32,)),
    "plait_status_name": (c_char_p, (c_int32,)),
    "plait_status_description": (c_char_p, (c_int32,)),
    "plait_argument_name": (c_char_p, (c_int32,)),
    "plait_error_init": (None, (POINTER(plait_error), c_size_t)),
    "plait_op_name": (c_char_p, (c_int32,)),
    "plait_context_desc_init": (None, (POINTER(plait_context_desc), c_size_t)),
    "plait_context_create": (c_int32, (POINTER(plait_context_desc), POINTER(c_void_p),
        POINTER(plait_error))),
    "plait_context_destroy": (None, (c_void_p,)),
    "plait_context_get_info": (c_int32, (c_void_p, POINTER(plait_context_info))),
    "plait_backend_probe": (c_int32, (c_int32, c_char_p, POINTER(plait_backend_info))),
    "plait_plan_kind": (c_int32, (c_void_p,)),
    "plait_plan_destroy": (None, (c_void_p,)),
    "plait_plan_explain": (c_int32, (c_void_p, c_void_p, c_size_t, POINTER(c_size_t))),
    "plait_plan_candidate": (c_int32, (c_void_p, c_int32, c_int32, POINTER(plait_candidate))),
    "plait_memory_alloc": (c_int32, (c_void_p, c_size_t, POINTER(c_void_p), POINTER(plait_error))),
    "plait_memory_free": (None, (c_void_p, c_void_p)),
    "plait_memory_copy": (c_int32, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)),
    "plait_memory_fill": (c_int32, (c_void_p, c_void_p, c_int32, c_size_t, c_void_p)),
    "plait_memory_copy_async": (c_int32, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)),
    "plait_stream_create": (c_int32, (c_void_p, POINTER(c_void_p), POINTER(plait_error))),
    "plait_stream_destroy": (None, (c_void_p, c_void_p)),
    "plait_stream_synchronize": (c_int32, (c_void_p, c_void_p)),
    "plait_event_create": (c_int32, (c_void_p, POINTER(c_void_p), POINTER(plait_error))),
    "plait_event_destroy": (None, (c_void_p, c_void_p)),
    "plait_event_record": (c_int32, (c_void_p, c_void_p, c_void_p)),
    "plait_event_elapsed": (c_int32, (c_void_p, c_void_p, c_void_p, POINTER(c_double))),
    "plait_graph_begin": (c_int32, (c_void_p, c_void_p, POINTER(plait_error))),
    "plait_graph_end": (c_int32, (c_void_p, c_void_p, POINTER(c_void_p), POINTER(plait_error))),
    "plait_graph_launch": (c_int32, (c_void_p, c_void_p, c_void_p)),
    "plait_graph_destroy": (None, (c_void_p, c_void_p)),
    "plait_mhc_plan_desc_init": (None, (POINTER(plait_mhc_plan_desc), c_size_t)),
    "plait_mhc_plan_create": (c_int32, (c_void_p, POINTER(plait_mhc_plan_desc), POINTER(c_void_p),
        POINTER(plait_error))),
    "plait_mhc_plan_sizes": (c_int32, (c_void_p, c_int64, POINTER(plait_mhc_sizes))),
    "plait_mhc_pre": (c_int32, (c_void_p, POINTER(plait_mhc_pre_args), c_void_p)),
    "plait_mhc_post": (c_int32, (c_void_p, POINTER(plait_mhc_post_args), c_void_p)),
    "plait_mhc_post_pre": (c_int32, (c_void_p, POINTER(plait_mhc_post_pre_args), c_void_p)),
    "plait_mhc_head": (c_int32, (c_void_p, POINTER(plait_mhc_head_args), c_void_p)),
    "plait_mhc_expand": (c_int32, (c_void_p, POINTER(plait_mhc_expand_args), c_void_p)),
    "plait_topk_plan_desc_init": (None, (POINTER(plait_topk_plan_desc), c_size_t)),
    "plait_topk_plan_create": (c_int32, (c_void_p, POINTER(plait_topk_plan_desc), POINTER(c_void_p),
        POINTER(plait_error))),
    "plait_topk_plan_sizes": (c_int32, (c_void_p, c_int64, POINTER(plait_topk_sizes))),
    "plait_topk": (c_int32, (c_void_p, POINTER(plait_topk_args), c_void_p)),
    "plait_topk_merge": (c_int32, (c_void_p, POINTER(plait_topk_merge_args), c_void_p)),
    "plait_indexer_plan_desc_init": (None, (POINTER(plait_indexer_plan_desc), c_size_t)),
    "plait_indexer_plan_create": (c_int32, (c_void_p, POINTER(plait_indexer_plan_desc),
        POINTER(c_void_p), POINTER(plait_error))),
    "plait_indexer_plan_sizes": (c_int32, (c_void_p, c_int64, POINTER(plait_indexer_sizes))),
    "plait_indexer_quantize_q": (c_int32, (c_void_p, POINTER(plait_indexer_quantize_q_args),
        c_void_p)),
    "plait_indexer_write_k": (c_int32, (c_void_p, POINTER(plait_indexer_write_k_args), c_void_p)),
    "plait_indexer_gather_k": (c_int32, (c_void_p, POINTER(plait_indexer_gather_k_args), c_void_p)),
    "plait_indexer_convert_k": (c_int32, (c_void_p, POINTER(plait_indexer_convert_k_args),
        c_void_p)),
    "plait_indexer_convert_cache": (c_int32, (c_void_p, POINTER(plait_indexer_convert_cache_args),
        c_void_p)),
    "plait_indexer_logits_ragged": (c_int32, (c_void_p, POINTER(plait_indexer_logits_ragged_args),
        c_void_p)),
    "plait_indexer_logits_paged": (c_int32, (c_void_p, POINTER(plait_indexer_logits_paged_args),
        c_void_p)),
    "plait_indexer_select_ragged": (c_int32, (c_void_p, POINTER(plait_indexer_select_ragged_args),
        c_void_p)),
    "plait_indexer_select_paged": (c_int32, (c_void_p, POINTER(plait_indexer_select_paged_args),
        c_void_p)),
    "plait_indexer_map_slots": (c_int32, (c_void_p, POINTER(plait_indexer_map_slots_args),
        c_void_p)),
}

# Functions whose result is a plait_status, checked after each call.
CHECKED = {"plait_context_create", "plait_context_get_info", "plait_backend_probe",
    "plait_plan_explain", "plait_plan_candidate", "plait_memory_alloc", "plait_memory_copy",
    "plait_memory_fill", "plait_memory_copy_async", "plait_stream_create",
    "plait_stream_synchronize", "plait_event_create", "plait_event_record", "plait_event_elapsed",
    "plait_graph_begin", "plait_graph_end", "plait_graph_launch", "plait_mhc_plan_create",
    "plait_mhc_plan_sizes", "plait_mhc_pre", "plait_mhc_post", "plait_mhc_post_pre",
    "plait_mhc_head", "plait_mhc_expand", "plait_topk_plan_create", "plait_topk_plan_sizes",
    "plait_topk", "plait_topk_merge", "plait_indexer_plan_create", "plait_indexer_plan_sizes",
    "plait_indexer_quantize_q", "plait_indexer_write_k", "plait_indexer_gather_k",
    "plait_indexer_convert_k", "plait_indexer_convert_cache", "plait_indexer_logits_ragged",
    "plait_indexer_logits_paged", "plait_indexer_select_ragged", "plait_indexer_select_paged",
    "plait_indexer_map_slots"}
