#!/bin/bash
# SPDX-License-Identifier: MIT
# Everything: installs what is missing (Debian 12), builds with gcc and clang, runs all suites, the sanitizers, a short
# fuzz run, the format and documentation checks, the examples and the bindings. One line a step; the output of a step
# that fails is shown. The last line is "N passed, N failed, N skipped"; the exit status is 1 when anything failed.
#
#   tests/run.sh [STEP…]     only these steps (see `steps` below)
#   PLAIT_TEST_BUILD=FOLDER  where to build; default build/test
#   JOBS=N                   compile and test jobs; default: all processors
set -u
cd "$(dirname "$0")/.." || exit 1
build=${PLAIT_TEST_BUILD:-build/test}
jobs=${JOBS:-$(nproc)}
logs=$build/logs
mkdir -p "$logs"
build=$(cd "$build" && pwd)
logs=$build/logs
passed=0
failed=0
skipped=0
began=$SECONDS
wrap=
command -v ccache >/dev/null && wrap="ccache "
for variable in PLAIT_BACKEND PLAIT_BACKEND_DIR PLAIT_THREADS PLAIT_IMPLEMENTATION PLAIT_LOG; do unset $variable; done

# --- What a step may use ----------------------------------------------------------------------------------------------

# Ends a step as skipped, with the reason.
skip_step() {
  echo "$1" >"$logs/$step.skip"
  exit 77
}

# setup NAME CC CXX OPTION…: configures (once) and builds $build/NAME.
setup() {
  local name=$1 c=$2 cxx=$3
  shift 3
  if [ ! -f "$build/$name/build.ninja" ]; then
    CC="$wrap$c" CXX="$wrap$cxx" meson setup "$build/$name" . -Dwerror=true "$@" || return 1
  fi
  ninja -C "$build/$name" -j "$jobs"
}

# suites NAME OPTION…: runs the tests of a build; the step's cases are counted from the log.
suites() {
  local name=$1
  shift
  rm -f "$build/$name/meson-logs/testlog.json"
  meson test -C "$build/$name" --no-rebuild --num-processes "$jobs" "$@"
  local status=$?
  cp "$build/$name/meson-logs/testlog.json" "$logs/$step.json" 2>/dev/null
  return $status
}

# --- Steps ------------------------------------------------------------------------------------------------------------

step_packages() {
  command -v dpkg-query >/dev/null || skip_step "not a Debian system: packages are the caller's business"
  ./.ci/debian.sh gcc g++ clang libc6-dev meson ninja-build pkg-config libhwy-dev libpthreadpool-dev \
    libcmocka-dev doxygen graphviz cmake binutils clang-format libclang-rt-dev python3
}

step_build_gcc() { setup gcc gcc g++ -Ddocs=disabled; }
step_test_gcc() { suites gcc; }

step_build_clang() { setup clang clang clang++ -Ddocs=disabled; }
step_test_clang() { suites clang --suite unit --suite abi --suite consumer --suite vectors --suite fuzz; }

