# SPDX-License-Identifier: MIT
"""The formulas of docs/contract.md in PyTorch on the CPU: what plait's CPU figures stand beside.

usage: python3 torch_baseline.py [--threads 2] [--seconds 1]

Prints one line a shape: median and least microseconds, in eager mode. The shapes are those of
`plait bench`.
"""

import argparse
import statistics
import time

import torch


def sinkhorn(c, iters, eps):
    c = torch.softmax(c, dim=-1) + eps
    c = c / (c.sum(dim=-2, keepdim=True) + eps)
    for _ in range(iters - 1):
        c = c / (c.sum(dim=-1, keepdim=True) + eps)
        c = c / (c.sum(dim=-2, keepdim=True) + eps)
    return c


def pre(residual, fn, base, scale, iters=20, eps=1e-6):
    tokens, n, _ = residual.shape
    v = residual.flatten(1).float()
    g = torch.rsqrt(v.square().mean(-1, keepdim=True) + eps)
    m = (v @ fn.t()) * g
    gates = torch.sigmoid(m[:, :n] * scale[0] + base[:n]) + eps
    post = 2.0 * torch.sigmoid(m[:, n : 2 * n] * scale[1] + base[n : 2 * n])
    comb = sinkhorn((m[:, 2 * n :] * scale[2] + base[2 * n :]).view(tokens, n, n), iters, eps)
    layer_input = (gates.unsqueeze(-1) * residual.float()).sum(1).to(residual.dtype)
    return post, comb, layer_input


def post(x, residual, post_mix, comb):
    out = post_mix.unsqueeze(-1) * x.float().unsqueeze(1)
    out = out + torch.matmul(comb.transpose(1, 2), residual.float())
    return out.to(residual.dtype)


def logits(q, k, k_scale, weights, at_once):
    """q [rows, heads, D] and k [keys, D] as fp8, through a float32 matmul, `at_once` rows at a time."""
    rows, heads, dim = q.shape
    keys = k.float().t()
    out = torch.empty(rows, k.shape[0])
    for begin in range(0, rows, at_once):
        part = q[begin : begin + at_once].float().reshape(-1, dim)
        scores = torch.relu_(part @ keys).view(-1, heads, keys.shape[1])
        out[begin : begin + at_once] = torch.einsum("rh,rhs->rs", weights[begin : begin + at_once], scores)
    return out * k_scale


def measure(call, seconds):
    call()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times), min(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", default="", help="rows that begin with this")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    print(f"torch {torch.__version__}, {arguments.threads} threads")

    def show(what, call):
        if not what.startswith(arguments.only):
            return
        median, least = measure(call, arguments.seconds)
        print(f"{what:54s} median {median:12.1f} us   min {least:12.1f} us", flush=True)

    with torch.no_grad():
        for tokens, hidden in [(1, 4096), (512, 4096), (1, 7168), (512, 7168)]:
            residual = torch.randn(tokens, 4, hidden).bfloat16()
            fn = torch.randn(24, 4 * hidden) * 1.28 / (4 * hidden) ** 0.5
            base, scale = torch.randn(24) * 0.7, torch.full((3,), 0.8)
            show(f"mhc_pre T={tokens} H={hidden}", lambda: pre(residual, fn, base, scale))
            x = torch.randn(tokens, hidden).bfloat16()
            mix, comb = torch.rand(tokens, 4) * 2, torch.rand(tokens, 4, 4)
            show(f"mhc_post T={tokens} H={hidden}", lambda: post(x, residual, mix, comb))
        for rows, length, k in [(1, 8192, 512), (64, 8192, 512), (64, 131072, 2048)]:
            values = torch.randn(rows, length)
            show(f"topk rows={rows} L={length} K={k}", lambda: torch.topk(values, k))
            show(
                f"topk rows={rows} L={length} K={k} sorted=False",
                lambda: torch.topk(values, k, sorted=False),
            )
        for heads in (64, 32):
            q = torch.randn(256, heads, 128).to(torch.float8_e4m3fn)
            k = torch.randn(8192, 128).to(torch.float8_e4m3fn)
            k_scale, weights = torch.rand(8192), torch.randn(256, heads)
            for at_once in (1, 4, 16, 256):  # the fewer, the more of the scores stays in the cache
                show(
                    f"logits_ragged rows=256 keys=8192 heads={heads}, {at_once} at once",
                    lambda: logits(q, k, k_scale, weights, at_once),
                )


if __name__ == "__main__":
    main()
