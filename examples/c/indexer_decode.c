/* SPDX-License-Identifier: MIT */
/*
 * The sparse indexer over a paged key cache, as a serving stack would drive it.
 *
 *   1. Golden cases: ragged and paged logits, top-k, and the bytes of a written cache.
 *   2. Prefill of two packed requests: keys are written to their pages and gathered, queries
 *      quantised, and each row selects from its own request, causally.
 *   3. Decode steps: two query rows a request (next_n 2), three requests of which the last is
 *      padding, keys read through the block table.
 *
 * Prefill and decode both run twice: select, and logits followed by top-k. The indices are equal.
 * Usage: indexer_decode [--backend NAME] [VECTORS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum {
  HEADS = 64,
  HEAD_DIM = 128,
  ROPE_DIM = 64,
  PAGE = 64,
  TOPK = 48,
  NEXT_N = 2,
  REQUESTS = 3, /* the last one is padding */
  REAL = 2,
  TABLE = 8, /* pages a request may have */
  PAGES = REAL * TABLE,
  STEPS = 4,
  MAX_KEYS = TABLE * PAGE
};
static const int32_t kPrompt[REAL] = {301, 170};

struct indexer {
  plait_context *context;
  plait_plan *plan;      /* every indexer call */
  plait_plan *topk_plan; /* for the separate top-k */
  plait_buffer cache, cos_sin, block_table;
};

/* What the quantised queries of one step are. */
struct queries {
  plait_buffer values, weights;
};

static void make_plans(struct indexer *x, const char *implementation) {
  plait_error error;
  plait_error_init(&error, sizeof error);
  plait_indexer_plan_desc desc;
  plait_indexer_plan_desc_init(&desc, sizeof desc);
  desc.heads = HEADS;
  desc.head_dim = HEAD_DIM;
  desc.rope_dim = ROPE_DIM;
  desc.page_entries = PAGE;
  desc.hadamard = 1;
  desc.next_n = NEXT_N;
  desc.topk = TOPK;
  desc.max_keys = MAX_KEYS;
  desc.select_budget = (size_t)64 << 20;
  desc.order = PLAIT_ORDER_INDEX;
  desc.implementation = implementation;
  must_with(plait_indexer_plan_create(x->context, &desc, &x->plan, &error), "plan", &error);

  plait_topk_plan_desc topk;
  plait_topk_plan_desc_init(&topk, sizeof topk);
  topk.max_columns = MAX_KEYS;
  topk.k = TOPK;
  topk.order = PLAIT_ORDER_INDEX;
  topk.page_entries = PAGE;
  topk.implementation = implementation;
  must_with(plait_topk_plan_create(x->context, &topk, &x->topk_plan, &error), "plan", &error);
}

static plait_indexer_sizes sizes_for(const struct indexer *x, int64_t rows) {
  plait_indexer_sizes sizes = {.struct_size = sizeof sizes};
  must(plait_indexer_plan_sizes(x->plan, rows, &sizes), "sizes");
  return sizes;
}

/* ---- The steps of a serving loop --------------------------------------------------------- */

/* New keys [tokens, D] with their positions go to slots; a negative slot is padding. */
static void write_keys(struct indexer *x, int64_t tokens, const uint16_t *k,
                       const int64_t *positions, const int64_t *slots) {
  const plait_indexer_sizes sizes = sizes_for(x, tokens);
  plait_buffer keys = device_copy(x->context, k, sizes.k);
  plait_buffer at = device_copy(x->context, positions, (size_t)tokens * sizeof *positions);
  plait_buffer to = device_copy(x->context, slots, (size_t)tokens * sizeof *slots);
  plait_buffer workspace = device_new(x->context, sizes.workspace_quantize);
  const plait_indexer_write_k_args args = {
      .struct_size = sizeof args,
      .tokens = tokens,
      .k = reads(keys),
      .positions = reads(at),
      .cos_sin = reads(x->cos_sin),
      .slot_mapping = reads(to),
      .cache = x->cache,
      .workspace = workspace,
  };
  must(plait_indexer_write_k(x->plan, &args, NULL), "write_k");
  device_free(x->context, &keys);
  device_free(x->context, &at);
  device_free(x->context, &to);
  device_free(x->context, &workspace);
}

