# SPDX-License-Identifier: MIT
"""The sparse indexer over a paged key cache: examples/c/indexer_decode.c in Python.

Prefill of two packed requests, then decode steps of two rows a request with one padding request, each
with select and with logits followed by top-k. The indices are equal, and those of the C program.
Usage: indexer_decode.py
"""
import math
import sys

import numpy as np
from common import Noise, checksum, plait

HEADS, HEAD_DIM, ROPE_DIM, PAGE, TOPK, NEXT_N = 64, 128, 64, 64, 48, 2
REQUESTS, REAL, TABLE, STEPS = 3, 2, 8, 4  # the last request is padding
PAGES, MAX_KEYS, PROMPT = REAL * TABLE, TABLE * PAGE, (301, 170)


def page_of(request, i):
    """Requests own scattered pages."""
    return (5 * (request * TABLE + i) + 3) % PAGES


def slot_of(request, position):
    return page_of(request, position // PAGE) * PAGE + position % PAGE


def rope_table():
    """Row p: the cosines of rope_dim / 2 angles, then their sines."""
    rows = []
    for p in range(MAX_KEYS):
        angles = [p * math.pow(10000.0, -2.0 * i / ROPE_DIM) for i in range(ROPE_DIM // 2)]
        rows.append([math.cos(a) for a in angles] + [math.sin(a) for a in angles])
    return np.array(rows, np.float32)


class Indexer:
    def __init__(self, context):
        # [plans]
        self.plan = plait.IndexerPlan(
            context, heads=HEADS, head_dim=HEAD_DIM, rope_dim=ROPE_DIM, page_entries=PAGE,
            hadamard=True, next_n=NEXT_N, topk=TOPK, max_keys=MAX_KEYS, select_budget=64 << 20,
            order="index")
        self.topk_plan = plait.TopkPlan(context, max_columns=MAX_KEYS, k=TOPK, order="index",
                                        page_entries=PAGE)
        # [plans]
        self.cos_sin = rope_table()
        self.cache = np.zeros((PAGES, self.plan.sizes(1).page_stride), np.uint8)
        self.table = np.array([[page_of(b, i) if b < REAL else -1 for i in range(TABLE)]
                               for b in range(REQUESTS)], np.int32)

    # [step]
    def write_keys(self, k, positions, slots):
        """New keys [tokens, D] go to their slots; a negative slot is padding."""
        self.plan.write_k(tokens=len(k), k=k, positions=positions, cos_sin=self.cos_sin,
                          slot_mapping=slots, cache=self.cache,
                          workspace=self.plan.workspace(len(k)))

    def quantize(self, q, positions, weights):
        """The q scales are folded into the weights: q_scale is not asked for."""
        values = np.empty(q.shape, np.uint8)
        folded = np.empty(weights.shape, np.float32)
        self.plan.quantize_q(tokens=len(q), q=q, positions=positions, cos_sin=self.cos_sin,
                             weights=weights, q_values=values, weights_out=folded,
                             workspace=self.plan.workspace(len(q)))
        return dict(q_values=values, weights=folded)

    def decode_select(self, queries, lengths):
        indices = np.empty((REQUESTS * NEXT_N, TOPK), np.int32)
        self.plan.select_paged(
            requests=REQUESTS, columns=MAX_KEYS, **queries, cache=self.cache,
            block_table=self.table, block_table_columns=TABLE, lengths=lengths,
            lengths_per_request=True, indices=indices,
            workspace=self.plan.workspace(REQUESTS * NEXT_N))
        return indices
    # [step]

    def decode_separate(self, queries, lengths, row_lengths):
        rows = REQUESTS * NEXT_N
        logits = np.empty((rows, MAX_KEYS), np.float32)
        indices = np.empty((rows, TOPK), np.int32)
        self.plan.logits_paged(
            requests=REQUESTS, columns=MAX_KEYS, **queries, cache=self.cache,
            block_table=self.table, block_table_columns=TABLE, lengths=lengths,
            lengths_per_request=True, logits=logits, workspace=self.plan.workspace(rows))
        self.topk_plan.topk(rows=rows, columns=MAX_KEYS, values=logits, row_end=row_lengths,
                            indices=indices, workspace=self.topk_plan.workspace(rows))
        return indices

    def gather(self):
        """The keys that the requests have in the cache, contiguous."""
        keys = sum(PROMPT)
        k_values, k_scale = np.empty((keys, HEAD_DIM), np.uint8), np.empty(keys, np.float32)
        self.plan.gather_k(requests=REAL, keys=keys, cache=self.cache, block_table=self.table,
                           block_table_columns=TABLE,
                           cu_lengths=np.array([0, PROMPT[0], keys], np.int32),
                           k_values=k_values, k_scale=k_scale, workspace=self.plan.workspace(keys))
        return dict(k_values=k_values, k_scale=k_scale)


def prefill(x, noise):
    rows = sum(PROMPT)
    owner = np.repeat(np.arange(REAL, dtype=np.int32), PROMPT)
    positions = np.concatenate([np.arange(n, dtype=np.int64) for n in PROMPT])
    start = np.repeat(np.array([0, PROMPT[0]], np.int32), PROMPT)
    end = (start + positions + 1).astype(np.int32)  # causal
    slots = np.array([slot_of(b, p) for b, p in zip(owner, positions)], np.int64)
    k, q = noise.bf16(rows, HEAD_DIM), noise.bf16(rows, HEADS, HEAD_DIM)
    weights = noise.f32(rows, HEADS)
    x.write_keys(k, positions, slots)
    arguments = dict(rows=rows, keys=rows, row_start=start, row_end=end, **x.gather(),
                     **x.quantize(q, positions, weights), workspace=x.plan.workspace(rows))
    indices, where = np.empty((rows, TOPK), np.int32), np.empty((rows, TOPK), np.int32)
    x.plan.select_ragged(**arguments, indices=indices, slots=where, block_table=x.table,
                         block_table_columns=TABLE, table_count=REAL, table_row=owner)
    logits, separate = np.empty((rows, rows), np.float32), np.empty_like(indices)
    x.plan.logits_ragged(**arguments, logits=logits)
    x.topk_plan.topk(rows=rows, columns=rows, values=logits, row_start=start, row_end=end,
                     indices=separate, workspace=x.topk_plan.workspace(rows))
    equal = np.array_equal(indices, separate)
    print(f"  select, logits + topk        {'equal bytes' if equal else 'DIFFERENT'}")
    checksum("prefill indices", indices)
    checksum("prefill slots", where)
    return equal


def decode(x, noise, step):
    rows = REQUESTS * NEXT_N
    positions, slots = np.zeros(rows, np.int64), np.full(rows, -1, np.int64)
    lengths, row_lengths = np.zeros(REQUESTS, np.int32), np.zeros(rows, np.int32)
    for row in range(REAL * NEXT_N):
        b, t = divmod(row, NEXT_N)
        positions[row] = PROMPT[b] + step * NEXT_N + t
        slots[row] = slot_of(b, int(positions[row]))
        lengths[b] = row_lengths[row] = positions[row] + 1
    k, q = noise.bf16(rows, HEAD_DIM), noise.bf16(rows, HEADS, HEAD_DIM)
    weights = noise.f32(rows, HEADS)
    x.write_keys(k, positions, slots)
    queries = x.quantize(q, positions, weights)
    indices = x.decode_select(queries, lengths)
    equal = np.array_equal(indices, x.decode_separate(queries, lengths, row_lengths))
    padding = np.all(indices[REAL * NEXT_N:] == -1)
    print(f"  step {step}: select, logits + topk {'equal' if equal else 'DIFFER'}; padding rows "
          f"{'-1' if padding else 'WRONG'}")
    checksum("decode indices", indices)
    return equal and padding


def main():
    with plait.Context("cpu") as context:
        x, noise = Indexer(context), Noise(1)
        print(f"prefill of {PROMPT[0]} and {PROMPT[1]} tokens")
        right = prefill(x, noise)
        print("decode")
        for step in range(STEPS):
            right = decode(x, noise, step) and right
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
