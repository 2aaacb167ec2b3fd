#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs into a scratch prefix and uses the result as a stranger would.
# consumer.sh BUILD_FOLDER C_COMPILER LINK_FLAGS
set -u
build=$1
cc=$2
extra=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common/tap.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags="-std=c99 -pedantic -Wall -Wextra -Werror $extra"
root=$scratch/root

install_it() { DESTDIR=$root meson install -C "$build" --no-rebuild; }
check "meson install" install_it
pc=$(find "$root" -name plait.pc | head -n 1)
prefix=$(sed -n 's/^prefix=//p' "$pc")
libdir=$(dirname "$(find "$root" -name 'libplait.so' | head -n 1)")
export PKG_CONFIG_PATH=$(dirname "$pc")
# The prefix as it lies in the scratch root.
pkg() { pkg-config --define-variable=prefix="$root$prefix" "$@"; }

files() {
  for file in include/plait/plait.h include/plait/mhc.h; do
    [ -f "$root$prefix/$file" ] || { echo "$file is missing"; return 1; }
  done
  [ -f "$libdir/libplait.a" ] && [ -f "$libdir/libplait.so.1" ]
}
check "headers, libplait.so.1, libplait.a and plait.pc are installed" files

shared() {
  $cc $flags $(pkg --cflags plait) "$here/consumer.c" -o "$scratch/shared" $(pkg --libs plait) -lm &&
    LD_LIBRARY_PATH=$libdir "$scratch/shared" && readelf -d "$scratch/shared" | grep -q 'libplait.so.1'
}
check "pkg-config, shared" shared

# Only the archive is left to find.
static() {
  mkdir -p "$scratch/static" && cp "$libdir/libplait.a" "$scratch/static/" &&
    $cc $flags $(pkg --cflags plait) "$here/consumer.c" -o "$scratch/with_archive" \
      $(pkg --define-variable=libdir="$scratch/static" --static --libs plait) -lm &&
    "$scratch/with_archive" && ! readelf -d "$scratch/with_archive" | grep 'libplait'
}
check "pkg-config --static" static

plain() {
  $cc $flags -I"$root$prefix/include" "$here/consumer.c" -o "$scratch/plain" \
    -L"$libdir" -lplait -Wl,-rpath,"$libdir" -lm && "$scratch/plain"
}
check "plain cc with -I and -L" plain

loaded() {
  $cc $flags -DCONSUMER_DLOPEN -I"$root$prefix/include" "$here/consumer.c" -o "$scratch/loaded" -ldl -lm &&
    "$scratch/loaded" "$libdir/libplait.so.1"
}
check "dlopen" loaded

with_cmake() {
  sed "s|^prefix=.*|prefix=$root$prefix|" "$pc" >"$scratch/plait.pc" &&
    PKG_CONFIG_PATH=$scratch CC=$cc CFLAGS=$extra cmake -G Ninja -S "$here" -B "$scratch/cmake" &&
    cmake --build "$scratch/cmake" && LD_LIBRARY_PATH=$libdir "$scratch/cmake/consumer"
}
if command -v cmake >/dev/null; then
  check "CMake through pkg-config" with_cmake
else
  skip_check "CMake through pkg-config" "no cmake here"
fi
finish
