// SPDX-License-Identifier: MIT
#include "indexer_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

// Units that a step of 32 products may lose altogether.
#define WGMMA_UNITS 8

void indexer_spec(const indexer_row *row, plan_spec *spec) {
  spec_init(spec, PLAIT_PLAN_INDEXER);
  plait_indexer_plan_desc *d = &spec->desc.indexer;
  d->heads = row->heads ? row->heads : 4;
  d->head_dim = row->head_dim ? row->head_dim : 128;
  d->page_entries = row->page_entries ? row->page_entries : 16;
  d->rope_dim = row->rope_dim ? row->rope_dim : 64;
  if (row->format) d->format = row->format;
  if (row->layout) d->layout = row->layout;
  d->rope_mode = row->rope_mode;
  d->rope_placement = row->rope_placement;
  d->hadamard = row->hadamard;
  if (row->weights_dtype) d->weights_dtype = row->weights_dtype;
  if (row->logits_dtype) d->logits_dtype = row->logits_dtype;
  if (row->next_n) d->next_n = row->next_n;
  d->order = row->order;
  d->topk = row->topk;
  d->max_keys = row->keys ? row->keys : 1;
  if (row->page_extra) d->page_stride = page_bytes(d) + row->page_extra;
}

static int is_fp8(const plait_indexer_plan_desc *d) { return d->format != MXFP4; }

int64_t value_bytes(const plait_indexer_plan_desc *d) {
  return is_fp8(d) ? d->head_dim : d->head_dim / 2;
}

int64_t scale_bytes(const plait_indexer_plan_desc *d) { return is_fp8(d) ? 4 : d->head_dim / 32; }

int64_t page_bytes(const plait_indexer_plan_desc *d) {
  return d->page_entries * (value_bytes(d) + scale_bytes(d));
}

int64_t page_stride(const plait_indexer_plan_desc *d) {
  const int64_t granularity = d->layout == TILED ? 16 : 4;
  if (d->page_stride) return d->page_stride;
  return (page_bytes(d) + granularity - 1) / granularity * granularity;
}

int64_t value_offset(const plait_indexer_plan_desc *d, int64_t e, int64_t b) {
  if (d->layout == TILED) return e / 16 * 16 * d->head_dim + b / 16 * 256 + e % 16 * 16 + b % 16;
  return e * value_bytes(d) + b;
}

int64_t scale_offset(const plait_indexer_plan_desc *d, int64_t e) {
  return d->page_entries * value_bytes(d) + e * scale_bytes(d);
}

void fill_cos_sin(call *c, const plait_indexer_plan_desc *d, int64_t positions) {
  const int64_t half = d->rope_dim / 2;
  float *table = call_tensor(c, "cos_sin", positions, d->rope_dim, 4, 0);
  for (int64_t p = 0; p < positions; p++)
    for (int64_t i = 0; i < half; i++) {
      const double angle = (double)p * pow(10000, -(double)i / (double)half);
      table[p * d->rope_dim + i] = (float)cos(angle);
      table[p * d->rope_dim + half + i] = (float)sin(angle);
    }
}

void oracle_transform(const plait_indexer_plan_desc *d, const uint16_t *in, const float *cos_sin,
                      uint16_t *out) {
  const int dim = d->head_dim, half = d->rope_dim / 2;
  memcpy(out, in, (size_t)dim * 2);
  if (d->rope_mode != PLAIT_ROPE_NONE) {
    const int base = d->rope_placement == PLAIT_ROPE_LAST ? dim - d->rope_dim : 0;
    for (int i = 0; i < half; i++) {
      const int interleaved = d->rope_mode == PLAIT_ROPE_INTERLEAVED;
      const int even = base + (interleaved ? 2 * i : i);
      const int odd = base + (interleaved ? 2 * i + 1 : i + half);
      const float x = bf16_float(in[even]), y = bf16_float(in[odd]);
      const float cosine = cos_sin[i], sine = cos_sin[half + i];
      const float y_sin = y * sine, x_sin = x * sine;
      out[even] = float_bf16(fmaf(x, cosine, -y_sin));
      out[odd] = float_bf16(fmaf(y, cosine, x_sin));
    }
  }
  if (d->hadamard) {
    double sums[PLAIT_INDEXER_MAX_HEAD_DIM];
    for (int j = 0; j < dim; j++) {
      sums[j] = -0.0;  // the sum of nothing: -0 + x is x, for x = -0 too
      for (int i = 0; i < dim; i++) {
        const double value = (double)bf16_float(out[i]);
        sums[j] += __builtin_popcount((unsigned)(i & j)) % 2 ? -value : value;
      }
    }
    const float factor = (float)(1 / sqrt((double)dim));
    for (int j = 0; j < dim; j++) out[j] = float_bf16((float)sums[j] * factor);
  }
}

