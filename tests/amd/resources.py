#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Registers, local memory and spills of every AMD kernel, held to a baseline.

    resources.py LIBRARY [--baseline FILE] [--update]

LIBRARY is a libplait-hip.so (or a HIP object file); its code objects are read from the .hip_fatbin section, and the
figures from their metadata (llvm-readelf --notes). The test fails when a kernel spills vector registers, when it uses
scratch memory and the baseline gives no reason, when a figure is above its baseline or occupancy below it, and when a
kernel has no row or a row no kernel. Another compiler than the baseline's allocates differently: then only spills,
scratch and rows are tested. --update writes the baseline anew and keeps its reasons; --lower makes every figure of the
baseline one less, to see the test fail.

Occupancy is waves on a SIMD as registers, static local memory and whole blocks allow. Dynamic local memory is decided
at a launch and is not in it. lanes: scalar registers that are kept in lanes of a vector register.
"""
import argparse
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

FIGURES = ("vgpr", "agpr", "sgpr", "lds", "waves", "lanes", "spills", "scratch")
Row = collections.namedtuple("Row", FIGURES)

# Vector registers of a lane on a SIMD, their granule, most waves on a SIMD; what SIMDs share: their number, LDS bytes.
Unit = collections.namedtuple("Unit", "registers granule waves simds lds")
UNITS = {
    "gfx90a": Unit(512, 8, 8, 4, 64 << 10),
    "gfx942": Unit(512, 8, 8, 4, 64 << 10),
    "gfx950": Unit(512, 8, 8, 4, 160 << 10),
    "gfx1100": Unit(1536, 24, 16, 4, 128 << 10),
    "gfx1201": Unit(1536, 24, 16, 4, 128 << 10),
}


def llvm(tool):
    for name in (f"{tool}-22", f"/usr/lib/llvm-22/bin/{tool}", tool):
        if shutil.which(name):
            return name
    sys.exit(f"resources.py: no {tool}")


def section(data, wanted):
    """Bytes of an ELF section."""
    offset, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        if data[start:data.index(b"\0", start)].decode() == wanted:
            return data[header[4]:header[4] + header[5]]
    sys.exit(f"resources.py: no section {wanted}")


def code_objects(library):
    """(architecture, code object) of every bundle."""
    with open(library, "rb") as file:
        bundles = section(file.read(), ".hip_fatbin")
    magic = b"__CLANG_OFFLOAD_BUNDLE__"
    for match in re.finditer(magic, bundles):
        at = match.start() + len(magic)
        count, = struct.unpack_from("<Q", bundles, at)
        at += 8
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", bundles, at)
            name = bundles[at + 24:at + 24 + length].decode()
            at += 24 + length
            if name.startswith("hip") and size:
                start = match.start() + offset
                yield name.split("--")[-1].split(":")[0], bundles[start:start + size]


def kernels(code):
    """The kernels' metadata: key, value of each."""
    with tempfile.NamedTemporaryFile(suffix=".co") as file:
        file.write(code)
        file.flush()
        notes = subprocess.run([llvm("llvm-readelf"), "--notes", file.name], check=True, capture_output=True,
                               text=True).stdout
    found, kernel = [], None
    for line in notes.splitlines():
        match = re.match(r"( *)(- )?\.(\w+): +(.*)$", line)
        if not match:
            match = re.match(r"( *)(- )?\.(args):()$", line)
        if not match:
            continue
        depth = len(match[1]) + len(match[2] or "")
        if depth != 4:
            continue  # an argument's
        if match[2]:
            kernel = {}
            found.append(kernel)
        if kernel is not None:
            kernel[match[3]] = match[4].strip("'")
    return [k for k in found if "vgpr_count" in k]


