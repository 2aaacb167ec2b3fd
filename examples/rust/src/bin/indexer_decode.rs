// SPDX-License-Identifier: MIT
//! The sparse indexer over a paged key cache: examples/c/indexer_decode.c in Rust.
//!
//! Prefill of two packed requests, then decode steps of two rows a request with one padding request,
//! each with select and with logits followed by top-k. The indices are equal, and those of the C
//! program.
use plait::{
    Context, IndexerGatherK, IndexerLogitsPaged, IndexerLogitsRagged, IndexerOptions, IndexerPlan,
    IndexerQuantizeQ, IndexerSelectPaged, IndexerSelectRagged, IndexerWriteK, Order, Topk,
    TopkOptions, TopkPlan,
};
use plait_examples::{checksum, Noise};

const HEADS: usize = 64;
const HEAD_DIM: usize = 128;
const ROPE_DIM: usize = 64;
const PAGE: usize = 64;
const TOPK: usize = 48;
const NEXT_N: usize = 2;
const REQUESTS: usize = 3; // the last one is padding
const REAL: usize = 2;
const TABLE: usize = 8; // pages a request may have
const PAGES: usize = REAL * TABLE;
const STEPS: usize = 4;
const MAX_KEYS: usize = TABLE * PAGE;
const PROMPT: [usize; REAL] = [301, 170];
const ROWS: usize = REQUESTS * NEXT_N;

/// Requests own scattered pages.
fn page_of(request: usize, i: usize) -> usize {
    (5 * (request * TABLE + i) + 3) % PAGES
}

fn slot_of(request: usize, position: usize) -> i64 {
    (page_of(request, position / PAGE) * PAGE + position % PAGE) as i64
}

/// Row p: the cosines of rope_dim / 2 angles, then their sines.
fn rope_table() -> Vec<f32> {
    let mut table = vec![0f32; MAX_KEYS * ROPE_DIM];
    for p in 0..MAX_KEYS {
        for i in 0..ROPE_DIM / 2 {
            let angle = p as f64 * 10000f64.powf(-2.0 * i as f64 / ROPE_DIM as f64);
            table[p * ROPE_DIM + i] = angle.cos() as f32;
            table[p * ROPE_DIM + ROPE_DIM / 2 + i] = angle.sin() as f32;
        }
    }
    table
}

struct Indexer {
    plan: IndexerPlan,
    topk_plan: TopkPlan,
    cache: Vec<u8>,
    cos_sin: Vec<f32>,
    table: Vec<i32>,
}

struct Queries {
    values: Vec<u8>,
    weights: Vec<f32>,
}

impl Indexer {
    fn new(context: &Context) -> plait::Result<Indexer> {
        // [plans]
        let plan = IndexerPlan::new(
            context,
            IndexerOptions {
                heads: Some(HEADS as i32),
                head_dim: Some(HEAD_DIM as i32),
                rope_dim: Some(ROPE_DIM as i32),
                page_entries: Some(PAGE as i32),
                hadamard: Some(true),
                next_n: Some(NEXT_N as i32),
                topk: Some(TOPK as i64),
                max_keys: Some(MAX_KEYS as i64),
                select_budget: Some(64 << 20),
                order: Some(Order::INDEX),
                ..Default::default()
            },
        )?;
        let topk_plan = TopkPlan::new(
            context,
            TopkOptions {
                max_columns: MAX_KEYS as i64,
                k: TOPK as i64,
                order: Some(Order::INDEX),
                page_entries: Some(PAGE as i32),
                ..Default::default()
            },
        )?;
        // [plans]
        let cache = vec![0u8; PAGES * plan.sizes(1)?.page_stride];
        let table = (0..REQUESTS * TABLE)
            .map(|i| if i < REAL * TABLE { page_of(i / TABLE, i % TABLE) as i32 } else { -1 })
            .collect();
        Ok(Indexer { plan, topk_plan, cache, cos_sin: rope_table(), table })
    }

    // [step]
    /// New keys [tokens, D] go to their slots; a negative slot is padding.
    fn write_keys(&mut self, k: &[u16], positions: &[i64], slots: &[i64]) -> plait::Result<()> {
        let tokens = slots.len() as i64;
        self.plan.write_k(&mut IndexerWriteK {
            tokens,
            k: k.into(),
            positions: positions.into(),
            cos_sin: (&self.cos_sin).into(),
            slot_mapping: slots.into(),
            cache: (&mut self.cache).into(),
            workspace: (&mut self.plan.workspace(tokens)?).into(),
            ..Default::default()
        })
    }