// ceil(log2(value)), exactly.
static int ceil_log2(double value) {
  int exponent;
  return frexp(value, &exponent) > 0.5 ? exponent : exponent - 1;
}

float oracle_quantize(const plait_indexer_plan_desc *d, const uint16_t *row, uint8_t *values,
                      uint8_t *scale) {
  const int dim = d->head_dim, group = is_fp8(d) ? dim : 32;
  float fp8_scale = 0;
  for (int g = 0; g < dim / group; g++) {
    double most = 0;
    for (int i = g * group; i < (g + 1) * group; i++)
      most = fmax(most, fabs((double)bf16_float(row[i])));
    if (is_fp8(d)) {
      const double step =
          ldexp(1, ceil_log2(fmax(most, (double)1e-4f) / (d->format == FNUZ ? 224 : 448)));
      for (int i = 0; i < dim; i++)
        values[i] = fp8_nearest((double)bf16_float(row[i]) / step, d->format);
      fp8_scale = (float)step;
      memcpy(scale, &fp8_scale, 4);
    } else {
      int exponent = ceil_log2(fmax(most, 6 * 0x1p-126) / 6);
      if (exponent < -127) exponent = -127;
      if (exponent > 127) exponent = 127;
      for (int i = g * 32; i < (g + 1) * 32; i += 2) {
        const double even = (double)bf16_float(row[i]), odd = (double)bf16_float(row[i + 1]);
        values[i / 2] = (uint8_t)(e2m1_nearest(ldexp(even, -exponent)) |
                                  e2m1_nearest(ldexp(odd, -exponent)) << 4);
      }
      scale[g] = (uint8_t)(exponent + 127);
    }
  }
  return fp8_scale;
}

void random_quantized(const plait_indexer_plan_desc *d, int64_t rows, uint8_t *values,
                      uint8_t *scales, random_state *r) {
  const int64_t v = value_bytes(d), s = scale_bytes(d);
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t b = 0; b < v; b++) {
      uint8_t byte = (uint8_t)random_bits(r);
      // fp8: magnitudes of a quantised normal row, no NaN, no -0.
      if (is_fp8(d)) byte = (uint8_t)((byte & 0x80) | (0x28 + random_below(r, 0x48)));
      values[i * v + b] = byte;
    }
    if (is_fp8(d)) {
      // Case 65: no two tokens share a scale.
      const float scale = (float)(0.002 * (1 + random_uniform(r) * 20));
      memcpy(scales + i * s, &scale, 4);
    } else {
      for (int64_t g = 0; g < s; g++) scales[i * s + g] = (uint8_t)(120 + random_below(r, 8));
    }
  }
}

void fill_queries(call *c, const plait_indexer_plan_desc *d, int64_t rows, random_state *r) {
  const int64_t v = value_bytes(d), s = scale_bytes(d);
  uint8_t *values = call_tensor(c, "q_values", rows, d->heads * v, 1, 0);
  uint8_t *unused = malloc((size_t)(rows * d->heads * s) + 1), *scales = unused;
  if (!is_fp8(d)) scales = call_tensor(c, "q_scale", rows, d->heads * s, 1, 0);
  random_quantized(d, rows * d->heads, values, scales, r);
  free(unused);
  float *weights = call_tensor(c, "weights", rows, d->heads, 4, 0);
  for (int64_t i = 0; i < rows * d->heads; i++) weights[i] = (float)(0.1 * random_normal(r));
}

