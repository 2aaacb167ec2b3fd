// SPDX-License-Identifier: MIT
//! Plans: one checked problem each, with the chosen implementations.
use crate::buffer::Workspace;
use crate::context::{c_pointer, c_text, Log};
use crate::error::{check, checked, text};
use crate::generated::{IndexerOptions, MhcOptions, Op, PlanKind, TopkOptions};
use crate::{Context, Error, Result};
use plait_sys as sys;
use std::mem::{size_of, zeroed};
use std::ptr;
use std::sync::Arc;

/// One entry of an operation's ordered list of implementations.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// "reference", "generic", …
    pub name: String,
    /// The plan runs it.
    pub chosen: bool,
    /// It could run.
    pub usable: bool,
    /// Why it was refused or passed over.
    pub reason: String,
}

pub struct Handle {
    pub(crate) raw: *mut sys::plait_plan,
    on_cpu: bool,
    // The log closure lives as long as the plan: its context may be gone by then.
    _log: Option<Arc<Log>>,
}

// SAFETY: plans are immutable and may be used by any number of threads at once (context.h).
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the last use; no call can be running, each borrows the plan.
        unsafe { sys::plait_plan_destroy(self.raw) }
    }
}

/// What all plans can tell of themselves.
pub trait Plan: sealed::HasHandle {
    /// The kind of plan.
    fn kind(&self) -> PlanKind {
        // SAFETY: the handle is alive.
        PlanKind(unsafe { sys::plait_plan_kind(self.handle().raw) })
    }

    /// What was chosen for every operation, and why the better ones were not.
    fn explain(&self) -> Result<String> {
        let mut needed = 0;
        let mut buffer = vec![0 as sys::c_char; 4096];
        loop {
            // SAFETY: the buffer has the size that is passed.
            let status = unsafe {
                sys::plait_plan_explain(
                    self.handle().raw,
                    buffer.as_mut_ptr(),
                    buffer.len(),
                    &mut needed,
                )
            };
            if status == 0 {
                // SAFETY: terminated by the library.
                return Ok(unsafe { text(buffer.as_ptr()) });
            }
            if needed <= buffer.len() {
                return Err(Error::from_status(status));
            }
            buffer.resize(needed, 0);
        }
    }

    /// The ordered list of implementations of one operation of this plan, best first.
    fn candidates(&self, op: Op) -> Result<Vec<Candidate>> {
        let mut found = Vec::new();
        loop {
            // SAFETY: the struct is filled by the library; its strings live as long as the plan.
            unsafe {
                let mut entry: sys::plait_candidate = zeroed();
                entry.struct_size = size_of::<sys::plait_candidate>();
                let index = found.len() as i32;
                let status = sys::plait_plan_candidate(self.handle().raw, op.0, index, &mut entry);
                if status == (sys::PLAIT_ERROR_INVALID_VALUE | (sys::PLAIT_ARG_INDEX << 16)) {
                    return Ok(found);
                }
                check(status)?;
                found.push(Candidate {
                    name: text(entry.name),
                    chosen: entry.chosen != 0,
                    usable: entry.usable != 0,
                    reason: text(entry.reason),
                });
            }
        }
    }
}

impl Op {
    /// "mhc_pre"; "" when unknown.
    pub fn name(self) -> String {
        // SAFETY: static text for any integer.
        unsafe { text(sys::plait_op_name(self.0)) }
    }
}

pub(crate) mod sealed {
    pub trait HasHandle {
        #[doc(hidden)]
        fn handle(&self) -> &super::Handle;
    }
}
use sealed::HasHandle;

impl Handle {
    /// Safe calls take host slices, which only the CPU can reach.
    #[inline]
    pub(crate) fn host_only(&self) -> Result<()> {
        if self.on_cpu {
            Ok(())
        } else {
            Err(Error::own(
                sys::PLAIT_ERROR_UNSUPPORTED_DEVICE,
                "plan",
                "the plan is on a GPU: use the call that ends in _on".to_string(),
            ))
        }
    }
}

macro_rules! plan {
    ($(#[$meta:meta])* $name:ident, $options:ident, $desc:ident, $init:ident, $create:ident,
     $sizes:ident, $sizes_of:ident, $count:ident) => {
        $(#[$meta])*
        pub struct $name(pub(crate) Handle);

        impl HasHandle for $name {
            fn handle(&self) -> &Handle {
                &self.0
            }
        }

        impl Plan for $name {}

        impl $name {
            /// Checks the problem and chooses the implementations.
            pub fn new(context: &Context, options: $options<'_>) -> Result<$name> {
                let implementation = c_text(options.implementation, "implementation")?;
                // SAFETY: plain numbers and pointers; init fills it; the text outlives the call.
                unsafe {
                    let mut desc: sys::$desc = zeroed();
                    sys::$init(&mut desc, size_of::<sys::$desc>());
                    options.apply(&mut desc);
                    desc.implementation = c_pointer(&implementation);
                    let mut raw = ptr::null_mut();
                    checked(|error| sys::$create(context.handle, &desc, &mut raw, error))?;
                    Ok($name(Handle { raw, on_cpu: context.on_cpu, _log: context.log.clone() }))
                }
            }

            /// Bytes of every buffer and workspace for up to that many tokens or rows.
            pub fn sizes(&self, $count: i64) -> Result<sys::$sizes> {
                // SAFETY: plain numbers, filled by the library.
                unsafe {
                    let mut sizes: sys::$sizes = zeroed();
                    sizes.struct_size = size_of::<sys::$sizes>();
                    check(sys::$sizes_of(self.0.raw, $count, &mut sizes))?;
                    Ok(sizes)
                }
            }

            /// A host workspace that serves every call of up to that many tokens or rows.
            pub fn workspace(&self, $count: i64) -> Result<Workspace> {
                Workspace::new(self.sizes($count)?.workspace)
            }

            /// The handle, for calls of `sys`.
            pub fn as_ptr(&self) -> *const sys::plait_plan {
                self.0.raw
            }
        }
    };
}

plan!(
    /// Hyper-connections: pre, post, post_pre, head, expand.
    MhcPlan,
    MhcOptions,
    plait_mhc_plan_desc,
    plait_mhc_plan_desc_init,
    plait_mhc_plan_create,
    plait_mhc_sizes,
    plait_mhc_plan_sizes,
    tokens
);
plan!(
    /// The sparse indexer: quantisation, key cache, logits, select.
    IndexerPlan,
    IndexerOptions,
    plait_indexer_plan_desc,
    plait_indexer_plan_desc_init,
    plait_indexer_plan_create,
    plait_indexer_sizes,
    plait_indexer_plan_sizes,
    rows
);
plan!(
    /// Exact top-k of rows, and the merge of several shards.
    TopkPlan,
    TopkOptions,
    plait_topk_plan_desc,
    plait_topk_plan_desc_init,
    plait_topk_plan_create,
    plait_topk_sizes,
    plait_topk_plan_sizes,
    rows
);
