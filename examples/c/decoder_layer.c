/* SPDX-License-Identifier: MIT */
/*
 * A small decoder with mHC around two sublayers a layer, as a serving stack would drive it.
 *
 *   1. One sublayer on a golden case: pre, post, post_pre, head against the recorded outputs.
 *   2. Two layers, written twice. Unfused: pre, sublayer, post. Fused: each sublayer's post waits
 *      until the next sublayer's pre and both are one call; the last post of a layer is carried
 *      into the next layer. Both give the same bits.
 *   3. A multi-token-prediction step on the streams that the decoder left.
 *
 * The sublayers stand in for attention and MLP. Usage: decoder_layer [--backend NAME] [VECTORS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { LAYERS = 2, SUBLAYERS = 2 * LAYERS };
static const char *const kCase = "mhc_n4_h1280_odd_constants";

/* What one sublayer's mHC has learned. */
struct hyper {
  plait_buffer fn, base, scale;
};

struct model {
  plait_context *context;
  plait_plan *plan;
  int64_t tokens, hidden;
  int32_t streams;
  struct hyper sublayer[SUBLAYERS], mtp, head;
};

/* The state between two sublayers. In the fused flow, post_mix, comb_mix and x are those of the
 * sublayer that has ended, and `residual` does not contain it yet. */
struct state {
  plait_buffer residual, x, layer_input, post_mix, comb_mix, next_post_mix, next_comb_mix;
  plait_buffer workspace;
};

static struct state state_new(const struct model *m) {
  plait_mhc_sizes sizes = {.struct_size = sizeof sizes};
  must(plait_mhc_plan_sizes(m->plan, m->tokens, &sizes), "sizes");
  return (struct state){
      .residual = device_new(m->context, sizes.residual),
      .x = device_new(m->context, sizes.hidden),
      .layer_input = device_new(m->context, sizes.hidden),
      .post_mix = device_new(m->context, sizes.post_mix),
      .comb_mix = device_new(m->context, sizes.comb_mix),
      .next_post_mix = device_new(m->context, sizes.post_mix),
      .next_comb_mix = device_new(m->context, sizes.comb_mix),
      .workspace = device_new(m->context, sizes.workspace),
  };
}

static void state_free(const struct model *m, struct state *s) {
  plait_buffer *const all[] = {&s->residual,      &s->x,        &s->layer_input,
                               &s->post_mix,      &s->comb_mix, &s->next_post_mix,
                               &s->next_comb_mix, &s->workspace};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) device_free(m->context, all[i]);
}

/* ---- The five calls ---------------------------------------------------------------------- */

static void expand(const struct model *m, struct state *s, plait_buffer embedding) {
  const plait_mhc_expand_args args = {
      .struct_size = sizeof args,
      .tokens = m->tokens,
      .x = reads(embedding),
      .residual_out = s->residual,
      .workspace = s->workspace,
  };
  must(plait_mhc_expand(m->plan, &args, NULL), "expand");
}

/* `residual` is [T, n, H], or the embedding [T, H] that stands for n equal streams. */
static void pre(const struct model *m, struct state *s, const struct hyper *h,
                plait_buffer residual, int32_t broadcast) {
  const plait_mhc_pre_args args = {
      .struct_size = sizeof args,
      .tokens = m->tokens,
      .residual = reads(residual),
      .broadcast = broadcast,
      .fn = reads(h->fn),
      .base = reads(h->base),
      .scale = reads(h->scale),
      .post_mix = s->post_mix,
      .comb_mix = s->comb_mix,
      .layer_input = s->layer_input,
      .workspace = s->workspace,
  };
  must(plait_mhc_pre(m->plan, &args, NULL), "pre");
}

static void post(const struct model *m, struct state *s) {
  const plait_mhc_post_args args = {
      .struct_size = sizeof args,
      .tokens = m->tokens,
      .x = reads(s->x),
      .residual = reads(s->residual),
      .post_mix = reads(s->post_mix),
      .comb_mix = reads(s->comb_mix),
      .residual_out = s->residual, /* in place */
      .workspace = s->workspace,
  };
  must(plait_mhc_post(m->plan, &args, NULL), "post");
}

