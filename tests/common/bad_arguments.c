// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "env.h"

typedef struct bad_case {
  const plait_plan *plan;
  const call *placed;  // valid, in memory
  const char *label;
} bad_case;

// All outputs as they were before the call.
static void check_untouched(const bad_case *b, const char *what) {
  const op_type *type = b->placed->type;
  for (int i = 0; type->slots[i].name; i++) {
    const tensor *t = &b->placed->tensors[i];
    if (!t->present || t->alias || !(type->slots[i].flags & SLOT_OUT)) continue;
    unsigned char *now = malloc(t->bytes + 1);
    guard_read(&t->memory, now);
    for (size_t k = 0; k < t->bytes; k++) {
      const unsigned char before =
          type->slots[i].flags & SLOT_INOUT ? t->host[k] : (unsigned char)UNWRITTEN;
      CHECK(now[k] == before, "%s: %s: %s: the output %s was written", b->label, type->name, what,
            type->slots[i].name);
    }
    free(now);
    CHECK(guard_check(&t->memory) == 0, "%s: %s: %s: past the output %s", b->label, type->name,
          what, type->slots[i].name);
  }
}

// Runs `args` and expects `code` (or `other`, if not 0) with `argument` (-1: any).
static void expect(const bad_case *b, const plait_plan *plan, const void *args, int32_t code,
                   int32_t other, int32_t argument, const char *field, const char *what) {
  char text[160];
  snprintf(text, sizeof text, "%s %s", field, what);
  const plait_status status = b->placed->type->run(plan, args, NULL);
  const int32_t got = plait_status_code(status);
  CHECK(got == code || (other && got == other), "%s: %s: %s: got %s, not %s", b->label,
        b->placed->type->name, text, status_text(status),
        status_text(make_status(code, argument < 0 ? 0 : argument)));
  CHECK(argument < 0 || plait_status_argument(status) == argument,
        "%s: %s: %s: got %s, not the argument %s", b->label, b->placed->type->name, text,
        status_text(status), plait_argument_name(argument));
  check_untouched(b, text);
}

typedef union args_copy {
  max_align_t align;
  unsigned char bytes[ARGS_SIZE];
} args_copy;

static plait_buffer get_buffer(const args_copy *a, size_t offset) {
  plait_buffer buffer;
  memcpy(&buffer, a->bytes + offset, sizeof buffer);
  return buffer;
}

static void put_buffer(args_copy *a, size_t offset, void *data, size_t size) {
  const plait_buffer buffer = {data, size};
  memcpy(a->bytes + offset, &buffer, sizeof buffer);
}

static void bad_buffers(const bad_case *b) {
  const op_type *type = b->placed->type;
  for (int i = 0; type->slots[i].name; i++) {
    const slot_type *slot = &type->slots[i];
    const tensor *t = &b->placed->tensors[i];
    if (!t->present) continue;
    args_copy a;
    memcpy(&a, &b->placed->args, sizeof a);
    const plait_buffer good = get_buffer(&a, slot->offset);
    if (!(slot->flags & SLOT_OPTIONAL)) {
      put_buffer(&a, slot->offset, NULL, good.size);
      expect(b, b->plan, a.bytes, PLAIT_ERROR_NULL_ARGUMENT, 0, slot->argument, slot->name, "NULL");
    }
    if (!(slot->flags & SLOT_ANY_SIZE)) {
      put_buffer(&a, slot->offset, good.data, good.size - 1);
      expect(b, b->plan, a.bytes, PLAIT_ERROR_BUFFER_TOO_SMALL, 0, slot->argument, slot->name,
             "one byte short");
      put_buffer(&a, slot->offset, good.data, 0);
      expect(b, b->plan, a.bytes, PLAIT_ERROR_BUFFER_TOO_SMALL, 0, slot->argument, slot->name,
             "of no bytes");
    }
    if (t->align > 1) {
      // One byte early keeps the size right and the memory ours.
      put_buffer(&a, slot->offset, (unsigned char *)good.data - 1, good.size);
      expect(b, b->plan, a.bytes, PLAIT_ERROR_MISALIGNED, 0, slot->argument, slot->name,
             "misaligned");
    }
    put_buffer(&a, slot->offset, good.data, good.size);
    if (slot->stride_offset && t->row > 1) {
      const int64_t strides[] = {t->row - 1, 1, -1, -t->row, INT64_MIN};
      for (int k = 0; k < 5; k++) {
        memcpy(a.bytes + slot->stride_offset, &strides[k], sizeof strides[k]);
        expect(b, b->plan, a.bytes, PLAIT_ERROR_STRIDE,
               strides[k] < 0 ? PLAIT_ERROR_INVALID_VALUE : 0, slot->argument, slot->name,
               "stride shorter than the row");
      }
    }
    if (slot->stride_offset && t->rows > 1) {
      const int64_t strides[] = {tensor_stride(t) + 1, (int64_t)1 << 31, (int64_t)1 << 40,
                                 INT64_MAX / 8, INT64_MAX};
      for (int k = 0; k < 5; k++) {
        memcpy(a.bytes + slot->stride_offset, &strides[k], sizeof strides[k]);
        expect(b, b->plan, a.bytes, PLAIT_ERROR_BUFFER_TOO_SMALL, k ? PLAIT_ERROR_SIZE_OVERFLOW : 0,
               slot->argument, slot->name, "stride past the buffer");
      }
    }
  }
}

