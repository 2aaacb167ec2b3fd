// SPDX-License-Identifier: MIT
#include "checks.h"

#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "allocation.h"
#include "env.h"

static void run_copy(call *to, const call *from, plait_context *context, const plait_plan *plan,
                     const char *label) {
  call_restride(to, from, 0, 0);
  for (int i = 0; from->type->slots[i].name; i++)
    if (from->tensors[i].present && from->tensors[i].stride == 0) {
      const int64_t contiguous = 0;
      const size_t at = from->type->slots[i].stride_offset;
      to->tensors[i].stride = 0;
      if (at) memcpy(to->args.bytes + at, &contiguous, sizeof contiguous);
    }
  call_run(to, context, plan, label);
}

void check_zero(plait_context *context, const plait_plan *plan, const call *c, const char *label) {
  (void)context;
  if (!c->type->counts[0].name) return;
  call empty;
  call_init(&empty, c->type->op);
  // The other counts may have to be valid; nothing else does.
  for (int i = 1; c->type->counts[i].name; i++)
    call_set64(&empty, c->type->counts[i].name, call_get64(c, c->type->counts[i].name));
  if (c->type->op == PLAIT_OP_CONVERT_K)
    CALL_ARGS(&empty, plait_indexer_convert_k_args)->from_format = PLAIT_FORMAT_FP8_E4M3FN;
  const plait_status status = call_execute(&empty, plan, NULL);
  CHECK(status == PLAIT_OK, "%s: %s: case 43: zero %s: %s", label, c->type->name,
        c->type->counts[0].name, status_text(status));
  call_free(&empty);
}

void check_runs(plait_context *context, const plait_plan *plan, const call *c, const char *label) {
  call first;
  run_copy(&first, c, context, plan, label);
  for (int i = 1; i < 20; i++) {
    call again;
    run_copy(&again, c, context, plan, label);
    call_same(&first, 0, &again, label);
    call_free(&again);
  }
  call_free(&first);
}

void check_counts(plait_context *context, const plait_plan *plan, const call *c,
                  const char *label) {
  static const int64_t counts[] = {1, 2, 15, 16, 17, 63, 64, 65, 1024};
  const int64_t all = call_get64(c, c->type->counts[0].name);
  char text[200];
  call whole;
  run_copy(&whole, c, context, plan, label);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    for (int64_t begin = 0; begin < 8; begin += 7) {
      if (begin + counts[i] > all) continue;
      call part;
      call_slice(&part, c, begin, counts[i]);
      snprintf(text, sizeof text, "%s, case 74: %lld items from %lld on", label,
               (long long)counts[i], (long long)begin);
      for (int twice = 0; twice < 2; twice++) {
        call_run(&part, context, plan, text);
        call_same(&whole, begin, &part, text);
      }
      call_free(&part);
    }
  }
  for (int64_t begin = 0; begin < all; begin += all / 9 + 1) {
    call part;
    call_slice(&part, c, begin, 1);
    snprintf(text, sizeof text, "%s, item %lld alone", label, (long long)begin);
    call_run(&part, context, plan, text);
    call_same(&whole, begin, &part, text);
    call_free(&part);
  }
  call_free(&whole);
}

void check_threads(const plan_spec *spec, const char *implementation, const call *c,
                   const char *label) {
  static const int32_t threads[] = {1, 2, 3, 7};
  call first;
  for (int i = 0; i < 4; i++) {
    plait_plan *plan = spec_plan(test_context(threads[i]), spec, implementation);
    char text[200];
    call again;
    snprintf(text, sizeof text, "%s, %d threads", label, (int)threads[i]);
    run_copy(i ? &again : &first, c, test_context(threads[i]), plan, text);
    plait_plan_destroy(plan);
    if (!i) continue;
    call_same(&first, 0, &again, text);
    call_free(&again);
  }
  call_free(&first);
}

void check_strides(plait_context *context, const plait_plan *plan, const call *c,
                   const char *label) {
  static const int64_t extras[] = {1, 3, 16};
  call first;
  run_copy(&first, c, context, plan, label);
  for (int i = 0; i < 3; i++) {
    char text[200];
    call strided;
    snprintf(text, sizeof text, "%s, strides longer by %d", label, (int)extras[i]);
    // 0xFF: NaN in every float format, -1 in every integer.
    call_restride(&strided, c, extras[i], 0xFF);
    call_run(&strided, context, plan, text);
    call_same(&first, 0, &strided, text);
    call_free(&strided);
  }
  call_free(&first);
}

