// SPDX-License-Identifier: MIT
#include "npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// .npy: "\x93NUMPY", version, header length, then a Python dictionary as text:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
int npy_load(npy *array, const char *folder, const char *name) {
  char path[1024];
  unsigned char magic[12];
  char header[1024];
  memset(array, 0, sizeof *array);
  snprintf(path, sizeof path, "%s/%s.npy", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  int good = 0;
  size_t length = 0;
  if (fread(magic, 1, 10, file) != 10 || memcmp(magic, "\x93NUMPY", 6) != 0) goto done;
  length = (size_t)magic[8] | (size_t)magic[9] << 8;
  if (magic[6] != 1 || length >= sizeof header) goto done;
  if (fread(header, 1, length, file) != length) goto done;
  header[length] = 0;

  const char *type = strstr(header, "'descr':");
  const char *shape = strstr(header, "'shape':");
  if (!type || !shape || !strstr(header, "'fortran_order': False")) goto done;
  type = strpbrk(type + 8, "<|");
  shape = strchr(shape, '(');
  if (!type || !shape) goto done;
  snprintf(array->type, sizeof array->type, "%.2s", type + 1);
  array->element = (size_t)(array->type[1] - '0');
  array->count = 1;
  for (const char *at = shape + 1; array->dims < 4;) {
    char *end;
    const long long value = strtoll(at, &end, 10);
    if (end == at) break;
    array->dim[array->dims++] = value;
    array->count *= value;
    at = *end == ',' ? end + 1 : end;
  }
  const size_t bytes = (size_t)array->count * array->element;
  array->data = malloc(bytes ? bytes : 1);
  good = array->data && fread(array->data, 1, bytes, file) == bytes;
done:
  fclose(file);
  if (!good) npy_free(array);
  return good;
}

void npy_free(npy *array) {
  free(array->data);
  array->data = NULL;
}

// The text after "key": in case.json, cut to fit; "" when missing.
static void case_text(const char *folder, const char *key, char *text, size_t size) {
  char path[1024], quoted[80];
  static char json[65536];
  text[0] = 0;
  snprintf(path, sizeof path, "%s/case.json", folder);
  FILE *file = fopen(path, "rb");
  if (!file) return;
  const size_t length = fread(json, 1, sizeof json - 1, file);
  fclose(file);
  json[length] = 0;
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *at = strstr(json, quoted);
  if (at) snprintf(text, size, "%s", at + strlen(quoted));
}

double case_number(const char *folder, const char *key, double missing) {
  char text[64], *end;
  case_text(folder, key, text, sizeof text);
  const double value = strtod(text, &end);
  return end == text ? missing : value;
}

int case_has(const char *folder, const char *key, const char *text) {
  char found[64], quoted[64];
  case_text(folder, key, found, sizeof found);
  snprintf(quoted, sizeof quoted, "\"%s\"", text);
  return strstr(found, quoted) != NULL;
}