    /// The q scales are folded into the weights: q_scale is not asked for.
    fn quantize(&self, q: &[u16], positions: &[i64], weights: &[f32]) -> plait::Result<Queries> {
        let tokens = positions.len() as i64;
        let mut out = Queries { values: vec![0; q.len()], weights: vec![0.0; weights.len()] };
        self.plan.quantize_q(&mut IndexerQuantizeQ {
            tokens,
            q: q.into(),
            positions: positions.into(),
            cos_sin: (&self.cos_sin).into(),
            weights: weights.into(),
            q_values: (&mut out.values).into(),
            weights_out: (&mut out.weights).into(),
            workspace: (&mut self.plan.workspace(tokens)?).into(),
            ..Default::default()
        })?;
        Ok(out)
    }

    fn decode_select(&self, queries: &Queries, lengths: &[i32]) -> plait::Result<Vec<i32>> {
        let mut indices = vec![0i32; ROWS * TOPK];
        self.plan.select_paged(&mut IndexerSelectPaged {
            requests: REQUESTS as i64,
            columns: MAX_KEYS as i64,
            q_values: (&queries.values).into(),
            weights: (&queries.weights).into(),
            cache: (&self.cache).into(),
            block_table: (&self.table).into(),
            block_table_columns: TABLE as i64,
            lengths: lengths.into(),
            lengths_per_request: true,
            indices: (&mut indices).into(),
            workspace: (&mut self.plan.workspace(ROWS as i64)?).into(),
            ..Default::default()
        })?;
        Ok(indices)
    }
    // [step]

    fn decode_separate(
        &self,
        queries: &Queries,
        lengths: &[i32],
        row_lengths: &[i32],
    ) -> plait::Result<Vec<i32>> {
        let (mut logits, mut indices) = (vec![0f32; ROWS * MAX_KEYS], vec![0i32; ROWS * TOPK]);
        self.plan.logits_paged(&mut IndexerLogitsPaged {
            requests: REQUESTS as i64,
            columns: MAX_KEYS as i64,
            q_values: (&queries.values).into(),
            weights: (&queries.weights).into(),
            cache: (&self.cache).into(),
            block_table: (&self.table).into(),
            block_table_columns: TABLE as i64,
            lengths: lengths.into(),
            lengths_per_request: true,
            logits: (&mut logits).into(),
            workspace: (&mut self.plan.workspace(ROWS as i64)?).into(),
            ..Default::default()
        })?;
        self.topk_plan.topk(&mut Topk {
            rows: ROWS as i64,
            columns: MAX_KEYS as i64,
            values: (&logits).into(),
            row_end: row_lengths.into(),
            indices: (&mut indices).into(),
            workspace: (&mut self.topk_plan.workspace(ROWS as i64)?).into(),
            ..Default::default()
        })?;
        Ok(indices)
    }

    /// The keys that the requests have in the cache, contiguous.
    fn gather(&self, keys: usize) -> plait::Result<(Vec<u8>, Vec<f32>)> {
        let (mut values, mut scale) = (vec![0u8; keys * HEAD_DIM], vec![0f32; keys]);
        self.plan.gather_k(&mut IndexerGatherK {
            requests: REAL as i64,
            keys: keys as i64,
            cache: (&self.cache).into(),
            block_table: (&self.table).into(),
            block_table_columns: TABLE as i64,
            cu_lengths: (&[0i32, PROMPT[0] as i32, keys as i32]).into(),
            k_values: (&mut values).into(),
            k_scale: (&mut scale).into(),
            workspace: (&mut self.plan.workspace(keys as i64)?).into(),
            ..Default::default()
        })?;
        Ok((values, scale))
    }
}

fn bytes(values: &[i32]) -> impl Iterator<Item = u8> + '_ {
    values.iter().flat_map(|value| value.to_le_bytes())
}

