#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Which kernels of a library an emulated run launched.

    coverage.py LIBRARY ARCHITECTURE FILE    FILE: their names, a line each, from audit.py --kernels

Kernels are counted by the code object. One made for the other wave size cannot run on the architecture.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "amd"))
import resources  # noqa: E402


def other_wave(name, arch):
    """Whether a template argument says so: the last of <…, 32> or <…, 64>, or the second of registers_kernel."""
    wave = 32 if arch.startswith("gfx1") else 64
    match = re.match(r"registers_kernel<\d+,(\d+),", name) or re.match(r"\w+<(?:.*,)?(32|64)>$", name)
    return match is not None and int(match[1]) != wave


def main():
    library, arch, path = sys.argv[1:]
    names = open(path).read() if os.path.exists(path) else ""
    plain = subprocess.run([resources.llvm("llvm-cxxfilt")], input=names, check=True, capture_output=True, text=True)
    ran = {resources.short(name) for name in plain.stdout.splitlines() if name}
    kernels = sorted(name for name, target in resources.measure(library) if target == arch)
    possible = [name for name in kernels if not other_wave(name, arch)]
    missing = [name for name in possible if name not in ran]
    print(f"{arch} {len(possible) - len(missing)} of {len(possible)} kernels launched; "
          f"{len(kernels) - len(possible)} more are for another wave size")
    for name in missing:
        print(f"    never {name}")
    for name in sorted(ran - set(kernels)):
        print(f"    unknown {name}")


if __name__ == "__main__":
    main()
