// SPDX-License-Identifier: MIT
// Runs the fuzz target over every file of a folder, with any compiler.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  int count = 0;
  DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
  if (!folder) {
    fprintf(stderr, "usage: replay FOLDER\n");
    return 2;
  }
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    static uint8_t data[65536];
    char path[4096];
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
    FILE *file = fopen(path, "rb");
    if (!file) return 2;
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    // An exact copy, so that a read past the end is seen.
    uint8_t *exact = malloc(size + 1);
    for (size_t i = 0; i < size; i++) exact[i] = data[i];
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    count++;
  }
  closedir(folder);
  printf("replayed %d inputs\n", count);
  return count > 0 ? 0 : 1;
}