/* The boundary: ends the sublayer whose output is x, begins the one of `h`. */
static void post_pre(const struct model *m, struct state *s, const struct hyper *h,
                     plait_buffer residual, int32_t broadcast) {
  const plait_mhc_post_pre_args args = {
      .struct_size = sizeof args,
      .tokens = m->tokens,
      .x = reads(s->x),
      .residual = reads(residual),
      .broadcast = broadcast,
      .post_mix = reads(s->post_mix),
      .comb_mix = reads(s->comb_mix),
      .residual_out = s->residual,
      .fn = reads(h->fn),
      .base = reads(h->base),
      .scale = reads(h->scale),
      .next_post_mix = s->next_post_mix,
      .next_comb_mix = s->next_comb_mix,
      .layer_input = s->layer_input,
      .workspace = s->workspace,
  };
  must(plait_mhc_post_pre(m->plan, &args, NULL), "post_pre");
  const plait_buffer post_mix = s->post_mix, comb_mix = s->comb_mix;
  s->post_mix = s->next_post_mix;
  s->comb_mix = s->next_comb_mix;
  s->next_post_mix = post_mix;
  s->next_comb_mix = comb_mix;
}

static void head(const struct model *m, struct state *s, plait_buffer out) {
  const plait_mhc_head_args args = {
      .struct_size = sizeof args,
      .tokens = m->tokens,
      .residual = reads(s->residual),
      .fn = reads(m->head.fn),
      .base = reads(m->head.base),
      .scale = reads(m->head.scale),
      .out = out,
      .workspace = s->workspace,
  };
  must(plait_mhc_head(m->plan, &args, NULL), "head");
}

/* ---- Stand-ins ----------------------------------------------------------------------------- */

/* Attention or MLP: x = 1.5 v / (1 + |v|) of layer_input v, rotated by `turn` places. A real one
 * runs on the device. */
static void sublayer(const struct model *m, struct state *s, int turn) {
  uint16_t *in = allocate(s->layer_input.size), *out = allocate(s->x.size);
  device_read(m->context, in, s->layer_input);
  for (int64_t t = 0; t < m->tokens; t++)
    for (int64_t h = 0; h < m->hidden; h++) {
      const float v = from_bf16(in[t * m->hidden + h]);
      out[t * m->hidden + (h + turn) % m->hidden] = to_bf16(1.5f * v / (1.0f + fabsf(v)));
    }
  must(plait_memory_copy(m->context, s->x.data, out, s->x.size, NULL), "copy");
  free(in);
  free(out);
}

/* ---- Control flow ------------------------------------------------------------------------ */

static void decode_unfused(const struct model *m, struct state *s, plait_buffer embedding) {
  expand(m, s, embedding);
  for (int i = 0; i < SUBLAYERS; i++) {
    pre(m, s, &m->sublayer[i], s->residual, 0);
    sublayer(m, s, i + 1);
    post(m, s);
  }
}

/* The post of sublayer i is deferred to the boundary with i + 1, across layers too. The streams are
 * equal at first, so the embedding itself is the first residual and expand is not needed. */
static void decode_fused(const struct model *m, struct state *s, plait_buffer embedding) {
  pre(m, s, &m->sublayer[0], embedding, 1);
  sublayer(m, s, 1);
  for (int i = 1; i < SUBLAYERS; i++) {
    const int first = i == 1;
    post_pre(m, s, &m->sublayer[i], first ? embedding : s->residual, first);
    sublayer(m, s, i + 1);
  }
  post(m, s); /* nothing follows that could take it */
}

/* One prediction further: the embedding of the next token is added to every stream (post with
 * unit mixes and comb NULL, the identity), then one more sublayer and the head. */
static void mtp(const struct model *m, struct state *s, plait_buffer next_embedding, int fused) {
  const int64_t mixes = m->tokens * m->streams;
  float *ones = allocate((size_t)mixes * sizeof *ones);
  for (int64_t i = 0; i < mixes; i++) ones[i] = 1;
  plait_buffer unit = device_copy(m->context, ones, (size_t)mixes * sizeof *ones);
  free(ones);
  if (fused) {
    const plait_mhc_post_pre_args args = {
        .struct_size = sizeof args,
        .tokens = m->tokens,
        .x = reads(next_embedding),
        .residual = reads(s->residual),
        .post_mix = reads(unit),
        .residual_out = s->residual,
        .fn = reads(m->mtp.fn),
        .base = reads(m->mtp.base),
        .scale = reads(m->mtp.scale),
        .next_post_mix = s->post_mix,
        .next_comb_mix = s->comb_mix,
        .layer_input = s->layer_input,
        .workspace = s->workspace,
    };
    must(plait_mhc_post_pre(m->plan, &args, NULL), "mtp post_pre");
  } else {
    const plait_mhc_post_args args = {
        .struct_size = sizeof args,
        .tokens = m->tokens,
        .x = reads(next_embedding),
        .residual = reads(s->residual),
        .post_mix = reads(unit),
        .residual_out = s->residual,
        .workspace = s->workspace,
    };
    must(plait_mhc_post(m->plan, &args, NULL), "mtp post");
    pre(m, s, &m->mtp, s->residual, 0);
  }
  sublayer(m, s, 7);
  post(m, s);
  device_free(m->context, &unit);
}

