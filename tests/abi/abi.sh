#!/bin/sh
# SPDX-License-Identifier: MIT
# What the shared object shows to the outside. abi.sh LIBRARY LAYOUT_PROGRAM SANITIZED
set -u
library=$1
layout=$2
sanitized=$3
here=$(dirname "$0")
# shellcheck source=../common/tap.sh
. "$here/../common/tap.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

exported() {
  nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | LC_ALL=C sort
}

declared() {
  cat "$here"/../../include/plait/*.h | tr '\n' ' ' | grep -o 'PLAIT_API [^(;]*(' |
    grep -o 'plait_[a-z0-9_]*($' | tr -d '(' | LC_ALL=C sort
}

symbols() {
  exported >"$scratch/exported"
  diff -u "$here/symbols.txt" "$scratch/exported"
}

declarations() {
  declared >"$scratch/declared"
  diff -u "$here/symbols.txt" "$scratch/declared"
}

layout_matches() {
  "$layout" >"$scratch/layout" && diff -u "$here/layout.txt" "$scratch/layout"
}

# Every enumerator and every struct of the headers is in layout.txt.
layout_complete() {
  missing=0
  for name in $(sed 's,/\*.*\*/,,' "$here"/../../include/plait/*.h |
    grep -oE '^ *PLAIT_[A-Z0-9_]+ = |^} plait_[a-z0-9_]+;' | grep -oE '[A-Za-z][A-Za-z0-9_]+'); do
    grep -q "^$name " "$here/layout.txt" || {
      echo "$name is not in layout.txt (and layout.c)"
      missing=1
    }
  done
  return $missing
}

# The one entry is frame_dummy of the C runtime's own start code.
no_initialisers() {
  size=$(readelf -SW "$library" | awk '/\.init_array/ { print $0 }' |
    sed 's/.*INIT_ARRAY *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\).*/\1/')
  size=$((0x${size:-0}))
  [ "$size" -le 8 ] || {
    echo ".init_array has $size bytes: static initialisers"
    return 1
  }
}

needed() {
  bad=$(readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -vE '^(libhwy\.so\.1|libpthreadpool\.so\.0|libstdc\+\+\.so\.6|libgcc_s\.so\.1|libm\.so\.6|libc\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux.*)$')
  [ -z "$bad" ] || {
    echo "unexpected: $bad"
    return 1
  }
}

soname() { readelf -dW "$library" | grep -q 'SONAME.*\[libplait\.so\.1\]'; }
no_runpath() { ! readelf -dW "$library" | grep -E 'RPATH|RUNPATH|TEXTREL'; }

# Nothing that prints to stdout, ends the process, throws, or changes the environment.
no_forbidden() {
  ! nm -D --undefined-only "$library" | awk '{ print $2 }' | sed 's/@.*//' |
    grep -xE 'printf|vprintf|puts|putchar|stdout|perror|abort|exit|_exit|_Exit|quick_exit|__assert_fail|raise|kill|setenv|putenv|unsetenv|system|fork|execve|__cxa_throw|_ZSt9terminatev|_ZSt17__throw_bad_allocv|_ZNSt6thread.*|_ZSt4cout|_ZSt4cerr|localtime|setlocale|srand|rand'
}

check "exported symbols are those of symbols.txt" symbols
check "the headers declare the same" declarations
check "layout.txt: sizes, offsets, values" layout_matches
check "layout.txt lacks nothing of the headers" layout_complete
check "SONAME is libplait.so.1" soname
check "no RPATH, RUNPATH, TEXTREL" no_runpath
if [ "$sanitized" = 1 ]; then
  skip_check "no static initialisers" "sanitizers bring their own"
  skip_check "NEEDED is on the list" "sanitizers bring their own"
  skip_check "no exit, abort, stdout, throw, setenv" "sanitizers bring their own"
else
  check "no static initialisers" no_initialisers
  check "NEEDED is on the list" needed
  check "no exit, abort, stdout, throw, setenv" no_forbidden
fi
finish
