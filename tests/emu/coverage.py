#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Which kernels of a library an emulated run launched.

    coverage.py LIBRARY ARCHITECTURE FILE    FILE: their names, a line each, from audit.py --kernels

Kernels are counted by the code object. One made for the other wave size or for matrix units that the architecture
lacks cannot run on it.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "amd"))
import resources  # noqa: E402


# The matrix units that a kernel may be written for (kernels/isa/mma.h), by Isa's number.
UNITS = {"gfx90a": "0", "gfx942": "01", "gfx950": "02", "gfx1100": "3", "gfx1201": "4"}


def for_another(name, arch):
    """Whether a template argument names a wave size or a matrix unit that the architecture lacks."""
    wave = 32 if arch.startswith("gfx1") else 64
    match = re.match(r"registers_kernel<\d+,(\d+),", name) or re.match(r"\w+<(?:.*,)?(32|64)>$", name)
    unit = re.search(r"\(Isa\)(\d)", name)
    return match is not None and int(match[1]) != wave or unit is not None and unit[1] not in UNITS[arch]


def main():
    library, arch, path = sys.argv[1:]
    names = open(path).read() if os.path.exists(path) else ""
    plain = subprocess.run([resources.llvm("llvm-cxxfilt")], input=names, check=True, capture_output=True, text=True)
    ran = {resources.short(name) for name in plain.stdout.splitlines() if name}
    kernels = sorted(name for name, target in resources.measure(library) if target == arch)
    possible = [name for name in kernels if not for_another(name, arch)]
    missing = [name for name in possible if name not in ran]
    print(f"{arch} {len(possible) - len(missing)} of {len(possible)} kernels launched; "
          f"{len(kernels) - len(possible)} more are for another wave size or matrix unit")
    for name in missing:
        print(f"    never {name}")
    for name in sorted(ran - set(kernels)):
        print(f"    unknown {name}")


if __name__ == "__main__":
    main()
