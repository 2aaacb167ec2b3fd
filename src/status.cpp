// SPDX-License-Identifier: MIT
// Names and descriptions of statuses, arguments and operations.
#include <plait/types.h>

#include <cstring>

#include "src/version.h"

namespace {

struct Text {
  const char *name;
  const char *description;
};

Text text_of(int32_t code) {
  switch (code) {
    case PLAIT_OK: return {"PLAIT_OK", "Success."};
    case PLAIT_ERROR_NULL_ARGUMENT:
      return {"PLAIT_ERROR_NULL_ARGUMENT", "A required pointer is NULL."};
    case PLAIT_ERROR_STRUCT_SIZE:
      return {"PLAIT_ERROR_STRUCT_SIZE",
              "struct_size is not the size of any version of the struct."};
    case PLAIT_ERROR_UNKNOWN_FIELD:
      return {"PLAIT_ERROR_UNKNOWN_FIELD", "A field that this version does not know is not zero."};
    case PLAIT_ERROR_INVALID_VALUE:
      return {"PLAIT_ERROR_INVALID_VALUE", "A value is outside its documented range."};
    case PLAIT_ERROR_SIZE_OVERFLOW:
      return {"PLAIT_ERROR_SIZE_OVERFLOW", "A product of sizes does not fit 63 bits."};
    case PLAIT_ERROR_BUFFER_TOO_SMALL:
      return {"PLAIT_ERROR_BUFFER_TOO_SMALL", "The buffer is smaller than the call needs."};
    case PLAIT_ERROR_MISALIGNED:
      return {"PLAIT_ERROR_MISALIGNED", "A pointer or stride is not aligned as documented."};
    case PLAIT_ERROR_STRIDE: return {"PLAIT_ERROR_STRIDE", "A stride is shorter than the row."};
    case PLAIT_ERROR_OVERLAP:
      return {"PLAIT_ERROR_OVERLAP", "An output overlaps another buffer of the call."};
    case PLAIT_ERROR_RANGE:
      return {"PLAIT_ERROR_RANGE", "A row's start is negative or above its end."};
    case PLAIT_ERROR_INDEX_OUT_OF_RANGE:
      return {"PLAIT_ERROR_INDEX_OUT_OF_RANGE", "A slot or position lies outside its table."};
    case PLAIT_ERROR_WRONG_PLAN:
      return {"PLAIT_ERROR_WRONG_PLAN",
              "The plan is of another kind or was made without this option."};
    case PLAIT_ERROR_BUDGET_TOO_SMALL:
      return {"PLAIT_ERROR_BUDGET_TOO_SMALL",
              "The workspace budget is below the least that can work."};
    case PLAIT_ERROR_UNSUPPORTED_SHAPE:
      return {"PLAIT_ERROR_UNSUPPORTED_SHAPE", "No implementation covers this shape."};
    case PLAIT_ERROR_UNSUPPORTED_DTYPE:
      return {"PLAIT_ERROR_UNSUPPORTED_DTYPE", "No implementation covers this number format."};
    case PLAIT_ERROR_UNSUPPORTED_DEVICE:
      return {"PLAIT_ERROR_UNSUPPORTED_DEVICE", "The device cannot run this."};
    case PLAIT_ERROR_UNSUPPORTED_OPERATION:
      return {"PLAIT_ERROR_UNSUPPORTED_OPERATION", "The backend does not have this operation."};
    case PLAIT_ERROR_NOT_IN_BUILD:
      return {"PLAIT_ERROR_NOT_IN_BUILD", "The backend or operation is not in this build."};
    case PLAIT_ERROR_NO_DEVICE:
      return {"PLAIT_ERROR_NO_DEVICE", "The backend is there, but not such a device."};
    case PLAIT_ERROR_BACKEND_VERSION:
      return {"PLAIT_ERROR_BACKEND_VERSION",
              "The backend library is of another version than libplait."};
    case PLAIT_ERROR_OUT_OF_MEMORY:
      return {"PLAIT_ERROR_OUT_OF_MEMORY", "Memory could not be allocated."};
    case PLAIT_ERROR_THREADS:
      return {"PLAIT_ERROR_THREADS", "The worker threads could not be started."};
    case PLAIT_ERROR_DEVICE_RUNTIME:
      return {"PLAIT_ERROR_DEVICE_RUNTIME", "A call of the device runtime failed."};
    case PLAIT_ERROR_LAUNCH: return {"PLAIT_ERROR_LAUNCH", "A kernel launch was refused."};
    case PLAIT_ERROR_INTERNAL:
      return {"PLAIT_ERROR_INTERNAL", "A state that should not occur; please report it."};
    default: return {"PLAIT_ERROR_UNKNOWN", "Not a status of this version."};
  }
}

}  // namespace

int32_t plait_version(void) {
  return PLAIT_VERSION_MAJOR * 1000000 + PLAIT_VERSION_MINOR * 1000 + PLAIT_VERSION_PATCH;
}

const char *plait_version_string(void) { return plait::kVersionString; }

