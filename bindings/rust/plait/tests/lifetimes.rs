// SPDX-License-Identifier: MIT
//! Errors, lifetimes, threads, pointers, leaks.
use plait::{
    Backend, Context, ContextOptions, Dtype, ErrorKind, Event, Input, Memory, MhcOptions, MhcPlan,
    MhcPost, MhcPre, Op, Plan, Stream, TopkOptions, TopkPlan,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

const TOKENS: usize = 5;
const HIDDEN: usize = 64;

struct Inputs {
    residual: Vec<u16>,
    function: Vec<f32>,
    base: Vec<f32>,
    scale: [f32; 3],
}

#[derive(Clone, Debug, PartialEq)]
struct Outputs {
    post: Vec<f32>,
    comb: Vec<f32>,
    input: Vec<u16>,
}

impl Inputs {
    fn new() -> Inputs {
        let residual = (0..TOKENS * 4 * HIDDEN).map(|i| 0x3f00 + (i * 37 % 200) as u16).collect();
        let function = (0..24 * 4 * HIDDEN).map(|i| (i * 31 % 101) as f32 * 1e-3 - 0.05).collect();
        Inputs { residual, function, base: vec![0.25; 24], scale: [0.5, 0.7, 0.9] }
    }

    fn args<'a>(&'a self, out: &'a mut Outputs) -> MhcPre<'a> {
        MhcPre {
            tokens: TOKENS as i64,
            residual: (&self.residual).into(),
            r#fn: (&self.function).into(),
            base: (&self.base).into(),
            scale: (&self.scale).into(),
            post_mix: (&mut out.post).into(),
            comb_mix: (&mut out.comb).into(),
            layer_input: (&mut out.input).into(),
            ..Default::default()
        }
    }

    fn run(&self, plan: &MhcPlan) -> Outputs {
        let mut out = Outputs::new();
        let mut workspace = plan.workspace(TOKENS as i64).unwrap();
        let mut args = self.args(&mut out);
        args.workspace = (&mut workspace).into();
        plan.pre(&mut args).unwrap();
        out
    }
}

impl Outputs {
    fn new() -> Outputs {
        Outputs {
            post: vec![0.0; TOKENS * 4],
            comb: vec![0.0; TOKENS * 16],
            input: vec![0; TOKENS * HIDDEN],
        }
    }
}

fn plan(context: &Context) -> MhcPlan {
    MhcPlan::new(context, MhcOptions { hidden: HIDDEN as i64, ..Default::default() }).unwrap()
}

#[test]
fn declared_functions_are_in_the_library() {
    // Linked: the linker has checked the names; loaded: the loader has.
    assert!(plait::sys::FUNCTIONS.len() > 50);
    // SAFETY: takes no argument.
    assert_eq!(unsafe { plait::sys::plait_abi_version() }, plait::sys::PLAIT_ABI_VERSION);
    assert_eq!(plait::version().unwrap(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn context_info_and_probe() {
    let options =
        ContextOptions { backend: Some(Backend::CPU), threads: Some(2), ..Default::default() };
    let info = Context::new(options).unwrap().info().unwrap();
    assert_eq!((info.backend, info.threads), (Backend::CPU, 2));
    assert!(plait::probe(Backend::CPU, None).unwrap().available);
    assert!(!plait::probe(Backend::CUDA, Some("/nowhere")).unwrap().available);
}

#[test]
fn an_error_names_status_and_argument() {
    let context = Context::cpu().unwrap();
    let plan = plan(&context);
    let (inputs, mut out) = (Inputs::new(), Outputs::new());
    out.comb.truncate(3);
    out.post.fill(9.0);
    let error = plan.pre(&mut inputs.args(&mut out)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BufferTooSmall);
    assert_eq!(error.argument(), "comb_mix");
    assert_eq!(error.name(), "PLAIT_ERROR_BUFFER_TOO_SMALL");
    assert!(error.to_string().contains("comb_mix"));
    assert!(out.post.iter().all(|&value| value == 9.0));
    let mut out = Outputs::new();
    let mut args = inputs.args(&mut out);
    args.base = Input::default();
    let error = plan.pre(&mut args).unwrap_err();
    assert_eq!((error.kind(), error.argument()), (ErrorKind::NullArgument, "base"));
    args.base = (&inputs.base).into();
    args.tokens = -1;
    assert_eq!(plan.pre(&mut args).unwrap_err().kind(), ErrorKind::InvalidValue);
}

#[test]
fn setup_errors_carry_the_record() {
    let context = Context::cpu().unwrap();
    let bad = MhcOptions { hidden: -1, ..Default::default() };
    let error = MhcPlan::new(&context, bad).err().unwrap();
    assert_eq!((error.kind(), error.argument()), (ErrorKind::InvalidValue, "hidden"));
    assert!(error.message().contains("hidden"), "{}", error);
    let bad = MhcOptions { hidden: 64, dtype: Some(Dtype(77)), ..Default::default() };
    assert_eq!(MhcPlan::new(&context, bad).err().unwrap().argument(), "dtype");
    let bad = MhcOptions { hidden: 64, implementation: Some("no\0name"), ..Default::default() };
    assert_eq!(MhcPlan::new(&context, bad).err().unwrap().argument(), "implementation");
    let asked = ContextOptions {
        backend: Some(Backend::CUDA),
        backend_dir: Some("/nowhere"),
        ..Default::default()
    };
    assert!(Context::new(asked).is_err());
}

#[test]
fn explain_and_candidates() {
    let context = Context::cpu().unwrap();
    let plan = plan(&context);
    assert!(plan.explain().unwrap().contains("mhc_pre"));
    let listed = plan.candidates(Op::MHC_PRE).unwrap();
    assert_eq!(listed.iter().filter(|entry| entry.chosen).count(), 1);
    assert_eq!(listed.last().unwrap().name, "reference");
    assert!(plan.candidates(Op::TOPK).is_err());
    assert_eq!(Op::MHC_PRE.name(), "mhc_pre");
}

#[test]
fn no_copy_is_made() {
    let values = [1.5f32; 24];
    let input: Input<'_, f32> = (&values).into();
    assert!(format!("{:?}", input).contains(&format!("{:?}", values.as_ptr())));
}

#[test]
fn a_plan_outlives_its_context() {
    let inputs = Inputs::new();
    let plan = {
        let lines = Arc::new(AtomicUsize::new(0));
        let counted = lines.clone();
        let context = Context::new(ContextOptions {
            backend: Some(Backend::CPU),
            log: Some(Box::new(move |_, line| {
                assert!(!line.is_empty());
                counted.fetch_add(1, Ordering::Relaxed);
            })),
            ..Default::default()
        })
        .unwrap();
        let plan = plan(&context);
        assert!(lines.load(Ordering::Relaxed) > 0);
        plan
    };
    assert!(inputs.run(&plan).input.iter().any(|&bits| bits != 0));
}

#[test]
fn two_threads_use_one_plan() {
    let context = Context::cpu().unwrap();
    let plan = plan(&context);
    let inputs = Inputs::new();
    let want = inputs.run(&plan);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!(inputs.run(&plan), want);
                }
            });
        }
    });
}

