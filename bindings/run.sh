#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the bindings and their examples against a built library, and installs what that takes.
# usage: bindings/run.sh [BUILD]      BUILD: the meson build folder, default build
set -u
cd "$(dirname "$0")/.."
root=$PWD
build=$(realpath -m "${1:-build}")
export PLAIT_LIBRARY=${PLAIT_LIBRARY:-$(ls "$build"/src/libplait.so.? 2>/dev/null | head -1)}
[ -e "$PLAIT_LIBRARY" ] || { echo "no libplait.so in $build: build it first" >&2; exit 2; }
. bindings/toolchains.sh
install_toolchains

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export PLAIT_VECTORS=$root/tests/vectors PYTHONDONTWRITEBYTECODE=1
export LD_LIBRARY_PATH=$(dirname "$PLAIT_LIBRARY")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH=$build/meson-uninstalled${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
cache=${PLAIT_BINDINGS_CACHE:-$build/bindings}
export CARGO_TARGET_DIR=$cache/rust GOCACHE=$cache/go GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off
mkdir -p "$cache"
# Debian's Python, whose numpy and pytest were installed above, if there is one.
python=/usr/bin/python3
"$python" -c 'import numpy, pytest' 2>/dev/null || python=python3

passed=0 failed=0 skipped=0
# step NAME COMMAND…: runs it, keeps its output, prints the output only when it failed.
step() {
  local name=$1 start=$SECONDS
  shift
  if "$@" >"$out/log" 2>&1; then
    printf '%-44s ok    %3ds\n' "$name" $((SECONDS - start))
    return 0
  fi
  printf '%-44s FAILED %2ds\n' "$name" $((SECONDS - start))
  sed 's/^/    /' "$out/log" | tail -100
  return 1
}
one() { if step "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; }
skip() { printf '%-44s skipped: %s\n' "$1" "$2"; skipped=$((skipped + 1)); }
# Adds the counts that a runner printed; a runner that failed without a count is one failure.
count() {
  local ok=$1 p=$2 f=$3 s=$4
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  [ "$ok" = 0 ] || [ "$f" != 0 ] || failed=$((failed + 1))
  [ "$ok" != 0 ] || [ "$p" != 0 ] || failed=$((failed + 1)) # a suite that ran nothing
}
sum() { awk -v pattern="$1" '{ while (match($0, pattern)) { split(substr($0, RSTART, RLENGTH), w, " "); n += w[1]; $0 = substr($0, RSTART + RLENGTH) } } END { print n + 0 }' "$out/log"; }

echo "== declarations"
one "tables are what the generator writes" "$python" bindings/tools/generate.py --check
one "bindings agree with the headers" "$python" bindings/check/check.py
one "the check names what lags" "$python" bindings/check/test_check.py

echo "== Python ($("$python" --version 2>&1))"
step "pytest" "$python" -m pytest -q -rs -p no:cacheprovider bindings/python/tests
ok=$?
grep -E '^SKIPPED' "$out/log" | sed 's/^/    /'
count $ok "$(sum '[0-9]+ passed')" "$(sum '[0-9]+ (failed|error)')" "$(sum '[0-9]+ skipped')"

if command -v cargo >/dev/null; then
  echo "== Rust ($(rustc --version))"
  for features in "" plait/load; do
    (cd bindings/rust && step "cargo test ${features:+--features $features}" \
      cargo test --offline ${features:+--features $features})
    ok=$?
    count $ok "$(sum '[0-9]+ passed')" "$(sum '[0-9]+ failed')" "$(sum '[0-9]+ ignored')"
  done
else
  skip "Rust" "no cargo"
fi

if go=$(find_go); then
  PATH=$go:$PATH
  echo "== Go ($(go_version go))"
  one "gofmt" bash -c 'test -z "$(gofmt -l bindings/go examples/go)" || { gofmt -d bindings/go examples/go; false; }'
  (cd bindings/go && step "go vet" go vet ./...)
  count $? 1 0 0
  (cd bindings/go && step "go test -race" go test -count=1 -race -v ./...)
  ok=$?
  count $ok "$(grep -c '^--- PASS' "$out/log")" "$(grep -c '^--- FAIL' "$out/log")" \
    "$(grep -c '^--- SKIP' "$out/log")"
else
  skip "Go" "no Go of version 1.21 or later"
fi

. examples/bindings.sh

[ "$skipped" = 0 ] && echo "$passed passed, $failed failed" ||
  echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
