// SPDX-License-Identifier: MIT
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include "env.h"

static int slot_index(const call *c, const char *slot) {
  for (int i = 0; c->type->slots[i].name; i++)
    if (strcmp(c->type->slots[i].name, slot) == 0) return i;
  test_fail("%s has no field %s", c->type->name, slot);
}

tensor *call_find(call *c, const char *slot) { return &c->tensors[slot_index(c, slot)]; }
const tensor *call_const(const call *c, const char *slot) {
  return &c->tensors[slot_index(c, slot)];
}

static void set_buffer(call *c, int slot, void *data, size_t size) {
  const plait_buffer buffer = {data, size};
  memcpy(c->args.bytes + c->type->slots[slot].offset, &buffer, sizeof buffer);
}

static int64_t *count_field(const call *c, const char *count) {
  for (int i = 0; c->type->counts[i].name; i++)
    if (strcmp(c->type->counts[i].name, count) == 0)
      return (int64_t *)(void *)((unsigned char *)(uintptr_t)c->args.bytes +
                                 c->type->counts[i].offset);
  test_fail("%s has no count %s", c->type->name, count);
}

void call_init(call *c, int32_t op) {
  memset(c, 0, sizeof *c);
  c->type = op_find(op);
  memcpy(c->args.bytes, &c->type->args_size, sizeof c->type->args_size);
}

int64_t tensor_stride(const tensor *t) { return t->stride ? t->stride : t->row; }

void *call_tensor(call *c, const char *slot, int64_t rows, int64_t row, size_t element,
                  int64_t stride) {
  const int index = slot_index(c, slot);
  tensor *t = &c->tensors[index];
  free(t->host);
  memset(t, 0, sizeof *t);
  t->present = 1;
  t->rows = rows;
  t->row = row;
  t->element = element;
  t->align = element;
  t->stride = stride;
  t->bytes = rows ? (size_t)((rows - 1) * tensor_stride(t) + row) * element : 0;
  t->host = calloc(1, t->bytes + 1);
  const size_t at = c->type->slots[index].stride_offset;
  if (at) memcpy(c->args.bytes + at, &stride, sizeof stride);
  return t->host;
}

void call_drop(call *c, const char *slot) {
  const int index = slot_index(c, slot);
  free(c->tensors[index].host);
  memset(&c->tensors[index], 0, sizeof c->tensors[index]);
  set_buffer(c, index, NULL, 0);
}

void call_in_place(call *c, const char *out, const char *in) { call_find(c, out)->alias = in; }
void call_set64(call *c, const char *count, int64_t value) { *count_field(c, count) = value; }
int64_t call_get64(const call *c, const char *count) { return *count_field(c, count); }

void *call_row(const call *c, const char *slot, int64_t row) {
  const tensor *t = call_const(c, slot);
  return t->host + (size_t)(row * tensor_stride(t)) * t->element;
}

size_t workspace_bytes(const plait_plan *plan, const op_type *type, int64_t rows) {
  plait_status status;
  size_t bytes = 0;
  if (type->plan_kind == PLAIT_PLAN_MHC) {
    plait_mhc_sizes s = {.struct_size = sizeof s};
    status = plait_mhc_plan_sizes(plan, rows, &s);
    switch (type->op) {
      case PLAIT_OP_MHC_PRE: bytes = s.workspace_pre; break;
      case PLAIT_OP_MHC_POST: bytes = s.workspace_post; break;
      case PLAIT_OP_MHC_POST_PRE: bytes = s.workspace_post_pre; break;
      case PLAIT_OP_MHC_HEAD: bytes = s.workspace_head; break;
      default: bytes = s.workspace_expand; break;
    }
  } else if (type->plan_kind == PLAIT_PLAN_INDEXER) {
    plait_indexer_sizes s = {.struct_size = sizeof s};
    status = plait_indexer_plan_sizes(plan, rows, &s);
    switch (type->op) {
      case PLAIT_OP_LOGITS_RAGGED:
      case PLAIT_OP_LOGITS_PAGED: bytes = s.workspace_logits; break;
      case PLAIT_OP_SELECT_RAGGED:
      case PLAIT_OP_SELECT_PAGED: bytes = s.workspace_select; break;
      default: bytes = s.workspace_quantize; break;
    }
  } else {
    plait_topk_sizes s = {.struct_size = sizeof s};
    status = plait_topk_plan_sizes(plan, rows, &s);
    bytes = type->op == PLAIT_OP_TOPK ? s.workspace_topk : s.workspace_merge;
  }
  CHECK(status == PLAIT_OK, "sizes of %s for %lld rows: %s", type->name, (long long)rows,
        status_text(status));
  return bytes;
}

