# SPDX-License-Identifier: MIT
# Written by bindings/tools/generate.py from include/plait. Do not edit.
"""Enumerations, and one exception class for each status code."""
from enum import IntEnum, IntFlag
from typing import Any


class Status(IntEnum):
    """Codes: the low 16 bits of a #plait_status."""

    OK = 0
    NULL_ARGUMENT = 100
    STRUCT_SIZE = 101
    UNKNOWN_FIELD = 102
    INVALID_VALUE = 103
    SIZE_OVERFLOW = 104
    BUFFER_TOO_SMALL = 105
    MISALIGNED = 106
    STRIDE = 107
    OVERLAP = 108
    RANGE = 109
    INDEX_OUT_OF_RANGE = 110
    WRONG_PLAN = 111
    BUDGET_TOO_SMALL = 112
    UNSUPPORTED_SHAPE = 200
    UNSUPPORTED_DTYPE = 201
    UNSUPPORTED_DEVICE = 202
    UNSUPPORTED_OPERATION = 203
    NOT_IN_BUILD = 204
    NO_DEVICE = 205
    BACKEND_VERSION = 206
    OUT_OF_MEMORY = 300
    THREADS = 301
    DEVICE_RUNTIME = 400
    LAUNCH = 401
    INTERNAL = 500


class Argument(IntEnum):
    """Arguments: bits 16 … 30 of a #plait_status."""

    NONE = 0
    CONTEXT = 1
    PLAN = 2
    DESC = 3
    ARGS = 4
    RESULT = 5
    STRUCT_SIZE = 6
    WORKSPACE = 7
    TOKENS = 8
    ROWS = 9
    SIZE = 10
    STREAM = 11
    OP = 12
    INDEX = 13
    ERROR = 14
    BACKEND = 20
    POLICY = 21
    DEVICE = 22
    THREADS = 23
    LOG_LEVEL = 24
    BACKEND_DIR = 25
    IMPLEMENTATION = 26
    HIDDEN = 40
    HC_MULT = 41
    DTYPE = 42
    FN_DTYPE = 43
    COLLAPSE = 44
    NORM = 45
    NORM_WEIGHT_DTYPE = 46
    SINKHORN_ITERS = 47
    RMS_EPS = 48
    PRE_EPS = 49
    SINKHORN_EPS = 50
    POST_MULT = 51
    NORM_EPS = 52
    RESIDUAL = 53
    FN = 54
    BASE = 55
    SCALE = 56
    NORM_WEIGHT = 57
    PREV_PRE = 58
    PRE_MIX = 59
    POST_MIX = 60
    COMB_MIX = 61
    LAYER_INPUT = 62
    X = 63
    X2 = 64
    RESIDUAL_OUT = 65
    NEXT_POST_MIX = 66
    NEXT_COMB_MIX = 67
    OUT = 68
    BROADCAST = 69
    HEADS = 80
    HEAD_DIM = 81
    FORMAT = 82
    LAYOUT = 83
    PAGE_ENTRIES = 84
    PAGE_STRIDE = 85
    ROPE_MODE = 86
    ROPE_DIM = 87
    ROPE_PLACEMENT = 88
    HADAMARD = 89
    WEIGHTS_DTYPE = 90
    LOGITS_DTYPE = 91
    NEXT_N = 92
    TOPK = 93
    ORDER = 94
    MAX_KEYS = 95
    SELECT_BUDGET = 96
    Q = 97
    POSITIONS = 98
    COS_SIN = 99
    WEIGHTS = 100
    Q_VALUES = 101
    Q_SCALE = 102
    WEIGHTS_OUT = 103
    K = 104
    SLOT_MAPPING = 105
    CACHE = 106
    REJECTED = 107
    REQUESTS = 108
    BLOCK_TABLE = 109
    BLOCK_TABLE_COLUMNS = 110
    CU_LENGTHS = 111
    K_VALUES = 112
    K_SCALE = 113
    KEYS = 114
    ROW_START = 115
    ROW_END = 116
    LOGITS = 117
    LENGTHS = 118
    COLUMNS = 119
    INDICES = 120
    VALUES_OUT = 121
    SLOTS = 122
    TABLE_ROW = 123
    FROM_FORMAT = 124
    SRC_VALUES = 125
    SRC_SCALE = 126
    DST_VALUES = 127
    DST_SCALE = 128
    SRC_CACHE = 129
    FILL = 130
    LENGTHS_PER_REQUEST = 131
    TABLE_COUNT = 132
    MAX_COLUMNS = 150
    VALUES = 151
    SHARDS = 152
    CANDIDATES = 153
    ROWS_PER_TABLE = 154
    INDICES_OUT = 155
    POINTER = 170
    DST = 171
    SRC = 172
    GRAPH = 173
    EVENT = 174


