// SPDX-License-Identifier: MIT
//! Time of a call at T = 0 on the CPU backend, which touches nothing: through `plait`, and the C
//! function alone.
use plait::{Backend, Context, ContextOptions, MhcOptions, MhcPlan, MhcPre};
use std::time::Instant;

fn best(mut call: impl FnMut()) -> f64 {
    const COUNT: u32 = 1_000_000;
    let mut least = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        for _ in 0..COUNT {
            call();
        }
        least = least.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(COUNT));
    }
    least
}

fn main() -> plait::Result<()> {
    let options =
        ContextOptions { backend: Some(Backend::CPU), threads: Some(1), ..Default::default() };
    let context = Context::new(options)?;
    let plan = MhcPlan::new(&context, MhcOptions { hidden: 4096, ..Default::default() })?;
    let residual = vec![0u16; 4 * 4096];
    let function = vec![0f32; 24 * 4 * 4096];
    let (base, scale) = ([0f32; 24], [0f32; 3]);
    let (mut post, mut comb, mut input) = ([0f32; 4], [0f32; 16], vec![0u16; 4096]);
    let mut workspace = plan.workspace(1)?;
    let safe = best(|| {
        plan.pre(&mut MhcPre {
            tokens: 0,
            residual: (&residual).into(),
            r#fn: (&function).into(),
            base: (&base).into(),
            scale: (&scale).into(),
            post_mix: (&mut post).into(),
            comb_mix: (&mut comb).into(),
            layer_input: (&mut input).into(),
            workspace: (&mut workspace).into(),
            ..Default::default()
        })
        .unwrap();
    });
    // SAFETY: plain numbers and null pointers; T = 0 touches nothing.
    let c = best(|| unsafe {
        let mut args: plait::sys::plait_mhc_pre_args = std::mem::zeroed();
        args.struct_size = std::mem::size_of_val(&args);
        let status = plait::sys::plait_mhc_pre(plan.as_ptr(), &args, std::ptr::null_mut());
        assert_eq!(status, 0);
    });
    println!("plait::MhcPlan::pre, T = 0, 8 buffers: {:.1} ns", safe);
    println!("sys::plait_mhc_pre, T = 0, no buffer:  {:.1} ns", c);
    Ok(())
}