static struct queries quantize(struct indexer *x, int64_t rows, const uint16_t *q,
                               const int64_t *positions, const float *weights) {
  const plait_indexer_sizes sizes = sizes_for(x, rows);
  struct queries out = {device_new(x->context, sizes.q_values),
                        device_new(x->context, sizes.weights_out)};
  plait_buffer in = device_copy(x->context, q, sizes.q);
  plait_buffer at = device_copy(x->context, positions, (size_t)rows * sizeof *positions);
  plait_buffer w = device_copy(x->context, weights, sizes.weights);
  plait_buffer workspace = device_new(x->context, sizes.workspace_quantize);
  const plait_indexer_quantize_q_args args = {
      .struct_size = sizeof args,
      .tokens = rows,
      .q = reads(in),
      .positions = reads(at),
      .cos_sin = reads(x->cos_sin),
      .weights = reads(w),
      .q_values = out.values,
      .weights_out = out.weights, /* the q scales are folded in: q_scale is not asked for */
      .workspace = workspace,
  };
  must(plait_indexer_quantize_q(x->plan, &args, NULL), "quantize_q");
  device_free(x->context, &in);
  device_free(x->context, &at);
  device_free(x->context, &w);
  device_free(x->context, &workspace);
  return out;
}

static void queries_free(struct indexer *x, struct queries *q) {
  device_free(x->context, &q->values);
  device_free(x->context, &q->weights);
}

/* ---- Prefill ----------------------------------------------------------------------------- */

struct prefill {
  int64_t rows, keys; /* packed over the requests; equal in a first prefill */
  plait_buffer k_values, k_scale, row_start, row_end, table_row;
};

/* The keys that the requests have in the cache, contiguous, request after request. */
static void gather(struct indexer *x, struct prefill *p) {
  const int32_t cumulative[REAL + 1] = {0, kPrompt[0], kPrompt[0] + kPrompt[1]};
  const plait_indexer_sizes sizes = sizes_for(x, p->keys);
  p->k_values = device_new(x->context, sizes.k_values);
  p->k_scale = device_new(x->context, sizes.k_scale);
  plait_buffer lengths = device_copy(x->context, cumulative, sizeof cumulative);
  plait_buffer workspace = device_new(x->context, sizes.workspace_quantize);
  const plait_indexer_gather_k_args args = {
      .struct_size = sizeof args,
      .requests = REAL,
      .keys = p->keys,
      .cache = reads(x->cache),
      .block_table = reads(x->block_table),
      .block_table_columns = TABLE,
      .cu_lengths = reads(lengths),
      .k_values = p->k_values,
      .k_scale = p->k_scale,
      .workspace = workspace,
  };
  must(plait_indexer_gather_k(x->plan, &args, NULL), "gather_k");
  device_free(x->context, &lengths);
  device_free(x->context, &workspace);
}

static void prefill_select(struct indexer *x, const struct prefill *p, const struct queries *q,
                           int32_t *indices, int32_t *slots) {
  const plait_indexer_sizes sizes = sizes_for(x, p->rows);
  plait_buffer found = device_new(x->context, sizes.indices);
  plait_buffer where = device_new(x->context, sizes.indices);
  plait_buffer workspace = device_new(x->context, sizes.workspace_select);
  const plait_indexer_select_ragged_args args = {
      .struct_size = sizeof args,
      .rows = p->rows,
      .keys = p->keys,
      .q_values = reads(q->values),
      .weights = reads(q->weights),
      .k_values = reads(p->k_values),
      .k_scale = reads(p->k_scale),
      .row_start = reads(p->row_start),
      .row_end = reads(p->row_end),
      .indices = found, /* relative to row_start: positions within the request */
      .slots = where,   /* the same keys as places in the cache */
      .block_table = reads(x->block_table),
      .block_table_columns = TABLE,
      .table_count = REAL,
      .table_row = reads(p->table_row),
      .workspace = workspace,
  };
  must(plait_indexer_select_ragged(x->plan, &args, NULL), "select_ragged");
  device_read(x->context, indices, found);
  device_read(x->context, slots, where);
  device_free(x->context, &found);
  device_free(x->context, &where);
  device_free(x->context, &workspace);
}

