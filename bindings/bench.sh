#!/bin/bash
# SPDX-License-Identifier: MIT
# What a call costs in each binding: T = 0 on the CPU backend, which checks the arguments and touches
# nothing. The best of several repeats each. usage: bindings/bench.sh [BUILD]
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
export PLAIT_LIBRARY=$(ls "$build"/src/libplait.so.? | head -1)
. bindings/toolchains.sh
export LD_LIBRARY_PATH=$build/src PKG_CONFIG_PATH=$build/meson-uninstalled
export CARGO_TARGET_DIR=$build/bindings/rust GOCACHE=$build/bindings/go GOFLAGS=-mod=mod GOTOOLCHAIN=local
python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || python=python3

cargo build -q --offline --release --manifest-path bindings/rust/Cargo.toml --example overhead
PATH=$(find_go):$PATH
(cd bindings/go && go test -c -o "$build/bindings/go.test" .)

echo "Python ($("$python" --version 2>&1))"
"$python" bindings/python/bench_overhead.py
echo "Rust ($(rustc --version))"
"$CARGO_TARGET_DIR/release/examples/overhead"
echo "Go ($(go version | cut -d' ' -f3))"
(cd bindings/go && "$build/bindings/go.test" -test.run '^$' -test.bench . -test.count 7) |
  awk '/^Benchmark/ { if (!($1 in least) || $3 < least[$1]) least[$1] = $3; order[$1] = 1 }
       END { for (name in least) printf "%-28s %8.1f ns\n", name, least[name] }' | sort
