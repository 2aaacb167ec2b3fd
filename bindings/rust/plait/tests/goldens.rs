// SPDX-License-Identifier: MIT
//! Numerics against the golden vectors.
mod common;
use common::{vectors, wide, Vector};
use plait::{
    Context, Format, IndexerLogitsPaged, IndexerLogitsRagged, IndexerOptions, IndexerPlan,
    IndexerWriteK, MhcHead, MhcOptions, MhcPlan, MhcPost, MhcPostPre, MhcPre, Order, Rope, Topk,
    TopkOptions, TopkPlan,
};

fn near(got: &[f32], want: &[f32], absolute: f32, what: &str) {
    assert_eq!(got.len(), want.len(), "{}", what);
    for (i, (a, b)) in got.iter().zip(want).enumerate() {
        assert!((a - b).abs() <= absolute, "{}[{}]: {} is not {}", what, i, a, b);
    }
}

/// One bf16 ulp, and what cancellation of the summed absolute terms leaves.
fn near_bf16(got: &[u16], want: &[u16], terms: impl Fn(usize) -> f32, what: &str) {
    for (i, (&a, &b)) in got.iter().zip(want).enumerate() {
        let (a, b) = (wide(a), wide(b));
        let ulp = f32::from_bits((b.abs().max(f32::MIN_POSITIVE).to_bits() >> 23) << 23) / 128.0;
        assert!((a - b).abs() <= ulp + 1e-6 * terms(i), "{}[{}]: {} is not {}", what, i, a, b);
    }
}

#[test]
fn mhc() {
    let context = Context::cpu().unwrap();
    for v in vectors("mhc_") {
        let (tokens, n, hidden) = (v.int("tokens"), v.int("hc_mult"), v.int("hidden"));
        let options = MhcOptions {
            hidden,
            hc_mult: Some(n as i32),
            sinkhorn_iters: Some(v.int("sinkhorn_iters") as i32),
            post_mult: Some(v.float("post_mult")),
            rms_eps: Some(v.float("rms_eps")),
            pre_eps: Some(v.float("pre_eps")),
            sinkhorn_eps: Some(v.float("sinkhorn_eps")),
            ..Default::default()
        };
        let plan = MhcPlan::new(&context, options).unwrap();
        mhc_case(&v, &plan, tokens as usize, n as usize, hidden as usize);
    }
}

fn mhc_case(v: &Vector, plan: &MhcPlan, t: usize, n: usize, h: usize) {
    let mut workspace = plan.workspace(t as i64).unwrap();
    let (mut pre, mut post, mut comb) =
        (vec![0f32; t * n], vec![0f32; t * n], vec![0f32; t * n * n]);
    let (mut input, mut out) = (vec![0u16; t * h], vec![0u16; t * n * h]);
    let residual: Vec<u16> = v.array("residual");
    let (base, scale): (Vec<f32>, Vec<f32>) = (v.array("base"), v.array("scale"));
    let largest = residual.iter().map(|&b| wide(b).abs()).fold(1.0, f32::max) * n as f32;
    plan.pre(&mut MhcPre {
        tokens: t as i64,
        residual: (&residual).into(),
        r#fn: (&v.array::<f32>("fn")).into(),
        base: (&base).into(),
        scale: (&scale).into(),
        pre_mix: (&mut pre).into(),
        post_mix: (&mut post).into(),
        comb_mix: (&mut comb).into(),
        layer_input: (&mut input).into(),
        workspace: (&mut workspace).into(),
        ..Default::default()
    })
    .unwrap();
    near(&pre, &v.array("mixes_pre"), 3e-6, &v.name());
    near(&post, &v.array("post_mix"), 3e-6, &v.name());
    near(&comb, &v.array("comb_mix"), 3e-6, &v.name());
    near_bf16(&input, &v.array("layer_input"), |_| largest, &v.name());
    let (post, comb): (Vec<f32>, Vec<f32>) = (v.array("post_mix"), v.array("comb_mix"));
    plan.post(&mut MhcPost {
        tokens: t as i64,
        x: (&v.array::<u16>("x")).into(),
        residual: (&residual).into(),
        post_mix: (&post).into(),
        comb_mix: (&comb).into(),
        residual_out: (&mut out).into(),
        workspace: (&mut workspace).into(),
        ..Default::default()
    })
    .unwrap();
    near_bf16(&out, &v.array("residual_out"), |_| 4.0 * largest, &v.name());
    // Fused and in place: the same bits.
    let mut fused = residual.clone();
    let (mut next_post, mut next_comb) = (vec![0f32; t * n], vec![0f32; t * n * n]);
    plan.post_pre(&mut MhcPostPre {
        tokens: t as i64,
        x: (&v.array::<u16>("x")).into(),
        residual: plait::Input::IN_PLACE,
        post_mix: (&post).into(),
        comb_mix: (&comb).into(),
        residual_out: (&mut fused).into(),
        r#fn: (&v.array::<f32>("next_fn")).into(),
        base: (&base).into(),
        scale: (&scale).into(),
        next_post_mix: (&mut next_post).into(),
        next_comb_mix: (&mut next_comb).into(),
        layer_input: (&mut input).into(),
        workspace: (&mut workspace).into(),
        ..Default::default()
    })
    .unwrap();
    assert_eq!(fused, out, "{}", v.name());
    near(&next_post, &v.array("next_post_mix"), 3e-6, &v.name());
    near(&next_comb, &v.array("next_comb_mix"), 3e-6, &v.name());
    plan.head(&mut MhcHead {
        tokens: t as i64,
        residual: (&residual).into(),
        r#fn: (&v.array::<f32>("head_fn")).into(),
        base: (&v.array::<f32>("head_base")).into(),
        scale: (&v.array::<f32>("head_scale")).into(),
        out: (&mut input).into(),
        workspace: (&mut workspace).into(),
        ..Default::default()
    })
    .unwrap();
    near_bf16(&input, &v.array("head_out"), |_| largest, &v.name());
}

