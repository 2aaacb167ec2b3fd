// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../common/indexer_case.h"
#include "../common/number.h"

#define INTERLEAVED PLAIT_ROPE_INTERLEAVED
#define POSITIONS 300
#define BEFORE 0xAB

static const indexer_row rows[] = {
    {{"the usual small shape", 9, 0}, .rope_mode = INTERLEAVED, .rope_placement = 1},
    {{"one token", 1, 0}, .heads = 1},
    {{"no rope, P 64", 150, 0}, .page_entries = 64},
    {{"case 61: P 1", 20, 0}, .page_entries = 1},
    {{"case 61: P 1, wide pages", 20, 0}, .page_entries = 1, .page_extra = 12},
    {{"tiled, P 16", 50, 0}, .layout = TILED},
    {{"tiled, P 64, wide pages", 150, 0}, .layout = TILED, .page_entries = 64, .page_extra = 256},
    {{"tiled, head_dim 96", 50, 0}, .layout = TILED, .head_dim = 96},
    {{"wide pages, P 7", 50, 0}, .page_entries = 7, .page_extra = 100},
    {{"half-split", 30, 0}, .rope_mode = PLAIT_ROPE_HALF_SPLIT},
    {{"hadamard", 30, 0}, .hadamard = 1, .rope_mode = INTERLEAVED, .rope_placement = 1},
    {{"e4m3fnuz", 50, 0}, .format = FNUZ},
    {{"e4m3fnuz, tiled", 50, 0}, .format = FNUZ, .layout = TILED},
    {{"mxfp4", 50, 0}, .format = MXFP4},
    {{"mxfp4, P 5, head_dim 96, rope", 50, 0},
     .format = MXFP4,
     .page_entries = 5,
     .head_dim = 96,
     .rope_mode = INTERLEAVED},
    {{"1024 tokens", 1024, 0}, .page_entries = 64},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const indexer_row *row = at;
  random_state r = {73};
  indexer_spec(row, spec);
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t pages = count / d->page_entries + 3;
  const int64_t bytes = (pages - 1) * page_stride(d) + (page_bytes(d) + 3) / 4 * 4;
  call_init(c, PLAIT_OP_WRITE_K);
  call_set64(c, "tokens", count);
  uint16_t *k = call_tensor(c, "k", count, d->head_dim, 2, 0);
  for (int64_t i = 0; i < count * d->head_dim; i++)
    k[i] =
        float_bf16((float)(random_normal(&r) * (i / d->head_dim % 5 == 3 && !d->hadamard ? 0 : 1)));
  if (d->rope_mode != PLAIT_ROPE_NONE) {
    int64_t *positions = call_tensor(c, "positions", count, 1, 8, 0);
    for (int64_t i = 0; i < count; i++) positions[i] = random_below(&r, POSITIONS);
    fill_cos_sin(c, d, POSITIONS);
  }
  // Slots all over the pool, each once; every ninth token is skipped.
  const int64_t slots = pages * d->page_entries;
  int64_t *mapping = call_tensor(c, "slot_mapping", count, 1, 8, 0);
  char *taken = calloc(1, (size_t)slots);
  for (int64_t i = 0; i < count; i++) {
    int64_t slot = random_below(&r, slots);
    while (taken[slot]) slot = (slot + 1) % slots;
    taken[slot] = 1;
    mapping[i] = i % 9 == 7 ? -1 - i : slot;
  }
  free(taken);
  memset(call_tensor(c, "cache", 1, bytes, 1, 0), BEFORE, (size_t)bytes);
  call_find(c, "cache")->align = d->layout == TILED ? 16 : 4;
  call_tensor(c, "rejected", 1, 1, 4, 0);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  (void)at;
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t v = value_bytes(d), s = scale_bytes(d);
  const tensor *cache = call_const(c, "cache");
  uint8_t *expected = malloc(cache->bytes);
  memset(expected, BEFORE, cache->bytes);
  for (int64_t t = 0; t < call_get64(c, "tokens"); t++) {
    uint16_t row[PLAIT_INDEXER_MAX_HEAD_DIM];
    uint8_t values[PLAIT_INDEXER_MAX_HEAD_DIM], scale[8];
    const int64_t slot = *(int64_t *)call_row(c, "slot_mapping", t);
    const float *table = NULL;
    if (slot < 0) continue;
    if (d->rope_mode != PLAIT_ROPE_NONE)
      table = call_row(c, "cos_sin", *(int64_t *)call_row(c, "positions", t));
    oracle_transform(d, call_row(c, "k", t), table, row);
    oracle_quantize(d, row, values, scale);
    uint8_t *page = expected + slot / d->page_entries * page_stride(d);
    const int64_t e = slot % d->page_entries;
    for (int64_t b = 0; b < v; b++) page[value_offset(d, e, b)] = values[b];
    memcpy(page + scale_offset(d, e), scale, (size_t)s);
  }
  for (size_t i = 0; i < cache->bytes; i++)
    CHECK(cache->host[i] == expected[i], "%s: byte %zu of the cache is %#x, not %#x", label, i,
          cache->host[i], expected[i]);
  free(expected);
  CHECK(*(int32_t *)call_row(c, "rejected", 0) == 0, "%s: %d rejected", label,
        (int)*(int32_t *)call_row(c, "rejected", 0));
}

