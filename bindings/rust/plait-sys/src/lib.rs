// SPDX-License-Identifier: MIT
//! The C ABI of libplait, as it is. The headers are the manual; the crate `plait` is the safe layer.
//!
//! The library is linked, or with the feature `load` opened at run time: call `load` before any
//! function, or let the first function open `libplait.so.1` by the system's rules.
#![allow(non_camel_case_types)]
#![no_std]

#[cfg(feature = "load")]
extern crate std;

use core::ffi::c_void;

// The C type of text, for every platform that plait knows.
#[cfg(any(
    target_arch = "aarch64",
    target_arch = "arm",
    target_arch = "powerpc64",
    target_arch = "riscv64",
    target_arch = "s390x"
))]
pub type c_char = u8;
#[cfg(not(any(
    target_arch = "aarch64",
    target_arch = "arm",
    target_arch = "powerpc64",
    target_arch = "riscv64",
    target_arch = "s390x"
)))]
pub type c_char = i8;

#[cfg(not(feature = "load"))]
macro_rules! functions {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        extern "C" {
            $($(#[$meta])* pub fn $name($($arg: $type),*) $(-> $result)?;)*
        }

        /// The names of all functions.
        pub const FUNCTIONS: &[&str] = &[$(stringify!($name)),*];
    };
}

#[cfg(feature = "load")]
macro_rules! functions {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        struct Table {
            $($name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
        }

        impl Table {
            fn resolve(
                find: &dyn Fn(&str) -> Result<*mut c_void, std::string::String>,
            ) -> Result<Table, std::string::String> {
                Ok(Table {
                    // SAFETY: the declaration is checked against the header of the same ABI version.
                    $($name: unsafe {
                        core::mem::transmute::<
                            *mut c_void,
                            unsafe extern "C" fn($($type),*) $(-> $result)?,
                        >(find(concat!(stringify!($name), "\0"))?)
                    },)*
                })
            }
        }

        $($(#[$meta])*
        ///
        /// # Safety
        /// As the C header says.
        ///
        /// # Panics
        /// If libplait.so was not loaded and cannot be; see [`load`].
        pub unsafe fn $name($($arg: $type),*) $(-> $result)? {
            (loading::table().$name)($($arg),*)
        })*

        /// The names of all functions.
        pub const FUNCTIONS: &[&str] = &[$(stringify!($name)),*];
    };
}

include!("abi.rs");

#[cfg(feature = "load")]
mod loading;
#[cfg(feature = "load")]
pub use loading::load;
