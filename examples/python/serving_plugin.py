# SPDX-License-Identifier: MIT
"""A sketch of a plug-in: out-of-tree code that gives a serving stack libplait's operators at start-up.

The stack here is a stand-in with the one thing that real ones have too: a table of operators that a
plug-in may change before the first request. `register` is what a package would name as its entry
point. It opens libplait at run time, walks the chain hip, cuda, cpu, keeps the stack's own operator
wherever plait cannot serve, and logs each decision with its reason.
Usage: serving_plugin.py
"""
import logging
import os
import subprocess
import sys

import numpy as np
from common import from_bf16, plait, to_bf16

log = logging.getLogger("plait.plugin")


# --- the stack: what is there before the plug-in -----------------------------------------------------

class Stack:
    """Its operators, its model's shape, and the log level it passes on."""

    def __init__(self, hidden=256, streams=4, topk=8, max_keys=1024):
        self.hidden, self.streams, self.topk, self.max_keys = hidden, streams, topk, max_keys
        self.operators = {"mhc_post": self.mhc_post, "topk": self.topk_rows}
        self.source = {name: "stack" for name in self.operators}

    def mhc_post(self, x, residual, post_mix, comb_mix):
        out = post_mix[:, :, None] * from_bf16(x)[:, None, :]
        for i in range(self.streams):
            out = out + comb_mix[:, i, :, None] * from_bf16(residual)[:, i, None, :]
        return to_bf16(out)

    def topk_rows(self, scores):
        order = np.argsort(-scores, axis=1, kind="stable")[:, :self.topk]
        return np.sort(order, axis=1).astype(np.int32)


# --- the plug-in --------------------------------------------------------------------------------------

class PlaitOperators:
    """The stack's operators on plait. Plans are made once, here; the calls only run them."""

    # [plans]
    def __init__(self, context, stack):
        self.context = context
        self.mhc = plait.MhcPlan(context, hidden=stack.hidden, hc_mult=stack.streams)
        self.topk_plan = plait.TopkPlan(context, max_columns=stack.max_keys, k=stack.topk,
                                        order="index")
        self.topk = stack.topk
        for line in (self.mhc.explain() + self.topk_plan.explain()).splitlines():
            log.info("%s", line)
    # [plans]

    def mhc_post(self, x, residual, post_mix, comb_mix):
        out = np.empty_like(residual)
        with self.mhc.workspace(len(x)) as workspace:
            self.mhc.post(tokens=len(x), x=x, residual=residual, post_mix=post_mix,
                          comb_mix=comb_mix, residual_out=out, workspace=workspace)
        return out

    def topk_rows(self, scores):
        rows, columns = scores.shape
        indices = np.empty((rows, self.topk), np.int32)
        with self.topk_plan.workspace(rows) as workspace:
            self.topk_plan.topk(rows=rows, columns=columns, values=scores, indices=indices,
                                workspace=workspace)
        return indices


# [chain]
def open_context(chain):
    """The first backend of the chain that works. A real stack on a GPU stops at its own kind."""
    for backend in chain:
        info = plait.probe(backend)
        if not info.available:
            log.info("%s: passed over: %s", backend, info.reason or "no device")
            continue
        try:
            context = plait.Context(backend, log=lambda level, line: log.debug("%s", line))
        except plait.Error as error:
            log.warning("%s: passed over: %s", backend, error)
            continue
        got = context.info
        log.info("%s: taken: %s (%s)", backend, got.device_name, got.architecture)
        return context
    return None


def register(stack, chain=("hip", "cuda", "cpu")):
    """The entry point. Whatever happens, the stack can serve afterwards."""
    try:
        plait.load()
        log.info("libplait %s", plait.version())
        context = open_context(chain)
        if context is None:
            log.warning("no backend of %s: the stack keeps its operators", ", ".join(chain))
            return
        operators = PlaitOperators(context, stack)
    except plait.Error as error:  # a missing library, or a shape that no implementation takes
        log.warning("the stack keeps its operators: %s", error)
        return
    for name, operator in (("mhc_post", operators.mhc_post), ("topk", operators.topk_rows)):
        stack.operators[name], stack.source[name] = operator, "plait"
        log.info("operator %s: now plait's", name)
# [chain]


# --- a start-up, and one request -------------------------------------------------------------------------

def serve(stack, seed=1):
    random = np.random.default_rng(seed)
    tokens, n, h = 6, stack.streams, stack.hidden
    out = stack.operators["mhc_post"](
        to_bf16(random.standard_normal((tokens, h)).astype(np.float32)),
        to_bf16(random.standard_normal((tokens, n, h)).astype(np.float32)),
        random.random((tokens, n), np.float32), random.random((tokens, n, n), np.float32))
    indices = stack.operators["topk"](random.standard_normal((tokens, 500)).astype(np.float32))
    return from_bf16(out), indices


def main():
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s: %(message)s")
    own, swapped = Stack(), Stack()
    # This program's arrays are host memory, so its chain has the CPU alone after a GPU that is not
    # there; a stack with device tensors passes those to the same calls.
    register(swapped, chain=("hip", "cpu"))
    (out, indices), (plain, reference) = serve(swapped), serve(own)
    near = bool(np.all(np.abs(out - plain) <= 2.0 ** -7 * np.abs(plain) + 1e-6))
    same = bool(np.array_equal(indices, reference))
    print(f"operators from {swapped.source}; mhc_post {'near' if near else 'FAR'}, "
          f"topk {'equal' if same else 'DIFFERENT'}")
    if "--missing" in sys.argv:
        return 0 if set(swapped.source.values()) == {"stack"} else 1
    # Once more as on a machine without the library.
    missing = subprocess.run([sys.executable, __file__, "--missing"], text=True,
                             env=dict(os.environ, PLAIT_LIBRARY="/nowhere/libplait.so"))
    swapped_all = set(swapped.source.values()) == {"plait"}
    return 0 if near and same and swapped_all and missing.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