static void prefill_separate(struct indexer *x, const struct prefill *p, const struct queries *q,
                             int32_t *indices) {
  const plait_indexer_sizes sizes = sizes_for(x, p->rows);
  plait_topk_sizes topk_sizes = {.struct_size = sizeof topk_sizes};
  must(plait_topk_plan_sizes(x->topk_plan, p->rows, &topk_sizes), "sizes");
  plait_buffer logits = device_new(x->context, (size_t)(p->rows * p->keys) * sizeof(float));
  plait_buffer workspace = device_new(x->context, sizes.workspace_logits);
  const plait_indexer_logits_ragged_args args = {
      .struct_size = sizeof args,
      .rows = p->rows,
      .keys = p->keys,
      .q_values = reads(q->values),
      .weights = reads(q->weights),
      .k_values = reads(p->k_values),
      .k_scale = reads(p->k_scale),
      .row_start = reads(p->row_start),
      .row_end = reads(p->row_end),
      .logits = logits, /* columns outside a row's range stay unwritten and are never read */
      .workspace = workspace,
  };
  must(plait_indexer_logits_ragged(x->plan, &args, NULL), "logits_ragged");

  plait_buffer found = device_new(x->context, topk_sizes.indices);
  plait_buffer topk_workspace = device_new(x->context, topk_sizes.workspace_topk);
  const plait_topk_args topk = {
      .struct_size = sizeof topk,
      .rows = p->rows,
      .columns = p->keys,
      .values = reads(logits),
      .row_start = reads(p->row_start),
      .row_end = reads(p->row_end),
      .indices = found,
      .workspace = topk_workspace,
  };
  must(plait_topk(x->topk_plan, &topk, NULL), "topk");
  device_read(x->context, indices, found);
  device_free(x->context, &logits);
  device_free(x->context, &workspace);
  device_free(x->context, &found);
  device_free(x->context, &topk_workspace);
}

/* ---- Decode ------------------------------------------------------------------------------ */

/* `lengths` has one entry a request; with next_n 2 the first row of a request sees one key less
 * than the second. Returns the microseconds that select took. */
static double decode_select(struct indexer *x, const struct queries *q, plait_buffer lengths,
                            int32_t *indices) {
  const plait_indexer_sizes sizes = sizes_for(x, REQUESTS * NEXT_N);
  plait_buffer found = device_new(x->context, sizes.indices);
  plait_buffer workspace = device_new(x->context, sizes.workspace_select);
  const plait_indexer_select_paged_args args = {
      .struct_size = sizeof args,
      .requests = REQUESTS,
      .columns = MAX_KEYS,
      .q_values = reads(q->values),
      .weights = reads(q->weights),
      .cache = reads(x->cache),
      .block_table = reads(x->block_table),
      .block_table_columns = TABLE,
      .lengths = reads(lengths),
      .lengths_per_request = 1,
      .indices = found,
      .workspace = workspace,
  };
  void *start, *stop;
  double microseconds = 0;
  must(plait_event_create(x->context, &start, NULL), "event");
  must(plait_event_create(x->context, &stop, NULL), "event");
  must(plait_event_record(x->context, start, NULL), "event");
  must(plait_indexer_select_paged(x->plan, &args, NULL), "select_paged");
  must(plait_event_record(x->context, stop, NULL), "event");
  must(plait_event_elapsed(x->context, start, stop, &microseconds), "event");
  plait_event_destroy(x->context, start);
  plait_event_destroy(x->context, stop);
  device_read(x->context, indices, found);
  device_free(x->context, &found);
  device_free(x->context, &workspace);
  return microseconds;
}

