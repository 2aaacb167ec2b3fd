# SPDX-License-Identifier: MIT
"""A correction of the emulator: 16-bit instructions on vector registers 128 and up of gfx9.

In the 32-bit encodings (VOP1, VOP2, VOPC) of gfx11 and later a 16-bit operand v[128 + n] is the upper half of v[n].
The emulator reads gfx9's encodings the same way. There v[128 + n] is a register like any other: bits 7:0 of VSRC and
VDST number 256 registers for every operand size. So v_cvt_f32_f16_e32 v128, v128 got the upper half of v0.

An instruction with such an operand is run with low registers in place of its own, whose contents are kept.

    wide_halves.py CODE_OBJECT    runs the kernel of wide_halves.hip; the last line counts
"""
import ctypes
import os
import sys

import numpy as np


def words(address, count):
    return np.ctypeslib.as_array((ctypes.c_uint32 * count).from_address(address))


class Program:
    """What the emulator calls: `arg.globals` says which of its six arguments it passes."""

    def __init__(self, run):
        self.arg = self
        self.globals = [0, 1, 2, 3, 4, 5]
        self.fxn = run


def fields(inst):
    """(name, register) of the vector registers of a VOP1, VOP2 or VOPC."""
    found = []
    for name, first in (("src0", 256), ("vsrc1", 0), ("vdst", 0)):
        if hasattr(type(inst), name):
            field = getattr(inst, name)
            number = getattr(field, "offset", field)
            number = int(number) - (256 if int(number) >= 256 else first)
            if number >= 0:
                found.append((name, number))
    return found


def install(emu):
    """Puts the correction into the emulator's decoder; what it decodes already stays as it is."""
    base, made = emu._decode_at, {}
    stub = (ctypes.c_uint8 * (1 << 16))()
    used = [0]

    def corrected(raw, inst, registers, arch):
        size = inst.size()
        word = int.from_bytes(raw[:4], "little")
        taken = {number for _, number in registers}
        low = iter([n for n in range(8) if n not in taken])
        swap = {number: next(low) for number in sorted(taken) if number >= 128}
        for name, number in registers:
            if number in swap:
                shift = {"src0": 0, "vsrc1": 9, "vdst": 17}[name]
                word = word & ~(0xFF << shift) | swap[number] << shift
        code = word.to_bytes(4, "little") + raw[4:size]
        at = ctypes.addressof(stub) + used[0]
        used[0] += 16
        ctypes.memmove(at, code + bytes(16 - size), 16)
        program, runtime = emu._get_runner(code + bytes(16 - size), arch)
        passed = list(program.arg.globals)
        written = [number for name, number in registers if name == "vdst"]

        def run(*arguments):
            scalar, vector = words(arguments[0].value, 260), words(arguments[1].value, 256 * 64).reshape(256, 64)
            kept = {l: vector[l].copy() for l in swap.values()}
            for high, l in swap.items():
                vector[l] = vector[high]
            after = (int(scalar[256]) | int(scalar[257]) << 32) + size
            scalar[256], scalar[257] = at & 0xFFFFFFFF, at >> 32
            runtime.fxn(*[arguments[i] for i in passed])
            for high, l in swap.items():
                if high in written:
                    vector[high] = vector[l]
                vector[l] = kept[l]
            scalar[256], scalar[257] = after & 0xFFFFFFFF, after >> 32

        return run

    def decode(pc, arch):
        result, inst = base(pc, arch)
        if arch != "cdna" or type(inst).__name__ not in ("VOP1", "VOP2", "VOP2_LIT", "VOPC", "VOP1_LIT", "VOPC_LIT"):
            return result, inst
        bits = inst.canonical_op_bits
        registers = fields(inst)
        if 16 not in (bits.get("d"), bits.get("s0"), bits.get("s1")) or not any(n >= 128 for _, n in registers):
            return result, inst
        raw = ctypes.string_at(pc, 16)
        key = raw[:inst.size()]
        if key not in made:
            made[key] = corrected(raw, inst, registers, arch)
        program = Program(made[key])
        return (program, program), inst

    emu._decode_at = decode


def main():
    sys.path.insert(0, os.environ["PLAIT_EMU"])
    import hipemu
    install(hipemu.setup())
    code = hipemu.CodeObject(sys.argv[1])
    lane = np.arange(64)
    halves = np.linspace(-3.5, 12.25, 64).astype("f2")
    x = halves.view("u2").astype("u4") | 0xABCD0000
    out = hipemu.dev(np.zeros((6, 64), "u4"))
    hipemu.launch(code, "wide_halves", (1, 1, 1), (64, 1, 1), [hipemu.dev(x), out])
    got = out.np("u4").reshape(6, 64)
    low = x & 0xFFFF
    expected = {
        "v_cvt_f32_f16_e32 v128, v200": halves.astype("f4").view("u4"),
        "v_cvt_f16_f32_e32 v129, v128": low,
        "v_lshlrev_b16_e32 v130, 3, v200": low << 3 & 0xFFFF,
        "v_add_u16_e32 v131, v200, v200": low * 2 & 0xFFFF,
        "v_cmp_gt_u16_e32 vcc, v200, v131": (low > (low * 2 & 0xFFFF)).astype("u4"),
        "v0": lane.astype("u4"),
    }
    failed = 0
    for (name, want), have in zip(expected.items(), got):
        wrong = int(np.count_nonzero(want != have))
        failed += wrong != 0
        print(f"{'FAILED' if wrong else 'ok    '}  {name}: {wrong} of 64 lanes differ")
    print(f"{len(expected) - failed} passed, {failed} failed, 0 skipped", flush=True)
    os._exit(1 if failed else 0)


if __name__ == "__main__":
    main()
