#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing (Debian), builds into build/, and runs the C examples on the golden
# vectors. Arguments go to both programs: --backend cpu|hip|cuda.
set -eu
cd "$(dirname "$0")/.."
if command -v dpkg-query >/dev/null; then
  ./.ci/debian.sh g++ gcc libc6-dev meson ninja-build pkg-config libhwy-dev libpthreadpool-dev
fi
[ -f build/build.ninja ] || meson setup build -Dtests=false -Ddocs=disabled
meson compile -C build
status=0
for program in decoder_layer indexer_decode; do
  printf '\n== %s\n' "$program"
  "./build/examples/$program" "$@" tests/vectors || status=1
done
exit $status