void fill_ragged(const indexer_row *row, call *c, const plait_indexer_plan_desc *d, int64_t rows,
                 random_state *r) {
  const int64_t v = value_bytes(d), s = scale_bytes(d), keys = row->keys;
  call_set64(c, "keys", keys);
  uint8_t *values = call_tensor(c, "k_values", keys, v, 1, 0);
  uint8_t *scales = call_tensor(c, "k_scale", keys, is_fp8(d) ? 1 : s, is_fp8(d) ? 4 : 1, 0);
  random_quantized(d, keys, values, scales, r);
  int32_t *start = call_tensor(c, "row_start", rows, 1, 4, 0);
  int32_t *end = call_tensor(c, "row_end", rows, 1, 4, 0);
  for (int64_t i = 0; i < rows; i++) {
    if (row->options & INDEXER_EMPTY) {
      start[i] = end[i] = (int32_t)(i % (keys + 1));
    } else if (row->options & INDEXER_PACKED) {
      static const int32_t starts[] = {0, 1000, 5000};
      start[i] = starts[i % 3];
      end[i] = start[i] + (int32_t)(i / 3 * 100 + 1);
    } else if (i % 5 == 4) {
      start[i] = 0;
      end[i] = (int32_t)keys + 100;  // clamped
    } else {
      start[i] = (int32_t)random_below(r, keys);
      end[i] = start[i] + (int32_t)random_below(r, keys - start[i] + 1);
    }
  }
}

void fill_paged(const indexer_row *row, call *c, const plait_indexer_plan_desc *d, int64_t requests,
                random_state *r) {
  const int64_t p = d->page_entries, v = value_bytes(d), s = scale_bytes(d);
  const int64_t needed = (row->keys + p - 1) / p, n = d->next_n;
  const int64_t table_columns =
      row->options & INDEXER_BAD_PAGES && needed > 1 ? needed - 1 : needed;
  const int64_t pages = needed + 3, stride = page_stride(d);
  // The last page may lack the stride's tail.
  const int64_t bytes = (pages - 1) * stride + (page_bytes(d) + 3) / 4 * 4;
  call_set64(c, "columns", row->keys);
  uint8_t *cache = call_tensor(c, "cache", 1, bytes, 1, 0);
  call_find(c, "cache")->align = d->layout == TILED ? 16 : 4;
  memset(cache, 0x7F, (size_t)bytes);  // NaN wherever no key lies
  uint8_t *values = malloc((size_t)v), *scale = malloc((size_t)s);
  for (int64_t page = 0; page < pages; page++)
    for (int64_t e = 0; e < p; e++) {
      random_quantized(d, 1, values, scale, r);
      uint8_t *at = cache + page * stride;
      for (int64_t b = 0; b < v; b++) at[value_offset(d, e, b)] = values[b];
      memcpy(at + scale_offset(d, e), scale, (size_t)s);
    }
  free(values);
  free(scale);
  call_set64(c, "block_table_columns", table_columns);
  int32_t *table = call_tensor(c, "block_table", requests, table_columns, 4, 0);
  for (int64_t i = 0; i < requests * table_columns; i++) {
    table[i] = (int32_t)random_below(r, pages);
    if (row->options & INDEXER_BAD_PAGES) {
      // Case 51.
      if (i % 7 == 2) table[i] = (int32_t)pages;
      if (i % 7 == 4) table[i] = -1;
      if (i % 11 == 5) table[i] = INT32_MAX;
      if (i % 11 == 7) table[i] = INT32_MIN;
    }
  }
  const int per_request = (row->options & INDEXER_PER_REQUEST) != 0;
  int32_t *lengths = call_tensor(c, "lengths", per_request ? requests : requests * n, 1, 4, 0);
  for (int64_t i = 0; i < (per_request ? requests : requests * n); i++) {
    lengths[i] = (int32_t)random_below(r, row->keys + 1);
    if (i % 6 == 3) lengths[i] = (int32_t)row->keys;
    if (i % 6 == 5) lengths[i] = per_request ? 2 : -3;  // case 31: 2 keys, N 4; clamped to 0
    if (i % 13 == 9) lengths[i] = (int32_t)row->keys + 1000;
    if (row->options & INDEXER_EMPTY) lengths[i] = 0;
  }
}

