# SPDX-License-Identifier: MIT
"""Numerics against the golden vectors, through the package."""
import numpy as np
import plait
import pytest
from conftest import f32, vectors


def near_bf16(got, want, terms):
    """One bf16 ulp, and what cancellation of the terms leaves."""
    got, want = f32(got).astype(np.float64), f32(want).astype(np.float64)
    ulp = 2.0 ** (np.floor(np.log2(np.maximum(np.abs(want), 2.0 ** -126))) - 7)
    assert np.all(np.abs(got - want) <= ulp + 1e-6 * terms), np.abs(got - want).max()


@pytest.mark.parametrize("vector", vectors("mhc_"))
def test_mhc(context, vector):
    case, v = vector.case, vector
    tokens, n, hidden = case["tokens"], case["hc_mult"], case["hidden"]
    options = dict(hidden=hidden, hc_mult=n, sinkhorn_iters=case["sinkhorn_iters"],
                   post_mult=case["post_mult"], rms_eps=case["rms_eps"], pre_eps=case["pre_eps"],
                   sinkhorn_eps=case["sinkhorn_eps"])
    with plait.MhcPlan(context, **options) as plan, plan.workspace(tokens) as workspace:
        pre, post = np.empty((tokens, n), np.float32), np.empty((tokens, n), np.float32)
        comb = np.empty((tokens, n, n), np.float32)
        layer_input = np.empty((tokens, hidden), np.uint16)
        residual_out = np.empty((tokens, n, hidden), np.uint16)
        plan.pre(tokens=tokens, residual=v.residual, fn=v.fn, base=v.base, scale=v.scale,
                 pre_mix=pre, post_mix=post, comb_mix=comb, layer_input=layer_input,
                 workspace=workspace)
        for got, want in ((pre, v.mixes_pre), (post, v.post_mix), (comb, v.comb_mix)):
            np.testing.assert_allclose(got, want, rtol=0, atol=3e-6)
        streams = f32(v.residual).astype(np.float64)
        near_bf16(layer_input, v.layer_input, (v.mixes_pre[:, :, None] * np.abs(streams)).sum(1))
        plan.post(tokens=tokens, x=v.x, residual=v.residual, post_mix=v.post_mix,
                  comb_mix=v.comb_mix, residual_out=residual_out, workspace=workspace)
        terms = (np.abs(v.post_mix[:, :, None] * f32(v.x)[:, None, :])
                 + np.einsum("tij,tih->tjh", np.abs(v.comb_mix), np.abs(streams)))
        near_bf16(residual_out, v.residual_out, terms)
        fused = [np.empty_like(a) for a in (residual_out, post, comb, layer_input)]
        plan.post_pre(tokens=tokens, x=v.x, residual=v.residual, post_mix=v.post_mix,
                      comb_mix=v.comb_mix, residual_out=fused[0], fn=v.next_fn, base=v.base,
                      scale=v.scale, next_post_mix=fused[1], next_comb_mix=fused[2],
                      layer_input=fused[3], workspace=workspace)
        np.testing.assert_array_equal(fused[0], residual_out)
        np.testing.assert_allclose(fused[1], v.next_post_mix, rtol=0, atol=3e-6)
        np.testing.assert_allclose(fused[2], v.next_comb_mix, rtol=0, atol=3e-6)
        out = np.empty((tokens, hidden), np.uint16)
        plan.head(tokens=tokens, residual=v.residual, fn=v.head_fn, base=v.head_base,
                  scale=v.head_scale, out=out, workspace=workspace)
        near_bf16(out, v.head_out, np.abs(streams).sum(1))


@pytest.mark.parametrize("vector", vectors("kcache_"))
def test_write_k(context, vector):
    case, v = vector.case, vector
    want = v.cache
    with plait.IndexerPlan(context, format="fp8_" + case["fp8"], rope_mode="none",
                           page_entries=case["page_size"], head_dim=case["head_dim"]) as plan:
        cache = np.full(want.shape, 0xAB, np.uint8)
        plan.write_k(tokens=len(v.k), k=v.k, slot_mapping=v.slot_mapping, cache=cache,
                     workspace=plan.workspace(len(v.k)))
        np.testing.assert_array_equal(cache, want)


def near_logits(got, want, rows):
    for row, (start, end) in enumerate(rows):
        np.testing.assert_allclose(got[row, start:end], want[row, start:end], rtol=1e-4,
                                   atol=1e-4 * np.abs(want[row, start:end]).max(initial=1.0))


@pytest.mark.parametrize("vector", vectors("logits_"))
def test_logits_ragged(context, vector):
    case, v = vector.case, vector
    rows, keys = case["queries"], case["keys"]
    with plait.IndexerPlan(context, heads=case["heads"], head_dim=case["head_dim"]) as plan:
        logits = np.full((rows, keys), 7, np.float32)
        start, end = v.row_start, v.row_end
        plan.logits_ragged(rows=rows, keys=keys, q_values=v.q, weights=v.weights, k_values=v.k,
                           k_scale=v.k_scale, row_start=start, row_end=end, logits=logits,
                           workspace=plan.workspace(rows))
        near_logits(logits, v.logits_fp64, zip(start, end))
        column = np.arange(keys)
        outside = (column < start[:, None]) | (column >= end[:, None])
        assert np.all(logits[outside] == 7)


@pytest.mark.parametrize("vector", vectors("paged_"))
def test_logits_paged(context, vector):
    case, v = vector.case, vector
    want, table, lengths = v.logits_fp64, v.block_table, v.context_lens
    columns = want.shape[1]
    with plait.IndexerPlan(context, heads=case["heads"], head_dim=case["head_dim"],
                           page_entries=case["page_size"], next_n=case["next_n"]) as plan:
        logits = np.empty(want.shape, np.float32)
        plan.logits_paged(requests=case["batch"], columns=columns, q_values=v.q,
                          weights=v.weights, cache=v.cache, block_table=table,
                          block_table_columns=table.shape[1], lengths=lengths, logits=logits,
                          workspace=plan.workspace(len(want)))
        near_logits(logits, want, ((0, n) for n in lengths.ravel()))


@pytest.mark.parametrize("vector", vectors("topk_"))
def test_topk(context, vector):
    case, v = vector.case, vector
    rows, k = case["rows"], case["k"]
    logits, want = v.logits, v.indices
    for order in plait.Order:
        with plait.TopkPlan(context, max_columns=case["cols"], k=k, order=order) as plan:
            got = np.empty((rows, k), np.int32)
            plan.topk(rows=rows, columns=case["cols"], values=logits, row_start=v.row_start,
                      row_end=v.row_end, indices=got, workspace=plan.workspace(rows))
        if order == plait.Order.DESCENDING:
            np.testing.assert_array_equal(got, want)
        else:
            np.testing.assert_array_equal(np.sort(got, 1), np.sort(want, 1))
