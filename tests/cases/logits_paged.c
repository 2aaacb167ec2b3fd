// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "../common/indexer_case.h"
#include "../common/number.h"

#define BF16 PLAIT_DTYPE_BF16

// count: requests.
static const indexer_row rows[] = {
    {{"the usual small shape", 4, 0}, .keys = 70, .next_n = 2},
    {{"case 37: N 1, P 64", 4, 0}, .keys = 200, .next_n = 1, .page_entries = 64},
    {{"case 37: N 2, P 32", 4, 0}, .keys = 200, .next_n = 2, .page_entries = 32},
    {{"case 37: N 3, P 16", 4, 0}, .keys = 200, .next_n = 3, .page_entries = 16},
    {{"case 37: N 4, P 128", 4, 0}, .keys = 200, .next_n = 4, .page_entries = 128},
    {{"case 37: N 5, P 1", 4, 0}, .keys = 100, .next_n = 5, .page_entries = 1},
    {{"case 37: N 6, P 64", 3, 0}, .keys = 200, .next_n = 6, .page_entries = 64},
    {{"case 37: N 7, P 7", 3, 0}, .keys = 200, .next_n = 7, .page_entries = 7},
    {{"case 37: N 8, P 16", 3, 0}, .keys = 200, .next_n = 8, .page_entries = 16},
    {{"case 31: lengths per request, N 4", 12, 0},
     .keys = 100,
     .next_n = 4,
     .options = INDEXER_PER_REQUEST},
    {{"case 31: lengths per request, N 3, fill", 12, 0},
     .keys = 100,
     .next_n = 3,
     .options = INDEXER_PER_REQUEST | INDEXER_FILL},
    {{"case 35: all lengths 0", 5, 0}, .keys = 100, .options = INDEXER_EMPTY},
    {{"case 51: page ids outside the pool", 9, 0}, .keys = 200, .options = INDEXER_BAD_PAGES},
    {{"case 51: mxfp4, fill", 9, 0},
     .keys = 200,
     .format = MXFP4,
     .options = INDEXER_BAD_PAGES | INDEXER_FILL},
    {{"64 heads", 4, ROW_AGAIN}, .heads = 64, .keys = 200, .page_entries = 64},
    {{"32 heads, wide pages", 4, 0},
     .heads = 32,
     .keys = 200,
     .page_entries = 64,
     .page_extra = 1024},
    {{"300 requests of unequal length", 300, ROW_GPU_ONLY | ROW_AGAIN},
     .heads = 2,
     .keys = 1000,
     .page_entries = 64},
    {{"150 requests, lengths per request, N 2, fill", 150, ROW_GPU_ONLY | ROW_AGAIN},
     .heads = 1,
     .keys = 2000,
     .next_n = 2,
     .options = INDEXER_PER_REQUEST | INDEXER_FILL},
    {{"300 requests, page ids outside the pool", 300, ROW_GPU_ONLY},
     .heads = 1,
     .keys = 1000,
     .options = INDEXER_BAD_PAGES},
    {{"300 requests, page ids outside the pool, P 1", 300, ROW_GPU_ONLY},
     .heads = 1,
     .keys = 1000,
     .page_entries = 1,
     .options = INDEXER_BAD_PAGES},
    {{"tiled", 4, 0}, .heads = 8, .keys = 200, .layout = TILED},
    {{"tiled, P 64, e4m3fnuz", 4, 0},
     .heads = 8,
     .keys = 200,
     .layout = TILED,
     .page_entries = 64,
     .format = FNUZ,
     .next_n = 2},
    {{"mxfp4, P 64", 4, 0}, .heads = 8, .keys = 200, .format = MXFP4, .page_entries = 64},
    {{"head_dim 96", 4, 0}, .heads = 3, .head_dim = 96, .keys = 100},
    {{"bf16 logits", 4, 0}, .heads = 16, .logits_dtype = BF16, .keys = 200, .next_n = 2},
    {{"bf16 logits, bad pages", 9, 0},
     .heads = 4,
     .logits_dtype = BF16,
     .keys = 200,
     .options = INDEXER_BAD_PAGES},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const indexer_row *row = at;
  random_state r = {107};
  indexer_spec(row, spec);
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t n = d->next_n;
  call_init(c, PLAIT_OP_LOGITS_PAGED);
  call_set64(c, "requests", count);
  c->size_rows = count * n;
  fill_queries(c, d, count * n, &r);
  fill_paged(row, c, d, count, &r);
  plait_indexer_logits_paged_args *a = CALL_ARGS(c, plait_indexer_logits_paged_args);
  a->fill = (row->options & INDEXER_FILL) != 0;
  a->lengths_per_request = (row->options & INDEXER_PER_REQUEST) != 0;
  call_tensor(c, "logits", count * n, row->keys, dtype_size(d->logits_dtype), 0);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  const indexer_row *row = at;
  const plait_indexer_plan_desc *d = &spec->desc.indexer;
  const int64_t v = value_bytes(d), n = d->next_n;
  for (int64_t i = 0; i < call_get64(c, "requests") * n; i++) {
    const int64_t length =
        paged_length(c, d, (row->options & INDEXER_PER_REQUEST) != 0, row->keys, i);
    for (int64_t s = 0; s < row->keys; s++) {
      const void *logits = call_row(c, "logits", i);
      const double got = load_element(logits, d->logits_dtype, s);
      int64_t entry;
      const uint8_t *page = paged_key(c, d, i / n, s, &entry);
      if (s >= length && !(row->options & INDEXER_FILL)) {
        uint8_t untouched[4];
        memset(untouched, UNWRITTEN, 4);
        const size_t element = dtype_size(d->logits_dtype);
        CHECK(memcmp((const uint8_t *)logits + (size_t)s * element, untouched, element) == 0,
              "%s: [%lld,%lld] past the length was written", label, (long long)i, (long long)s);
      } else if (s >= length || !page) {
        CHECK(got == -(double)INFINITY, "%s: [%lld,%lld] is %g, not -inf", label, (long long)i,
              (long long)s, got);
      } else {
        uint8_t values[PLAIT_INDEXER_MAX_HEAD_DIM], scale[8];
        for (int64_t b = 0; b < v; b++) values[b] = page[value_offset(d, entry, b)];
        memcpy(scale, page + scale_offset(d, entry), (size_t)scale_bytes(d));
        logit_size size;
        const double expected = oracle_logit(d, c, i, values, scale, &size);
        double tolerance = logit_tolerance(&size, label);
        if (d->logits_dtype == BF16) tolerance += 0.5 * ulp(expected, BF16) * 1.0001;
        CHECK(fabs(got - expected) <= tolerance, "%s: [%lld,%lld] is %.9g, not %.9g (size %.3g)",
              label, (long long)i, (long long)s, got, expected, size.all);
      }
    }
  }
}

int main(void) {
  const op_suite suite = {PLAIT_OP_LOGITS_PAGED,
                          0,
                          rows,
                          sizeof *rows,
                          sizeof rows / sizeof *rows,
                          build,
                          verify,
                          NULL,
                          0};
  return suite_main(&suite);
}
