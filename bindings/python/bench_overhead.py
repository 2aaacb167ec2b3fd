#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time of a call at T = 0 on the CPU backend, which touches nothing: the binding's own cost."""
import sys
import timeit
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import plait  # noqa: E402


def best(statement, names, number=100_000):
    return min(timeit.repeat(statement, globals=names, number=number, repeat=7)) / number * 1e6


def main():
    with plait.Context("cpu", threads=1) as context:
        plan = plait.MhcPlan(context, hidden=4096)
        try:
            import numpy as np
        except ImportError:
            np = None
        names = {"plan": plan, "bound": plan.bind_pre(tokens=0)}
        print(f"bound call, T = 0:                   {best('bound()', names):6.2f} us")
        print(f"keywords, no array, T = 0:           {best('plan.pre(tokens=0)', names):6.2f} us")
        if np is None:
            return
        arrays = dict(
            residual=np.zeros((1, 4, 4096), np.uint16), fn=np.zeros((24, 4 * 4096), np.float32),
            base=np.zeros(24, np.float32), scale=np.zeros(3, np.float32),
            post_mix=np.zeros((1, 4), np.float32), comb_mix=np.zeros((1, 16), np.float32),
            layer_input=np.zeros((1, 4096), np.uint16), workspace=plan.workspace(1))
        names.update(arrays=arrays, bound=plan.bind_pre(tokens=0, **arrays))
        print(f"bound call, 7 arrays + workspace:    {best('bound()', names):6.2f} us")
        print(f"keywords, 7 numpy arrays + workspace:{best('plan.pre(tokens=0, **arrays)', names):6.2f} us")
        if "torch" in sys.argv[1:]:
            import torch
            tensors = {n: torch.from_numpy(a.view(np.int16) if a.dtype == np.uint16 else a)
                       if isinstance(a, np.ndarray) else a for n, a in arrays.items()}
            names.update(arrays=tensors)
            print(f"keywords, 7 torch tensors + workspace:"
                  f"{best('plan.pre(tokens=0, **arrays)', names):6.2f} us")


if __name__ == "__main__":
    main()
