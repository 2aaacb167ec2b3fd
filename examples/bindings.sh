# SPDX-License-Identifier: MIT
# Sourced by bindings/run.sh: builds and runs the programs of each language and holds the checksums
# that they print against those of the C programs.

echo "== examples"
# same NAME COMMAND…: the command gives the checksums of the C program NAME.
same() {
  local name=$1
  shift
  "$@" "$root/tests/vectors" >"$out/got" || { cat "$out/got"; return 1; }
  grep '^checksum ' "$out/got" >"$out/got.sums" && diff "$out/$name.sums" "$out/got.sums"
}
c_program() {
  local program=$build/examples/$1
  if [ ! -x "$program" ]; then
    program=$out/c_$1
    cc -std=c11 -O2 -ffp-contract=off -Iinclude "examples/c/$1.c" examples/c/common.c \
      -o "$program" "$PLAIT_LIBRARY" -lm || return 1
  fi
  "$program" --backend cpu "$root/tests/vectors" >"$out/c" || { cat "$out/c"; return 1; }
  grep '^checksum ' "$out/c" >"$out/$1.sums"
}
for program in decoder_layer indexer_decode; do
  one "C       $program" c_program $program
done

for program in decoder_layer indexer_decode; do
  one "Python  $program" same $program "$python" examples/python/$program.py
done
if command -v cargo >/dev/null; then
  one "Rust    build" cargo build --offline --release --manifest-path examples/rust/Cargo.toml
  for program in decoder_layer indexer_decode; do
    one "Rust    $program" same $program "$CARGO_TARGET_DIR/release/$program"
  done
fi
if [ -n "${go:-}" ]; then
  for program in decoder_layer indexer_decode; do
    one "Go      $program (build)" env -C examples/go go build -o "$out/go_$program" ./$program
    one "Go      $program" same $program "$out/go_$program"
  done
fi
one "Python  serving_plugin" "$python" examples/python/serving_plugin.py
# torch is no Debian package that is new enough: name a Python that has it.
torch_python=${PLAIT_TORCH_PYTHON:-python3}
if "$torch_python" -c 'import torch.library as l; l.custom_op' 2>/dev/null; then
  one "Python  torch_block" "$torch_python" examples/python/torch_block.py
else
  skip "Python  torch_block" "no torch >= 2.4 (PLAIT_TORCH_PYTHON names a Python that has it)"
fi
