// SPDX-License-Identifier: MIT
//! Opening the library at run time.
use super::{c_char, Table, PLAIT_ABI_VERSION};
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::boxed::Box;
use std::ffi::{CStr, CString};
use std::format;
use std::string::{String, ToString};
use std::sync::Mutex;

#[link(name = "dl")]
extern "C" {
    fn dlopen(path: *const c_char, flags: i32) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}
const RTLD_NOW: i32 = 2;

static TABLE: AtomicPtr<Table> = AtomicPtr::new(ptr::null_mut());
static LOADING: Mutex<()> = Mutex::new(());

fn last_error() -> String {
    // SAFETY: dlerror gives NULL or text that lives until the next dl call of this thread.
    unsafe {
        let text = dlerror();
        if text.is_null() {
            "unknown error".to_string()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}

/// Opens libplait from `path`, or, with `None`, from PLAIT_LIBRARY or as `libplait.so.1`. Once it is
/// open, later calls do nothing.
pub fn load(path: Option<&str>) -> Result<(), String> {
    let _one_at_a_time = LOADING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !TABLE.load(Ordering::Acquire).is_null() {
        return Ok(());
    }
    let path = match path {
        Some(path) => path.to_string(),
        None => std::env::var("PLAIT_LIBRARY")
            .unwrap_or_else(|_| format!("libplait.so.{}", PLAIT_ABI_VERSION)),
    };
    let name = CString::new(path.clone()).map_err(|_| "a path with a zero byte".to_string())?;
    // SAFETY: plain dl calls; the library has no static constructors.
    let library = unsafe { dlopen(name.as_ptr(), RTLD_NOW) };
    if library.is_null() {
        return Err(last_error());
    }
    let table = Table::resolve(&|symbol| {
        // SAFETY: `symbol` ends with a zero byte; the library is open and never closed.
        let found = unsafe { dlsym(library, symbol.as_ptr() as *const c_char) };
        if found.is_null() {
            Err(format!("{}: {}", path, last_error()))
        } else {
            Ok(found)
        }
    })?;
    // SAFETY: takes no argument.
    let version = unsafe { (table.plait_abi_version)() };
    if version != PLAIT_ABI_VERSION {
        return Err(format!("{}: ABI version {}, not {}", path, version, PLAIT_ABI_VERSION));
    }
    TABLE.store(Box::into_raw(Box::new(table)), Ordering::Release);
    Ok(())
}

pub(crate) fn table() -> &'static Table {
    let mut table = TABLE.load(Ordering::Acquire);
    if table.is_null() {
        if let Err(reason) = load(None) {
            panic!("libplait could not be loaded: {}", reason);
        }
        table = TABLE.load(Ordering::Acquire);
    }
    // SAFETY: stored once, from a box that is never freed.
    unsafe { &*table }
}
