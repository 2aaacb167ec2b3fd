#!/bin/sh
# SPDX-License-Identifier: MIT
# Each public header alone, in four languages. headers.sh C_COMPILER CXX_COMPILER
set -u
cc=$1
cxx=$2
here=$(dirname "$0")
include=$here/../../include
. "$here/../common/tap.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags="-fsyntax-only -pedantic -Wall -Wextra -Wshadow -Wundef -Wconversion -Werror"

for header in "$include"/plait/*.h; do
  name=$(basename "$header")
  printf '#include <plait/%s>\n#include <plait/%s>\nint plait_test_unit;\n' "$name" "$name" >"$scratch/unit.c"
  cp "$scratch/unit.c" "$scratch/unit.cpp"
  for standard in c99 c11; do
    check "$name in $standard" $cc -std=$standard $flags -I"$include" "$scratch/unit.c"
  done
  for standard in c++11 c++20; do
    check "$name in $standard" $cxx -std=$standard $flags -I"$include" "$scratch/unit.cpp"
  done
done
finish