static int64_t rows_of(const call *c) {
  if (c->size_rows) return c->size_rows;
  return c->type->counts[0].name ? call_get64(c, c->type->counts[0].name) : 0;
}

void call_place(call *c, plait_context *context, const plait_plan *plan) {
  for (int i = 0; c->type->slots[i].name; i++) {
    tensor *t = &c->tensors[i];
    if (!t->present || t->alias) continue;
    guard_alloc(&t->memory, context, t->bytes, t->align);
    if ((c->type->slots[i].flags & (SLOT_OUT | SLOT_INOUT)) == SLOT_OUT)
      guard_fill(&t->memory, UNWRITTEN);
    else
      guard_write(&t->memory, t->host);
    set_buffer(c, i, t->memory.data, t->bytes);
  }
  for (int i = 0; c->type->slots[i].name; i++) {
    tensor *t = &c->tensors[i];
    if (t->present && t->alias)
      set_buffer(c, i, call_find(c, t->alias)->memory.data, call_find(c, t->alias)->bytes);
  }
  guard_alloc(&c->workspace, context, workspace_bytes(plan, c->type, rows_of(c)),
              PLAIT_WORKSPACE_ALIGNMENT);
  guard_fill(&c->workspace, 0xB3);
  const plait_buffer workspace = {c->workspace.size ? c->workspace.data : NULL, c->workspace.size};
  memcpy(c->args.bytes + c->type->workspace_offset, &workspace, sizeof workspace);
  // The call may run on a stream that does not wait for the fills.
  const plait_status status = plait_stream_synchronize(context, NULL);
  CHECK(status == PLAIT_OK, "%s: synchronize: %s", c->type->name, status_text(status));
}

plait_status call_execute(const call *c, const plait_plan *plan, void *stream) {
  return c->type->run(plan, c->args.bytes, stream);
}

static void check_gaps(const call *c, const tensor *t, const char *slot, const char *label) {
  const int64_t stride = tensor_stride(t);
  for (int64_t r = 0; r + 1 < t->rows && stride > t->row; r++) {
    const unsigned char *gap = t->host + (size_t)(r * stride + t->row) * t->element;
    for (size_t i = 0; i < (size_t)(stride - t->row) * t->element; i++)
      CHECK(gap[i] == UNWRITTEN, "%s: %s: %s: the gap after row %lld was written", label,
            c->type->name, slot, (long long)r);
  }
}

void call_collect(call *c, const char *label) {
  for (int i = 0; c->type->slots[i].name; i++) {
    tensor *t = &c->tensors[i];
    const slot_type *slot = &c->type->slots[i];
    if (!t->present) continue;
    const guard *memory = t->alias ? &call_find(c, t->alias)->memory : &t->memory;
    const long dead = guard_check(memory);
    CHECK(dead == 0, "%s: %s: %s of %zu bytes: a byte at %ld was overwritten", label, c->type->name,
          slot->name, t->bytes, dead);
    if (slot->flags & SLOT_OUT) {
      guard_read(memory, t->host);
      if (!(slot->flags & SLOT_INOUT) && !t->alias) check_gaps(c, t, slot->name, label);
    } else {
      int aliased = 0;
      for (int j = 0; c->type->slots[j].name; j++)
        aliased |= c->tensors[j].alias && strcmp(c->tensors[j].alias, slot->name) == 0;
      unsigned char *now = malloc(t->bytes + 1);
      guard_read(memory, now);
      const int same = memcmp(now, t->host, t->bytes) == 0;
      free(now);
      CHECK(aliased || same, "%s: %s: the input %s was changed", label, c->type->name, slot->name);
    }
  }
  const long dead = guard_check(&c->workspace);
  CHECK(dead == 0, "%s: %s: workspace of %zu bytes: a byte at %ld was overwritten", label,
        c->type->name, c->workspace.size, dead);
}

