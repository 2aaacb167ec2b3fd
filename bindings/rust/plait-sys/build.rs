// SPDX-License-Identifier: MIT
//! Tells cargo where libplait.so is: PLAIT_LIB_DIR, or what pkg-config says. With the feature `load`
//! nothing is linked.
use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=PLAIT_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if env::var_os("CARGO_FEATURE_LOAD").is_some() {
        return;
    }
    let mut found = Vec::new();
    if let Ok(folder) = env::var("PLAIT_LIB_DIR") {
        found.push(folder);
    } else {
        let tool = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_string());
        let answer = Command::new(&tool).args(["--libs-only-L", "plait"]).output();
        match answer {
            Ok(answer) if answer.status.success() => {
                let text = String::from_utf8_lossy(&answer.stdout).into_owned();
                found.extend(
                    text.split_whitespace()
                        .filter_map(|word| word.strip_prefix("-L").map(str::to_string)),
                );
            }
            Ok(answer) => panic!(
                "pkg-config does not know plait; install libplait, set PKG_CONFIG_PATH or \
                 PLAIT_LIB_DIR, or use the feature `load`: {}",
                String::from_utf8_lossy(&answer.stderr)
            ),
            Err(error) => panic!("{} could not be run ({}); set PLAIT_LIB_DIR", tool, error),
        }
    }
    for folder in &found {
        println!("cargo:rustc-link-search=native={}", folder);
    }
    println!("cargo:rustc-link-lib=dylib=plait");
    // For build scripts of crates that depend on this one: DEP_PLAIT_LIBDIR.
    if let Some(folder) = found.first() {
        println!("cargo:libdir={}", folder);
    }
}
