/* SPDX-License-Identifier: MIT */
/**
 * @file status.h
 * @brief Status values: what went wrong, and with which argument.
 *
 * Every function that can fail returns a #plait_status. It packs two numbers:
 *
 *     bits  0 … 15   the code       one of PLAIT_OK, PLAIT_ERROR_…
 *     bits 16 … 30   the argument   one of PLAIT_ARG_…, or 0 when no single argument is at fault
 *
 * so an execute call, which has no error record, still says "buffer too small: comb_mix". Success
 * is the integer 0, and a plain `if (status)` is a right test. To compare with a code, take
 * plait_status_code() first.
 *
 * Policy: the values below never change meaning and are never reused. New codes are appended
 * within their range, new arguments at the end; treat an unknown code by its range.
 */
#ifndef PLAIT_STATUS_H
#define PLAIT_STATUS_H

#include <plait/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A code, and in the upper bits the argument at fault. 0 is success; errors are positive. */
typedef int32_t plait_status;

/** Codes: the low 16 bits of a #plait_status. */
enum {
  PLAIT_OK = 0, /**< The call did what it says. */

  /* 100 … 199: the caller's error. The same call fails everywhere. */
  PLAIT_ERROR_NULL_ARGUMENT = 100, /**< A required pointer is NULL. */
  PLAIT_ERROR_STRUCT_SIZE = 101,   /**< struct_size is smaller than the struct's first version. */
  PLAIT_ERROR_UNKNOWN_FIELD = 102, /**< A non-zero field that this version does not know. */
  PLAIT_ERROR_INVALID_VALUE = 103, /**< Outside the documented range: zero, negative, NaN, no such
                                        enumerator. */
  PLAIT_ERROR_SIZE_OVERFLOW = 104, /**< A product of sizes does not fit 63 bits. */
  PLAIT_ERROR_BUFFER_TOO_SMALL = 105,   /**< The buffer is smaller than the call needs. */
  PLAIT_ERROR_MISALIGNED = 106,         /**< The pointer or stride is not aligned as documented. */
  PLAIT_ERROR_STRIDE = 107,             /**< A stride is shorter than the row. */
  PLAIT_ERROR_OVERLAP = 108,            /**< An output overlaps another buffer. */
  PLAIT_ERROR_RANGE = 109,              /**< row_start is above row_end, or negative. */
  PLAIT_ERROR_INDEX_OUT_OF_RANGE = 110, /**< A slot or position outside its table. */
  PLAIT_ERROR_WRONG_PLAN = 111,         /**< The plan is of another kind, or without this option. */
  PLAIT_ERROR_BUDGET_TOO_SMALL = 112,   /**< The workspace budget is below the least possible. */

  /* 200 … 299: right in itself, but not for this build, device or shape. */
  PLAIT_ERROR_UNSUPPORTED_SHAPE = 200,     /**< No implementation covers the shape. */
  PLAIT_ERROR_UNSUPPORTED_DTYPE = 201,     /**< No implementation covers the number format. */
  PLAIT_ERROR_UNSUPPORTED_DEVICE = 202,    /**< The device cannot run it. */
  PLAIT_ERROR_UNSUPPORTED_OPERATION = 203, /**< The backend does not have this operation. */
  PLAIT_ERROR_NOT_IN_BUILD = 204,          /**< The backend or operation is not in this build. */
  PLAIT_ERROR_NO_DEVICE = 205,             /**< The backend is there, but no such device. */
  PLAIT_ERROR_BACKEND_VERSION = 206,       /**< The backend library is of another version. */

  /* 300 … 399: resources of the process. */
  PLAIT_ERROR_OUT_OF_MEMORY = 300, /**< Host or device memory could not be had. */
  PLAIT_ERROR_THREADS = 301,       /**< The worker threads could not be started. */

  /* 400 … 499: the device runtime. The error record has its own number. */
  PLAIT_ERROR_DEVICE_RUNTIME = 400, /**< A call of the device runtime failed. */
  PLAIT_ERROR_LAUNCH = 401,         /**< A kernel launch was refused. */

  /* 500 … 599: plait's own fault. Please report it. */
  PLAIT_ERROR_INTERNAL = 500 /**< A state that should not occur. */
};

/**
 * Arguments: bits 16 … 30 of a #plait_status. Named as the parameter or struct field they stand
 * for; fields of the same name in different structs share a value.
 */
