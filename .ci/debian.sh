#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs those of the named Debian packages that are missing; nothing when all are there.
# usage: .ci/debian.sh PACKAGE...
set -eu
missing=
for package in "$@"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
    missing="$missing $package"
done
[ -n "$missing" ] || exit 0
run=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "needs root or sudo to install:$missing" >&2; exit 1; }
  run=sudo
fi
echo "installing:$missing"
$run apt-get update -qq
# The package names are one word each.
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing \
  >/dev/null