# Sanitizer builds take long: of Highway's targets they have the baseline and AVX2 (Highway's bits 7, 8, 11 and 12 are off).
# AddressSanitizer and UndefinedBehaviorSanitizer, and the fuzz target in the same build.
step_build_address() {
  setup address clang clang++ -Ddocs=disabled -Dexamples=false -Dtool=false -Dfuzz=true -Db_lundef=false \
    -Db_sanitize=address,undefined -Dbuildtype=debugoptimized -Doptimization=1 \
    -Dcpp_args=-DHWY_DISABLED_TARGETS=6528
}
step_test_address() {
  export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  suites address --suite unit --suite cases --suite vectors --suite fuzz
}
step_fuzz() {
  local corpus=$build/corpus
  mkdir -p "$corpus"
  cp tests/fuzz/corpus/* "$corpus/"
  export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1
  "$build/address/tests/fuzz/fuzz_target" -max_total_time=20 -timeout=20 -rss_limit_mb=2048 -max_len=128 \
    -len_control=0 -artifact_prefix="$logs/" "$corpus" || return 1
  tail -n 1 "$logs/fuzz.log"
}

# ThreadSanitizer, with the thread pool's order told to it (src/cpu/device.cpp): one plan from two threads, contexts from
# four, each with workers of its own.
step_build_thread() {
  setup thread gcc g++ -Ddocs=disabled -Dexamples=false -Dtool=false -Db_sanitize=thread \
    -Dbuildtype=debugoptimized -Doptimization=1 -Dcpp_args=-DHWY_DISABLED_TARGETS=6528
}
step_test_thread() {
  export PLAIT_THREADS=2 PLAIT_TEST_FILTER='case 57*' TSAN_OPTIONS=halt_on_error=1
  suites thread --suite cases
}

step_format() {
  git ls-files -- '*.c' '*.h' '*.cpp' '*.hip' '*.cu' >"$logs/format.list" 2>/dev/null ||
    find src include tests examples kernels -name '*.[ch]' -o -name '*.cpp' -o -name '*.hip' -o -name '*.cu' >"$logs/format.list"
  local tool=clang-format
  command -v clang-format-14 >/dev/null && tool=clang-format-14
  $tool --version | grep -q 'version 14' || skip_step "clang-format is not version 14"
  xargs $tool --dry-run -Werror <"$logs/format.list"
}

step_docs() {
  [ -f docs/meson.build ] || skip_step "no docs/meson.build"
  if [ ! -f "$build/docs/build.ninja" ]; then
    meson setup "$build/docs" . -Ddocs=enabled -Dtests=false -Dexamples=false -Dtool=false || return 1
  fi
  ninja -C "$build/docs" docs/html
}

step_examples() {
  [ -d examples ] || skip_step "no examples"
  for program in decoder_layer indexer_decode; do
    "$build/gcc/examples/$program" tests/vectors || return 1
  done
}

# Python, Rust and Go, as far as their tools are here.
step_bindings() {
  [ -x bindings/run.sh ] || skip_step "no bindings/run.sh"
  bindings/run.sh "$build/gcc"
}

# The GPU backends without a GPU. They take ten minutes more on two cores, and this script has fifteen: so only when
# asked for, as .ci/run does.
wants_gpu() {
  [ "${PLAIT_TEST_GPU_BUILDS:-0}" = 1 ] || skip_step "ten minutes more: PLAIT_TEST_GPU_BUILDS=1, or .ci/run"
}
# AMD: hipcc and a newer clang, six architectures, and the baseline of registers, local memory and spills.
step_amd() {
  wants_gpu
  PLAIT_AMD_BUILD="$build/amd" JOBS=$jobs tests/amd/run.sh
}
# NVIDIA: libplait-cuda.so, where there is a CUDA toolkit.
step_cuda() {
  wants_gpu
  command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || skip_step "no nvcc"
  if [ ! -f "$build/cuda/build.ninja" ]; then
    meson setup "$build/cuda" . -Dwerror=true -Dcuda=enabled -Dtests=false -Dtool=false -Dexamples=false \
      -Ddocs=disabled || return 1
  fi
  ninja -C "$build/cuda" -j "$jobs" src/gpu/libplait-cuda.so
}

# The HIP backend on emulated GPUs, where PLAIT_EMU and TINYGRAD name an emulator.
step_emu() {
  [ -n "${PLAIT_EMU:-}" ] || skip_step "PLAIT_EMU names no emulator of AMD code objects"
  PLAIT_AMD_BUILD="$build/amd" JOBS=$jobs tests/emu/run.sh
}

steps="packages format build_gcc test_gcc examples build_clang test_clang build_address test_address fuzz
build_thread test_thread docs bindings amd cuda emu"

# --- Running them -----------------------------------------------------------------------------------------------------

for step in ${*:-$steps}; do
  start=$SECONDS
  rm -f "$logs/$step.json" "$logs/$step.skip"
  (step_"$step") >"$logs/$step.log" 2>&1
  status=$?
  took=$((SECONDS - start))
  if [ $status = 77 ] && [ -f "$logs/$step.skip" ]; then
    skipped=$((skipped + 1))
    printf '%-14s skipped  %4d s  %s\n' "$step" $took "$(cat "$logs/$step.skip")"
  elif [ -f "$logs/$step.json" ]; then
    python3 tests/summary.py "$logs/$step.json" >"$logs/$step.summary"
    read -r p f s <<<"$(tail -n 1 "$logs/$step.summary")"
    [ $status != 0 ] && [ "$f" = 0 ] && f=1
    passed=$((passed + p))
    failed=$((failed + f))
    skipped=$((skipped + s))
    result=ok
    [ "$f" = 0 ] || result=FAILED
    printf '%-14s %-7s  %4d s  %d passed, %d failed, %d skipped\n' "$step" $result $took "$p" "$f" "$s"
    sed '$d' "$logs/$step.summary"
  elif counts=$(tail -n 1 "$logs/$step.log" | grep -E '^[0-9]+ passed, [0-9]+ failed'); then
    # A script that counts for itself.
    read -r p f s <<<"$(tr -c '0-9\n' ' ' <<<"$counts")"
    passed=$((passed + p))
    failed=$((failed + f))
    skipped=$((skipped + ${s:-0}))
    printf '%-14s %-7s  %4d s  %s\n' "$step" "$([ $status = 0 ] && echo ok || echo FAILED)" $took "$counts"
    if [ $status = 0 ]; then
      grep -E 'skipped|SKIP' "$logs/$step.log" | sed '$d' | sed 's/^ */    /'
    else
      [ "$f" != 0 ] || failed=$((failed + 1))
      tail -n 120 "$logs/$step.log" | sed 's/^/    /'
    fi
  elif [ $status = 0 ]; then
    passed=$((passed + 1))
    printf '%-14s ok       %4d s\n' "$step" $took
  else
    failed=$((failed + 1))
    printf '%-14s FAILED   %4d s  %s\n' "$step" $took "$logs/$step.log"
    tail -n 60 "$logs/$step.log" | sed 's/^/    /'
  fi
  # Nothing after these makes sense without them.
  case $step in packages | build_gcc) [ $status = 0 ] || [ $status = 77 ] || break ;; esac
done

echo "total $((SECONDS - began)) s; logs in $logs"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