enum {
  PLAIT_ARG_NONE = 0,
  PLAIT_ARG_CONTEXT = 1,
  PLAIT_ARG_PLAN = 2,
  PLAIT_ARG_DESC = 3,
  PLAIT_ARG_ARGS = 4,
  PLAIT_ARG_RESULT = 5, /**< The pointer that receives the result. */
  PLAIT_ARG_STRUCT_SIZE = 6,
  PLAIT_ARG_WORKSPACE = 7,
  PLAIT_ARG_TOKENS = 8,
  PLAIT_ARG_ROWS = 9,
  PLAIT_ARG_SIZE = 10,
  PLAIT_ARG_STREAM = 11,
  PLAIT_ARG_OP = 12,
  PLAIT_ARG_INDEX = 13,
  PLAIT_ARG_ERROR = 14,

  PLAIT_ARG_BACKEND = 20,
  PLAIT_ARG_POLICY = 21,
  PLAIT_ARG_DEVICE = 22,
  PLAIT_ARG_THREADS = 23,
  PLAIT_ARG_LOG_LEVEL = 24,
  PLAIT_ARG_BACKEND_DIR = 25,
  PLAIT_ARG_IMPLEMENTATION = 26,

  PLAIT_ARG_HIDDEN = 40,
  PLAIT_ARG_HC_MULT = 41,
  PLAIT_ARG_DTYPE = 42,
  PLAIT_ARG_FN_DTYPE = 43,
  PLAIT_ARG_COLLAPSE = 44,
  PLAIT_ARG_NORM = 45,
  PLAIT_ARG_NORM_WEIGHT_DTYPE = 46,
  PLAIT_ARG_SINKHORN_ITERS = 47,
  PLAIT_ARG_RMS_EPS = 48,
  PLAIT_ARG_PRE_EPS = 49,
  PLAIT_ARG_SINKHORN_EPS = 50,
  PLAIT_ARG_POST_MULT = 51,
  PLAIT_ARG_NORM_EPS = 52,
  PLAIT_ARG_RESIDUAL = 53,
  PLAIT_ARG_FN = 54,
  PLAIT_ARG_BASE = 55,
  PLAIT_ARG_SCALE = 56,
  PLAIT_ARG_NORM_WEIGHT = 57,
  PLAIT_ARG_PREV_PRE = 58,
  PLAIT_ARG_PRE_MIX = 59,
  PLAIT_ARG_POST_MIX = 60,
  PLAIT_ARG_COMB_MIX = 61,
  PLAIT_ARG_LAYER_INPUT = 62,
  PLAIT_ARG_X = 63,
  PLAIT_ARG_X2 = 64,
  PLAIT_ARG_RESIDUAL_OUT = 65,
  PLAIT_ARG_NEXT_POST_MIX = 66,
  PLAIT_ARG_NEXT_COMB_MIX = 67,
  PLAIT_ARG_OUT = 68,
  PLAIT_ARG_BROADCAST = 69,