static void decode_separate(struct indexer *x, const struct queries *q, plait_buffer lengths,
                            const int32_t *row_lengths, int32_t *indices) {
  enum { ROWS = REQUESTS * NEXT_N };
  const plait_indexer_sizes sizes = sizes_for(x, ROWS);
  plait_topk_sizes topk_sizes = {.struct_size = sizeof topk_sizes};
  must(plait_topk_plan_sizes(x->topk_plan, ROWS, &topk_sizes), "sizes");
  plait_buffer logits = device_new(x->context, sizeof(float) * ROWS * MAX_KEYS);
  plait_buffer workspace = device_new(x->context, sizes.workspace_logits);
  const plait_indexer_logits_paged_args args = {
      .struct_size = sizeof args,
      .requests = REQUESTS,
      .columns = MAX_KEYS,
      .q_values = reads(q->values),
      .weights = reads(q->weights),
      .cache = reads(x->cache),
      .block_table = reads(x->block_table),
      .block_table_columns = TABLE,
      .lengths = reads(lengths),
      .lengths_per_request = 1,
      .logits = logits,
      .workspace = workspace,
  };
  must(plait_indexer_logits_paged(x->plan, &args, NULL), "logits_paged");

  plait_buffer ends = device_copy(x->context, row_lengths, ROWS * sizeof *row_lengths);
  plait_buffer found = device_new(x->context, topk_sizes.indices);
  plait_buffer topk_workspace = device_new(x->context, topk_sizes.workspace_topk);
  const plait_topk_args topk = {
      .struct_size = sizeof topk,
      .rows = ROWS,
      .columns = MAX_KEYS,
      .values = reads(logits),
      .row_end = reads(ends),
      .indices = found,
      .workspace = topk_workspace,
  };
  must(plait_topk(x->topk_plan, &topk, NULL), "topk");
  device_read(x->context, indices, found);
  device_free(x->context, &logits);
  device_free(x->context, &workspace);
  device_free(x->context, &ends);
  device_free(x->context, &found);
  device_free(x->context, &topk_workspace);
}

/* ---- Made-up data ------------------------------------------------------------------------ */

static uint16_t *noise_bf16(int64_t count, uint64_t *state) {
  uint16_t *data = allocate((size_t)count * sizeof *data);
  for (int64_t i = 0; i < count; i++) data[i] = to_bf16(noise(state));
  return data;
}

static float *noise_f32(int64_t count, uint64_t *state) {
  float *data = allocate((size_t)count * sizeof *data);
  for (int64_t i = 0; i < count; i++) data[i] = noise(state);
  return data;
}

/* Row p: the cosines of rope_dim / 2 angles, then their sines. */
static plait_buffer rope_table(plait_context *context) {
  float *table = allocate(sizeof(float) * MAX_KEYS * ROPE_DIM);
  for (int p = 0; p < MAX_KEYS; p++)
    for (int i = 0; i < ROPE_DIM / 2; i++) {
      const double angle = p * pow(10000.0, -2.0 * i / ROPE_DIM);
      table[p * ROPE_DIM + i] = (float)cos(angle);
      table[p * ROPE_DIM + ROPE_DIM / 2 + i] = (float)sin(angle);
    }
  plait_buffer buffer = device_copy(context, table, sizeof(float) * MAX_KEYS * ROPE_DIM);
  free(table);
  return buffer;
}

/* Requests own scattered pages: request b's page i is page (5 * (b * TABLE + i) + 3) % PAGES. */
static int32_t page_of(int request, int64_t i) {
  return (int32_t)((5 * (request * TABLE + i) + 3) % PAGES);
}

static int64_t slot_of(int request, int64_t position) {
  return (int64_t)page_of(request, position / PAGE) * PAGE + position % PAGE;
}