void check_in_place(plait_context *context, const plait_plan *plan, const call *c,
                    const char *label) {
  for (int i = 0; c->type->slots[i].name; i++) {
    const slot_type *slot = &c->type->slots[i];
    if (!slot->in_place || !c->tensors[i].present) continue;
    if (call_const(c, slot->in_place)->bytes != c->tensors[i].bytes) continue;
    char text[200];
    call apart, together;
    snprintf(text, sizeof text, "%s, %s in place", label, slot->name);
    run_copy(&apart, c, context, plan, label);
    call_restride(&together, c, 0, 0);
    call_in_place(&together, slot->name, slot->in_place);
    call_run(&together, context, plan, text);
    call_same(&apart, 0, &together, text);
    call_free(&apart);
    call_free(&together);
  }
}

typedef struct worker {
  call c;
  const plait_plan *plan;
  void *stream;
  plait_status status;
} worker;

static void *work(void *argument) {
  worker *w = argument;
  for (int i = 0; i < 20 && w->status == PLAIT_OK; i++)
    w->status = call_execute(&w->c, w->plan, w->stream);
  return NULL;
}

void check_concurrent(plait_context *context, const plait_plan *plan, const call *c,
                      const char *label) {
  static worker workers[2];
  pthread_t threads[2];
  char text[200];
  call first;
  snprintf(text, sizeof text, "%s, case 57: one plan, two threads", label);
  run_copy(&first, c, context, plan, label);
  for (int i = 0; i < 2; i++) {
    memset(&workers[i], 0, sizeof workers[i]);
    call_restride(&workers[i].c, c, 0, 0);
    call_place(&workers[i].c, context, plan);
    workers[i].plan = plan;
    CHECK(plait_stream_create(context, &workers[i].stream, NULL) == PLAIT_OK, "%s: stream", text);
  }
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &workers[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 2; i++) {
    CHECK(workers[i].status == PLAIT_OK, "%s: %s", text, status_text(workers[i].status));
    CHECK(plait_stream_synchronize(context, workers[i].stream) == PLAIT_OK, "%s: wait", text);
    plait_stream_destroy(context, workers[i].stream);
    call_collect(&workers[i].c, text);
    call_same(&first, 0, &workers[i].c, text);
    call_free(&workers[i].c);
  }
  call_free(&first);
}

void check_modes(plait_context *context, const plait_plan *plan, const call *c, const char *label) {
#if defined(__SSE2__)
  call first, odd;
  char text[200];
  snprintf(text, sizeof text, "%s, the caller flushes denormals and rounds to zero", label);
  run_copy(&first, c, context, plan, label);
  call_restride(&odd, c, 0, 0);
  call_place(&odd, context, plan);
  const unsigned before = _mm_getcsr();
  const int rounding = fegetround();
  fesetround(FE_TOWARDZERO);
  _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero, denormals are zero
  const unsigned set = _mm_getcsr() & ~0x3Fu;
  const plait_status status = call_execute(&odd, plan, NULL);
  const unsigned after = _mm_getcsr() & ~0x3Fu;
  fesetround(rounding);
  _mm_setcsr(before);
  CHECK(status == PLAIT_OK, "%s: %s", text, status_text(status));
  CHECK(after == set, "%s: the caller's modes were %#x, are %#x", text, set, after);
  call_collect(&odd, text);
  call_same(&first, 0, &odd, text);
  call_free(&odd);
  call_free(&first);
#else
  (void)context, (void)plan, (void)c, (void)label;
#endif
}

void check_no_allocation(const plan_spec *spec, const char *implementation, const call *c,
                         const char *label) {
  static const int32_t threads[] = {1, 2};
  for (int i = 0; i < 2; i++) {
    plait_context *context = test_context(threads[i]);
    plait_plan *plan = spec_plan(context, spec, implementation);
    call twice;
    call_restride(&twice, c, 0, 0);
    call_place(&twice, context, plan);
    // Case 44: the first call at this count counts too.
    for (int run = 0; run < 2; run++) {
      allocation_begin(-1);
      const plait_status status = call_execute(&twice, plan, NULL);
      const allocation_counts counts = allocation_end();
      CHECK(status == PLAIT_OK, "%s: %s", label, status_text(status));
      CHECK(test_gpu() || (counts.allocations == 0 && counts.frees == 0),
            "%s: %ld allocations and %ld frees in execute", label, counts.allocations,
            counts.frees);
      CHECK(test_gpu() || counts.environments == 0, "%s: execute read the environment", label);
      // With workers there is the pool's own lock; alone there is none.
      CHECK(test_gpu() || i > 0 || counts.locks == 0, "%s: %ld locks in execute", label,
            counts.locks);
    }
    CHECK(plait_stream_synchronize(context, NULL) == PLAIT_OK, "%s: synchronize", label);
    call_collect(&twice, label);
    call_free(&twice);
    plait_plan_destroy(plan);
  }
}

