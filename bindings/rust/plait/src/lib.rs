// SPDX-License-Identifier: MIT
//! DeepSeek-V4 operators, manifold-constrained hyper-connections and the sparse indexer, from libplait.
//!
//! A [`Context`] is one device; a plan ([`MhcPlan`], [`IndexerPlan`], [`TopkPlan`]) is one checked
//! problem; an operation takes a struct of slices. Plans may outlive their context, and any number of
//! threads may use one plan at once, each with its own outputs and workspace.
//!
//! ```no_run
//! use plait::{Context, ContextOptions, Backend, MhcOptions, MhcPlan, MhcPre};
//! # fn main() -> plait::Result<()> {
//! let context = Context::new(ContextOptions { backend: Some(Backend::CPU), ..Default::default() })?;
//! let plan = MhcPlan::new(&context, MhcOptions { hidden: 4096, ..Default::default() })?;
//! # let (residual, function, base, scale) = (vec![0u16; 8 * 4 * 4096], vec![0f32; 24 * 4 * 4096], [0f32; 24], [1f32; 3]);
//! let (mut post, mut comb, mut input) = (vec![0f32; 8 * 4], vec![0f32; 8 * 16], vec![0u16; 8 * 4096]);
//! let mut workspace = plan.workspace(8)?;
//! plan.pre(&mut MhcPre {
//!     tokens: 8,
//!     residual: (&residual).into(),
//!     r#fn: (&function).into(),
//!     base: (&base).into(),
//!     scale: (&scale).into(),
//!     post_mix: (&mut post).into(),
//!     comb_mix: (&mut comb).into(),
//!     layer_input: (&mut input).into(),
//!     workspace: (&mut workspace).into(),
//!     ..Default::default()
//! })?;
//! # Ok(())
//! # }
//! ```
//!
//! # Safety
//! Safe calls take host slices and run on the CPU, blocking. Calls on a GPU are `unsafe` (`…_on`):
//! their buffers are raw device pointers in use until the stream has passed the call.
#![warn(missing_docs)]

mod buffer;
mod context;
mod device;
mod error;
#[allow(missing_docs)]
#[rustfmt::skip]
mod generated;
mod plan;

pub use buffer::{Any, Element, Input, Output, Workspace};
pub use context::{probe, version, BackendInfo, Context, ContextInfo, ContextOptions, Log};
pub use device::{Event, Graph, Memory, Stream};
pub use error::{Error, Result};
pub use generated::*;
pub use plait_sys as sys;
pub use plan::{Candidate, IndexerPlan, MhcPlan, Plan, TopkPlan};

/// Opens the library from `path`, or from PLAIT_LIBRARY or the system's path. Without it the first
/// context does so.
#[cfg(feature = "load")]
pub fn load(path: Option<&str>) -> Result<()> {
    sys::load(path).map_err(Error::not_loaded)
}
