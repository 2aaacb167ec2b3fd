#!/bin/bash
# SPDX-License-Identifier: MIT
# Sourced by run.sh: finds Rust, Go >= 1.21 and Python with numpy and pytest, and installs what is
# missing from Debian's packages. Go of Debian 12 is older and comes from its backports; they are added
# from wherever this machine takes Debian from.

have_debian() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# Is $1 at least version $2?
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -1)" = "$2" ]; }

go_version() { "$1" version 2>/dev/null | sed -n 's/^go version go\([0-9.]*\).*/\1/p'; }

# The folder of a Go that is new enough.
find_go() {
  local go
  for go in "$(command -v go)" /usr/lib/go-*/bin/go /usr/local/go/bin/go; do
    [ -x "$go" ] && at_least "$(go_version "$go")" 1.21 && dirname "$go" && return
  done
  return 1
}

candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p' | grep -v none; }

# The backports of this release, from where the release itself comes from.
add_backports() {
  local suite uri keys=/usr/share/keyrings/debian-archive-keyring.gpg
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  uri=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk -v suite="$suite" '$1 == suite { print $2; exit }')
  [ -n "$uri" ] || return 1
  {
    printf 'Types: deb\nURIs: %s\nSuites: %s-backports\nComponents: main\n' "$uri" "$suite"
    [ ! -e "$keys" ] || printf 'Signed-By: %s\n' "$keys"
  } | as_root tee /etc/apt/sources.list.d/plait-backports.sources >/dev/null
  as_root apt-get update -qq
}

install_toolchains() {
  local tools
  tools=$(dirname "${BASH_SOURCE[0]}")/../.ci/debian.sh
  have_debian || return 0
  "$tools" gcc libc6-dev pkg-config python3 python3-numpy python3-pytest
  { command -v cargo && command -v rustc; } >/dev/null || "$tools" cargo rustc
  if ! find_go >/dev/null; then
    [ -n "$(candidate golang-1.21-go)" ] || as_root apt-get update -qq
    [ -n "$(candidate golang-1.21-go)" ] || add_backports || true
    "$tools" golang-1.21-go || true
  fi
}