/* ---- The program --------------------------------------------------------------------------- */

struct outputs {
  uint16_t *residual, *head, *mtp;
};

static struct outputs run(const struct model *m, plait_buffer embedding, plait_buffer next,
                          int fused) {
  struct state s = state_new(m);
  plait_buffer out = device_new(m->context, s.x.size);
  struct outputs o = {allocate(s.residual.size), allocate(out.size), allocate(out.size)};
  (fused ? decode_fused : decode_unfused)(m, &s, embedding);
  device_read(m->context, o.residual, s.residual);
  head(m, &s, out);
  device_read(m->context, o.head, out);
  mtp(m, &s, next, fused);
  head(m, &s, out);
  device_read(m->context, o.mtp, out);
  device_free(m->context, &out);
  state_free(m, &s);
  return o;
}

static void outputs_free(struct outputs *o) {
  free(o->residual);
  free(o->head);
  free(o->mtp);
}

static plait_buffer to_device(const struct model *m, const char *vectors, const char *name) {
  struct array a = load(vectors, kCase, name);
  plait_buffer buffer = device_copy(m->context, a.data, a.size);
  unload(&a);
  return buffer;
}

static void plan_for_case(struct model *m, const char *vectors, const char *implementation) {
  plait_mhc_plan_desc desc;
  plait_mhc_plan_desc_init(&desc, sizeof desc);
  desc.hidden = m->hidden;
  desc.hc_mult = m->streams;
  desc.sinkhorn_iters = (int32_t)parameter(vectors, kCase, "sinkhorn_iters");
  desc.rms_eps = (float)parameter(vectors, kCase, "rms_eps");
  desc.pre_eps = (float)parameter(vectors, kCase, "pre_eps");
  desc.sinkhorn_eps = (float)parameter(vectors, kCase, "sinkhorn_eps");
  desc.post_mult = (float)parameter(vectors, kCase, "post_mult");
  desc.implementation = implementation;
  plait_error error;
  plait_error_init(&error, sizeof error);
  must_with(plait_mhc_plan_create(m->context, &desc, &m->plan, &error), "plan", &error);
}

static int check_bf16(const struct model *m, const char *vectors, const char *name,
                      plait_buffer got) {
  struct array want = load(vectors, kCase, name);
  uint16_t *host = allocate(got.size);
  device_read(m->context, host, got);
  const int bad = report_bf16(name, host, want.data, want.count);
  free(host);
  unload(&want);
  return bad;
}

static int check_f32(const struct model *m, const char *vectors, const char *name,
                     plait_buffer got) {
  struct array want = load(vectors, kCase, name);
  float *host = allocate(got.size);
  device_read(m->context, host, got);
  const int bad = report_f32(name, host, want.data, want.count, 3e-6);
  free(host);
  unload(&want);
  return bad;
}

/* pre, post_pre and head on the recorded residual and x. */
static int golden(const struct model *m, const char *vectors) {
  struct state s = state_new(m);
  plait_memory_free(m->context, s.residual.data);
  plait_memory_free(m->context, s.x.data);
  s.residual = to_device(m, vectors, "residual");
  s.x = to_device(m, vectors, "x");
  plait_buffer out = device_new(m->context, s.x.size);

  int bad = 0;
  pre(m, &s, &m->sublayer[0], s.residual, 0);
  bad += check_f32(m, vectors, "post_mix", s.post_mix);
  bad += check_f32(m, vectors, "comb_mix", s.comb_mix);
  bad += check_bf16(m, vectors, "layer_input", s.layer_input);
  head(m, &s, out);
  bad += check_bf16(m, vectors, "head_out", out);
  /* The recorded mixes, not ours: a last bit of theirs may round an element of the residual the
   * other way, and the next mixes, which are compared closely, would show it. */
  device_free(m->context, &s.post_mix);
  device_free(m->context, &s.comb_mix);
  s.post_mix = to_device(m, vectors, "post_mix");
  s.comb_mix = to_device(m, vectors, "comb_mix");
  post_pre(m, &s, &m->sublayer[1], s.residual, 0);
  bad += check_bf16(m, vectors, "residual_out", s.residual);
  bad += check_f32(m, vectors, "next_post_mix", s.post_mix);
  bad += check_f32(m, vectors, "next_comb_mix", s.comb_mix);
  bad += check_bf16(m, vectors, "next_layer_input", s.layer_input);
  device_free(m->context, &out);
  state_free(m, &s);
  return bad;
}