// Every output against every other buffer, meeting in one element and falling together.
static void bad_overlap(const bad_case *b, plait_context *context) {
  const op_type *type = b->placed->type;
  for (int i = 0; type->slots[i].name; i++) {
    if (!(type->slots[i].flags & SLOT_OUT) || !b->placed->tensors[i].present) continue;
    for (int j = 0; type->slots[j].name; j++) {
      const tensor *out = &b->placed->tensors[i], *other = &b->placed->tensors[j];
      if (j == i || !other->present || !out->bytes || !other->bytes) continue;
      const int may_equal =
          type->slots[i].in_place && strcmp(type->slots[i].in_place, type->slots[j].name) == 0;
      const size_t align = out->align > other->align ? out->align : other->align;
      const size_t apart = (out->bytes - 1) / align * align;
      guard both;
      guard_alloc(&both, context, apart + other->bytes + out->bytes + align, align);
      for (int together = 0; together < 2; together++) {
        const size_t distance = together ? 0 : apart;
        if (may_equal && distance == 0) continue;
        args_copy a;
        char what[80];
        memcpy(&a, &b->placed->args, sizeof a);
        put_buffer(&a, type->slots[i].offset, both.data, out->bytes);
        put_buffer(&a, type->slots[j].offset, both.data + distance, other->bytes);
        snprintf(what, sizeof what, "overlaps %s", type->slots[j].name);
        guard_fill(&both, 0x11);
        const plait_status status = type->run(b->plan, a.bytes, NULL);
        const int32_t argument = plait_status_argument(status);
        // Where both are outputs either may be named.
        CHECK(plait_status_code(status) == PLAIT_ERROR_OVERLAP &&
                  (argument == type->slots[i].argument ||
                   (type->slots[j].flags & SLOT_OUT && argument == type->slots[j].argument)),
              "%s: %s: %s %s: got %s", b->label, type->name, type->slots[i].name, what,
              status_text(status));
        unsigned char *now = malloc(both.size);
        guard_read(&both, now);
        for (size_t k = 0; k < both.size; k++)
          CHECK(now[k] == 0x11, "%s: %s: %s %s: memory was written", b->label, type->name,
                type->slots[i].name, what);
        free(now);
      }
      guard_free(&both);
    }
  }
}

static void bad_counts(const bad_case *b) {
  const op_type *type = b->placed->type;
  for (int i = 0; type->counts[i].name; i++) {
    const count_type *count = &type->counts[i];
    const int64_t values[] = {
        -1, INT64_MIN, ((int64_t)1 << 31) + 7, (int64_t)1 << 40, (int64_t)1 << 62, INT64_MAX};
    int64_t good;
    memcpy(&good, b->placed->args.bytes + count->offset, sizeof good);
    if (i > 0 && good == 0) continue;  // a count that this call does not use
    for (int k = 0; k < 6; k++) {
      args_copy a;
      memcpy(&a, &b->placed->args, sizeof a);
      memcpy(a.bytes + count->offset, &values[k], sizeof values[k]);
      if (values[k] < 0) {
        expect(b, b->plan, a.bytes, PLAIT_ERROR_INVALID_VALUE, 0, count->argument, count->name,
               "negative");
        continue;
      }
      // Too large: out of the count's range, past 63 bits, or past some buffer.
      const plait_status status = type->run(b->plan, a.bytes, NULL);
      const int32_t code = plait_status_code(status);
      CHECK(code == PLAIT_ERROR_INVALID_VALUE || code == PLAIT_ERROR_SIZE_OVERFLOW ||
                code == PLAIT_ERROR_BUFFER_TOO_SMALL || code == PLAIT_ERROR_STRIDE ||
                (code == PLAIT_OK && count->argument == PLAIT_ARG_ROWS_PER_TABLE),
            "%s: %s: %s of %lld: got %s", b->label, type->name, count->name, (long long)values[k],
            status_text(status));
      CHECK(code == PLAIT_OK || plait_status_argument(status) != 0,
            "%s: %s: %s of %lld: no argument named", b->label, type->name, count->name,
            (long long)values[k]);
      if (code != PLAIT_OK) check_untouched(b, count->name);
    }
  }
}

