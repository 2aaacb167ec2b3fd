// SPDX-License-Identifier: MIT
#include <string.h>

#include "../common/mhc_case.h"
#include "../common/number.h"

static const mhc_row rows[] = {
    {{"the usual small shape", 5, 0}, .hidden = 320},
    {{"case 71: hidden 7168", 2, 0}, .hidden = 7168},
    {{"case 71: hidden 360", 5, 0}, .hidden = 360},
    {{"case 71: hidden 1", 9, 0}, .hidden = 1},
    {{"case 75: one stream", 4, 0}, .hidden = 33, .n = 1},
    {{"case 75: three streams", 4, 0}, .hidden = 33, .n = 3},
    {{"case 75: eight streams, f32", 4, 0}, .hidden = 33, .n = 8, .dtype = PLAIT_DTYPE_F32},
    {{"f16", 4, 0}, .hidden = 33, .dtype = PLAIT_DTYPE_F16},
};

static void build(const void *at, int64_t count, plan_spec *spec, call *c) {
  const mhc_row *row = at;
  random_state r = {row->hidden * 47 + row->n};
  mhc_spec(row, spec);
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  const size_t element = dtype_size(d->dtype);
  call_init(c, PLAIT_OP_MHC_EXPAND);
  call_set64(c, "tokens", count);
  // Any bits: NaNs and infinities are copied too.
  unsigned char *x = call_tensor(c, "x", count, d->hidden, element, 0);
  for (size_t i = 0; i < (size_t)(count * d->hidden) * element; i++)
    x[i] = (unsigned char)random_bits(&r);
  call_tensor(c, "residual_out", count, d->hc_mult * d->hidden, element, 0);
}

static void verify(const void *at, const plan_spec *spec, const call *c, const char *label) {
  (void)at;
  const plait_mhc_plan_desc *d = &spec->desc.mhc;
  const size_t bytes = (size_t)d->hidden * dtype_size(d->dtype);
  for (int64_t t = 0; t < call_get64(c, "tokens"); t++)
    for (int i = 0; i < d->hc_mult; i++)
      CHECK(memcmp((unsigned char *)call_row(c, "residual_out", t) + (size_t)i * bytes,
                   call_row(c, "x", t), bytes) == 0,
            "%s: token %lld, stream %d is not a copy", label, (long long)t, i);
}

int main(void) {
  const op_suite suite = {PLAIT_OP_MHC_EXPAND,
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