static int run_prefill(struct indexer *x, uint64_t *seed) {
  struct prefill p = {.rows = kPrompt[0] + kPrompt[1], .keys = kPrompt[0] + kPrompt[1]};
  const size_t rows = (size_t)p.rows;
  int64_t *positions = allocate(rows * sizeof *positions), *slots = allocate(rows * sizeof *slots);
  int32_t *start = allocate(rows * sizeof *start), *end = allocate(rows * sizeof *end);
  int32_t *owner = allocate(rows * sizeof *owner);
  int32_t row = 0;
  for (int b = 0, first = 0; b < REAL; first += kPrompt[b++])
    for (int32_t i = 0; i < kPrompt[b]; i++, row++) {
      positions[row] = i;
      slots[row] = slot_of(b, i);
      start[row] = first;
      end[row] = first + i + 1; /* causal */
      owner[row] = b;
    }
  p.row_start = device_copy(x->context, start, rows * sizeof *start);
  p.row_end = device_copy(x->context, end, rows * sizeof *end);
  p.table_row = device_copy(x->context, owner, rows * sizeof *owner);

  uint16_t *k = noise_bf16(p.keys * HEAD_DIM, seed);
  uint16_t *q = noise_bf16(p.rows * HEADS * HEAD_DIM, seed);
  float *weights = noise_f32(p.rows * HEADS, seed);
  write_keys(x, p.keys, k, positions, slots);
  gather(x, &p);
  struct queries queries = quantize(x, p.rows, q, positions, weights);

  const size_t size = rows * TOPK * sizeof(int32_t);
  int32_t *selected = allocate(size), *where = allocate(size), *separate = allocate(size);
  prefill_select(x, &p, &queries, selected, where);
  prefill_separate(x, &p, &queries, separate);
  int bad = report_equal("select, logits + topk", selected, separate, size);
  checksum("prefill indices", selected, size);
  checksum("prefill slots", where, size);

  int64_t wrong = 0;
  for (int64_t i = 0; i < p.rows * TOPK; i++) {
    const int32_t index = selected[i];
    const int64_t slot = index < 0 ? -1 : slot_of(owner[i / TOPK], index);
    wrong += index >= positions[i / TOPK] + 1 || where[i] != slot;
  }
  printf("  %-28s %s\n", "slots through the table", wrong ? "WRONG" : "ok");
  bad += wrong != 0;

  queries_free(x, &queries);
  plait_buffer *const buffers[] = {&p.k_values, &p.k_scale, &p.row_start, &p.row_end, &p.table_row};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) device_free(x->context, buffers[i]);
  void *const blocks[] = {positions, slots,   start,    end,   owner,   k,
                          q,         weights, selected, where, separate};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  return bad;
}

static int run_decode(struct indexer *x, struct indexer *reference, uint64_t *seed) {
  enum { ROWS = REQUESTS * NEXT_N };
  int bad = 0;
  for (int step = 0; step < STEPS; step++) {
    int64_t positions[ROWS] = {0}, slots[ROWS];
    int32_t lengths[REQUESTS] = {0}, row_lengths[ROWS] = {0};
    for (int r = 0; r < ROWS; r++) {
      const int b = r / NEXT_N, t = r % NEXT_N;
      slots[r] = -1; /* padding writes nothing */
      if (b >= REAL) continue;
      positions[r] = kPrompt[b] + step * NEXT_N + t;
      slots[r] = slot_of(b, positions[r]);
      lengths[b] = (int32_t)positions[r] + 1;
      row_lengths[r] = lengths[b];
    }
    uint16_t *k = noise_bf16(ROWS * HEAD_DIM, seed);
    uint16_t *q = noise_bf16(ROWS * HEADS * HEAD_DIM, seed);
    float *weights = noise_f32(ROWS * HEADS, seed);
    write_keys(x, ROWS, k, positions, slots);
    struct queries queries = quantize(x, ROWS, q, positions, weights);
    plait_buffer on_device = device_copy(x->context, lengths, sizeof lengths);

    int32_t selected[ROWS * TOPK], separate[ROWS * TOPK], plain[ROWS * TOPK];
    const double microseconds = decode_select(x, &queries, on_device, selected);
    decode_separate(x, &queries, on_device, row_lengths, separate);
    decode_select(reference, &queries, on_device, plain);
    int padding = 0, other = 0;
    for (int i = 0; i < ROWS * TOPK; i++) {
      if (i / TOPK / NEXT_N >= REAL) padding += selected[i] != -1;
      other += selected[i] != plain[i];
    }
    const int differ = memcmp(selected, separate, sizeof selected) != 0;
    printf(
        "  step %d: select, logits + topk %s; padding rows %s; %d of %d differ from the "
        "reference; %.1f us\n",
        step, differ ? "DIFFER" : "equal", padding ? "WRONG" : "-1", other, ROWS * TOPK,
        microseconds);
    checksum("decode indices", selected, sizeof selected);
    bad += differ + (padding != 0) + (other > 4 * TOPK / 10);
    queries_free(x, &queries);
    device_free(x->context, &on_device);
    free(k);
    free(q);
    free(weights);
  }
  return bad;
}