class Dtype(IntEnum):
    """Number formats of tensors."""

    F32 = 1
    F16 = 2
    BF16 = 3


class Op(IntEnum):
    """Operations, as plait_plan_explain() and plait_plan_candidate() count them."""

    MHC_PRE = 0
    MHC_POST = 1
    MHC_POST_PRE = 2
    MHC_HEAD = 3
    MHC_EXPAND = 4
    QUANTIZE_Q = 5
    WRITE_K = 6
    GATHER_K = 7
    CONVERT_K = 8
    CONVERT_CACHE = 9
    LOGITS_RAGGED = 10
    LOGITS_PAGED = 11
    SELECT_RAGGED = 12
    SELECT_PAGED = 13
    MAP_SLOTS = 14
    TOPK = 15
    TOPK_MERGE = 16
    COUNT = 17


class Backend(IntEnum):
    """Backends."""

    AUTO = 0
    CPU = 1
    HIP = 2
    CUDA = 3


class Policy(IntEnum):
    """What to do when the asked backend is not to be had."""

    STRICT = 0
    FALLBACK = 1


class LogLevel(IntEnum):
    """Log levels; a line is delivered when its level is at most the context's."""

    SILENT = 0
    WARN = 1
    INFO = 2
    DEBUG = 3


class PlanKind(IntEnum):
    """Kinds of plan."""

    MHC = 1
    INDEXER = 2
    TOPK = 3


class Collapse(IntEnum):
    """Which pre mix collapses the streams into layer_input."""

    CURRENT = 0
    DELAYED = 1


class Norm(IntFlag):
    """Bits of plait_mhc_plan_desc::norm."""

    LAYER_INPUT = 1
    HEAD = 2


class Order(IntEnum):
    """Order of the indices within an output row."""

    ANY = 0
    INDEX = 1
    DESCENDING = 2


class Format(IntEnum):
    """Number formats of quantised queries and keys."""

    FP8_E4M3FN = 1
    FP8_E4M3FNUZ = 2
    MXFP4 = 3


class Layout(IntEnum):
    """Layouts of a cache page."""

    BLOCK_FLAT = 1
    TILED = 2


class Rope(IntEnum):
    """Rotary embedding of queries and keys."""

    NONE = 0
    INTERLEAVED = 1
    HALF_SPLIT = 2


class RopePlacement(IntEnum):
    """Which rope_dim dimensions are rotated."""

    FIRST = 0
    LAST = 1


# Which enumeration an int32_t field holds.
FIELDS = {
    "backend": Backend, "asked_backend": Backend, "policy": Policy, "log_level": LogLevel,
    "dtype": Dtype, "fn_dtype": Dtype, "norm_weight_dtype": Dtype, "weights_dtype": Dtype,
    "logits_dtype": Dtype, "collapse": Collapse, "norm": Norm, "format": Format,
    "from_format": Format, "layout": Layout, "rope_mode": Rope, "rope_placement": RopePlacement,
    "order": Order
}


def coerce(field: str, value: Any) -> int:
    """The number for `value`: an enumerator, its name in any case, or a number."""
    if not isinstance(value, str):
        return int(value)
    kind = FIELDS.get(field)
    if kind is None or value.upper() not in kind.__members__:
        names = ", ".join(n.lower() for n in kind.__members__) if kind else "a number"
        raise ValueError(f"{field}: {value!r} is not one of: {names}")
    return int(kind[value.upper()].value)
