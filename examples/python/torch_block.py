# SPDX-License-Identifier: MIT
"""libplait as torch custom ops in a small DeepSeek-V4-style block.

The block has mHC around two sublayers: sparse attention, whose indexer picks the keys, and an MLP. It is
built twice from the same weights: with plain torch for the mHC and the indexer, and with plait for
them. On a GPU the plait block is also captured into a CUDA graph and replayed on new inputs, with the
bits of the plain calls; on a CPU it runs as it is.
Usage: torch_block.py [--device cpu|cuda]
"""
import argparse
import itertools
import sys
import time

import torch
from common import plait
from torch import Tensor

STREAMS, HEADS, HEAD_DIM, PAGE = 4, 64, 128, 64
RMS_EPS = PRE_EPS = SINKHORN_EPS = 1e-6
POST_MULT, SINKHORN_ITERS = 2.0, 20

# --- the ops ------------------------------------------------------------------------------------------
# torch ops take tensors and numbers, so a plan travels as a number.
_plans, _numbers = {}, itertools.count()


def keep(plan):
    number = next(_numbers)
    _plans[number] = plan
    return number


def stream_of(tensor):
    return plait.torch_stream(tensor.device) if tensor.is_cuda else None


def workspace_like(tensor, size):
    """A workspace is aligned to 256 bytes; torch's own memory on a CPU need not be."""
    raw = torch.empty(size + 255, dtype=torch.uint8, device=tensor.device)
    return raw[-raw.data_ptr() % 256:][:size]