/* ---- Golden cases ------------------------------------------------------------------------ */

static plait_plan *golden_plan(plait_context *context, int32_t heads, int32_t page, int32_t next_n,
                               int32_t rope_mode) {
  plait_indexer_plan_desc desc;
  plait_indexer_plan_desc_init(&desc, sizeof desc);
  desc.heads = heads;
  desc.page_entries = page;
  desc.next_n = next_n;
  desc.rope_mode = rope_mode;
  plait_error error;
  plait_error_init(&error, sizeof error);
  plait_plan *plan = NULL;
  must_with(plait_indexer_plan_create(context, &desc, &plan, &error), "plan", &error);
  return plan;
}

static plait_buffer golden_input(plait_context *context, const char *vectors, const char *name,
                                 const char *array) {
  struct array a = load(vectors, name, array);
  plait_buffer buffer = device_copy(context, a.data, a.size);
  unload(&a);
  return buffer;
}

/* The recorded logits hold 0 or -inf outside a row's range; so do ours where nothing is written. */
static int compare_logits(plait_context *context, const char *vectors, const char *name,
                          plait_buffer logits, const int32_t *start, const int32_t *end) {
  struct array want = load(vectors, name, "logits_fp64");
  float *got = allocate(want.size), *wanted = want.data;
  device_read(context, got, logits);
  double largest = 0;
  for (int64_t r = 0; r < want.shape[0]; r++)
    for (int64_t s = 0; s < want.shape[1]; s++) {
      const int64_t i = r * want.shape[1] + s;
      if ((start && s < start[r]) || s >= end[r])
        wanted[i] = got[i] = 0;
      else
        largest = fmax(largest, fabs((double)wanted[i]));
    }
  const int bad = report_f32(name, got, wanted, want.count, 2e-4 * largest);
  free(got);
  unload(&want);
  return bad;
}

static int golden_ragged(plait_context *context, const char *vectors, const char *name) {
  struct array q = load(vectors, name, "q"), k = load(vectors, name, "k");
  struct array start = load(vectors, name, "row_start"), end = load(vectors, name, "row_end");
  const int64_t rows = q.shape[0], keys = k.shape[0];
  plait_plan *plan = golden_plan(context, (int32_t)q.shape[1], 64, 1, PLAIT_ROPE_NONE);
  plait_indexer_sizes sizes = {.struct_size = sizeof sizes};
  must(plait_indexer_plan_sizes(plan, rows, &sizes), "sizes");
  plait_buffer b[] = {
      device_copy(context, q.data, q.size),
      golden_input(context, vectors, name, "weights"),
      device_copy(context, k.data, k.size),
      golden_input(context, vectors, name, "k_scale"),
      device_copy(context, start.data, start.size),
      device_copy(context, end.data, end.size),
      device_new(context, (size_t)(rows * keys) * sizeof(float)),
      device_new(context, sizes.workspace_logits),
  };
  const plait_indexer_logits_ragged_args args = {
      .struct_size = sizeof args,
      .rows = rows,
      .keys = keys,
      .q_values = reads(b[0]),
      .weights = reads(b[1]),
      .k_values = reads(b[2]),
      .k_scale = reads(b[3]),
      .row_start = reads(b[4]),
      .row_end = reads(b[5]),
      .logits = b[6],
      .fill = 1,
      .workspace = b[7],
  };
  must(plait_indexer_logits_ragged(plan, &args, NULL), "logits_ragged");
  const int bad = compare_logits(context, vectors, name, b[6], start.data, end.data);
  for (size_t i = 0; i < sizeof b / sizeof *b; i++) device_free(context, &b[i]);
  plait_plan_destroy(plan);
  unload(&q);
  unload(&k);
  unload(&start);
  unload(&end);
  return bad;
}

