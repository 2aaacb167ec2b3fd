#!/bin/bash
# SPDX-License-Identifier: MIT
# The whole HIP backend on emulated AMD GPUs: `plait audit` over cases.txt through libplait.so, libplait-hip.so and a
# stub HIP runtime, on each architecture as it is, with the waves of a block in reverse order, and with local memory
# filled. Evidence that the compiled code computes the right values; not of time, nor of memory ordering. Then the
# kernels that each architecture ran, and which it never launched.
#
#   tests/emu/run.sh [ARCHITECTURE…]
#
#   PLAIT_EMU=FOLDER       the emulator layer (hipemu.py, hipshim.cpp) over tinygrad's instruction emulator
#   TINYGRAD=FOLDER        a checkout of tinygrad
#   PLAIT_ROCM=PREFIX      what .ci/rocm-cross.sh unpacked; default /opt/rocm-cross
#   PLAIT_AMD_BUILD=FOLDER where to build; default build/amd, which tests/amd/run.sh uses too
#   CASES=FILE             problems; default tests/emu/cases.txt
#   MODES="plain reversed filled"; JOBS=N at once, default 1
# The last line is "N passed, N failed, N skipped".
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${PLAIT_AMD_BUILD:-build/amd}
prefix=${PLAIT_ROCM:-/opt/rocm-cross}
modes=${MODES:-plain reversed filled}
jobs=${JOBS:-1}
cases=${CASES:-tests/emu/cases.txt}

skip() {
  echo "skipped: $*"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}
die() {
  echo "$*"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
}
[ -f "${PLAIT_EMU:-}/hipemu.py" ] || skip "PLAIT_EMU names no emulator of AMD code objects"
[ -d "${TINYGRAD:-}/test/mockgpu/amd" ] || skip "TINYGRAD names no checkout with an AMD emulator"
/usr/bin/python3 -c 'import numpy, msgpack' 2>/dev/null || skip "no python3-numpy and python3-msgpack"
[ -f "$prefix/usr/include/hip/hip_runtime.h" ] || skip "no ROCm headers in $prefix"

mkdir -p "$build/emu"
build=$(cd "$build" && pwd)
tests/amd/cross.sh "$build" "$prefix" >"$build/emu/build.log" 2>&1 ||
  { tail -n 30 "$build/emu/build.log" && die "the cross build failed"; }
ninja -C "$build/cross" src/libplait.so.1 >>"$build/emu/build.log" 2>&1 ||
  { tail -n 30 "$build/emu/build.log" && die "the core failed to build"; }

wrap=
command -v ccache >/dev/null && wrap=ccache
g++ -std=c++17 -O1 -shared -fPIC -D__HIP_PLATFORM_AMD__ "-DHIPSHIM_BASE=\"$PLAIT_EMU/hipshim.cpp\"" \
  -isystem "$prefix/usr/include" tests/emu/runtime.cpp -Wl,-soname,libamdhip64.so.7 \
  -o "$build/emu/libamdhip64.so.7" || die "the stub runtime failed to build"
for source in src/cli/*.cpp; do
  $wrap g++ -std=c++17 -O1 -fPIC -Dmain=plait_emu_main -Iinclude -I. -c "$source" \
    -o "$build/emu/$(basename "$source" .cpp).o" || die "$source failed to build"
done
g++ -shared -o "$build/emu/libplaittool.so" "$build"/emu/*.o "$build/cross/src/libplait.so.1" -lpthread ||
  die "the command failed to link"

export PLAIT_EMU TINYGRAD PLAIT_THREADS=1
export PLAIT_EMU_RUNTIME=$build/emu/libamdhip64.so.7 PLAIT_EMU_TOOL=$build/emu/libplaittool.so
export PLAIT_BACKEND_DIR=$build/cross/src/gpu LD_LIBRARY_PATH=$build/cross/src

# The emulator's corrections are tested where they act.
bitcode=$(dirname "$(find "$prefix/usr" -name ocml.bc -print -quit)")
corrections() {
  case $1 in gfx1*) return 0 ;; esac
  /usr/lib/llvm-22/bin/clang++ -x hip --offload-arch="$1" "--rocm-path=$prefix/usr" -isystem "$prefix/usr/include" \
    "--rocm-device-lib-path=$bitcode" -std=c++17 -O3 --cuda-device-only --no-gpu-bundle-output -w \
    tests/emu/wide_halves.hip -o "$build/emu/wide_halves.$1.co" &&
    /usr/bin/python3 tests/emu/wide_halves.py "$build/emu/wide_halves.$1.co"
} >"$build/emu/corrections.$1" 2>&1

one() {
  local arch=$1 log=$build/emu/$1.log mode words=
  for mode in $modes; do words="$words --mode $mode"; done
  if ! corrections "$arch"; then
    cat "$build/emu/corrections.$arch" >"$log"
    echo "FAILED  a correction of the emulator" >>"$log"
    echo "0 passed, 1 failed, 0 skipped" >>"$log"
    return
  fi
  # shellcheck disable=SC2086
  tests/emu/audit.py "$arch" --cases "$cases" --kernels "$build/emu/$arch.kernels" $words >"$log" 2>"$log.err"
  if ! tail -n 1 "$log" | grep -qE '^[0-9]+ passed, '; then
    echo "FAILED  the run ended early: $(tail -n 1 "$log.err")" >>"$log"
    echo "$(grep -c '^ok' "$log") passed, $(grep -c '^FAILED' "$log") failed, $(grep -c '^skipped' "$log") skipped" >>"$log"
  fi
}

targets=${*:-gfx90a gfx942 gfx950 gfx1100 gfx1201}
for arch in $targets; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  one "$arch" &
done
wait
passed=0 failed=0 skipped=0
for arch in $targets; do
  log=$build/emu/$arch.log
  read -r p f s <<<"$(tail -n 1 "$log" | tr -c '0-9\n' ' ')"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  grep -E '^(plain|reversed|filled): ' "$log" | sed "s/^/$arch /"
  grep '^FAILED' "$log"
  tests/emu/coverage.py "$build/cross/src/gpu/libplait-hip.so" "$arch" "$build/emu/$arch.kernels"
done
grep -h '^skipped' "$build"/emu/*.log | sed 's/ \[.*\][^:]*:/:/' | sort | uniq -c
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
