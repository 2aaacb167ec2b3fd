#!/bin/bash
# Installs what the HIP kernels are built with on a Debian 12 machine that has no AMD driver:
#
#   1. the stock HIP of Debian 12 (hipcc 5.2.3, rocPRIM 5.3.3): what a user of plain Debian has;
#   2. clang, lld, clang-tools and llvm 22 of Debian 12;
#   3. ROCm 7 headers, rocPRIM, hipCUB and the device bitcode of Debian experimental, unpacked (not
#      installed) below a prefix, for gfx90a, gfx942, gfx950, gfx1100 and gfx1201;
#   4. numpy and msgpack of the system Python, which the emulator tests use.
#
#   .ci/rocm-cross.sh [PREFIX]        PREFIX defaults to /opt/rocm-cross; ROCm is then PREFIX/usr
#
# Does nothing when everything is there. The mirror is the one that the machine's own apt sources name.
# Exit codes: 0 all there; 77 the newer clang can't be installed, or experimental can't be reached or
# lacks the packages (1 is there; count the cross builds as skipped), or this user may not install;
# 78 not a Debian 12 machine; anything else is a failure.
set -euo pipefail

prefix=${1:-/opt/rocm-cross}
stock=(hipcc libamdhip64-dev librocprim-dev)
newer=(clang-22 lld-22 clang-tools-22 llvm-22 python3-numpy python3-msgpack)
cross=(libamdhip64-dev librocprim-dev libhipcub-dev rocm-device-libs-22)
major=7 # of ROCm: the experimental suite moves on, and another major version wants a look first

say() { echo "rocm-cross: $*"; }
skip() { say "SKIP: $*" && exit 77; }
die() { say "error: $*" >&2 && exit "${2:-1}"; }
sudo=
[ "$(id -u)" = 0 ] || ! command -v sudo >/dev/null || sudo=sudo
have() { dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }
apt() {
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=2 \
    -o Acquire::http::Timeout=30 "$@"
}

# True when the prefix holds a complete unpacked tree: the stamp is written last.
complete() {
  [ -s "$prefix/versions" ] && [ -f "$prefix/usr/include/hip/hip_runtime.h" ] &&
    [ -f "$prefix/usr/include/rocprim/rocprim.hpp" ] && [ -n "$(bitcode)" ]
}
bitcode() {
  if [ -d "$prefix/usr" ]; then find "$prefix/usr" -name ocml.bc -printf '%h\n' -quit; fi
}

# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "${ID:-}:${VERSION_CODENAME:-}")
[ "$codename" = debian:bookworm ] || die "needs Debian 12, this is ${codename}" 78

# 1, 2 and 4: packages of Debian 12 itself.
install() {
  local missing=()
  for p in "$@"; do have "$p" || missing+=("$p"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || skip "needs root to install: ${missing[*]}"
  say "installing ${missing[*]}"
  apt update && apt install -y --no-install-recommends "${missing[@]}" >/dev/null
}
install "${stock[@]}"
# clang 22 comes from Debian's security suite, which a machine may lack.
install "${newer[@]}" || skip "not to be had: ${newer[*]}"

# 3: the cross prefix.
if complete; then
  say "cross prefix $prefix: already there ($(tr '\n' ' ' <"$prefix/versions"))"
  exit 0
fi

# The mirror of the machine's main suite, whichever of apt's formats it is written in.
mirror() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' 'Origin: Debian' 'Codename: bookworm' 'Component: main' | head -n 1
}
uri=$(mirror)
if [ -z "$uri" ]; then
  apt update
  uri=$(mirror)
fi
[ -n "$uri" ] || die "no Debian 12 mirror among this machine's apt sources"

# A private apt: own sources, lists, cache and an empty package status, so that nothing of the machine's
# configuration changes and no unpacked package counts as installed.
tmp=$(mktemp -d)
trap '$sudo rm -rf "$tmp"' EXIT
chmod 755 "$tmp" # apt fetches as another user
mkdir -p "$tmp/lists/partial" "$tmp/cache/archives/partial" "$tmp/debs" "$tmp/root"
echo "deb $uri experimental main" >"$tmp/sources.list"
private=(-o Dir::Etc::SourceList="$tmp/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
  -o Dir::State::Lists="$tmp/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$tmp/cache"
  -o APT::Sandbox::User=root)

say "cross prefix $prefix: reading the experimental suite's package list"
apt "${private[@]}" -o APT::Update::Error-Mode=any update >"$tmp/log" 2>&1 ||
  skip "the experimental suite can't be reached: $(grep -m1 -E '^(E|W):' "$tmp/log" || tail -1 "$tmp/log")"

wanted=()
for p in "${cross[@]}"; do
  # The newest of the wanted major version that the suite has.
  v=$(apt-cache "${private[@]}" madison "$p" | awk '{print $3}' | grep -m1 "^$major\." || true)
  [ -n "$v" ] || skip "the experimental suite has no $p $major.x"
  wanted+=("$p=$v")
done

say "cross prefix $prefix: downloading ${wanted[*]}"
(cd "$tmp/debs" && apt "${private[@]}" download "${wanted[@]}") >"$tmp/log" 2>&1 ||
  skip "downloading from experimental failed: $(grep -m1 -E '^(E|W):' "$tmp/log" || tail -1 "$tmp/log")"

say "cross prefix $prefix: unpacking"
for d in "$tmp"/debs/*.deb; do dpkg-deb -x "$d" "$tmp/root"; done
$sudo mkdir -p "$prefix"
$sudo cp -a "$tmp/root/." "$prefix/"
printf '%s\n' "${wanted[@]}" | $sudo tee "$prefix/versions" >/dev/null
complete || die "the unpacked packages lack a header or the device bitcode"
say "cross prefix $prefix: ready (device bitcode in $(bitcode))"