int32_t plait_abi_version(void) { return PLAIT_ABI_VERSION; }

int32_t plait_status_code(plait_status status) { return status < 0 ? status : status & 0xFFFF; }

int32_t plait_status_argument(plait_status status) { return status < 0 ? 0 : status >> 16; }

const char *plait_status_name(plait_status status) {
  return text_of(plait_status_code(status)).name;
}

const char *plait_status_description(plait_status status) {
  return text_of(plait_status_code(status)).description;
}

const char *plait_argument_name(int32_t argument) {
  switch (argument) {
    case PLAIT_ARG_NONE: return "";
    case PLAIT_ARG_CONTEXT: return "context";
    case PLAIT_ARG_PLAN: return "plan";
    case PLAIT_ARG_DESC: return "desc";
    case PLAIT_ARG_ARGS: return "args";
    case PLAIT_ARG_RESULT: return "result";
    case PLAIT_ARG_STRUCT_SIZE: return "struct_size";
    case PLAIT_ARG_WORKSPACE: return "workspace";
    case PLAIT_ARG_TOKENS: return "tokens";
    case PLAIT_ARG_ROWS: return "rows";
    case PLAIT_ARG_SIZE: return "size";
    case PLAIT_ARG_STREAM: return "stream";
    case PLAIT_ARG_OP: return "op";
    case PLAIT_ARG_INDEX: return "index";
    case PLAIT_ARG_ERROR: return "error";
    case PLAIT_ARG_BACKEND: return "backend";
    case PLAIT_ARG_POLICY: return "policy";
    case PLAIT_ARG_DEVICE: return "device";
    case PLAIT_ARG_THREADS: return "threads";
    case PLAIT_ARG_LOG_LEVEL: return "log_level";
    case PLAIT_ARG_BACKEND_DIR: return "backend_dir";
    case PLAIT_ARG_IMPLEMENTATION: return "implementation";
    case PLAIT_ARG_HIDDEN: return "hidden";
    case PLAIT_ARG_HC_MULT: return "hc_mult";
    case PLAIT_ARG_DTYPE: return "dtype";
    case PLAIT_ARG_FN_DTYPE: return "fn_dtype";
    case PLAIT_ARG_COLLAPSE: return "collapse";
    case PLAIT_ARG_NORM: return "norm";
    case PLAIT_ARG_NORM_WEIGHT_DTYPE: return "norm_weight_dtype";
    case PLAIT_ARG_SINKHORN_ITERS: return "sinkhorn_iters";
    case PLAIT_ARG_RMS_EPS: return "rms_eps";
    case PLAIT_ARG_PRE_EPS: return "pre_eps";
    case PLAIT_ARG_SINKHORN_EPS: return "sinkhorn_eps";
    case PLAIT_ARG_POST_MULT: return "post_mult";
    case PLAIT_ARG_NORM_EPS: return "norm_eps";
    case PLAIT_ARG_RESIDUAL: return "residual";
    case PLAIT_ARG_FN: return "fn";
    case PLAIT_ARG_BASE: return "base";
    case PLAIT_ARG_SCALE: return "scale";
    case PLAIT_ARG_NORM_WEIGHT: return "norm_weight";
    case PLAIT_ARG_PREV_PRE: return "prev_pre";
    case PLAIT_ARG_PRE_MIX: return "pre_mix";
    case PLAIT_ARG_POST_MIX: return "post_mix";
    case PLAIT_ARG_COMB_MIX: return "comb_mix";
    case PLAIT_ARG_LAYER_INPUT: return "layer_input";
    case PLAIT_ARG_X: return "x";
    case PLAIT_ARG_X2: return "x2";
    case PLAIT_ARG_RESIDUAL_OUT: return "residual_out";
    case PLAIT_ARG_NEXT_POST_MIX: return "next_post_mix";
    case PLAIT_ARG_NEXT_COMB_MIX: return "next_comb_mix";
    case PLAIT_ARG_OUT: return "out";
    case PLAIT_ARG_BROADCAST: return "broadcast";
    case PLAIT_ARG_HEADS: return "heads";
    case PLAIT_ARG_HEAD_DIM: return "head_dim";
    case PLAIT_ARG_FORMAT: return "format";
    case PLAIT_ARG_LAYOUT: return "layout";
    case PLAIT_ARG_PAGE_ENTRIES: return "page_entries";
    case PLAIT_ARG_PAGE_STRIDE: return "page_stride";
    case PLAIT_ARG_ROPE_MODE: return "rope_mode";
    case PLAIT_ARG_ROPE_DIM: return "rope_dim";
    case PLAIT_ARG_ROPE_PLACEMENT: return "rope_placement";
    case PLAIT_ARG_HADAMARD: return "hadamard";
    case PLAIT_ARG_WEIGHTS_DTYPE: return "weights_dtype";
    case PLAIT_ARG_LOGITS_DTYPE: return "logits_dtype";
    case PLAIT_ARG_NEXT_N: return "next_n";
    case PLAIT_ARG_TOPK: return "topk";
    case PLAIT_ARG_ORDER: return "order";
    case PLAIT_ARG_MAX_KEYS: return "max_keys";
    case PLAIT_ARG_SELECT_BUDGET: return "select_budget";
    case PLAIT_ARG_Q: return "q";
    case PLAIT_ARG_POSITIONS: return "positions";
    case PLAIT_ARG_COS_SIN: return "cos_sin";
    case PLAIT_ARG_WEIGHTS: return "weights";
    case PLAIT_ARG_Q_VALUES: return "q_values";
    case PLAIT_ARG_Q_SCALE: return "q_scale";
    case PLAIT_ARG_WEIGHTS_OUT: return "weights_out";
    case PLAIT_ARG_K: return "k";
    case PLAIT_ARG_SLOT_MAPPING: return "slot_mapping";
    case PLAIT_ARG_CACHE: return "cache";
    case PLAIT_ARG_REJECTED: return "rejected";
    case PLAIT_ARG_REQUESTS: return "requests";
    case PLAIT_ARG_BLOCK_TABLE: return "block_table";
    case PLAIT_ARG_BLOCK_TABLE_COLUMNS: return "block_table_columns";
    case PLAIT_ARG_CU_LENGTHS: return "cu_lengths";
    case PLAIT_ARG_K_VALUES: return "k_values";
    case PLAIT_ARG_K_SCALE: return "k_scale";
    case PLAIT_ARG_KEYS: return "keys";
    case PLAIT_ARG_ROW_START: return "row_start";
    case PLAIT_ARG_ROW_END: return "row_end";
    case PLAIT_ARG_LOGITS: return "logits";
    case PLAIT_ARG_LENGTHS: return "lengths";
    case PLAIT_ARG_COLUMNS: return "columns";
    case PLAIT_ARG_INDICES: return "indices";
    case PLAIT_ARG_VALUES_OUT: return "values_out";
    case PLAIT_ARG_SLOTS: return "slots";
    case PLAIT_ARG_TABLE_ROW: return "table_row";
    case PLAIT_ARG_FROM_FORMAT: return "from_format";
    case PLAIT_ARG_SRC_VALUES: return "src_values";
    case PLAIT_ARG_SRC_SCALE: return "src_scale";
    case PLAIT_ARG_DST_VALUES: return "dst_values";
    case PLAIT_ARG_DST_SCALE: return "dst_scale";
    case PLAIT_ARG_SRC_CACHE: return "src_cache";
    case PLAIT_ARG_FILL: return "fill";
    case PLAIT_ARG_LENGTHS_PER_REQUEST: return "lengths_per_request";
    case PLAIT_ARG_TABLE_COUNT: return "table_count";
    case PLAIT_ARG_MAX_COLUMNS: return "max_columns";
    case PLAIT_ARG_VALUES: return "values";
    case PLAIT_ARG_SHARDS: return "shards";
    case PLAIT_ARG_CANDIDATES: return "candidates";
    case PLAIT_ARG_ROWS_PER_TABLE: return "rows_per_table";
    case PLAIT_ARG_INDICES_OUT: return "indices_out";
    case PLAIT_ARG_POINTER: return "pointer";
    case PLAIT_ARG_DST: return "dst";
    case PLAIT_ARG_SRC: return "src";
    case PLAIT_ARG_GRAPH: return "graph";
    case PLAIT_ARG_EVENT: return "event";
    default: return "unknown";
  }
}

