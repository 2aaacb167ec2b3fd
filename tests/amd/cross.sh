#!/bin/bash
# SPDX-License-Identifier: MIT
# libplait-hip.so for every architecture that is tested, with the newer clang and ROCm's headers below PREFIX.
#
#   tests/amd/cross.sh BUILD PREFIX      builds BUILD/cross/src/gpu/libplait-hip.so
#
# There is no HIP runtime to link with: an empty library stands in for it, and its symbols stay undefined.
set -eu
cd "$(dirname "$0")/../.."
build=$1 usr=$2/usr
mkdir -p "$build/stub"
build=$(cd "$build" && pwd)
bitcode=$(dirname "$(find "$usr" -name ocml.bc -print -quit)")
[ -f "$build/stub/libamdhip64.so" ] ||
  echo 'typedef int nothing;' | cc -shared -fPIC -x c - -Wl,-soname,libamdhip64.so.7 -o "$build/stub/libamdhip64.so"
[ -f "$build/cross/build.ninja" ] ||
  meson setup "$build/cross" -Dwerror=true -Dhip=enabled -Dhip_compiler=/usr/lib/llvm-22/bin/clang++ \
    -Damd_archs=gfx90a,gfx942,gfx950,gfx1100,gfx1201 \
    "-Dhip_args=--rocm-path=$usr,-isystem,$usr/include,--rocm-device-lib-path=$bitcode,-Werror" \
    "-Dhip_host_args=-isystem$usr/include" "-Dhip_link_args=['-L$build/stub','-Wl,-z,undefs']" \
    -Dtests=false -Dtool=false -Dexamples=false -Ddocs=disabled
ninja -C "$build/cross" -j "${JOBS:-2}" src/gpu/libplait-hip.so