fn prefill(x: &mut Indexer, noise: &mut Noise) -> plait::Result<bool> {
    let rows = PROMPT[0] + PROMPT[1];
    let (mut owner, mut positions, mut slots) = (vec![], vec![], vec![]);
    let (mut start, mut end) = (vec![], vec![]);
    for (b, &length) in PROMPT.iter().enumerate() {
        let first: usize = PROMPT[..b].iter().sum();
        for i in 0..length {
            owner.push(b as i32);
            positions.push(i as i64);
            slots.push(slot_of(b, i));
            start.push(first as i32);
            end.push((first + i + 1) as i32); // causal
        }
    }
    let (k, q) = (noise.bf16(rows * HEAD_DIM), noise.bf16(rows * HEADS * HEAD_DIM));
    let weights = noise.f32(rows * HEADS);
    x.write_keys(&k, &positions, &slots)?;
    let (k_values, k_scale) = x.gather(rows)?;
    let queries = x.quantize(&q, &positions, &weights)?;
    let mut workspace = x.plan.workspace(rows as i64)?;

    let (mut indices, mut places) = (vec![0i32; rows * TOPK], vec![0i32; rows * TOPK]);
    x.plan.select_ragged(&mut IndexerSelectRagged {
        rows: rows as i64,
        keys: rows as i64,
        q_values: (&queries.values).into(),
        weights: (&queries.weights).into(),
        k_values: (&k_values).into(),
        k_scale: (&k_scale).into(),
        row_start: (&start).into(),
        row_end: (&end).into(),
        indices: (&mut indices).into(), // relative to row_start: positions within the request
        slots: (&mut places).into(),    // the same keys as places in the cache
        block_table: (&x.table).into(),
        block_table_columns: TABLE as i64,
        table_count: REAL as i64,
        table_row: (&owner).into(),
        workspace: (&mut workspace).into(),
        ..Default::default()
    })?;
    let (mut logits, mut separate) = (vec![0f32; rows * rows], vec![0i32; rows * TOPK]);
    x.plan.logits_ragged(&mut IndexerLogitsRagged {
        rows: rows as i64,
        keys: rows as i64,
        q_values: (&queries.values).into(),
        weights: (&queries.weights).into(),
        k_values: (&k_values).into(),
        k_scale: (&k_scale).into(),
        row_start: (&start).into(),
        row_end: (&end).into(),
        logits: (&mut logits).into(),
        workspace: (&mut workspace).into(),
        ..Default::default()
    })?;
    x.topk_plan.topk(&mut Topk {
        rows: rows as i64,
        columns: rows as i64,
        values: (&logits).into(),
        row_start: (&start).into(),
        row_end: (&end).into(),
        indices: (&mut separate).into(),
        workspace: (&mut x.topk_plan.workspace(rows as i64)?).into(),
        ..Default::default()
    })?;
    let equal = indices == separate;
    println!("  select, logits + topk        {}", if equal { "equal bytes" } else { "DIFFERENT" });
    checksum("prefill indices", bytes(&indices));
    checksum("prefill slots", bytes(&places));
    Ok(equal)
}

fn decode(x: &mut Indexer, noise: &mut Noise, step: usize) -> plait::Result<bool> {
    let (mut positions, mut slots) = ([0i64; ROWS], [-1i64; ROWS]);
    let (mut lengths, mut row_lengths) = ([0i32; REQUESTS], [0i32; ROWS]);
    for row in 0..REAL * NEXT_N {
        let (b, t) = (row / NEXT_N, row % NEXT_N);
        let position = PROMPT[b] + step * NEXT_N + t;
        positions[row] = position as i64;
        slots[row] = slot_of(b, position);
        lengths[b] = position as i32 + 1;
        row_lengths[row] = lengths[b];
    }
    let (k, q) = (noise.bf16(ROWS * HEAD_DIM), noise.bf16(ROWS * HEADS * HEAD_DIM));
    let weights = noise.f32(ROWS * HEADS);
    x.write_keys(&k, &positions, &slots)?;
    let queries = x.quantize(&q, &positions, &weights)?;
    let indices = x.decode_select(&queries, &lengths)?;
    let equal = indices == x.decode_separate(&queries, &lengths, &row_lengths)?;
    let padding = indices[REAL * NEXT_N * TOPK..].iter().all(|&index| index == -1);
    println!(
        "  step {}: select, logits + topk {}; padding rows {}",
        step,
        if equal { "equal" } else { "DIFFER" },
        if padding { "-1" } else { "WRONG" }
    );
    checksum("decode indices", bytes(&indices));
    Ok(equal && padding)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::cpu()?;
    let (mut x, mut noise) = (Indexer::new(&context)?, Noise(1));
    println!("prefill of {} and {} tokens", PROMPT[0], PROMPT[1]);
    let mut right = prefill(&mut x, &mut noise)?;
    println!("decode");
    for step in 0..STEPS {
        right &= decode(&mut x, &mut noise, step)?;
    }
    if right {
        Ok(())
    } else {
        Err("wrong".into())
    }
}