// Turns the items of the inputs by `by`: item i becomes item i + by.
static void turn_items(call *c, const call *from, int64_t by) {
  const int64_t all = call_get64(from, from->type->counts[0].name);
  for (int i = 0; from->type->slots[i].name; i++) {
    const tensor *t = &from->tensors[i];
    const slot_type *slot = &from->type->slots[i];
    if (!t->present || !(slot->flags & SLOT_PER_COUNT) || slot->flags & SLOT_OUT) continue;
    const int64_t each = t->rows / all;
    for (int64_t row = 0; row < t->rows; row++)
      memcpy(call_row(c, slot->name, row), call_row(from, slot->name, (row + by * each) % t->rows),
             (size_t)t->row * t->element);
  }
}

// Leaves no columns in any row of a call that has lengths or ranges.
static void empty_rows(call *c) {
  static const char *const names[] = {"lengths", "row_start", "row_end"};
  for (int i = 0; c->type->slots[i].name; i++)
    for (int k = 0; k < 3; k++)
      if (strcmp(c->type->slots[i].name, names[k]) == 0 && c->tensors[i].present)
        memset(c->tensors[i].host, 0, c->tensors[i].bytes);
}

// Puts the host side of `from` where `placed` lies, outputs as call_place() leaves them.
static void replace_contents(call *placed, const call *from, plait_context *context) {
  for (int i = 0; from->type->slots[i].name; i++) {
    tensor *t = &placed->tensors[i];
    if (!t->present) continue;
    memcpy(t->host, from->tensors[i].host, t->bytes);
    if ((from->type->slots[i].flags & (SLOT_OUT | SLOT_INOUT)) == SLOT_OUT)
      guard_fill(&t->memory, UNWRITTEN);
    else
      guard_write(&t->memory, t->host);
  }
  CHECK(plait_stream_synchronize(context, NULL) == PLAIT_OK, "synchronize");
}

void check_graph(plait_context *context, const plait_plan *plan, const call *c, const char *label) {
  plait_error error;
  plait_graph *graph = NULL;
  void *stream = NULL;
  call replayed;
  plait_error_init(&error, sizeof error);
  call_restride(&replayed, c, 0, 0);
  call_place(&replayed, context, plan);
  CHECK(plait_stream_create(context, &stream, NULL) == PLAIT_OK, "%s: stream", label);
  plait_status status = plait_graph_begin(context, stream, &error);
  CHECK(status == PLAIT_OK, "%s: begin: %s: %s", label, status_text(status), error.message);
  const plait_status recorded = call_execute(&replayed, plan, stream);
  status = plait_graph_end(context, stream, &graph, &error);
  CHECK(recorded == PLAIT_OK, "%s: record: %s", label, status_text(recorded));
  CHECK(status == PLAIT_OK, "%s: end: %s: %s", label, status_text(status), error.message);
  // As recorded, again, with other lengths, ranges, pages and values, with nothing, and back.
  for (int launch = 0; launch < 6; launch++) {
    char text[200];
    call now, direct;
    snprintf(text, sizeof text, "%s, launch %d of a graph", label, launch);
    call_restride(&now, c, 0, 0);
    if (c->type->counts[0].name) turn_items(&now, c, launch < 2 ? 0 : launch);
    if (launch == 3) empty_rows(&now);
    run_copy(&direct, &now, context, plan, text);
    replace_contents(&replayed, &now, context);
    status = plait_graph_launch(context, graph, stream);
    CHECK(status == PLAIT_OK, "%s: %s", text, status_text(status));
    CHECK(plait_stream_synchronize(context, stream) == PLAIT_OK, "%s: wait", text);
    call_collect(&replayed, text);
    call_same(&direct, 0, &replayed, text);
    call_free(&direct);
    call_free(&now);
  }
  plait_graph_destroy(context, graph);
  plait_stream_destroy(context, stream);
  call_free(&replayed);
}