const char *plait_op_name(int32_t op) {
  switch (op) {
    case PLAIT_OP_MHC_PRE: return "mhc_pre";
    case PLAIT_OP_MHC_POST: return "mhc_post";
    case PLAIT_OP_MHC_POST_PRE: return "mhc_post_pre";
    case PLAIT_OP_MHC_HEAD: return "mhc_head";
    case PLAIT_OP_MHC_EXPAND: return "mhc_expand";
    case PLAIT_OP_QUANTIZE_Q: return "quantize_q";
    case PLAIT_OP_WRITE_K: return "write_k";
    case PLAIT_OP_GATHER_K: return "gather_k";
    case PLAIT_OP_CONVERT_K: return "convert_k";
    case PLAIT_OP_CONVERT_CACHE: return "convert_cache";
    case PLAIT_OP_LOGITS_RAGGED: return "logits_ragged";
    case PLAIT_OP_LOGITS_PAGED: return "logits_paged";
    case PLAIT_OP_SELECT_RAGGED: return "select_ragged";
    case PLAIT_OP_SELECT_PAGED: return "select_paged";
    case PLAIT_OP_MAP_SLOTS: return "map_slots";
    case PLAIT_OP_TOPK: return "topk";
    case PLAIT_OP_TOPK_MERGE: return "topk_merge";
    default: return "";
  }
}

void plait_error_init(plait_error *error, size_t struct_size) {
  if (!error || struct_size < sizeof(size_t)) return;
  memset(error, 0, struct_size);
  error->struct_size = struct_size;
}
