#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`plait audit` on an emulated AMD GPU: cases.txt, every implementation of libplait-hip.so against the references.

    audit.py ARCHITECTURE [--cases FILE] [--mode NAME]... [--op NAME]... [--check NAME]... [--launches] [--kernels FILE]

Each problem in each mode: plain, reversed (the waves of a block in reverse order), filled (local memory filled with
0xCD before each block). Without --check, plain compares the bits of rows too, and the others values alone.
--kernels writes the names of the kernels that ran.
Environment: PLAIT_EMU (the emulator layer), TINYGRAD (its emulator), PLAIT_EMU_RUNTIME (libamdhip64.so.7 made from
runtime.cpp), PLAIT_EMU_TOOL (the plait command as a shared object); PLAIT_BACKEND_DIR. run.sh sets them.
The last lines are "MODE: N passed, N failed, N skipped, S s" and "N passed, N failed, N skipped".
"""
import argparse
import ctypes
import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.environ["PLAIT_EMU"])
import hipemu  # noqa: E402

import wide_halves  # noqa: E402

FOLDER = os.path.dirname(os.path.abspath(__file__))


class Launcher:
    """Runs what the runtime asks for on the emulator."""

    def __init__(self, arch, report):
        self.objects, self.names, self.report = {}, set(), report
        wide_halves.install(hipemu.setup())
        runtime = ctypes.CDLL(os.environ["PLAIT_EMU_RUNTIME"], mode=ctypes.RTLD_GLOBAL)
        pointer, c_int, size_t = ctypes.POINTER, ctypes.c_int, ctypes.c_size_t
        launch = ctypes.CFUNCTYPE(c_int, ctypes.c_char_p, ctypes.c_void_p, size_t, pointer(ctypes.c_uint),
                                  pointer(ctypes.c_void_p), size_t)
        sizes = ctypes.CFUNCTYPE(c_int, ctypes.c_char_p, ctypes.c_void_p, size_t, pointer(c_int), c_int)
        self.keep = (runtime, launch(self.launch), sizes(self.sizes))
        runtime.shim_set(self.keep[1], arch.encode(), 32 if arch.startswith("gfx1") else 64)
        runtime.plait_emu_sizes(self.keep[2])

    def object(self, address, size):
        if address not in self.objects:
            with tempfile.NamedTemporaryFile(suffix=".co") as file:
                file.write(ctypes.string_at(address, size))
                file.flush()
                self.objects[address] = hipemu.CodeObject(file.name)
        return self.objects[address]

    @staticmethod
    def arguments(code, name):
        return [a for a in code.k[name].get(".args", []) if not a[".value_kind"].startswith("hidden")]

    def launch(self, name, address, size, grid_block, values, dynamic):
        name, grid, block = name.decode(), tuple(grid_block[0:3]), tuple(grid_block[3:6])
        try:
            code, arguments = self.object(address, size), []
            for i, a in enumerate(self.arguments(code, name)):
                value = ctypes.string_at(values[i], a[".size"])
                is_pointer = a[".value_kind"] == "global_buffer"
                arguments.append(int.from_bytes(value, "little") if is_pointer else value)
            seconds = hipemu.launch(code, name, grid, block, arguments, dyn=dynamic)
            self.names.add(name)
            if self.report:
                print(f"  {name} grid {grid} block {block} {seconds:.2f} s", file=sys.stderr, flush=True)
            return 0
        except Exception as error:  # what the emulator does not model; the runtime reports a failed launch
            print(f"launch of {name} failed: {type(error).__name__} {str(error)[:300]}", file=sys.stderr, flush=True)
            return 1

    def sizes(self, name, address, size, out, most):
        arguments = self.arguments(self.object(address, size), name.decode())
        for i, a in enumerate(arguments[:most]):
            out[i] = a[".size"]
        return len(arguments) if len(arguments) <= most else -1


def call(tool, arguments):
    """The command's exit status and what it printed."""
    words = [b"plait"] + [a.encode() for a in arguments]
    argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    libc = ctypes.CDLL(None)
    libc.fflush(None)
    sys.stdout.flush()
    with tempfile.TemporaryFile() as file:
        saved = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            status = tool._Z14plait_emu_mainiPPc(len(words), argv)
        finally:
            libc.fflush(None)
            os.dup2(saved, 1)
            os.close(saved)
        file.seek(0)
        return status, file.read().decode()


MODES = {
    "plain": (0, 0, ("position", "graph", "separate")),
    "reversed": (1, 0, ("run",)),
    "filled": (0, 0xCD, ("run",)),
}


class Mode:
    """Counts of a mode, and how to enter it."""

    def __init__(self, name, checks):
        self.name, (self.reverse, self.fill, own) = name, MODES[name]
        self.checks = [word for check in checks or own for word in ("--check", check)]
        self.passed = self.failed = self.skipped = 0
        self.seconds = 0.0

    def case(self, tool, op, shape):
        hipemu.REV_WAVES, hipemu.LDS_FILL = self.reverse, self.fill
        began = time.time()
        status, text = call(tool, ["audit", "--backend", "hip", "--json", "--op", op, "--shape", shape] + self.checks)
        took = time.time() - began
        self.seconds += took
        try:
            findings = json.loads(text)["cases"]
        except ValueError:
            findings = [{"implementation": "?", "ok": False, "error": f"exit status {status}: {text[:200]}"}]
        for f in findings:
            self.count(f, f"{op} {f['implementation']} [{shape}] {self.name}")
        print(f"        {took:.1f} s", flush=True)

    def count(self, f, what):
        if "refused" in f:
            self.skipped += 1
            print(f"skipped {what}: {f['refused']}")
        elif f["ok"]:
            self.passed += 1
            print(f"ok      {what}")
        else:
            self.failed += 1
            wrong = [check for check, held in f.get("bits", {}).items() if not held]
            print(f"FAILED  {what}: {f.get('error', '')} {f.get('outside_tolerance', '?')} of "
                  f"{f.get('compared', '?')} outside the tolerance, worst {f.get('worst_absolute', '?')}; "
                  f"bits differ: {wrong}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("architecture")
    parser.add_argument("--cases", default=os.path.join(FOLDER, "cases.txt"))
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--op", action="append")
    parser.add_argument("--check", action="append", default=[])
    parser.add_argument("--launches", action="store_true")
    parser.add_argument("--kernels")
    options = parser.parse_args()
    launcher = Launcher(options.architecture, options.launches)
    tool = ctypes.CDLL(os.environ["PLAIT_EMU_TOOL"])
    modes = [Mode(name, options.check) for name in options.mode or MODES]
    for line in open(options.cases):
        words = line.split("#")[0].split()
        if not words or (options.op and words[0] not in options.op):
            continue
        for mode in modes:
            mode.case(tool, words[0], words[1])
        if options.kernels:
            with open(options.kernels, "w") as file:
                file.write("".join(name + "\n" for name in sorted(launcher.names)))
    for mode in modes:
        print(f"{mode.name}: {mode.passed} passed, {mode.failed} failed, {mode.skipped} skipped, {mode.seconds:.0f} s")
    print(f"{len(launcher.names)} kernels launched")
    failed = sum(mode.failed for mode in modes)
    print(f"{sum(m.passed for m in modes)} passed, {failed} failed, {sum(m.skipped for m in modes)} skipped", flush=True)
    # The command's objects and the emulator's reserved memory are not worth an orderly end.
    os._exit(1 if failed else 0)


if __name__ == "__main__":
    main()
