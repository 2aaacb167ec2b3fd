// SPDX-License-Identifier: MIT
// One execute call as data: which fields its argument struct has, what they point at, and how to
// run it in guarded memory. The checks that every operation must pass are written once over this.
#ifndef PLAIT_TESTS_CALL_H
#define PLAIT_TESTS_CALL_H

#include <plait/plait.h>
#include <stddef.h>
#include <stdint.h>

#include "guard.h"

#define MOST_TENSORS 24
#define MOST_COUNTS 8
#define ARGS_SIZE 768

enum {
  SLOT_OUT = 1,        // written
  SLOT_OPTIONAL = 2,   // may be NULL
  SLOT_INOUT = 4,      // written in places; what it held before stays elsewhere
  SLOT_ANY_SIZE = 8,   // its size is information (a table, a pool), so it is never too small by 1
  SLOT_PER_COUNT = 16  // its rows belong to the items of the main count, in their order
};

// A buffer field of an argument struct.
typedef struct slot_type {
  const char *name;
  int32_t argument;      // PLAIT_ARG_…
  size_t offset;         // of the plait_buffer
  size_t stride_offset;  // of its stride; 0: it has none
  unsigned flags;
  const char *in_place;  // the slot that it may equal exactly
} slot_type;

// A count field (int64_t). The first of an operation is its main count: 0 touches nothing.
typedef struct count_type {
  const char *name;
  int32_t argument;
  size_t offset;
} count_type;

typedef plait_status (*execute_fn)(const plait_plan *plan, const void *args, void *stream);

typedef struct op_type {
  int32_t op;         // PLAIT_OP_…
  const char *name;   // its stem
  int32_t plan_kind;  // PLAIT_PLAN_…
  size_t args_size;
  execute_fn run;
  size_t workspace_offset;
  size_t reserved_offset;         // 0: none
  slot_type slots[MOST_TENSORS];  // ends with a NULL name
  count_type counts[MOST_COUNTS];
} op_type;

const op_type *op_find(int32_t op);  // never NULL for an operation of types.h

// A plan's descriptor of any kind.
typedef struct plan_spec {
  int32_t kind;
  union {
    plait_mhc_plan_desc mhc;
    plait_indexer_plan_desc indexer;
    plait_topk_plan_desc topk;
  } desc;
} plan_spec;

void spec_init(plan_spec *spec, int32_t kind);
plait_status spec_create(plait_context *context, const plan_spec *spec, const char *implementation,
                         plait_plan **plan, plait_error *error);
// The same, and fails the test when there is no plan.
plait_plan *spec_plan(plait_context *context, const plan_spec *spec, const char *implementation);
// The name of the `index`-th implementation of `op` that can run in `plan`; NULL past the last.
const char *usable_candidate(const plait_plan *plan, int32_t op, int index);

typedef struct tensor {
  int present;
  int64_t rows, row, stride;  // elements; stride as given to the call: 0 = contiguous
  size_t element, align;
  size_t bytes;         // what the call needs: ((rows - 1) * stride + row) * element
  unsigned char *host;  // its contents
  const char *alias;    // in place: the memory of this slot
  guard memory;         // while running
} tensor;

typedef struct call {
  const op_type *type;
  union {
    max_align_t align;
    unsigned char bytes[ARGS_SIZE];
  } args;
  tensor tensors[MOST_TENSORS];
  int64_t size_rows;  // rows to ask sizes for; 0: the main count
  guard workspace;
} call;

// Filled into outputs before a run.
#define UNWRITTEN 0xC7

void call_init(call *c, int32_t op);
// Gives a slot memory (zeroed); returns the host side of it.
void *call_tensor(call *c, const char *slot, int64_t rows, int64_t row, size_t element,
                  int64_t stride);
void call_drop(call *c, const char *slot);  // back to {NULL, 0}
void call_in_place(call *c, const char *out, const char *in);
void call_set64(call *c, const char *count, int64_t value);
int64_t call_get64(const call *c, const char *count);
#define CALL_ARGS(c, type) ((type *)(void *)(c)->args.bytes)

tensor *call_find(call *c, const char *slot);
const tensor *call_const(const call *c, const char *slot);
// Row `row` on the host side.
void *call_row(const call *c, const char *slot, int64_t row);
int64_t tensor_stride(const tensor *t);

size_t workspace_bytes(const plait_plan *plan, const op_type *type, int64_t rows);

// In three steps, so that a call can be run many times or from several threads.
void call_place(call *c, plait_context *context, const plait_plan *plan);  // memory, uploads
plait_status call_execute(const call *c, const plait_plan *plan, void *stream);
void call_collect(call *c, const char *label);  // downloads outputs, checks canaries and inputs
void call_unplace(call *c);
// All of it, on a plan that must succeed.
void call_run(call *c, plait_context *context, const plait_plan *plan, const char *label);
void call_free(call *c);

// A new call on items begin … begin + count - 1 of the main count.
void call_slice(call *to, const call *from, int64_t begin, int64_t count);
// A new call with every stride `extra` elements longer than the row; the gaps hold `poison`.
void call_restride(call *to, const call *from, int64_t extra, int poison);
// Fails unless rows of all outputs are the same bits: those of `b` are items begin … of `a`.
void call_same(const call *a, int64_t begin, const call *b, const char *label);

#endif
