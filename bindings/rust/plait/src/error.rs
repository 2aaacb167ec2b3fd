// SPDX-License-Identifier: MIT
//! Errors with the status, the argument at fault and one sentence.
use crate::generated::ErrorKind;
use plait_sys as sys;
use std::ffi::CStr;
use std::fmt;

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// A call of plait failed.
#[derive(Clone, Debug)]
pub struct Error {
    status: i32,
    native_code: i32,
    name: String,
    argument: String,
    message: String,
}

impl Error {
    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::from_code(if self.status > 0 { self.status & 0xffff } else { self.status })
    }

    /// The whole status value; 0 when the call was not made.
    pub fn status(&self) -> i32 {
        self.status
    }

    /// "PLAIT_ERROR_BUFFER_TOO_SMALL".
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameter or field at fault; "" when it is none in particular.
    pub fn argument(&self) -> &str {
        &self.argument
    }

    /// One sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// hipError_t, cudaError_t or errno; else 0.
    pub fn native_code(&self) -> i32 {
        self.native_code
    }

    #[cold]
    pub(crate) fn from_status(status: i32) -> Error {
        // SAFETY: these give static text for any integer.
        unsafe {
            Error {
                status,
                native_code: 0,
                name: text(sys::plait_status_name(status)),
                argument: text(sys::plait_argument_name(sys::plait_status_argument(status))),
                message: text(sys::plait_status_description(status)),
            }
        }
    }

    #[cold]
    pub(crate) fn from_record(status: i32, record: &sys::plait_error) -> Error {
        let mut error = Error::from_status(status);
        if record.status == status && record.message[0] != 0 {
            // SAFETY: the library terminates the message with a zero.
            error.message = unsafe { text(record.message.as_ptr()) };
            error.native_code = record.native_code;
        }
        error
    }

    /// An error that the crate itself finds, before any call.
    #[cold]
    pub(crate) fn own(code: i32, argument: &str, message: String) -> Error {
        Error {
            status: code,
            native_code: 0,
            // SAFETY: static text for any integer.
            name: unsafe { text(sys::plait_status_name(code)) },
            argument: argument.to_string(),
            message,
        }
    }

    #[cfg(feature = "load")]
    pub(crate) fn not_loaded(reason: String) -> Error {
        Error {
            status: sys::PLAIT_ERROR_NOT_IN_BUILD,
            native_code: 0,
            name: "PLAIT_ERROR_NOT_IN_BUILD".to_string(),
            argument: String::new(),
            message: format!("libplait could not be loaded: {}", reason),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.argument.is_empty() {
            write!(f, " ({})", self.argument)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for Error {}

/// # Safety
/// NULL, or text that ends with a zero byte.
pub(crate) unsafe fn text(pointer: *const sys::c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    CStr::from_ptr(pointer).to_string_lossy().into_owned()
}

#[inline]
pub(crate) fn check(status: i32) -> Result<()> {
    if status == sys::PLAIT_OK {
        Ok(())
    } else {
        Err(Error::from_status(status))
    }
}

/// Runs a setup call with an error record.
pub(crate) fn checked(call: impl FnOnce(*mut sys::plait_error) -> i32) -> Result<()> {
    // SAFETY: plain numbers; the library fills the record.
    let mut record: sys::plait_error = unsafe { std::mem::zeroed() };
    record.struct_size = std::mem::size_of::<sys::plait_error>();
    let status = call(&mut record);
    if status == sys::PLAIT_OK {
        Ok(())
    } else {
        Err(Error::from_record(status, &record))
    }
}
