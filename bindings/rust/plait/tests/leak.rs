// SPDX-License-Identifier: MIT
//! No leak over 10^5 create / destroy cycles; a process of its own, for its resident size.
use plait::{Backend, Context, ContextOptions, MhcOptions, MhcPlan};

fn plan(context: &Context) -> MhcPlan {
    MhcPlan::new(context, MhcOptions { hidden: 64, ..Default::default() }).unwrap()
}

fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn no_leak_over_1e5_cycles() {
    let quiet = || {
        let options =
            ContextOptions { backend: Some(Backend::CPU), threads: Some(1), ..Default::default() };
        Context::new(options).unwrap()
    };
    let context = quiet();
    let cycle = |plans: usize, contexts: usize| {
        for _ in 0..plans {
            drop(plan(&context));
        }
        for _ in 0..contexts {
            drop(plan(&quiet()));
        }
    };
    cycle(2000, 200);
    let before = resident();
    cycle(90_000, 10_000);
    let grown = resident().saturating_sub(before);
    assert!(grown < 4 << 20, "{} bytes", grown);
}
