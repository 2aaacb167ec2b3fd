// SPDX-License-Identifier: MIT
// Bytes become a descriptor and the arguments of one call. Sizes are then fitted: whenever the
// status names a buffer that is too small it grows to the very byte that the call accepts, so that
// a sanitizer sees every access past what the check allowed.
#define _GNU_SOURCE
#include <plait/plait.h>
#include <stdlib.h>
#include <string.h>

#include "../common/call.h"
#include "../common/env.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_BYTES ((size_t)1 << 17)
#define MOST_WORKSPACE ((size_t)4 << 20)

typedef struct bytes {
  const uint8_t *data;
  size_t size, at;
} bytes;

static uint8_t take(bytes *b) { return b->at < b->size ? b->data[b->at++] : 0; }

// Mostly small, sometimes on the edge of something.
static int64_t number(bytes *b, int64_t most) {
  static const int64_t edges[] = {-1,
                                  0,
                                  INT64_MIN,
                                  INT64_MAX,
                                  INT32_MAX,
                                  (int64_t)INT32_MAX + 1,
                                  (int64_t)1 << 40,
                                  (int64_t)1 << 62,
                                  65536,
                                  1};
  const uint8_t first = take(b);
  if (first >= 246) return edges[first - 246];
  return first % (most + 1);
}

static int32_t choice(bytes *b, int32_t low, int32_t high) {
  const uint8_t value = take(b);
  return value >= 250 ? value - 251 : low + value % (high - low + 1);
}

static int32_t dtype(bytes *b) { return choice(b, PLAIT_DTYPE_F32, PLAIT_DTYPE_BF16); }

static void describe(bytes *b, plan_spec *spec) {
  static const float eps[] = {1e-6f, 0, 1e-20f, 1, -1};
  if (spec->kind == PLAIT_PLAN_MHC) {
    plait_mhc_plan_desc *d = &spec->desc.mhc;
    d->hidden = number(b, 40);
    d->hc_mult = choice(b, 1, 8);
    d->dtype = dtype(b);
    d->fn_dtype = dtype(b);
    d->collapse = choice(b, 0, 1);
    d->norm = choice(b, 0, 3);
    d->norm_weight_dtype = dtype(b);
    d->sinkhorn_iters = choice(b, 1, 5);
    d->rms_eps = eps[take(b) % 5];
    d->sinkhorn_eps = eps[take(b) % 5];
  } else if (spec->kind == PLAIT_PLAN_INDEXER) {
    plait_indexer_plan_desc *d = &spec->desc.indexer;
    d->heads = choice(b, 1, 6);
    d->head_dim = 32 * choice(b, 1, 4);
    d->format = choice(b, 1, 3);
    d->layout = choice(b, 1, 2);
    d->page_entries = take(b) % 2 ? 16 * choice(b, 1, 3) : choice(b, 1, 20);
    d->rope_mode = choice(b, 0, 2);
    d->rope_dim = 2 * choice(b, 1, 16);
    d->rope_placement = choice(b, 0, 1);
    d->hadamard = choice(b, 0, 1);
    d->weights_dtype = dtype(b);
    d->logits_dtype = take(b) % 2 ? PLAIT_DTYPE_BF16 : dtype(b);
    d->next_n = choice(b, 1, 3);
    d->page_stride = take(b) % 3 ? 0 : (int64_t)(16 * (uint64_t)number(b, 255));
    d->topk = number(b, 20);
    d->max_keys = 200;
    d->select_budget = take(b) % 4 ? (size_t)1 << 20 : (size_t)take(b) * 64;
    d->order = choice(b, 0, 2);
  } else {
    plait_topk_plan_desc *d = &spec->desc.topk;
    d->max_columns = number(b, 200);
    d->k = number(b, 40);
    d->order = choice(b, 0, 2);
    d->dtype = dtype(b);
    d->page_entries = choice(b, 1, 20);
  }
}

static plait_context *context(void) {
  static plait_context *one;
  if (!one) {
    plait_context_desc desc;
    plait_context_desc_init(&desc, sizeof desc);
    desc.backend = PLAIT_BACKEND_CPU;
    desc.threads = 1;
    if (plait_context_create(&desc, &one, NULL) != PLAIT_OK) abort();
  }
  return one;
}

typedef struct fuzz_call {
  const op_type *type;
  union {
    max_align_t align;
    unsigned char bytes[ARGS_SIZE];
  } args;
  unsigned char *memory[MOST_TENSORS];  // of `size` bytes exactly
  size_t size[MOST_TENSORS];
  uint64_t seed;
} fuzz_call;

static void put(fuzz_call *c, int slot, void *data, size_t size) {
  const plait_buffer buffer = {data, size};
  memcpy(c->args.bytes + c->type->slots[slot].offset, &buffer, sizeof buffer);
}