def occupancy(arch, kernel, block):
    unit = UNITS[arch]
    waves = -(-block // int(kernel["wavefront_size"]))
    registers = max(int(kernel["vgpr_count"]), 1)
    by_registers = min(unit.waves, unit.registers // (-(-registers // unit.granule) * unit.granule))
    blocks = by_registers * unit.simds // waves
    lds = int(kernel["group_segment_fixed_size"])
    if lds:
        blocks = min(blocks, unit.lds // lds)
    return min(unit.waves, blocks * waves // unit.simds)


def short(name):
    """Without the namespaces and the arguments."""
    name = re.sub(r"\(anonymous namespace\)::|\bplait::|\bkernels::|^void ", "", name)
    depth = 0
    for i, c in enumerate(name):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0:
            # A cast in a template argument is inside <>.
            return name[:i].replace(" ", "")
    return name.replace(" ", "")


def measure(library):
    rows = {}
    for arch, code in code_objects(library):
        if arch not in UNITS:
            continue
        found = kernels(code)
        names = subprocess.run([llvm("llvm-cxxfilt")], input="\n".join(k["name"] for k in found), check=True,
                               capture_output=True, text=True).stdout.splitlines()
        for kernel, name in zip(found, names):
            rows[short(name), arch] = Row(
                int(kernel["vgpr_count"]), int(kernel.get("agpr_count", 0)), int(kernel["sgpr_count"]),
                int(kernel["group_segment_fixed_size"]),
                occupancy(arch, kernel, int(kernel["max_flat_workgroup_size"])),
                int(kernel["sgpr_spill_count"]), int(kernel["vgpr_spill_count"]),
                int(kernel["private_segment_fixed_size"]))
    return rows


def compiler(library):
    """The version in the code objects' .comment, which the linker and the compiler both write."""
    for _, code in code_objects(library):
        match = re.search(rb"clang version (\d+(?:\.\d+)*)", code)
        if match:
            return match[1].decode()
    return "unknown"


def read(path):
    rows, reasons, version = {}, {}, ""
    if os.path.exists(path):
        for line in open(path):
            text, _, reason = line.partition("#")
            words = text.split()
            match = re.match(r"# clang (\d+(?:\.\d+)*)", line)
            if match:
                version = match[1]
            if len(words) != 2 + len(FIGURES):
                continue
            key = words[0], words[1]
            rows[key] = Row(*map(int, words[2:]))
            if reason.strip():
                reasons[key] = reason.strip()
    return rows, reasons, version


def write(path, rows, reasons, version):
    width = max(len(name) for name, _ in rows)
    with open(path, "w") as file:
        file.write(f"# clang {version}. Written by resources.py --update. Bytes: lds and scratch. waves: on a SIMD, by "
                   "registers and\n# static local memory. Reasons for scratch stand at the end of a row.\n")
        file.write(f"{'# kernel':{width}} {'arch':8}" + "".join(f"{f:>8}" for f in FIGURES) + "\n")
        for key in sorted(rows):
            line = f"{key[0]:{width}} {key[1]:8}" + "".join(f"{value:>8}" for value in rows[key])
            file.write(line + (f"  # {reasons[key]}" if key in reasons else "") + "\n")


def problems(rows, baseline, reasons, same_compiler):
    archs = {arch for _, arch in rows}
    for key, row in sorted(rows.items()):
        name = " ".join(key)
        if row.spills:
            yield f"{name}: {row.spills} vector registers spill"
        if row.scratch and key not in reasons:
            yield f"{name}: {row.scratch} bytes of scratch"
        if key not in baseline:
            yield f"{name}: no row in the baseline"
            continue
        for figure in FIGURES if same_compiler else ("scratch",):
            now, then = getattr(row, figure), getattr(baseline[key], figure)
            if now < then if figure == "waves" else now > then:
                yield f"{name}: {figure} {now}, baseline {then}"
    for key in sorted(set(baseline) - set(rows)):
        if key[1] in archs:
            yield f"{' '.join(key)}: in the baseline, not in the library"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--baseline", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "resources.txt"))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--lower", action="store_true")
    options = parser.parse_args()
    rows, version = measure(options.library), compiler(options.library)
    if not rows:
        sys.exit("resources.py: no kernels")
    baseline, reasons, made_by = read(options.baseline)
    if options.update:
        keep = {k: r for k, r in reasons.items() if k in rows and rows[k].scratch}
        write(options.baseline, rows, keep, version)
        baseline, reasons, made_by = read(options.baseline)
    if options.lower:
        baseline = {key: Row(*(value - 1 for value in row)) for key, row in baseline.items()}
    found = list(problems(rows, baseline, reasons, version == made_by))
    for line in found:
        print(line)
    archs = sorted({arch for _, arch in rows})
    note = "" if version == made_by else f"; registers not compared: clang {version}, baseline of {made_by}"
    print(f"{len(rows)} kernels on {len(archs)} architectures, {len(found)} problems{note}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