void call_unplace(call *c) {
  for (int i = 0; i < MOST_TENSORS; i++) guard_free(&c->tensors[i].memory);
  guard_free(&c->workspace);
}

void call_run(call *c, plait_context *context, const plait_plan *plan, const char *label) {
  call_place(c, context, plan);
  plait_status status = call_execute(c, plan, NULL);
  CHECK(status == PLAIT_OK, "%s: %s: %s", label, c->type->name, status_text(status));
  status = plait_stream_synchronize(context, NULL);
  CHECK(status == PLAIT_OK, "%s: %s: synchronize: %s", label, c->type->name, status_text(status));
  call_collect(c, label);
  call_unplace(c);
}

void call_free(call *c) {
  call_unplace(c);
  for (int i = 0; i < MOST_TENSORS; i++) free(c->tensors[i].host);
  memset(c, 0, sizeof *c);
}

// A copy without memory of its own yet.
static void copy_args(call *to, const call *from) {
  *to = *from;
  memset(&to->workspace, 0, sizeof to->workspace);
  for (int i = 0; i < MOST_TENSORS; i++) {
    to->tensors[i].host = NULL;
    memset(&to->tensors[i].memory, 0, sizeof to->tensors[i].memory);
  }
}

static void copy_tensor(call *to, const call *from, int slot, int64_t begin, int64_t rows,
                        int64_t stride, int poison) {
  const tensor *source = &from->tensors[slot];
  const char *name = from->type->slots[slot].name, *alias = source->alias;
  const size_t align = source->align;
  const size_t line = (size_t)source->row * source->element;
  call_tensor(to, name, rows, source->row, source->element, stride);
  tensor *t = &to->tensors[slot];
  t->alias = alias;
  t->align = align;
  memset(t->host, poison, t->bytes);
  for (int64_t r = 0; r < rows; r++)
    memcpy(t->host + (size_t)(r * tensor_stride(t)) * t->element,
           source->host + (size_t)((begin + r) * tensor_stride(source)) * t->element, line);
}

void call_slice(call *to, const call *from, int64_t begin, int64_t count) {
  const int64_t all = call_get64(from, from->type->counts[0].name);
  copy_args(to, from);
  for (int i = 0; from->type->slots[i].name; i++) {
    const tensor *t = &from->tensors[i];
    if (!t->present) continue;
    const int64_t each = from->type->slots[i].flags & SLOT_PER_COUNT ? t->rows / all : 0;
    copy_tensor(to, from, i, begin * each, each ? count * each : t->rows, t->stride, 0);
  }
  call_set64(to, from->type->counts[0].name, count);
  if (from->size_rows) to->size_rows = from->size_rows / all * count;
}

void call_restride(call *to, const call *from, int64_t extra, int poison) {
  copy_args(to, from);
  for (int i = 0; from->type->slots[i].name; i++) {
    const tensor *t = &from->tensors[i];
    if (!t->present) continue;
    const int strided = from->type->slots[i].stride_offset != 0;
    copy_tensor(to, from, i, 0, t->rows, strided ? t->row + extra : t->stride, poison);
  }
}

void call_same(const call *a, int64_t begin, const call *b, const char *label) {
  const char *main_count = a->type->counts[0].name;
  const int64_t all = main_count ? call_get64(b, main_count) : 1;
  for (int i = 0; a->type->slots[i].name; i++) {
    const tensor *x = &a->tensors[i], *y = &b->tensors[i];
    if (!(a->type->slots[i].flags & SLOT_OUT) || !x->present || !y->present) continue;
    const int64_t each = all && a->type->slots[i].flags & SLOT_PER_COUNT ? y->rows / all : 0;
    for (int64_t r = 0; r < y->rows; r++) {
      const void *left = x->host + (size_t)((begin * each + r) * tensor_stride(x)) * x->element;
      const void *right = y->host + (size_t)(r * tensor_stride(y)) * y->element;
      CHECK(memcmp(left, right, (size_t)y->row * y->element) == 0,
            "%s: %s: %s: row %lld differs in bits", label, a->type->name, a->type->slots[i].name,
            (long long)r);
    }
  }
}