static uint64_t next(fuzz_call *c) {
  c->seed = c->seed * 6364136223846793005u + 1442695040888963407u;
  return c->seed >> 33;
}

static int holds_integers(const char *name) {
  static const char *const names[] = {"row_start", "row_end",      "block_table",
                                      "lengths",   "cu_lengths",   "table_row",
                                      "indices",   "slot_mapping", "positions"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return 1;
  return 0;
}

static void fill(fuzz_call *c, int slot, unsigned char *data, size_t size) {
  const char *name = c->type->slots[slot].name;
  if (!holds_integers(name)) {
    for (size_t i = 0; i < size; i++) data[i] = (unsigned char)next(c);
    return;
  }
  const int wide = strcmp(name, "slot_mapping") == 0 || strcmp(name, "positions") == 0;
  const int rising = strcmp(name, "cu_lengths") == 0 && next(c) % 4;
  int64_t before = 0;
  for (size_t i = 0; (i + 1) * (wide ? 8 : 4) <= size; i++) {
    const uint64_t kind = next(c) % 40;
    int64_t value = (int64_t)(next(c) % 24);
    if (kind == 0) value = -1;
    if (kind == 1) value = INT32_MAX;
    if (kind == 2) value = INT32_MIN;
    if (kind == 3) value = (int64_t)(next(c) % 300);
    if (rising) before = value = i ? before + (int64_t)(next(c) % 9) : 0;
    const int32_t narrow = (int32_t)value;
    memcpy(data + i * (wide ? 8 : 4), wide ? (const void *)&value : (const void *)&narrow,
           wide ? 8 : 4);
  }
}

// Exactly `size` bytes, aligned for any slot.
static void give(fuzz_call *c, int slot, size_t size) {
  void *memory = NULL;
  if (size && posix_memalign(&memory, 256, size) != 0) abort();
  c->memory[slot] = memory;
  c->size[slot] = size;
  if (size) {
    fill(c, slot, memory, size);
    if ((c->type->slots[slot].flags & (SLOT_OUT | SLOT_INOUT)) == SLOT_OUT)
      memset(memory, UNWRITTEN, size);
  }
  put(c, slot, memory, size);
}

static void put_workspace(fuzz_call *c, void *data, size_t size) {
  const plait_buffer buffer = {data, size};
  memcpy(c->args.bytes + c->type->workspace_offset, &buffer, sizeof buffer);
}

// All buffers at one place overlap, so that a call gets past the size checks and no further.
static unsigned char *scratch(void) {
  static unsigned char *memory;
  if (!memory && posix_memalign((void **)&memory, 256, MOST_WORKSPACE) != 0) abort();
  return memory;
}

// The least size by which `argument` is not too small. `slot` < 0: the workspace.
static size_t least(fuzz_call *c, const plait_plan *plan, int slot, int32_t argument, size_t most) {
  size_t low = 0, high = most;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (slot < 0)
      put_workspace(c, scratch(), middle);
    else
      put(c, slot, scratch(), middle);
    const plait_status status = c->type->run(plan, c->args.bytes, NULL);
    if (status == make_status(PLAIT_ERROR_BUFFER_TOO_SMALL, argument))
      low = middle + 1;
    else
      high = middle;
  }
  if (slot < 0)
    put_workspace(c, scratch(), most);
  else
    put(c, slot, scratch(), most);
  return low;
}

// A status is OK, or has a known code, and a caller's error names its argument.
static void check_status(plait_status status) {
  const int32_t code = plait_status_code(status);
  if (status < 0 || (code && (code < 100 || code > 500))) abort();
  if (code == PLAIT_ERROR_INTERNAL) abort();
  if (code >= 100 && code < 200 && !*plait_argument_name(plait_status_argument(status))) abort();
}

