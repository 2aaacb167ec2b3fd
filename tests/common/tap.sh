# SPDX-License-Identifier: MIT
# Sourced by test scripts: one line a check, an exit code at the end.
checks=0
failures=0
# check NAME COMMAND…: passes when the command does; its output is shown when it fails.
check() {
  name=$1
  shift
  checks=$((checks + 1))
  if output=$("$@" 2>&1); then
    echo "ok $checks - $name"
  else
    echo "not ok $checks - $name"
    printf '%s\n' "$output" | sed 's/^/    /' | head -60
    failures=$((failures + 1))
  fi
}
# skip_check NAME REASON
skip_check() {
  checks=$((checks + 1))
  echo "ok $checks - $1 # SKIP $2"
}
finish() {
  echo "1..$checks"
  exit "$((failures > 0))"
}
