// SPDX-License-Identifier: MIT
//! A small decoder with mHC around two sublayers a layer: examples/c/decoder_layer.c in Rust.
//!
//! Two layers, written twice. Unfused: pre, sublayer, post. Fused: each sublayer's post waits until
//! the next sublayer's pre and both are one call. Both give the same bits, and those of the C program.
//! Usage: decoder_layer [VECTORS]
use plait::{
    Context, Input, MhcExpand, MhcHead, MhcOptions, MhcPlan, MhcPost, MhcPostPre, MhcPre, Workspace,
};
use plait_examples::{checksum, from_bf16, to_bf16, Case};
use std::mem::swap;

const LAYERS: usize = 2;
const SUBLAYERS: usize = 2 * LAYERS;

/// What one sublayer's mHC has learned.
struct Weights {
    function: Vec<f32>,
    base: Vec<f32>,
    scale: Vec<f32>,
}

struct Mixes {
    post: Vec<f32>,
    comb: Vec<f32>,
}

/// The plan, the weights, and the state between two sublayers.
struct Decoder {
    plan: MhcPlan,
    tokens: i64,
    streams: usize,
    hidden: usize,
    sublayers: Vec<Weights>,
    head: Weights,
    residual: Vec<u16>,
    x: Vec<u16>,
    layer_input: Vec<u16>,
    mixes: Mixes,
    next: Mixes,
    workspace: Workspace,
}

impl Decoder {
    fn new(context: &Context, case: &Case) -> plait::Result<Decoder> {
        let (t, n, h) = (
            case.number("tokens") as usize,
            case.number("hc_mult") as usize,
            case.number("hidden") as usize,
        );
        // [plan]
        let options = MhcOptions {
            hidden: h as i64,
            hc_mult: Some(n as i32),
            sinkhorn_iters: Some(case.number("sinkhorn_iters") as i32),
            rms_eps: Some(case.number("rms_eps") as f32),
            pre_eps: Some(case.number("pre_eps") as f32),
            sinkhorn_eps: Some(case.number("sinkhorn_eps") as f32),
            post_mult: Some(case.number("post_mult") as f32),
            ..Default::default()
        };
        let plan = MhcPlan::new(context, options)?;
        let workspace = plan.workspace(t as i64)?;
        // [plan]
        let weights = |function: &str, base: &str, scale: &str| Weights {
            function: case.array(function),
            base: case.array(base),
            scale: case.array(scale),
        };
        let mixes = || Mixes { post: vec![0.0; t * n], comb: vec![0.0; t * n * n] };
        Ok(Decoder {
            plan,
            tokens: t as i64,
            streams: n,
            hidden: h,
            sublayers: (0..SUBLAYERS)
                .map(|i| weights(if i % 2 == 1 { "next_fn" } else { "fn" }, "base", "scale"))
                .collect(),
            head: weights("head_fn", "head_base", "head_scale"),
            residual: vec![0; t * n * h],
            x: vec![0; t * h],
            layer_input: vec![0; t * h],
            mixes: mixes(),
            next: mixes(),
            workspace,
        })
    }

    // [calls]
    /// `embedding` [T, H] stands for n equal streams; without it the residual is the decoder's.
    fn pre(&mut self, i: usize, embedding: Option<&[u16]>) -> plait::Result<()> {
        let weights = &self.sublayers[i];
        self.plan.pre(&mut MhcPre {
            tokens: self.tokens,
            residual: embedding.unwrap_or(&self.residual).into(),
            broadcast: embedding.is_some(),
            r#fn: (&weights.function).into(),
            base: (&weights.base).into(),
            scale: (&weights.scale).into(),
            post_mix: (&mut self.mixes.post).into(),
            comb_mix: (&mut self.mixes.comb).into(),
            layer_input: (&mut self.layer_input).into(),
            workspace: (&mut self.workspace).into(),
            ..Default::default()
        })
    }

    fn post(&mut self) -> plait::Result<()> {
        self.plan.post(&mut MhcPost {
            tokens: self.tokens,
            x: (&self.x).into(),
            residual: Input::IN_PLACE,
            post_mix: (&self.mixes.post).into(),
            comb_mix: (&self.mixes.comb).into(),
            residual_out: (&mut self.residual).into(),
            workspace: (&mut self.workspace).into(),
            ..Default::default()
        })
    }