// Fits every buffer, runs the call for good, and looks at what an error left behind.
static void run(fuzz_call *c, const plait_plan *plan, bytes *b) {
  const op_type *type = c->type;
  size_t sizes[MOST_TENSORS] = {0}, workspace;
  for (int i = 0; type->slots[i].name; i++) put(c, i, scratch(), MOST_BYTES);
  put_workspace(c, scratch(), MOST_WORKSPACE);
  // Optional buffers come and go.
  const unsigned drop = take(b) | (unsigned)take(b) << 8;
  for (int i = 0; type->slots[i].name; i++)
    if (drop >> i & 1 && take(b) % 2) put(c, i, NULL, 0);
  plait_status status = type->run(plan, c->args.bytes, NULL);
  check_status(status);
  // A required one that was dropped, or one that must not be given.
  for (int round = 0; round < 8 && status; round++) {
    const int32_t code = plait_status_code(status);
    if (code != PLAIT_ERROR_NULL_ARGUMENT && code != PLAIT_ERROR_WRONG_PLAN) break;
    for (int i = 0; type->slots[i].name; i++)
      if (type->slots[i].argument == plait_status_argument(status))
        put(c, i, code == PLAIT_ERROR_NULL_ARGUMENT ? scratch() : NULL,
            code == PLAIT_ERROR_NULL_ARGUMENT ? MOST_BYTES : 0);
    status = type->run(plan, c->args.bytes, NULL);
    check_status(status);
  }
  if (status && plait_status_code(status) != PLAIT_ERROR_OVERLAP) return;
  plait_buffer now[MOST_TENSORS];
  for (int i = 0; type->slots[i].name; i++) {
    memcpy(&now[i], c->args.bytes + type->slots[i].offset, sizeof now[i]);
    if (now[i].data) sizes[i] = least(c, plan, i, type->slots[i].argument, MOST_BYTES);
  }
  workspace = least(c, plan, -1, PLAIT_ARG_WORKSPACE, MOST_WORKSPACE);
  for (int i = 0; type->slots[i].name; i++) {
    if (!now[i].data) continue;
    if (type->slots[i].flags & SLOT_ANY_SIZE) {
      sizes[i] *= 1 + (size_t)take(b) % 5;
      if (take(b) % 4 == 0) sizes[i] += take(b) % 64;
    }
    give(c, i, sizes[i]);
  }
  void *memory = NULL;
  if (workspace && posix_memalign(&memory, 256, workspace) != 0) abort();
  if (workspace) memset(memory, 0xB3, workspace);
  put_workspace(c, memory, workspace);
  status = type->run(plan, c->args.bytes, NULL);
  check_status(status);
  for (int i = 0; type->slots[i].name && status; i++)
    if ((type->slots[i].flags & (SLOT_OUT | SLOT_INOUT)) == SLOT_OUT && c->memory[i])
      for (size_t k = 0; k < c->size[i]; k++)
        if (c->memory[i][k] != UNWRITTEN) abort();
  for (int i = 0; type->slots[i].name; i++) free(c->memory[i]);
  free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const implementations[] = {NULL, "fast", "reference"};
  bytes b = {data, size, 0};
  fuzz_call c;
  plan_spec spec;
  plait_plan *plan = NULL;
  plait_error error;
  memset(&c, 0, sizeof c);
  c.type = op_find(take(&b) % PLAIT_OP_COUNT);
  spec_init(&spec, c.type->plan_kind);
  describe(&b, &spec);
  plait_error_init(&error, sizeof error);
  const plait_status status =
      spec_create(context(), &spec, implementations[take(&b) % 3], &plan, &error);
  check_status(status);
  if ((status == PLAIT_OK) != (plan != NULL) || error.status != status) abort();
  if (status) return 0;
  memcpy(c.args.bytes, &c.type->args_size, sizeof c.type->args_size);
  for (int i = 0; c.type->counts[i].name; i++) {
    const int64_t count = number(&b, i ? 40 : 5);
    memcpy(c.args.bytes + c.type->counts[i].offset, &count, sizeof count);
  }
  for (int i = 0; c.type->slots[i].name; i++) {
    const int64_t stride = take(&b) % 4 ? 0 : number(&b, 200);
    if (c.type->slots[i].stride_offset)
      memcpy(c.args.bytes + c.type->slots[i].stride_offset, &stride, sizeof stride);
  }
  // The two or three plain int32 fields that some calls have.
  const int32_t flag = choice(&b, 0, 1), format = choice(&b, 1, 2);
  if (c.type->op == PLAIT_OP_MHC_PRE) CALL_ARGS(&c, plait_mhc_pre_args)->broadcast = flag;
  if (c.type->op == PLAIT_OP_MHC_POST) CALL_ARGS(&c, plait_mhc_post_args)->broadcast = flag;
  if (c.type->op == PLAIT_OP_MHC_POST_PRE) CALL_ARGS(&c, plait_mhc_post_pre_args)->broadcast = flag;
  if (c.type->op == PLAIT_OP_LOGITS_RAGGED)
    CALL_ARGS(&c, plait_indexer_logits_ragged_args)->fill = flag;
  if (c.type->op == PLAIT_OP_LOGITS_PAGED) {
    CALL_ARGS(&c, plait_indexer_logits_paged_args)->fill = flag;
    CALL_ARGS(&c, plait_indexer_logits_paged_args)->lengths_per_request = format - 1;
  }
  if (c.type->op == PLAIT_OP_SELECT_PAGED)
    CALL_ARGS(&c, plait_indexer_select_paged_args)->lengths_per_request = flag;
  if (c.type->op == PLAIT_OP_CONVERT_K)
    CALL_ARGS(&c, plait_indexer_convert_k_args)->from_format = format;
  if (c.type->op == PLAIT_OP_CONVERT_CACHE)
    CALL_ARGS(&c, plait_indexer_convert_cache_args)->from_format = format;
  c.seed = take(&b) | (uint64_t)take(&b) << 8;
  run(&c, plan, &b);
  plait_plan_destroy(plan);
  return 0;
}
