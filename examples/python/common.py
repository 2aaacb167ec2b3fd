# SPDX-License-Identifier: MIT
"""What the programs need beside plait: golden cases, bf16, a checksum, a fixed sequence."""
import argparse
import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))  # not needed once plait is installed
import plait  # noqa: E402,F401


def vectors_folder():
    parser = argparse.ArgumentParser()
    parser.add_argument("vectors", nargs="?", type=Path, default=ROOT / "tests" / "vectors")
    return parser.parse_args().vectors


class Case:
    """A golden case: case["hidden"] is a number, case.residual an array."""

    def __init__(self, folder):
        self.folder, self.numbers = folder, json.loads((folder / "case.json").read_text())

    def __getitem__(self, key):
        return self.numbers[key]

    def __getattr__(self, name):
        return np.load(self.folder / f"{name}.npy")


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bf16(values):
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)  # ties to even


def checksum(what, array):
    """FNV-1a of the bytes, as the C programs print it."""
    value = 0xCBF29CE484222325
    for byte in array.tobytes():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    print(f"checksum {value:016x} {what}")


class Noise:
    """A fixed sequence of numbers in (-1, 1): a linear congruential generator, many steps at once."""
    FACTOR, ADD = 6364136223846793005, 1442695040888963407
    BLOCK = 1 << 16

    def __init__(self, seed):
        self.state = seed
        factors, adds = np.empty(self.BLOCK, np.uint64), np.empty(self.BLOCK, np.uint64)
        f, a = 1, 0
        for i in range(self.BLOCK):  # state after i + 1 steps = factors[i] * state + adds[i]
            f, a = f * self.FACTOR % 2**64, (a * self.FACTOR + self.ADD) % 2**64
            factors[i], adds[i] = f, a
        self.factors, self.adds = factors, adds

    def f32(self, *shape):
        count = int(np.prod(shape))
        out = np.empty(count, np.float32)
        for at in range(0, count, self.BLOCK):
            n = min(self.BLOCK, count - at)
            states = self.factors[:n] * np.uint64(self.state) + self.adds[:n]
            out[at:at + n] = (states >> np.uint64(40)).astype(np.float64) / (1 << 23) - 1.0
            self.state = int(states[-1])
        return out.reshape(shape)

    def bf16(self, *shape):
        return to_bf16(self.f32(*shape))