static int golden_paged(plait_context *context, const char *vectors, const char *name) {
  struct array q = load(vectors, name, "q"), table = load(vectors, name, "block_table");
  struct array lengths = load(vectors, name, "context_lens"); /* one for each row */
  struct array want = load(vectors, name, "logits_fp64");
  const int64_t requests = q.shape[0], rows = want.shape[0], columns = want.shape[1];
  plait_plan *plan =
      golden_plan(context, (int32_t)q.shape[2], 64, (int32_t)q.shape[1], PLAIT_ROPE_NONE);
  plait_indexer_sizes sizes = {.struct_size = sizeof sizes};
  must(plait_indexer_plan_sizes(plan, rows, &sizes), "sizes");
  plait_buffer b[] = {
      device_copy(context, q.data, q.size),
      golden_input(context, vectors, name, "weights"),
      golden_input(context, vectors, name, "cache"),
      device_copy(context, table.data, table.size),
      device_copy(context, lengths.data, lengths.size),
      device_new(context, want.size),
      device_new(context, sizes.workspace_logits),
  };
  const plait_indexer_logits_paged_args args = {
      .struct_size = sizeof args,
      .requests = requests,
      .columns = columns,
      .q_values = reads(b[0]),
      .weights = reads(b[1]),
      .cache = reads(b[2]),
      .block_table = reads(b[3]),
      .block_table_columns = table.shape[1],
      .lengths = reads(b[4]),
      .fill = 1,
      .logits = b[5],
      .workspace = b[6],
  };
  must(plait_indexer_logits_paged(plan, &args, NULL), "logits_paged");
  const int bad = compare_logits(context, vectors, name, b[5], NULL, lengths.data);
  for (size_t i = 0; i < sizeof b / sizeof *b; i++) device_free(context, &b[i]);
  plait_plan_destroy(plan);
  unload(&q);
  unload(&table);
  unload(&lengths);
  unload(&want);
  return bad;
}

static int golden_write(plait_context *context, const char *vectors, const char *name) {
  struct array k = load(vectors, name, "k"), want = load(vectors, name, "cache");
  plait_plan *plan = golden_plan(context, HEADS, 64, 1, PLAIT_ROPE_NONE);
  plait_indexer_sizes sizes = {.struct_size = sizeof sizes};
  must(plait_indexer_plan_sizes(plan, k.shape[0], &sizes), "sizes");
  plait_buffer keys = device_copy(context, k.data, k.size);
  plait_buffer slots = golden_input(context, vectors, name, "slot_mapping");
  plait_buffer cache = device_new(context, want.size);
  plait_buffer workspace = device_new(context, sizes.workspace_quantize);
  must(plait_memory_fill(context, cache.data, 0xAB, cache.size, NULL), "fill"); /* as recorded */
  const plait_indexer_write_k_args args = {
      .struct_size = sizeof args,
      .tokens = k.shape[0],
      .k = reads(keys),
      .slot_mapping = reads(slots),
      .cache = cache,
      .workspace = workspace,
  };
  must(plait_indexer_write_k(plan, &args, NULL), "write_k");
  void *got = allocate(want.size);
  device_read(context, got, cache);
  const int bad = report_equal(name, got, want.data, want.size);
  free(got);
  device_free(context, &keys);
  device_free(context, &slots);
  device_free(context, &cache);
  device_free(context, &workspace);
  plait_plan_destroy(plan);
  unload(&k);
  unload(&want);
  return bad;
}

