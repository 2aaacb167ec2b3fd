# SPDX-License-Identifier: MIT
"""A small decoder with mHC around two sublayers a layer: examples/c/decoder_layer.c in Python.

Two layers, written twice. Unfused: pre, sublayer, post. Fused: each sublayer's post waits until the
next sublayer's pre and both are one call. Both give the same bits, and the bits of the C program.
Usage: decoder_layer.py [VECTORS]
"""
import sys

import numpy as np
from common import Case, checksum, from_bf16, plait, to_bf16, vectors_folder

LAYERS = 2
SUBLAYERS = 2 * LAYERS


class Decoder:
    """The plan, what each sublayer's mHC has learned, and the state between two sublayers."""

    def __init__(self, context, case):
        # [plan]
        self.tokens, self.streams, self.hidden = case.residual.shape
        self.plan = plait.MhcPlan(
            context, hidden=self.hidden, hc_mult=self.streams, dtype="bf16",
            **{name: case[name] for name in ("sinkhorn_iters", "rms_eps", "pre_eps",
                                             "sinkhorn_eps", "post_mult")})
        self.workspace = self.plan.workspace(self.tokens)
        # [plan]
        base, scale = case.base, case.scale
        self.sublayers = [dict(fn=case.next_fn if i % 2 else case.fn, base=base, scale=scale)
                          for i in range(SUBLAYERS)]
        self.head_weights = dict(fn=case.head_fn, base=case.head_base, scale=case.head_scale)
        t, n, h = self.tokens, self.streams, self.hidden
        self.residual = np.empty((t, n, h), np.uint16)
        self.x, self.layer_input = np.empty((t, h), np.uint16), np.empty((t, h), np.uint16)
        self.mixes = dict(post_mix=np.empty((t, n), np.float32),
                          comb_mix=np.empty((t, n, n), np.float32))
        self.next_mixes = {name: np.empty_like(a) for name, a in self.mixes.items()}

    # [calls]
    def pre(self, sublayer, residual, broadcast=False):
        """`residual` is [T, n, H], or the embedding [T, H] that stands for n equal streams."""
        self.plan.pre(tokens=self.tokens, residual=residual, broadcast=broadcast, **sublayer,
                      **self.mixes, layer_input=self.layer_input, workspace=self.workspace)

    def post(self):
        self.plan.post(tokens=self.tokens, x=self.x, residual=self.residual, **self.mixes,
                       residual_out=self.residual, workspace=self.workspace)  # in place

    def post_pre(self, sublayer, residual, broadcast=False):
        """The boundary: ends the sublayer whose output is x, begins `sublayer`."""
        self.plan.post_pre(tokens=self.tokens, x=self.x, residual=residual, broadcast=broadcast,
                           **self.mixes, residual_out=self.residual, **sublayer,
                           next_post_mix=self.next_mixes["post_mix"],
                           next_comb_mix=self.next_mixes["comb_mix"],
                           layer_input=self.layer_input, workspace=self.workspace)
        self.mixes, self.next_mixes = self.next_mixes, self.mixes

    def head(self):
        out = np.empty((self.tokens, self.hidden), np.uint16)
        self.plan.head(tokens=self.tokens, residual=self.residual, **self.head_weights, out=out,
                       workspace=self.workspace)
        return out
    # [calls]

    def sublayer(self, turn):
        """Stands in for attention or MLP: 1.5 v / (1 + |v|), rotated by `turn` places."""
        v = from_bf16(self.layer_input)
        self.x[:] = np.roll(to_bf16(np.float32(1.5) * v / (np.float32(1) + np.abs(v))), turn, 1)

    # [flow]
    def decode_unfused(self, embedding):
        self.plan.expand(tokens=self.tokens, x=embedding, residual_out=self.residual,
                         workspace=self.workspace)
        for i, weights in enumerate(self.sublayers):
            self.pre(weights, self.residual)
            self.sublayer(i + 1)
            self.post()

    def decode_fused(self, embedding):
        """The streams are equal at first: the embedding itself is the first residual."""
        self.pre(self.sublayers[0], embedding, broadcast=True)
        self.sublayer(1)
        for i, weights in enumerate(self.sublayers[1:], 1):
            first = i == 1
            self.post_pre(weights, embedding if first else self.residual, broadcast=first)
            self.sublayer(i + 1)
        self.post()  # nothing follows that could take it
    # [flow]

    def mtp(self, next_embedding):
        """One prediction further: the next token's embedding goes into every stream (unit mixes, no
        comb), then one more sublayer."""
        unit = np.ones((self.tokens, self.streams), np.float32)
        self.plan.post(tokens=self.tokens, x=next_embedding, residual=self.residual,
                       post_mix=unit, residual_out=self.residual, workspace=self.workspace)
        self.pre(self.sublayers[0], self.residual)
        self.sublayer(7)
        self.post()


def run(context, case, fused):
    decoder = Decoder(context, case)
    (decoder.decode_fused if fused else decoder.decode_unfused)(case.x)
    residual, head = decoder.residual.copy(), decoder.head()
    decoder.mtp(case.layer_input)
    return residual, head, decoder.head()


def main():
    case = Case(vectors_folder() / "mhc_n4_h1280_odd_constants")
    with plait.Context("cpu") as context:
        print(f"plait {plait.version()} on {context.info.device_name} ({context.info.architecture})")
        fused, unfused = run(context, case, True), run(context, case, False)
    names = ("streams after the layers", "head", "head of the MTP step")
    for name, a, b in zip(names, fused, unfused):
        print(f"  {name:28} {'equal bytes' if np.array_equal(a, b) else 'DIFFERENT'}")
    for name, a in zip(names, fused):
        checksum(name, a)
    return 0 if all(np.array_equal(a, b) for a, b in zip(fused, unfused)) else 1


if __name__ == "__main__":
    sys.exit(main())
