#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Registers, spills and LDS of every AMD kernel against the stored table.

    resources.py TABLE FILE...            check: fails where a kernel got worse than the table
    resources.py --update TABLE FILE...   write the kernels of FILE... into the table

FILE is libplait-hip.so or an object of a kernel: the code objects of all its architectures are read
from the offload bundles inside. A line of the table is

    compiler  architecture  VGPRs (with AGPRs)  SGPRs  spills  scratch bytes  LDS bytes  occupancy  kernel

A kernel fails when it spills, or uses more vector registers, scratch or LDS than the table says. One
without a line fails too: a new kernel comes with its line. Exit 77: no code object to look at.
Occupancy is waves per SIMD as the registers allow; it follows from them and is there to be read.
"""
import re
import struct
import sys

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"


def unpack(b, i):
    """One msgpack value of b at i, and the place after it. Only what code object notes hold."""
    t = b[i]
    if t <= 0x7F: return t, i + 1
    if t >= 0xE0: return t - 256, i + 1
    if 0x80 <= t <= 0x8F or t in (0xDE, 0xDF):
        n, i = (t & 15, i + 1) if t < 0x90 else sized(b, i, t - 0xDD)
        out = {}
        for _ in range(n):
            k, i = unpack(b, i)
            out[k], i = unpack(b, i)
        return out, i
    if 0x90 <= t <= 0x9F or t in (0xDC, 0xDD):
        n, i = (t & 15, i + 1) if t < 0xA0 else sized(b, i, t - 0xDB)
        out = []
        for _ in range(n):
            v, i = unpack(b, i)
            out.append(v)
        return out, i
    if 0xA0 <= t <= 0xBF or 0xD9 <= t <= 0xDB:
        if t <= 0xBF: n, i = t & 31, i + 1
        else: n, i = int.from_bytes(b[i + 1:i + 1 + (1 << (t - 0xD9))], "big"), i + 1 + (1 << (t - 0xD9))
        return b[i:i + n].decode(), i + n
    if t in (0xC0, 0xC2, 0xC3): return {0xC0: None, 0xC2: False, 0xC3: True}[t], i + 1
    if 0xCC <= t <= 0xD3:
        n = 1 << ((t - 0xCC) % 4)
        return int.from_bytes(b[i + 1:i + 1 + n], "big", signed=t >= 0xD0), i + 1 + n
    raise ValueError(f"msgpack type {t:#x}")


def sized(b, i, log2):
    n = 1 << log2
    return int.from_bytes(b[i + 1:i + 1 + n], "big"), i + 1 + n


def code_objects(data):
    """(architecture, ELF image) of every bundle entry."""
    at = data.find(MAGIC)
    while at >= 0:
        count, = struct.unpack_from("<Q", data, at + len(MAGIC))
        p = at + len(MAGIC) + 8
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", data, p)
            name = data[p + 24:p + 24 + length].decode()
            p += 24 + length
            found = re.search(r"gfx[0-9a-f]+", name)
            if found and size: yield found.group(), data[at + offset:at + offset + size]
        at = data.find(MAGIC, at + 1)


def kernels(elf):
    """The kernels of a code object and the compiler that made it."""
    shoff, = struct.unpack_from("<Q", elf, 0x28)
    entry, count, _ = struct.unpack_from("<HHH", elf, 0x3A)
    compiler, found = "unknown", []
    version = re.search(rb"clang version (\d+)", elf)
    if version: compiler = "clang" + version.group(1).decode()
    for n in range(count):
        _, kind, _, _, offset, size = struct.unpack_from("<IIQQQQ", elf, shoff + n * entry)
        if kind != 7: continue
        p = offset
        while p < offset + size:
            name, desc, kind = struct.unpack_from("<III", elf, p)
            body = p + 12 + (name + 3) // 4 * 4
            if elf[p + 12:p + 12 + name].startswith(b"AMDGPU") and kind == 32:
                found += unpack(elf[body:body + desc], 0)[0]["amdhsa.kernels"]
            p = body + (desc + 3) // 4 * 4
    return compiler, found


def occupancy(arch, vgprs):
    """Waves per SIMD that the vector registers allow."""
    if arch.startswith("gfx9"): total, grain, most = 512, 8, 8
    else: total, grain, most = (1536, 24, 16) if arch.startswith(("gfx11", "gfx12")) else (1024, 8, 16)
    return min(most, total // max(grain, (vgprs + grain - 1) // grain * grain))


def measure(files):
    rows = {}
    for path in files:
        with open(path, "rb") as f: data = f.read()
        for arch, elf in code_objects(data):
            compiler, found = kernels(elf)
            for k in found:
                vgprs = k[".vgpr_count"] + k.get(".agpr_count", 0)
                if vgprs <= 2 and k[".group_segment_fixed_size"] == 0:
                    continue  # an instance for another architecture: empty here
                spills = k.get(".vgpr_spill_count", 0) + k.get(".sgpr_spill_count", 0)
                rows[compiler, arch, k[".name"]] = (
                    vgprs, k[".sgpr_count"], spills, k[".private_segment_fixed_size"],
                    k[".group_segment_fixed_size"], occupancy(arch, vgprs))
    return rows


def read(table):
    rows = {}
    with open(table) as f:
        for line in f:
            if line.startswith("#") or not line.strip(): continue
            compiler, arch, *numbers, kernel = line.split()
            rows[compiler, arch, kernel] = tuple(int(n) for n in numbers)
    return rows


def main(arguments):
    update = arguments[:1] == ["--update"]
    table, *files = arguments[1:] if update else arguments
    rows = measure(files)
    if not rows:
        print("no AMD code object in", *files)
        return 77
    if update:
        try: old = read(table)
        except FileNotFoundError: old = {}
        old.update(rows)
        with open(table, "w") as f:
            f.write("# compiler arch vgprs sgprs spills scratch lds occupancy kernel; see resources.py\n")
            for key in sorted(old): f.write(" ".join(map(str, (*key[:2], *old[key], key[2]))) + "\n")
        print(f"{len(rows)} kernels written")
        return 0
    known, compilers = read(table), {key[0] for key in read(table)}
    bad = skipped = 0
    for key, row in sorted(rows.items()):
        if key[0] not in compilers:
            skipped += 1  # another compiler allocates otherwise
            continue
        old = known.get(key)
        if old is None: what = "has no line in the table"
        elif row[2] > old[2]: what = f"spills {row[2]} registers, {old[2]} before"
        elif row[0] > old[0]: what = f"uses {row[0]} vector registers, {old[0]} before"
        elif row[3] > old[3]: what = f"uses {row[3]} bytes of scratch, {old[3]} before"
        elif row[4] > old[4]: what = f"uses {row[4]} bytes of LDS, {old[4]} before"
        else: continue
        bad += 1
        print(*key[:2], key[2], what)
    print(f"{len(rows) - skipped} kernels checked, {bad} worse, {skipped} skipped (another compiler)")
    return 77 if skipped == len(rows) else bad != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
