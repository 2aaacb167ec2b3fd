#!/bin/bash
# SPDX-License-Identifier: MIT
# AMD without an AMD card: the HIP backend with the distribution's hipcc, the same with a newer clang for five
# architectures, and registers, local memory and spills of every kernel held to resources.txt.
#
#   tests/amd/run.sh
#
#   PLAIT_ROCM=PREFIX      where .ci/rocm-cross.sh unpacks; default /opt/rocm-cross
#   PLAIT_AMD_BUILD=FOLDER where to build; default build/amd
#   JOBS=N                 compile jobs, default 2
# The last line is "N passed, N failed, N skipped".
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${PLAIT_AMD_BUILD:-build/amd}
prefix=${PLAIT_ROCM:-/opt/rocm-cross}
export JOBS=${JOBS:-2}
mkdir -p "$build"
passed=0 failed=0 skipped=0

# step NAME COMMAND…: exit status 77 is a skip; the last line of the output is the reason.
step() {
  local name=$1 log=$build/$1.log start=$SECONDS status
  shift
  "$@" >"$log" 2>&1
  status=$?
  case $status in
    0) passed=$((passed + 1)) && printf '%-10s ok      %4d s  %s\n' "$name" $((SECONDS - start)) "$(tail -n 1 "$log")" ;;
    77) skipped=$((skipped + 1)) && printf '%-10s skipped %4d s  %s\n' "$name" $((SECONDS - start)) "$(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)) && printf '%-10s FAILED  %4d s\n' "$name" $((SECONDS - start)) && tail -n 40 "$log" ;;
  esac
  return $status
}

stock() {
  command -v hipcc >/dev/null || { echo "no hipcc" && return 77; }
  [ -f "$build/stock/build.ninja" ] ||
    meson setup "$build/stock" -Dwerror=true -Dhip=enabled -Damd_archs=gfx90a,gfx1030 -Dtests=false -Dtool=false \
      -Dexamples=false -Ddocs=disabled || return 1
  ninja -C "$build/stock" -j "$JOBS" src/gpu/libplait-hip.so
}
# Elsewhere than on Debian 12, what a user has put there will do.
packages() {
  .ci/rocm-cross.sh "$prefix"
  local status=$?
  [ $status = 78 ] || return $status
  [ -f "$prefix/usr/include/hip/hip_runtime.h" ] && echo "using $prefix" && return 0
  echo "no Debian 12, and no ROCm headers in $prefix" && return 77
}
cross() { tests/amd/cross.sh "$build" "$prefix"; }
# The test of the test: against a baseline that is one lower it must fail.
resources() {
  local library=$build/cross/src/gpu/libplait-hip.so
  if tests/amd/resources.py "$library" --lower >/dev/null; then
    echo "resources.py passes whatever the figures are" && return 1
  fi
  tests/amd/resources.py "$library"
}
needs() { echo "needs the step $1" && return 77; }

# First, for it installs hipcc too. 77: the newer clang or headers can't be had.
step packages packages
ready=$?
step stock stock
if [ $ready = 0 ] && step cross cross; then
  step resources resources
else
  [ $ready = 0 ] || step cross needs packages
  step resources needs cross
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
