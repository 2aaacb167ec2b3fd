// SPDX-License-Identifier: MIT
//! Contexts: one device each.
use crate::error::{check, checked, text};
use crate::generated::{Backend, LogLevel, Policy};
use crate::{Error, Result};
use plait_sys as sys;
use std::ffi::{c_void, CStr, CString};
use std::mem::{size_of, zeroed};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::Arc;

/// Receives one line of the log.
pub type Log = Box<dyn Fn(LogLevel, &str) + Send + Sync>;

/// How to make a context; `None` is the environment's value or the default.
#[derive(Default)]
pub struct ContextOptions<'a> {
    /// Which backend; default: the first that works.
    pub backend: Option<Backend>,
    /// What to do when it is not to be had; default: fail.
    pub policy: Option<Policy>,
    /// Ordinal; default: the calling thread's current device.
    pub device: Option<i32>,
    /// CPU backend: threads that share one call.
    pub threads: Option<i32>,
    /// Which lines `log` receives; default: INFO when there is a `log`.
    pub log_level: Option<LogLevel>,
    /// Called during setup calls, on their thread. It must not use the same context.
    pub log: Option<Log>,
    /// Folder of the backend libraries.
    pub backend_dir: Option<&'a str>,
    /// Default of the plans' option of that name.
    pub implementation: Option<&'a str>,
}

/// One device of one backend. Cheap to share: any number of threads may use it.
pub struct Context {
    pub(crate) handle: *mut sys::plait_context,
    pub(crate) log: Option<Arc<Log>>,
    pub(crate) on_cpu: bool,
}

// SAFETY: contexts are immutable and may be used by any number of threads (context.h).
unsafe impl Send for Context {}
unsafe impl Sync for Context {}

/// What a context turned out to be.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct ContextInfo {
    pub backend: Backend,
    pub asked_backend: Backend,
    pub device: i32,
    pub threads: i32,
    pub compute_units: i32,
    pub wave_size: i32,
    pub memory_bytes: i64,
    pub device_name: String,
    pub architecture: String,
    /// Why the asked backend was not taken; "" if it was.
    pub fallback_reason: String,
}

unsafe extern "C" fn receive(user: *mut c_void, level: i32, line: *const sys::c_char) {
    let log = &*(user as *const Log);
    let line = text(line);
    // A panic must not cross the C frames.
    let _ = catch_unwind(AssertUnwindSafe(|| log(LogLevel(level), &line)));
}

pub(crate) fn c_text(value: Option<&str>, argument: &str) -> Result<Option<CString>> {
    match value {
        None => Ok(None),
        Some(value) => CString::new(value).map(Some).map_err(|_| {
            Error::own(
                sys::PLAIT_ERROR_INVALID_VALUE,
                argument,
                "text with a zero byte".to_string(),
            )
        }),
    }
}

pub(crate) fn c_pointer(value: &Option<CString>) -> *const sys::c_char {
    value.as_ref().map_or(ptr::null(), |value| value.as_ptr())
}

impl Context {
    /// Makes a context; the only call that reads the environment and loads a backend.
    pub fn new(options: ContextOptions<'_>) -> Result<Context> {
        #[cfg(feature = "load")]
        crate::load(None)?;
        let log = options.log.map(Arc::new);
        let backend_dir = c_text(options.backend_dir, "backend_dir")?;
        let implementation = c_text(options.implementation, "implementation")?;
        // SAFETY: plain numbers and pointers; init fills it; the texts outlive the call.
        unsafe {
            let mut desc: sys::plait_context_desc = zeroed();
            sys::plait_context_desc_init(&mut desc, size_of::<sys::plait_context_desc>());
            if let Some(value) = options.backend {
                desc.backend = value.0;
            }
            if let Some(value) = options.policy {
                desc.policy = value.0;
            }
            if let Some(value) = options.device {
                desc.device = value;
            }
            if let Some(value) = options.threads {
                desc.threads = value;
            }
            if let Some(log) = &log {
                desc.log = Some(receive);
                desc.log_user = Arc::as_ptr(log) as *mut c_void;
                desc.log_level = LogLevel::INFO.0;
            }
            if let Some(value) = options.log_level {
                desc.log_level = value.0;
            }
            desc.backend_dir = c_pointer(&backend_dir);
            desc.implementation = c_pointer(&implementation);
            let mut handle = ptr::null_mut();
            checked(|error| sys::plait_context_create(&desc, &mut handle, error))?;
            let mut context = Context { handle, log, on_cpu: true };
            context.on_cpu = context.info()?.backend == Backend::CPU;
            Ok(context)
        }
    }

    /// A context on the CPU with all defaults.
    pub fn cpu() -> Result<Context> {
        Context::new(ContextOptions { backend: Some(Backend::CPU), ..Default::default() })
    }

    /// What the context turned out to be.
    pub fn info(&self) -> Result<ContextInfo> {
        // SAFETY: the handle lives as long as self; the strings as long as the handle.
        unsafe {
            let mut info: sys::plait_context_info = zeroed();
            info.struct_size = size_of::<sys::plait_context_info>();
            check(sys::plait_context_get_info(self.handle, &mut info))?;
            Ok(ContextInfo {
                backend: Backend(info.backend),
                asked_backend: Backend(info.asked_backend),
                device: info.device,
                threads: info.threads,
                compute_units: info.compute_units,
                wave_size: info.wave_size,
                memory_bytes: info.memory_bytes,
                device_name: text(info.device_name),
                architecture: text(info.architecture),
                fallback_reason: text(info.fallback_reason),
            })
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the last use of the handle.
        unsafe { sys::plait_context_destroy(self.handle) }
    }
}

/// What is known of a backend before a context is made.
#[derive(Clone, Debug)]
pub struct BackendInfo {
    /// A context can be made on at least one device.
    pub available: bool,
    /// Devices.
    pub device_count: i32,
    /// The library that was loaded or looked for.
    pub path: String,
    /// Why it is not available.
    pub reason: String,
}

/// Looks whether a backend works here, and if not, why.
pub fn probe(backend: Backend, backend_dir: Option<&str>) -> Result<BackendInfo> {
    #[cfg(feature = "load")]
    crate::load(None)?;
    let folder = c_text(backend_dir, "backend_dir")?;
    // SAFETY: plain numbers and text buffers that the library fills and terminates.
    unsafe {
        let mut info: sys::plait_backend_info = zeroed();
        info.struct_size = size_of::<sys::plait_backend_info>();
        check(sys::plait_backend_probe(backend.0, c_pointer(&folder), &mut info))?;
        Ok(BackendInfo {
            available: info.available != 0,
            device_count: info.device_count,
            path: text(info.path.as_ptr()),
            reason: text(info.reason.as_ptr()),
        })
    }
}

/// The version of the library, "0.1.0".
pub fn version() -> Result<&'static str> {
    #[cfg(feature = "load")]
    crate::load(None)?;
    // SAFETY: static text.
    let text = unsafe { CStr::from_ptr(sys::plait_version_string()) };
    Ok(text.to_str().unwrap_or(""))
}