#[test]
fn key_cache() {
    let context = Context::cpu().unwrap();
    for v in vectors("kcache_") {
        let format =
            if v.text("fp8") == "e4m3fn" { Format::FP8_E4M3FN } else { Format::FP8_E4M3FNUZ };
        let options = IndexerOptions {
            format: Some(format),
            page_entries: Some(v.int("page_size") as i32),
            rope_mode: Some(Rope::NONE),
            ..Default::default()
        };
        let plan = IndexerPlan::new(&context, options).unwrap();
        let want: Vec<u8> = v.array("cache");
        let slots: Vec<i64> = v.array("slot_mapping");
        let mut cache = vec![0xABu8; want.len()];
        let mut workspace = plan.workspace(slots.len() as i64).unwrap();
        plan.write_k(&mut IndexerWriteK {
            tokens: slots.len() as i64,
            k: (&v.array::<u16>("k")).into(),
            slot_mapping: (&slots).into(),
            cache: (&mut cache).into(),
            workspace: (&mut workspace).into(),
            ..Default::default()
        })
        .unwrap();
        assert!(cache == want, "{}", v.name());
    }
}

fn near_logits(got: &[f32], want: &[f32], what: &str) {
    let largest = want.iter().fold(1f32, |most, value| most.max(value.abs()));
    near(got, want, 2e-4 * largest, what);
}

#[test]
fn logits() {
    let context = Context::cpu().unwrap();
    for v in vectors("logits_") {
        let (rows, keys) = (v.int("queries"), v.int("keys"));
        let options = IndexerOptions { heads: Some(v.int("heads") as i32), ..Default::default() };
        let plan = IndexerPlan::new(&context, options).unwrap();
        let mut logits = vec![7f32; (rows * keys) as usize];
        let (start, end): (Vec<i32>, Vec<i32>) = (v.array("row_start"), v.array("row_end"));
        plan.logits_ragged(&mut IndexerLogitsRagged {
            rows,
            keys,
            q_values: (&v.array::<u8>("q")).into(),
            weights: (&v.array::<f32>("weights")).into(),
            k_values: (&v.array::<u8>("k")).into(),
            k_scale: (&v.array::<f32>("k_scale")).into(),
            row_start: (&start).into(),
            row_end: (&end).into(),
            logits: (&mut logits).into(),
            workspace: (&mut plan.workspace(rows).unwrap()).into(),
            ..Default::default()
        })
        .unwrap();
        let want: Vec<f32> = v.array("logits_fp64");
        for row in 0..rows as usize {
            let at = row * keys as usize;
            let (first, last) = (at + start[row] as usize, at + end[row] as usize);
            near_logits(&logits[first..last], &want[first..last], &v.name());
            assert!(logits[at..first].iter().all(|&value| value == 7.0));
            assert!(logits[last..at + keys as usize].iter().all(|&value| value == 7.0));
        }
    }
    for v in vectors("paged_") {
        let (requests, next_n) = (v.int("batch"), v.int("next_n"));
        let options = IndexerOptions {
            heads: Some(v.int("heads") as i32),
            next_n: Some(next_n as i32),
            ..Default::default()
        };
        let plan = IndexerPlan::new(&context, options).unwrap();
        let want: Vec<f32> = v.array("logits_fp64");
        let table: Vec<i32> = v.array("block_table");
        let lengths: Vec<i32> = v.array("context_lens");
        let columns = want.len() as i64 / (requests * next_n);
        let mut logits = vec![0f32; want.len()];
        plan.logits_paged(&mut IndexerLogitsPaged {
            requests,
            columns,
            q_values: (&v.array::<u8>("q")).into(),
            weights: (&v.array::<f32>("weights")).into(),
            cache: (&v.array::<u8>("cache")).into(),
            block_table: (&table).into(),
            block_table_columns: table.len() as i64 / requests,
            lengths: (&lengths).into(),
            logits: (&mut logits).into(),
            workspace: (&mut plan.workspace(requests * next_n).unwrap()).into(),
            ..Default::default()
        })
        .unwrap();
        for (row, &length) in lengths.iter().enumerate() {
            let at = row * columns as usize;
            let end = at + length as usize;
            near_logits(&logits[at..end], &want[at..end], &v.name());
        }
    }
}

#[test]
fn topk() {
    let context = Context::cpu().unwrap();
    for v in vectors("topk_") {
        let (rows, columns, k) = (v.int("rows"), v.int("cols"), v.int("k"));
        let options = TopkOptions {
            max_columns: columns,
            k,
            order: Some(Order::DESCENDING),
            ..Default::default()
        };
        let plan = TopkPlan::new(&context, options).unwrap();
        let mut indices = vec![0i32; (rows * k) as usize];
        plan.topk(&mut Topk {
            rows,
            columns,
            values: (&v.array::<f32>("logits")).into(),
            row_start: (&v.array::<i32>("row_start")).into(),
            row_end: (&v.array::<i32>("row_end")).into(),
            indices: (&mut indices).into(),
            workspace: (&mut plan.workspace(rows).unwrap()).into(),
            ..Default::default()
        })
        .unwrap();
        assert!(indices == v.array::<i32>("indices"), "{}", v.name());
    }
}
