/* SPDX-License-Identifier: MIT */
/**
 * @file types.h
 * @brief Number formats, buffers and operation numbers that the other headers share.
 */
#ifndef PLAIT_TYPES_H
#define PLAIT_TYPES_H

#include <plait/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number formats of tensors. Fields of this kind are int32_t named `…dtype`. */
enum {
  PLAIT_DTYPE_F32 = 1, /**< IEEE binary32. */
  PLAIT_DTYPE_F16 = 2, /**< IEEE binary16. */
  PLAIT_DTYPE_BF16 = 3 /**< bfloat16: the upper half of a binary32. */
};

/**
 * @brief Memory that a call may write, with its size.
 *
 * `data` lives where the context's device can reach it: host memory for the CPU backend, device
 * memory (or memory mapped into the device) for a GPU. plait never keeps the pointer after the
 * work of the call is done. `size` is the bytes from `data` to the end of what may be touched; it
 * is checked before anything is written and may be larger than needed. An optional buffer that is
 * not wanted is {NULL, 0}.
 */
typedef struct plait_buffer {
  void *data;  /**< First byte. Aligned to the element unless the field says otherwise. */
  size_t size; /**< Bytes. */
} plait_buffer;

/** @brief Memory that a call only reads. See #plait_buffer. */
typedef struct plait_const_buffer {
  const void *data; /**< First byte. */
  size_t size;      /**< Bytes. */
} plait_const_buffer;

/** Alignment in bytes of every workspace. */
#define PLAIT_WORKSPACE_ALIGNMENT 256

/** Operations, as plait_plan_explain() and plait_plan_candidate() count them. */
enum {
  PLAIT_OP_MHC_PRE = 0,
  PLAIT_OP_MHC_POST = 1,
  PLAIT_OP_MHC_POST_PRE = 2,
  PLAIT_OP_MHC_HEAD = 3,
  PLAIT_OP_MHC_EXPAND = 4,
  PLAIT_OP_QUANTIZE_Q = 5,
  PLAIT_OP_WRITE_K = 6,
  PLAIT_OP_GATHER_K = 7,
  PLAIT_OP_CONVERT_K = 8,
  PLAIT_OP_CONVERT_CACHE = 9,
  PLAIT_OP_LOGITS_RAGGED = 10,
  PLAIT_OP_LOGITS_PAGED = 11,
  PLAIT_OP_SELECT_RAGGED = 12,
  PLAIT_OP_SELECT_PAGED = 13,
  PLAIT_OP_MAP_SLOTS = 14,
  PLAIT_OP_TOPK = 15,
  PLAIT_OP_TOPK_MERGE = 16,
  PLAIT_OP_COUNT = 17 /**< Grows when operations are added. */
};

/**
 * @brief The name of an operation, "mhc_pre"; for any integer, never NULL ("" when unknown).
 *
 * Class: query. Thread safety: any.
 */
PLAIT_API const char *plait_op_name(int32_t op);

#ifdef __cplusplus
}
#endif

#endif