// One slot and one position that are outside: alone an error, with `rejected` counted.
static void outside(int64_t slot, int64_t position, int32_t argument) {
  plan_spec spec;
  call c;
  build(&rows[0], 9, &spec, &c);
  plait_plan *plan = spec_plan(test_context(0), &spec, NULL);
  if (slot) *(int64_t *)call_row(&c, "slot_mapping", 4) = slot;
  if (position) *(int64_t *)call_row(&c, "positions", 4) = position;
  if (!test_gpu()) {
    call strict;
    call_restride(&strict, &c, 0, 0);
    call_drop(&strict, "rejected");
    call_place(&strict, test_context(0), plan);
    const plait_status status = call_execute(&strict, plan, NULL);
    CHECK(status == make_status(PLAIT_ERROR_INDEX_OUT_OF_RANGE, argument), "slot %lld: %s",
          (long long)slot, status_text(status));
    call_collect(&strict, "outside");
    for (size_t i = 0; i < call_const(&strict, "cache")->bytes; i++)
      CHECK(call_const(&strict, "cache")->host[i] == BEFORE, "an error wrote into the cache");
    call_free(&strict);
  }
  call_run(&c, test_context(0), plan, "rejected");
  CHECK(*(int32_t *)call_row(&c, "rejected", 0) == 1, "rejected is %d, not 1",
        (int)*(int32_t *)call_row(&c, "rejected", 0));
  *(int32_t *)call_row(&c, "rejected", 0) = 0;
  *(int64_t *)call_row(&c, "slot_mapping", 4) = -1;  // as if skipped
  verify(&rows[0], &spec, &c, "rejected");
  call_free(&c);
  plait_plan_destroy(plan);
}

static void slots_and_positions_outside(void **state) {
  (void)state;
  outside(3 * 16, 0, PLAIT_ARG_SLOT_MAPPING);
  outside(INT64_MAX, 0, PLAIT_ARG_SLOT_MAPPING);
  outside((int64_t)1 << 40, 0, PLAIT_ARG_SLOT_MAPPING);
  outside(0, -1, PLAIT_ARG_POSITIONS);
  outside(0, POSITIONS, PLAIT_ARG_POSITIONS);
  outside(0, INT64_MIN, PLAIT_ARG_POSITIONS);
}

// Page 254,201 at a stride of 8448 bytes lies past 2^31.
static void case_47_far_page(void **state) {
  (void)state;
  if (test_gpu() || sizeof(void *) < 8) test_skip("needs a sparse mapping of host memory");
  const int64_t page = 254201, stride = 8448, bytes = (page + 1) * stride;
  uint8_t *cache = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (cache == MAP_FAILED) test_skip("no address space");
  const indexer_row row = {{"case 47", 1, 0}, .page_entries = 64};
  plan_spec spec;
  indexer_spec(&row, &spec);
  const plait_indexer_plan_desc *d = &spec.desc.indexer;
  CHECK(page_stride(d) == stride, "the stride is %lld", (long long)page_stride(d));
  plait_plan *best = spec_plan(test_context(0), &spec, NULL);
  uint16_t k[128];
  uint8_t values[128], scale[4], gathered[128];
  random_state r = {79};
  for (int i = 0; i < 128; i++) k[i] = float_bf16((float)random_normal(&r));
  oracle_quantize(d, k, values, scale);
  for (int i = 0; usable_candidate(best, PLAIT_OP_WRITE_K, i); i++) {
    plait_plan *plan =
        spec_plan(test_context(0), &spec, usable_candidate(best, PLAIT_OP_WRITE_K, i));
    const int64_t slot = page * 64 + 63 - i;
    const plait_indexer_write_k_args args = {.struct_size = sizeof args,
                                             .tokens = 1,
                                             .k = {k, sizeof k},
                                             .slot_mapping = {&slot, sizeof slot},
                                             .cache = {cache, (size_t)bytes}};
    const plait_status status = plait_indexer_write_k(plan, &args, NULL);
    CHECK(status == PLAIT_OK, "case 47: %s", status_text(status));
    CHECK(memcmp(cache + page * stride + (63 - i) * 128, values, 128) == 0, "case 47: values");
    CHECK(memcmp(cache + page * stride + 64 * 128 + 4 * (63 - i), scale, 4) == 0, "case 47: scale");
    // And back.
    const int32_t table[1] = {(int32_t)page}, lengths[2] = {0, 64};
    uint8_t all[64 * 128];
    float scales[64];
    const plait_indexer_gather_k_args gather = {.struct_size = sizeof gather,
                                                .requests = 1,
                                                .keys = 64,
                                                .cache = {cache, (size_t)bytes},
                                                .block_table = {table, sizeof table},
                                                .block_table_columns = 1,
                                                .cu_lengths = {lengths, sizeof lengths},
                                                .k_values = {all, sizeof all},
                                                .k_scale = {scales, sizeof scales}};
    CHECK(plait_indexer_gather_k(plan, &gather, NULL) == PLAIT_OK, "case 47: gather");
    memcpy(gathered, all + (63 - i) * 128, 128);
    CHECK(memcmp(gathered, values, 128) == 0, "case 47: gathered values");
    plait_plan_destroy(plan);
  }
  plait_plan_destroy(best);
  munmap(cache, (size_t)bytes);
}

static const struct CMUnitTest extras[] = {cmocka_unit_test(slots_and_positions_outside),
                                           cmocka_unit_test(case_47_far_page)};

int main(void) {
  const op_suite suite = {
      PLAIT_OP_WRITE_K, SUITE_NO_SLICE, rows, sizeof *rows, sizeof rows / sizeof *rows, build,
      verify,           extras,         2};
  return suite_main(&suite);
}