    /// The boundary: ends the sublayer whose output is x, begins sublayer `i`.
    fn post_pre(&mut self, i: usize, embedding: Option<&[u16]>) -> plait::Result<()> {
        let weights = &self.sublayers[i];
        self.plan.post_pre(&mut MhcPostPre {
            tokens: self.tokens,
            x: (&self.x).into(),
            residual: embedding.map_or(Input::IN_PLACE, Input::from),
            broadcast: embedding.is_some(),
            post_mix: (&self.mixes.post).into(),
            comb_mix: (&self.mixes.comb).into(),
            residual_out: (&mut self.residual).into(),
            r#fn: (&weights.function).into(),
            base: (&weights.base).into(),
            scale: (&weights.scale).into(),
            next_post_mix: (&mut self.next.post).into(),
            next_comb_mix: (&mut self.next.comb).into(),
            layer_input: (&mut self.layer_input).into(),
            workspace: (&mut self.workspace).into(),
            ..Default::default()
        })?;
        swap(&mut self.mixes, &mut self.next);
        Ok(())
    }

    fn head(&mut self) -> plait::Result<Vec<u16>> {
        let mut out = vec![0u16; self.x.len()];
        self.plan.head(&mut MhcHead {
            tokens: self.tokens,
            residual: (&self.residual).into(),
            r#fn: (&self.head.function).into(),
            base: (&self.head.base).into(),
            scale: (&self.head.scale).into(),
            out: (&mut out).into(),
            workspace: (&mut self.workspace).into(),
            ..Default::default()
        })?;
        Ok(out)
    }
    // [calls]

    /// Stands in for attention or MLP: 1.5 v / (1 + |v|), rotated by `turn` places.
    fn sublayer(&mut self, turn: usize) {
        let hidden = self.hidden;
        for (from, to) in self.layer_input.chunks(hidden).zip(self.x.chunks_mut(hidden)) {
            for (h, &bits) in from.iter().enumerate() {
                let v = from_bf16(bits);
                to[(h + turn) % hidden] = to_bf16(1.5 * v / (1.0 + v.abs()));
            }
        }
    }

    // [flow]
    fn decode_unfused(&mut self, embedding: &[u16]) -> plait::Result<()> {
        self.plan.expand(&mut MhcExpand {
            tokens: self.tokens,
            x: embedding.into(),
            residual_out: (&mut self.residual).into(),
            workspace: (&mut self.workspace).into(),
            ..Default::default()
        })?;
        for i in 0..SUBLAYERS {
            self.pre(i, None)?;
            self.sublayer(i + 1);
            self.post()?;
        }
        Ok(())
    }

    /// The streams are equal at first: the embedding itself is the first residual.
    fn decode_fused(&mut self, embedding: &[u16]) -> plait::Result<()> {
        self.pre(0, Some(embedding))?;
        self.sublayer(1);
        for i in 1..SUBLAYERS {
            self.post_pre(i, if i == 1 { Some(embedding) } else { None })?;
            self.sublayer(i + 1);
        }
        self.post() // nothing follows that could take it
    }
    // [flow]

    /// One prediction further: the next token's embedding goes into every stream (unit mixes, no
    /// comb), then one more sublayer.
    fn mtp(&mut self, next_embedding: &[u16]) -> plait::Result<()> {
        let unit = vec![1f32; self.tokens as usize * self.streams];
        self.plan.post(&mut MhcPost {
            tokens: self.tokens,
            x: next_embedding.into(),
            residual: Input::IN_PLACE,
            post_mix: (&unit).into(),
            residual_out: (&mut self.residual).into(),
            workspace: (&mut self.workspace).into(),
            ..Default::default()
        })?;
        self.pre(0, None)?;
        self.sublayer(7);
        self.post()
    }
}

fn run(context: &Context, case: &Case, fused: bool) -> plait::Result<[Vec<u16>; 3]> {
    let mut decoder = Decoder::new(context, case)?;
    let embedding: Vec<u16> = case.array("x");
    if fused {
        decoder.decode_fused(&embedding)?;
    } else {
        decoder.decode_unfused(&embedding)?;
    }
    let (residual, head) = (decoder.residual.clone(), decoder.head()?);
    decoder.mtp(&case.array::<u16>("layer_input"))?;
    Ok([residual, head, decoder.head()?])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let case = Case::open("mhc_n4_h1280_odd_constants");
    let context = Context::cpu()?;
    let info = context.info()?;
    println!("plait {} on {} ({})", plait::version()?, info.device_name, info.architecture);
    let (fused, unfused) = (run(&context, &case, true)?, run(&context, &case, false)?);
    let names = ["streams after the layers", "head", "head of the MTP step"];
    for (i, name) in names.iter().enumerate() {
        let same = if fused[i] == unfused[i] { "equal bytes" } else { "DIFFERENT" };
        println!("  {:28} {}", name, same);
    }
    for (i, name) in names.iter().enumerate() {
        checksum(name, fused[i].iter().flat_map(|bits| bits.to_le_bytes()));
    }
    if fused == unfused {
        Ok(())
    } else {
        Err("fused and unfused differ".into())
    }
}