static int golden_topk(plait_context *context, const char *vectors, const char *name) {
  struct array logits = load(vectors, name, "logits"), want = load(vectors, name, "indices");
  plait_topk_plan_desc desc;
  plait_topk_plan_desc_init(&desc, sizeof desc);
  desc.max_columns = logits.shape[1];
  desc.k = want.shape[1];
  desc.order = PLAIT_ORDER_DESCENDING;
  plait_error error;
  plait_error_init(&error, sizeof error);
  plait_plan *plan = NULL;
  must_with(plait_topk_plan_create(context, &desc, &plan, &error), "plan", &error);
  plait_topk_sizes sizes = {.struct_size = sizeof sizes};
  must(plait_topk_plan_sizes(plan, logits.shape[0], &sizes), "sizes");
  plait_buffer values = device_copy(context, logits.data, logits.size);
  plait_buffer start = golden_input(context, vectors, name, "row_start");
  plait_buffer end = golden_input(context, vectors, name, "row_end");
  plait_buffer indices = device_new(context, sizes.indices);
  plait_buffer workspace = device_new(context, sizes.workspace_topk);
  const plait_topk_args args = {
      .struct_size = sizeof args,
      .rows = logits.shape[0],
      .columns = logits.shape[1],
      .values = reads(values),
      .row_start = reads(start),
      .row_end = reads(end),
      .indices = indices,
      .workspace = workspace,
  };
  must(plait_topk(plan, &args, NULL), "topk");
  void *got = allocate(want.size);
  device_read(context, got, indices);
  const int bad = report_equal(name, got, want.data, want.size);
  free(got);
  plait_buffer *const all[] = {&values, &start, &end, &indices, &workspace};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) device_free(context, all[i]);
  plait_plan_destroy(plan);
  unload(&logits);
  unload(&want);
  return bad;
}

int main(int argc, char **argv) {
  const char *vectors = "tests/vectors";
  struct indexer x = {.context = open_context(argc, argv, &vectors)};
  make_plans(&x, NULL);
  print_choice(x.plan);
  print_choice(x.topk_plan);

  printf("golden cases\n");
  int bad = golden_ragged(x.context, vectors, "logits_m16_n192_h64_ragged");
  bad += golden_ragged(x.context, vectors, "logits_m24_n128_h32_causal");
  bad += golden_paged(x.context, vectors, "paged_b2_n2_h32");
  bad += golden_paged(x.context, vectors, "paged_b3_n1_h64");
  bad += golden_write(x.context, vectors, "kcache_e4m3fn_p64");
  bad += golden_topk(x.context, vectors, "topk_r6_l3000_k512");
  bad += golden_topk(x.context, vectors, "topk_r6_l2500_k300_ties");
  bad += golden_topk(x.context, vectors, "topk_r4_l1500_k700_inf");

  int32_t table[REQUESTS * TABLE];
  for (int i = 0; i < REQUESTS * TABLE; i++)
    table[i] = i < REAL * TABLE ? page_of(i / TABLE, i % TABLE) : -1;
  x.block_table = device_copy(x.context, table, sizeof table);
  x.cos_sin = rope_table(x.context);
  const plait_indexer_sizes sizes = sizes_for(&x, 1);
  x.cache = device_new(x.context, PAGES * sizes.page_stride);
  must(plait_memory_fill(x.context, x.cache.data, 0, x.cache.size, NULL), "fill");
  struct indexer reference = x;
  make_plans(&reference, "reference");

  uint64_t seed = 1;
  printf("prefill of %d and %d tokens\n", kPrompt[0], kPrompt[1]);
  bad += run_prefill(&x, &seed);
  printf("decode, %d requests of which %d are padding, %d rows each\n", REQUESTS, REQUESTS - REAL,
         NEXT_N);
  bad += run_decode(&x, &reference, &seed);

  device_free(x.context, &x.block_table);
  device_free(x.context, &x.cos_sin);
  device_free(x.context, &x.cache);
  plait_plan_destroy(reference.plan);
  plait_plan_destroy(reference.topk_plan);
  plait_plan_destroy(x.plan);
  plait_plan_destroy(x.topk_plan);
  plait_context_destroy(x.context);
  printf("%s\n", bad ? "WRONG" : "all right");
  return bad ? 1 : 0;
}