  PLAIT_ARG_HEADS = 80,
  PLAIT_ARG_HEAD_DIM = 81,
  PLAIT_ARG_FORMAT = 82,
  PLAIT_ARG_LAYOUT = 83,
  PLAIT_ARG_PAGE_ENTRIES = 84,
  PLAIT_ARG_PAGE_STRIDE = 85,
  PLAIT_ARG_ROPE_MODE = 86,
  PLAIT_ARG_ROPE_DIM = 87,
  PLAIT_ARG_ROPE_PLACEMENT = 88,
  PLAIT_ARG_HADAMARD = 89,
  PLAIT_ARG_WEIGHTS_DTYPE = 90,
  PLAIT_ARG_LOGITS_DTYPE = 91,
  PLAIT_ARG_NEXT_N = 92,
  PLAIT_ARG_TOPK = 93,
  PLAIT_ARG_ORDER = 94,
  PLAIT_ARG_MAX_KEYS = 95,
  PLAIT_ARG_SELECT_BUDGET = 96,
  PLAIT_ARG_Q = 97,
  PLAIT_ARG_POSITIONS = 98,
  PLAIT_ARG_COS_SIN = 99,
  PLAIT_ARG_WEIGHTS = 100,
  PLAIT_ARG_Q_VALUES = 101,
  PLAIT_ARG_Q_SCALE = 102,
  PLAIT_ARG_WEIGHTS_OUT = 103,
  PLAIT_ARG_K = 104,
  PLAIT_ARG_SLOT_MAPPING = 105,
  PLAIT_ARG_CACHE = 106,
  PLAIT_ARG_REJECTED = 107,
  PLAIT_ARG_REQUESTS = 108,
  PLAIT_ARG_BLOCK_TABLE = 109,
  PLAIT_ARG_BLOCK_TABLE_COLUMNS = 110,
  PLAIT_ARG_CU_LENGTHS = 111,
  PLAIT_ARG_K_VALUES = 112,
  PLAIT_ARG_K_SCALE = 113,
  PLAIT_ARG_KEYS = 114,
  PLAIT_ARG_ROW_START = 115,
  PLAIT_ARG_ROW_END = 116,
  PLAIT_ARG_LOGITS = 117,
  PLAIT_ARG_LENGTHS = 118,
  PLAIT_ARG_COLUMNS = 119,
  PLAIT_ARG_INDICES = 120,
  PLAIT_ARG_VALUES_OUT = 121,
  PLAIT_ARG_SLOTS = 122,
  PLAIT_ARG_TABLE_ROW = 123,
  PLAIT_ARG_FROM_FORMAT = 124,
  PLAIT_ARG_SRC_VALUES = 125,
  PLAIT_ARG_SRC_SCALE = 126,
  PLAIT_ARG_DST_VALUES = 127,
  PLAIT_ARG_DST_SCALE = 128,
  PLAIT_ARG_SRC_CACHE = 129,
  PLAIT_ARG_FILL = 130,
  PLAIT_ARG_LENGTHS_PER_REQUEST = 131,
  PLAIT_ARG_TABLE_COUNT = 132,

  PLAIT_ARG_MAX_COLUMNS = 150,
  PLAIT_ARG_VALUES = 151,
  PLAIT_ARG_SHARDS = 152,
  PLAIT_ARG_CANDIDATES = 153,
  PLAIT_ARG_ROWS_PER_TABLE = 154,
  PLAIT_ARG_INDICES_OUT = 155,

  PLAIT_ARG_POINTER = 170,
  PLAIT_ARG_DST = 171,
  PLAIT_ARG_SRC = 172,
  PLAIT_ARG_GRAPH = 173,
  PLAIT_ARG_EVENT = 174
};

/**
 * @brief The code of a status: its low 16 bits. For a negative integer, the integer itself.
 *
 * Class: query. Thread safety: any.
 */
PLAIT_API int32_t plait_status_code(plait_status status);

/**
 * @brief The argument of a status, one of PLAIT_ARG_…; 0 when it names none.
 *
 * Class: query. Thread safety: any.
 */
PLAIT_API int32_t plait_status_argument(plait_status status);

/**
 * @brief The code's name, "PLAIT_ERROR_BUFFER_TOO_SMALL"; for any integer, never NULL. Static.
 *
 * Class: query. Thread safety: any.
 */
PLAIT_API const char *plait_status_name(plait_status status);

/**
 * @brief One English sentence about the code; for any integer, never NULL. Static storage.
 *
 * Class: query. Thread safety: any.
 */
PLAIT_API const char *plait_status_description(plait_status status);

/**
 * @brief The name of an argument number, "comb_mix"; for any integer, never NULL ("" for
 *        PLAIT_ARG_NONE). Static storage.
 *
 * Class: query. Thread safety: any.
 */
PLAIT_API const char *plait_argument_name(int32_t argument);

/** Bytes in plait_error::message, its terminating zero included. */
#define PLAIT_ERROR_MESSAGE_SIZE 256

/**
 * @brief A caller-owned record that setup functions fill when they fail.
 *
 * Give NULL where no detail is wanted. On success the record's status is #PLAIT_OK and its message
 * is empty. The message is one line of English without a newline, cut to fit.
 */
typedef struct plait_error {
  size_t struct_size;                     /**< sizeof(plait_error), by plait_error_init(). */
  plait_status status;                    /**< What the function returned. */
  int32_t native_code;                    /**< hipError_t, cudaError_t or errno; else 0. */
  char message[PLAIT_ERROR_MESSAGE_SIZE]; /**< Zero-terminated. */
} plait_error;

/**
 * @brief Clears an error record and sets its struct_size.
 *
 * @param error        the record; NULL does nothing.
 * @param struct_size  sizeof(plait_error) as the caller was compiled.
 *
 * Class: query. Thread safety: exclusive.
 */
PLAIT_API void plait_error_init(plait_error *error, size_t struct_size);

#ifdef __cplusplus
}
#endif

#endif
