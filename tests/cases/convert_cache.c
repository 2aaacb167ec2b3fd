// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "../common/indexer_case.h"
#include "../common/number.h"

// count: pages of the pool.
static const indexer_row rows[] = {
    {{"e4m3fn to e4m3fnuz", 3, 0}, .format = FNUZ, .page_extra = 20},
    {{"e4m3fnuz to e4m3fn", 3, 0}, .format = FN, .page_extra = 20},
    {{"tiled, P 64", 5, 0}, .format = FNUZ, .layout = TILED, .page_entries = 64, .page_extra = 512},
    {{"P 1", 40, 0}, .format = FN, .page_entries = 1},
    {{"P 7, head_dim 96", 9, 0}, .format = FNUZ, .page_entries = 7, .head_dim = 96},
};

static int32_t other(int32_t format) { return format == FN ? FNUZ : FN; }

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const indexer_row *row = at;
  random_state r = {97};
  indexer_spec(row, spec);
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t stride = page_stride(d), bytes = (count - 1) * stride + page_bytes(d);
  call_init(c, PLAIT_OP_CONVERT_CACHE);
  c->size_rows = count;
  CALL_ARGS(c, plait_indexer_convert_cache_args)->from_format = other(d->format);
  uint8_t *src = call_tensor(c, "src_cache", 1, bytes, 1, 0);
  for (int64_t i = 0; i < bytes; i++)
    src[i] = i % stride < page_bytes(d) ? (uint8_t)random_bits(&r) : 0x5A;
  for (int64_t p = 0; p < count; p++)
    for (int64_t e = 0; e < d->page_entries; e++) {
      const float scale = (float)(random_uniform(&r) + 0.01);
      memcpy(src + p * stride + scale_offset(d, e), &scale, 4);
    }
  memset(call_tensor(c, "cache", 1, bytes, 1, 0), 0x5A, (size_t)bytes);
  call_find(c, "cache")->align = call_find(c, "src_cache")->align = d->layout == TILED ? 16 : 4;
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  (void)at;
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t stride = page_stride(d), end = page_bytes(d);
  const uint8_t *src = call_const(c, "src_cache")->host, *dst = call_const(c, "cache")->host;
  for (int64_t p = 0; p < c->size_rows; p++) {
    for (int64_t e = 0; e < d->page_entries; e++) {
      float before, after;
      memcpy(&before, src + p * stride + scale_offset(d, e), 4);
      memcpy(&after, dst + p * stride + scale_offset(d, e), 4);
      CHECK(after == (d->format == FNUZ ? before * 2 : before / 2), "%s: scale %g became %g", label,
            (double)before, (double)after);
      for (int64_t b = 0; b < d->head_dim; b++) {
        const uint8_t from = src[p * stride + value_offset(d, e, b)];
        const uint8_t to = dst[p * stride + value_offset(d, e, b)];
        uint8_t expected = from;
        if (d->format == FNUZ) {
          if (from == 0x80) expected = 0;
          if (from == 0x7F || from == 0xFF) expected = 0x80;
        } else {
          if (from == 0x80) expected = 0x7F;
          if (from == 0x7F) expected = 0x7E;
          if (from == 0xFF) expected = 0xFE;
        }
        CHECK(to == expected, "%s: page %lld: %#x became %#x, not %#x", label, (long long)p, from,
              to, expected);
      }
    }
    for (int64_t i = end; i < stride && p + 1 < c->size_rows; i++)
      CHECK(dst[p * stride + i] == 0x5A, "%s: the gap after page %lld was written", label,
            (long long)p);
  }
}

int main(void) {
  const op_suite suite = {PLAIT_OP_CONVERT_CACHE,
                          SUITE_NO_SLICE,
                          rows,
                          sizeof *rows,
                          sizeof rows / sizeof *rows,
                          build,
                          verify,
                          NULL,
                          0};
  return suite_main(&suite);
}