int64_t paged_length(const call *c, const plait_indexer_plan_desc *d, int per_request,
                     int64_t columns, int64_t row) {
  const int64_t n = d->next_n;
  int64_t length = per_request ? *(int32_t *)call_row(c, "lengths", row / n) - n + row % n + 1
                               : *(int32_t *)call_row(c, "lengths", row);
  if (length < 0) length = 0;
  return length > columns ? columns : length;
}

static void decode(const plait_indexer_plan_desc *d, const uint8_t *values, const uint8_t *scale,
                   double *out) {
  for (int i = 0; i < d->head_dim; i++)
    out[i] = is_fp8(d) ? fp8_value(values[i], d->format)
                       : e2m1_value((uint8_t)(values[i / 2] >> (i % 2 * 4) & 15)) *
                             ue8m0_value(scale[i / 32]);
}

double oracle_logit(const plait_indexer_plan_desc *d, const call *c, int64_t row,
                    const uint8_t *values, const uint8_t *scale, logit_size *size) {
  const int64_t v = value_bytes(d), s = scale_bytes(d);
  const uint8_t *q = call_row(c, "q_values", row);
  const uint8_t *q_scale = is_fp8(d) ? NULL : call_row(c, "q_scale", row);
  const float *weights = call_row(c, "weights", row);
  double key[PLAIT_INDEXER_MAX_HEAD_DIM], query[PLAIT_INDEXER_MAX_HEAD_DIM], sum = 0;
  *size = (logit_size){0, 0};
  decode(d, values, scale, key);
  for (int64_t h = 0; h < d->heads; h++) {
    double dot = 0, absolute = 0, largest = 0, steps = 0;
    decode(d, q + h * v, is_fp8(d) ? NULL : q_scale + h * s, query);
    for (int i = 0; i < d->head_dim; i++) {
      if (i % 32 == 0) largest = fabs(dot);
      dot += query[i] * key[i];
      absolute += fabs(query[i] * key[i]);
      largest = fmax(largest, fabs(query[i] * key[i]));
      if (i % 32 == 31 || i == d->head_dim - 1) steps += largest;
    }
    sum += (double)weights[h] * fmax(dot, 0);
    size->all += fabs((double)weights[h]) * absolute;
    size->steps += fabs((double)weights[h]) * steps;
  }
  float factor = 1;
  if (is_fp8(d)) memcpy(&factor, scale, 4);
  size->all *= fabs((double)factor);
  size->steps *= fabs((double)factor);
  return sum * (double)factor;
}

double logit_tolerance(const logit_size *size, const char *label) {
  const double cut = strstr(label, "[wgmma]") ? WGMMA_UNITS * 0x1p-13 : 0;
  return 1e-6 * size->all + cut * size->steps;
}

const uint8_t *paged_key(const call *c, const plait_indexer_plan_desc *d, int64_t request,
                         int64_t key, int64_t *entry) {
  const int64_t p = d->page_entries, stride = page_stride(d);
  const int64_t bytes = (int64_t)call_const(c, "cache")->bytes;
  const int64_t pages = bytes < page_bytes(d) ? 0 : (bytes - page_bytes(d)) / stride + 1;
  *entry = key % p;
  if (key / p >= call_get64(c, "block_table_columns")) return NULL;
  const int64_t page = ((int32_t *)call_row(c, "block_table", request))[key / p];
  if (page < 0 || page >= pages) return NULL;
  return call_const(c, "cache")->host + page * stride;
}