/* Median time of a boundary, as one call and as two. */
static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void time_boundary(const struct model *m, plait_buffer embedding) {
  enum { REPEATS = 21 };
  struct state s = state_new(m);
  void *start, *stop;
  plait_error error;
  plait_error_init(&error, sizeof error);
  must_with(plait_event_create(m->context, &start, &error), "event", &error);
  must_with(plait_event_create(m->context, &stop, &error), "event", &error);
  expand(m, &s, embedding);
  pre(m, &s, &m->sublayer[0], s.residual, 0);
  sublayer(m, &s, 1);
  for (int fused = 1; fused >= 0; fused--) {
    double times[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
      must(plait_event_record(m->context, start, NULL), "event");
      if (fused) {
        post_pre(m, &s, &m->sublayer[1], s.residual, 0);
      } else {
        post(m, &s);
        pre(m, &s, &m->sublayer[1], s.residual, 0);
      }
      must(plait_event_record(m->context, stop, NULL), "event");
      must(plait_event_elapsed(m->context, start, stop, &times[i]), "event");
    }
    qsort(times, REPEATS, sizeof *times, by_value);
    printf("  %-28s %.1f us\n", fused ? "post_pre" : "post, then pre", times[REPEATS / 2]);
  }
  plait_event_destroy(m->context, start);
  plait_event_destroy(m->context, stop);
  state_free(m, &s);
}

int main(int argc, char **argv) {
  const char *vectors = "tests/vectors";
  struct model m = {.context = open_context(argc, argv, &vectors)};
  struct array shape = load(vectors, kCase, "residual");
  m.tokens = shape.shape[0];
  m.streams = (int32_t)shape.shape[1];
  m.hidden = shape.shape[2];
  unload(&shape);
  plan_for_case(&m, vectors, NULL);
  for (int i = 0; i < SUBLAYERS; i++)
    m.sublayer[i] = (struct hyper){to_device(&m, vectors, i % 2 ? "next_fn" : "fn"),
                                   to_device(&m, vectors, "base"), to_device(&m, vectors, "scale")};
  m.mtp = m.sublayer[0];
  m.head = (struct hyper){to_device(&m, vectors, "head_fn"), to_device(&m, vectors, "head_base"),
                          to_device(&m, vectors, "head_scale")};
  printf("%lld tokens, %d streams, hidden %lld\n", (long long)m.tokens, m.streams,
         (long long)m.hidden);
  print_choice(m.plan);

  printf("against the golden case %s\n", kCase);
  int bad = golden(&m, vectors);

  printf("%d layers, fused against unfused\n", LAYERS);
  plait_buffer embedding = to_device(&m, vectors, "x");
  plait_buffer next = to_device(&m, vectors, "layer_input");
  struct outputs fused = run(&m, embedding, next, 1), unfused = run(&m, embedding, next, 0);
  const size_t row = (size_t)(m.tokens * m.hidden) * sizeof(uint16_t);
  bad += report_equal("streams after the layers", fused.residual, unfused.residual,
                      row * (size_t)m.streams);
  bad += report_equal("head", fused.head, unfused.head, row);
  bad += report_equal("head of the MTP step", fused.mtp, unfused.mtp, row);
  checksum("streams after the layers", fused.residual, row * (size_t)m.streams);
  checksum("head", fused.head, row);
  checksum("head of the MTP step", fused.mtp, row);

  printf(
      "the chosen implementations against the reference ones (roundings add up over %d layers)\n",
      LAYERS);
  struct model reference = m;
  plan_for_case(&reference, vectors, "reference");
  struct outputs plain = run(&reference, embedding, next, 0);
  double worst = 0, largest = 0;
  for (int64_t i = 0; i < m.tokens * m.hidden; i++) {
    worst = fmax(worst, fabs((double)from_bf16(plain.mtp[i]) - (double)from_bf16(fused.mtp[i])));
    largest = fmax(largest, fabs((double)from_bf16(plain.mtp[i])));
  }
  printf("  %-28s worst difference %.2g, largest value %.2g\n", "head of the MTP step", worst,
         largest);
  if (!(worst <= 0.05 * largest)) bad++;

  printf("median time of a boundary\n");
  time_boundary(&m, embedding);

  outputs_free(&fused);
  outputs_free(&unfused);
  outputs_free(&plain);
  device_free(m.context, &embedding);
  device_free(m.context, &next);
  for (int i = 0; i <= SUBLAYERS; i++) {
    struct hyper *h = i < SUBLAYERS ? &m.sublayer[i] : &m.head;
    device_free(m.context, &h->fn);
    device_free(m.context, &h->base);
    device_free(m.context, &h->scale);
  }
  plait_plan_destroy(reference.plan);
  plait_plan_destroy(m.plan);
  plait_context_destroy(m.context);
  printf("%s\n", bad ? "WRONG" : "all right");
  return bad ? 1 : 0;
}