# [ops]
@torch.library.custom_op("plait::mhc_pre", mutates_args=())
def mhc_pre(plan: int, residual: Tensor, fn: Tensor, base: Tensor,
            scale: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """layer_input, post_mix, comb_mix of a residual [T, n, H]."""
    tokens, n, hidden = residual.shape
    sizes = _plans[plan].sizes(tokens)
    layer_input = residual.new_empty((tokens, hidden))
    post = residual.new_empty((tokens, n), dtype=torch.float32)
    comb = residual.new_empty((tokens, n, n), dtype=torch.float32)
    _plans[plan].pre(tokens=tokens, residual=residual, fn=fn, base=base, scale=scale,
                     post_mix=post, comb_mix=comb, layer_input=layer_input,
                     workspace=workspace_like(residual, sizes.workspace_pre),
                     stream=stream_of(residual))
    return layer_input, post, comb


@mhc_pre.register_fake
def _(plan, residual, fn, base, scale):
    tokens, n, hidden = residual.shape
    return (residual.new_empty((tokens, hidden)),
            residual.new_empty((tokens, n), dtype=torch.float32),
            residual.new_empty((tokens, n, n), dtype=torch.float32))


@torch.library.custom_op("plait::mhc_post", mutates_args=())
def mhc_post(plan: int, x: Tensor, residual: Tensor, post: Tensor, comb: Tensor) -> Tensor:
    out = torch.empty_like(residual)
    sizes = _plans[plan].sizes(len(x))
    _plans[plan].post(tokens=len(x), x=x, residual=residual, post_mix=post, comb_mix=comb,
                      residual_out=out, workspace=workspace_like(x, sizes.workspace_post),
                      stream=stream_of(x))
    return out


@mhc_post.register_fake
def _(plan, x, residual, post, comb):
    return torch.empty_like(residual)


@torch.library.custom_op("plait::indexer_select", mutates_args=("cache",))
def indexer_select(plan: int, q: Tensor, k: Tensor, weights: Tensor, positions: Tensor,
                   slots: Tensor, cos_sin: Tensor, cache: Tensor, block_table: Tensor,
                   lengths: Tensor, topk: int) -> Tensor:
    """Writes the keys of this step, then picks topk of each row's keys: [rows, topk], -1 where none."""
    p, rows, stream = _plans[plan], len(q), stream_of(q)
    work = workspace_like(q, p.sizes(rows).workspace)
    p.write_k(tokens=rows, k=k, positions=positions, cos_sin=cos_sin, slot_mapping=slots,
              cache=cache, workspace=work, stream=stream)
    values = torch.empty(q.shape, dtype=torch.uint8, device=q.device)
    folded = torch.empty_like(weights)
    p.quantize_q(tokens=rows, q=q, positions=positions, cos_sin=cos_sin, weights=weights,
                 q_values=values, weights_out=folded, workspace=work, stream=stream)
    indices = torch.empty((rows, topk), dtype=torch.int32, device=q.device)
    p.select_paged(requests=rows, columns=block_table.shape[1] * PAGE, q_values=values,
                   weights=folded, cache=cache, block_table=block_table,
                   block_table_columns=block_table.shape[1], lengths=lengths, indices=indices,
                   workspace=work, stream=stream)
    return indices


@indexer_select.register_fake
def _(plan, q, k, weights, positions, slots, cos_sin, cache, block_table, lengths, topk):
    return q.new_empty((len(q), topk), dtype=torch.int32)
# [ops]


# --- the same in torch ----------------------------------------------------------------------------------

def torch_pre(residual, fn, base, scale):
    v = residual.float().flatten(1)
    m = (v @ fn.T) * torch.rsqrt(v.square().mean(1, keepdim=True) + RMS_EPS)
    n = STREAMS
    pre = torch.sigmoid(m[:, :n] * scale[0] + base[:n]) + PRE_EPS
    post = POST_MULT * torch.sigmoid(m[:, n:2 * n] * scale[1] + base[n:2 * n])
    comb = (m[:, 2 * n:] * scale[2] + base[2 * n:]).view(-1, n, n).softmax(2) + SINKHORN_EPS
    comb = comb / (comb.sum(1, keepdim=True) + SINKHORN_EPS)
    for _ in range(SINKHORN_ITERS - 1):
        comb = comb / (comb.sum(2, keepdim=True) + SINKHORN_EPS)
        comb = comb / (comb.sum(1, keepdim=True) + SINKHORN_EPS)
    return (pre[:, :, None] * residual.float()).sum(1).to(residual.dtype), post, comb


def torch_post(x, residual, post, comb):
    mixed = torch.einsum("tij,tih->tjh", comb, residual.float())
    return (post[:, :, None] * x.float()[:, None] + mixed).to(residual.dtype)


def fp8(values):
    """Rounded to e4m3 with a power-of-two scale for each row; the values again as f32."""
    amax = values.float().abs().amax(-1, keepdim=True).clamp_min(1e-4)
    scale = torch.exp2(torch.ceil(torch.log2(amax / 448.0)))
    return (values.float() / scale).to(torch.float8_e4m3fn).float() * scale


def rope(values, positions, cos_sin):
    """Interleaved pairs of the last dimensions, as the plan has it."""
    cos, sin = cos_sin[positions].chunk(2, 1)
    size = 2 * cos.shape[1]
    if values.dim() == 3:
        cos, sin = cos[:, None], sin[:, None]
    plain, turned = values.float().split([values.shape[-1] - size, size], -1)
    even, odd = turned[..., 0::2], turned[..., 1::2]
    turned = torch.stack((even * cos - odd * sin, odd * cos + even * sin), -1).flatten(-2)
    return torch.cat((plain, turned), -1).to(values.dtype)


def torch_select(q, keys, weights, lengths, topk):
    """q, keys: rotated and quantised. keys [rows, columns, D]: of each row's own request."""
    scores = torch.einsum("rhd,rsd->rhs", q, keys).relu()
    logits = (weights[:, :, None] * scores).sum(1) * (HEADS * HEAD_DIM) ** -0.5
    column = torch.arange(keys.shape[1], device=q.device)
    logits = logits.masked_fill(column >= lengths[:, None], float("-inf"))
    return logits.topk(topk, dim=1).indices.sort(1).values


# --- the block ----------------------------------------------------------------------------------------------

class Block(torch.nn.Module):
    """One decode step of one token a request, `requests` requests, each with its own pages."""

    def __init__(self, context, device, requests=4, hidden=512, topk=64, pages=4):
        super().__init__()
        self.requests, self.hidden, self.topk, self.pages = requests, hidden, topk, pages
        columns = pages * PAGE
        random = torch.Generator().manual_seed(7)

        def weight(*shape, dtype=torch.bfloat16, size=None):
            values = torch.randn(shape, generator=random)
            size = shape[-1] ** -0.5 if size is None else size
            return (values * size).to(dtype).to(device)

        self.mixers = [dict(fn=weight(24, 4 * hidden, dtype=torch.float32),
                            base=weight(24, dtype=torch.float32, size=0.5),
                            scale=torch.tensor([0.5, 0.7, 0.9], device=device)) for _ in range(2)]
        self.to_q, self.to_k = weight(HEADS * HEAD_DIM, hidden), weight(HEAD_DIM, hidden)
        self.to_weights = weight(HEADS, hidden)
        self.attend_q, self.attend_kv = weight(hidden, hidden), weight(hidden, hidden)
        self.up, self.down = weight(2 * hidden, hidden), weight(hidden, 2 * hidden)
        # A context of 200 … tokens a request: what the indexer and the attention have cached.
        self.lengths = torch.arange(200, 200 + requests, dtype=torch.int32, device=device) + 1
        self.positions = (self.lengths - 1).long()
        self.past_k = weight(requests, columns, HEAD_DIM, size=1.0)
        self.past_kv = weight(requests, columns, hidden, size=1.0)
        angle = torch.outer(torch.arange(columns).double(),
                            10000.0 ** (-torch.arange(0, 64, 2).double() / 64))
        self.cos_sin = torch.cat((angle.cos(), angle.sin()), 1).float().to(device)
        table = torch.arange(requests * pages, dtype=torch.int32).view(requests, pages)
        self.block_table = table.flip(1).contiguous().to(device)
        rows = torch.arange(requests, device=device)
        self.slots = (self.block_table[rows, self.positions // PAGE].long() * PAGE
                      + self.positions % PAGE)
        # [plans]
        self.mhc = keep(plait.MhcPlan(context, hidden=hidden, hc_mult=STREAMS))
        self.indexer_plan = plait.IndexerPlan(
            context, heads=HEADS, head_dim=HEAD_DIM, page_entries=PAGE, topk=topk,
            max_keys=columns, order="index")
        self.indexer = keep(self.indexer_plan)
        # [plans]
        self.cache = torch.zeros((requests * pages, self.indexer_plan.sizes(1).page_stride),
                                 dtype=torch.uint8, device=device)
        self.fill_cache(columns)

    def fill_cache(self, columns):
        """The keys of the past, as earlier steps would have written them."""
        position = torch.arange(columns, device=self.cache.device).repeat(self.requests)
        slots = (self.block_table.long()[:, :, None] * PAGE
                 + torch.arange(PAGE, device=self.cache.device)).flatten().contiguous()
        work = workspace_like(self.cache, self.indexer_plan.sizes(len(slots)).workspace)
        self.indexer_plan.write_k(
            tokens=len(slots), k=self.past_k.flatten(0, 1), positions=position,
            cos_sin=self.cos_sin, slot_mapping=slots, cache=self.cache, workspace=work,
            stream=stream_of(self.cache))

    def select(self, x, with_plait):
        q = (x @ self.to_q.T).view(-1, HEADS, HEAD_DIM)
        k = (x @ self.to_k.T).contiguous()
        weights = (x @ self.to_weights.T).float()
        if with_plait:
            return torch.ops.plait.indexer_select(
                self.indexer, q.contiguous(), k, weights.contiguous(), self.positions, self.slots,
                self.cos_sin, self.cache, self.block_table, self.lengths, self.topk)
        rows = torch.arange(self.requests, device=x.device)
        keys = self.past_k.clone()
        keys[rows, self.positions] = k
        flat = rope(keys.flatten(0, 1), torch.arange(keys.shape[1], device=x.device).repeat(
            self.requests), self.cos_sin)
        q = rope(q, self.positions, self.cos_sin)
        return torch_select(fp8(q), fp8(flat).view(keys.shape), weights, self.lengths, self.topk)

    def attention(self, x, indices):
        """Over the picked keys only."""
        kv = torch.gather(self.past_kv, 1,
                          indices.long()[:, :, None].expand(-1, -1, self.hidden))
        scores = torch.einsum("rd,rsd->rs", (x @ self.attend_q.T).float(), kv.float())
        weights = (scores * self.hidden ** -0.5).softmax(1)
        return torch.einsum("rs,rsd->rd", weights, kv.float()).to(x.dtype) @ self.attend_kv.T

    # [block]
    def forward(self, residual, with_plait):
        """[T, n, H] -> [T, n, H]; also the indices that the indexer picked."""
        pre, post = torch_pre, torch_post
        if with_plait:
            def pre(residual, **weights):
                return torch.ops.plait.mhc_pre(self.mhc, residual, **weights)

            def post(*tensors):
                return torch.ops.plait.mhc_post(self.mhc, *tensors)
        x, post_mix, comb_mix = pre(residual, **self.mixers[0])
        indices = self.select(x, with_plait)
        residual = post(self.attention(x, indices), residual, post_mix, comb_mix)
        x, post_mix, comb_mix = pre(residual, **self.mixers[1])
        x = torch.nn.functional.silu(x @ self.up.T) @ self.down.T
        return post(x, residual, post_mix, comb_mix), indices
    # [block]


def agree(got, want, what, share):
    """The indices, and the streams within a few roundings of bf16."""
    common = sum(len(set(a) & set(b)) for a, b in zip(got[1].tolist(), want[1].tolist()))
    picked = common / got[1].numel()
    worst = ((got[0].float() - want[0].float()).abs().max() / want[0].float().abs().max()).item()
    good = picked >= share and worst <= 0.02
    print(f"  {what:32} {100 * picked:.1f} % of the indices equal, worst difference "
          f"{100 * worst:.2f} % of the largest value: {'ok' if good else 'WRONG'}")
    return good


def timed(call, device):
    count = 100 if device == "cuda" else 3
    call()
    if device == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    if device == "cuda":
        torch.cuda.synchronize()
    return (time.perf_counter() - start) / count * 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=("cpu", "cuda"),
                        default="cuda" if torch.cuda.is_available() else "cpu")
    device = parser.parse_args().device
    # torch calls a ROCm device "cuda" too.
    backend = "cpu" if device == "cpu" else "hip" if torch.version.hip else "cuda"
    with torch.inference_mode(), plait.Context(backend) as context:
        print(f"plait {plait.version()} on {context.info.device_name}, torch {torch.__version__}")
        block = Block(context, device)
        print(_plans[block.mhc].explain() + block.indexer_plan.explain(), end="")
        random = torch.Generator().manual_seed(1)
        inputs = [torch.randn((block.requests, STREAMS, block.hidden), generator=random).to(
            torch.bfloat16).to(device) for _ in range(3)]
        good = True
        for i, residual in enumerate(inputs):
            got, want = block(residual, True), block(residual, False)
            good &= agree(got, want, f"step {i}: plait against torch", 0.95)
        print(f"  torch {timed(lambda: block(inputs[0], False), device):.0f} us, with plait's ops "
              f"{timed(lambda: block(inputs[0], True), device):.0f} us")
        if device == "cuda":
            good &= replay(block, inputs, device)
        else:
            print("  no GPU here: no graph")
    return 0 if good else 1


# [graph]
def replay(block, inputs, device):
    """The block in a CUDA graph: captured once, replayed on other inputs, the bits of plain calls."""
    fixed = inputs[0].clone()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        block(fixed, True)  # warm-up: cuBLAS makes its handles
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out, indices = block(fixed, True)
    good = True
    for i, residual in enumerate(inputs):
        fixed.copy_(residual)
        graph.replay()
        want, wanted = block(residual, True)
        same = torch.equal(out, want) and torch.equal(indices, wanted)
        print(f"  step {i}: {'graph replay has' if same else 'REPLAY LACKS'} the bits of the calls")
        good &= same
    print(f"  graph replay {timed(graph.replay, device):.0f} us")
    return good
# [graph]


if __name__ == "__main__":
    sys.exit(main())