#[test]
fn post_in_place() {
    let context = Context::cpu().unwrap();
    let plan = plan(&context);
    let inputs = Inputs::new();
    let mixes = inputs.run(&plan);
    let x: Vec<u16> = inputs.residual[..TOKENS * HIDDEN].to_vec();
    let mut out = vec![0u16; inputs.residual.len()];
    let post = |residual: Input<'_, plait::Any>, out: &mut Vec<u16>| {
        plan.post(&mut MhcPost {
            tokens: TOKENS as i64,
            x: (&x).into(),
            residual,
            post_mix: (&mixes.post).into(),
            comb_mix: (&mixes.comb).into(),
            residual_out: out.into(),
            ..Default::default()
        })
        .unwrap();
    };
    post((&inputs.residual).into(), &mut out);
    let mut same = inputs.residual.clone();
    post(Input::IN_PLACE, &mut same);
    assert_eq!(out, same);
}

#[test]
fn memory_streams_and_events() {
    let context = Context::cpu().unwrap();
    let stream = Stream::new(&context).unwrap();
    let (mut start, mut stop) = (Event::new(&context).unwrap(), Event::new(&context).unwrap());
    start.record(Some(&stream)).unwrap();
    let mut memory = Memory::from_slice(&context, &[1u32, 2, 3, 4]).unwrap();
    stop.record(Some(&stream)).unwrap();
    let mut back = [0u32; 4];
    memory.read(&mut back, Some(&stream)).unwrap();
    assert_eq!(back, [1, 2, 3, 4]);
    memory.fill(0xff, None).unwrap();
    stream.synchronize().unwrap();
    memory.read(&mut back, None).unwrap();
    assert_eq!(back, [u32::MAX; 4]);
    assert!(start.elapsed(&stop).unwrap() >= 0.0);
    let error = stream.capture(|| Ok(())).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::UnsupportedOperation);
}

#[test]
fn device_calls_take_raw_pointers() {
    let context = Context::cpu().unwrap();
    let plan = TopkPlan::new(&context, TopkOptions { max_columns: 4, k: 2, ..Default::default() })
        .unwrap();
    let values = Memory::from_slice(&context, &[1f32, 4.0, 3.0, 2.0]).unwrap();
    let indices = Memory::new(&context, 8).unwrap();
    let workspace = Memory::new(&context, plan.sizes(1).unwrap().workspace).unwrap();
    // SAFETY: memory of the plan's device, alive until the stream is done.
    unsafe {
        plan.topk_on(
            &mut plait::Topk {
                rows: 1,
                columns: 4,
                values: values.input(),
                indices: indices.output(),
                workspace: workspace.output(),
                ..Default::default()
            },
            std::ptr::null_mut(),
        )
        .unwrap();
    }
    let mut got = [0i32; 2];
    indices.read(&mut got, None).unwrap();
    got.sort_unstable();
    assert_eq!(got, [1, 2]);
}

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn handles_cross_threads() {
    assert_send_sync::<Context>();
    assert_send_sync::<MhcPlan>();
    assert_send_sync::<plait::IndexerPlan>();
    assert_send_sync::<TopkPlan>();
    assert_send_sync::<plait::Workspace>();
    assert_send_sync::<plait::Error>();
}
