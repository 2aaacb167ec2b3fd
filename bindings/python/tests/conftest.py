# SPDX-License-Identifier: MIT
"""Fixtures: the golden vectors, and a context and plans on the CPU."""
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import plait  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
VECTORS = Path(os.environ.get("PLAIT_VECTORS", ROOT / "tests" / "vectors"))


class Vector:
    """One golden case: `case["hidden"]` for a parameter, `vector.residual` for an array."""

    def __init__(self, folder):
        self.case = json.loads((folder / "case.json").read_text())
        self.folder = folder

    def __getattr__(self, name):
        return np.load(self.folder / f"{name}.npy")


def vectors(prefix):
    found = sorted(p for p in VECTORS.glob(prefix + "*") if p.is_dir())
    assert found, f"no vectors {prefix}* in {VECTORS}"
    return [pytest.param(Vector(p), id=p.name) for p in found]


def f32(bits):
    """bf16 bits as f32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def bf16(values):
    """Round to nearest even; no NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


@pytest.fixture(scope="session")
def context():
    with plait.Context("cpu", threads=2) as context:
        yield context


@pytest.fixture
def small(context):
    """A small plan with all its arrays."""
    return Small(context)


class Small:
    """pre and post of a few tokens, as keyword dictionaries."""

    def __init__(self, context, tokens=5, hidden=64, seed=3):
        random = np.random.default_rng(seed)
        n, m = 4, 24
        self.tokens, self.hidden = tokens, hidden
        self.plan = plait.MhcPlan(context, hidden=hidden)
        self.workspace = self.plan.workspace(tokens)
        self.residual = bf16(random.standard_normal((tokens, n, hidden)))
        self.pre = dict(
            tokens=tokens, residual=self.residual,
            fn=random.standard_normal((m, n * hidden)).astype(np.float32) * 0.05,
            base=random.standard_normal(m).astype(np.float32),
            scale=np.array([0.5, 0.7, 0.9], np.float32),
            post_mix=np.zeros((tokens, n), np.float32),
            comb_mix=np.zeros((tokens, n, n), np.float32),
            layer_input=np.zeros((tokens, hidden), np.uint16), workspace=self.workspace)
        self.post = dict(
            tokens=tokens, x=bf16(random.standard_normal((tokens, hidden))),
            residual=self.residual, post_mix=random.random((tokens, n)).astype(np.float32),
            comb_mix=random.random((tokens, n, n)).astype(np.float32),
            residual_out=np.zeros((tokens, n, hidden), np.uint16), workspace=self.workspace)