static void bad_struct(const bad_case *b, plait_context *context) {
  const op_type *type = b->placed->type;
  args_copy a;
  memcpy(&a, &b->placed->args, sizeof a);
  expect(b, b->plan, NULL, PLAIT_ERROR_NULL_ARGUMENT, 0, PLAIT_ARG_ARGS, "args", "NULL");
  expect(b, NULL, a.bytes, PLAIT_ERROR_NULL_ARGUMENT, 0, PLAIT_ARG_PLAN, "plan", "NULL");

  plan_spec other;
  spec_init(&other, type->plan_kind == PLAIT_PLAN_TOPK ? PLAIT_PLAN_MHC : PLAIT_PLAN_TOPK);
  if (other.kind == PLAIT_PLAN_MHC) {
    other.desc.mhc.hidden = 64;
  } else {
    other.desc.topk.max_columns = 64;
    other.desc.topk.k = 4;
  }
  plait_plan *wrong = spec_plan(context, &other, NULL);
  expect(b, wrong, a.bytes, PLAIT_ERROR_WRONG_PLAN, 0, PLAIT_ARG_PLAN, "plan", "of another kind");
  plait_plan_destroy(wrong);

  const size_t short_sizes[] = {0, 1, sizeof(size_t), type->args_size - 1};
  for (int k = 0; k < 4; k++) {
    memcpy(a.bytes, &short_sizes[k], sizeof short_sizes[k]);
    expect(b, b->plan, a.bytes, PLAIT_ERROR_STRUCT_SIZE, 0, PLAIT_ARG_ARGS, "struct_size", "short");
  }
  const size_t longer = type->args_size + 24;
  memcpy(a.bytes, &longer, sizeof longer);
  a.bytes[type->args_size + 23] = 1;
  expect(b, b->plan, a.bytes, PLAIT_ERROR_UNKNOWN_FIELD, 0, -1, "the tail", "not zero");
  if (type->reserved_offset) {
    memcpy(&a, &b->placed->args, sizeof a);
    const int32_t one = 1;
    memcpy(a.bytes + type->reserved_offset, &one, sizeof one);
    expect(b, b->plan, a.bytes, PLAIT_ERROR_UNKNOWN_FIELD, 0, -1, "reserved", "not zero");
  }
}

static void bad_workspace(const bad_case *b) {
  const size_t offset = b->placed->type->workspace_offset;
  args_copy a;
  memcpy(&a, &b->placed->args, sizeof a);
  const plait_buffer good = get_buffer(&a, offset);
  if (!good.size) return;
  put_buffer(&a, offset, NULL, good.size);
  expect(b, b->plan, a.bytes, PLAIT_ERROR_NULL_ARGUMENT, 0, PLAIT_ARG_WORKSPACE, "workspace",
         "NULL");
  put_buffer(&a, offset, good.data, good.size - 1);
  expect(b, b->plan, a.bytes, PLAIT_ERROR_BUFFER_TOO_SMALL, 0, PLAIT_ARG_WORKSPACE, "workspace",
         "one byte short");
  const int steps[] = {1, 4, 16, 128};
  for (int k = 0; k < 4; k++) {
    put_buffer(&a, offset, (unsigned char *)good.data - steps[k], good.size);
    expect(b, b->plan, a.bytes, PLAIT_ERROR_MISALIGNED, 0, PLAIT_ARG_WORKSPACE, "workspace",
           "misaligned");
  }
}

void check_bad_arguments(plait_context *context, const plait_plan *plan, call *c,
                         const char *label) {
  call_place(c, context, plan);
  const bad_case b = {plan, c, label};
  quiet_begin();
  bad_struct(&b, context);
  bad_counts(&b);
  bad_buffers(&b);
  bad_workspace(&b);
  bad_overlap(&b, context);
  const long printed = quiet_end();
  CHECK(printed == 0, "%s: %s: %ld bytes were printed", label, c->type->name, printed);

  // The valid call still works, also with a longer struct whose tail is zero.
  const size_t longer = c->type->args_size + 24;
  memcpy(c->args.bytes, &longer, sizeof longer);
  const plait_status status = call_execute(c, plan, NULL);
  CHECK(status == PLAIT_OK, "%s: %s: a zero tail: %s", label, c->type->name, status_text(status));
  CHECK(plait_stream_synchronize(context, NULL) == PLAIT_OK, "synchronize");
  call_collect(c, label);
  call_unplace(c);
}
