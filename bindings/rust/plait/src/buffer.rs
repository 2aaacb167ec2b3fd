// SPDX-License-Identifier: MIT
//! Slices and device pointers as the buffers of a call, without a copy.
use crate::{Error, Result};
use plait_sys as sys;
use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::size_of_val;
use std::ptr;

/// A buffer whose number format the plan decides: bf16 and f16 travel as their bits in `u16`.
#[derive(Debug)]
pub enum Any {}

/// Plain numbers that a slice may hold.
///
/// # Safety
/// Any bit pattern must be a value, and there must be no padding.
pub unsafe trait Element: Copy {}
macro_rules! elements { ($($kind:ty)*) => { $(unsafe impl Element for $kind {})* } }
elements!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

/// Memory that a call reads. `Default` is "not given".
#[derive(Debug)]
pub struct Input<'a, E> {
    pub(crate) raw: sys::plait_const_buffer,
    in_place: bool,
    #[allow(clippy::type_complexity)]
    _lifetime: PhantomData<(&'a [u8], fn(E))>,
}

impl<E> Clone for Input<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Input<'_, E> {}

impl<E> Default for Input<'_, E> {
    fn default() -> Self {
        Input { raw: NONE, in_place: false, _lifetime: PhantomData }
    }
}

const NONE: sys::plait_const_buffer = sys::plait_const_buffer { data: ptr::null(), size: 0 };

impl<E> Input<'_, E> {
    /// The input is the output of the same call that its field names.
    pub const IN_PLACE: Self = Input { raw: NONE, in_place: true, _lifetime: PhantomData };

    /// Device memory, or any other memory that is no slice.
    ///
    /// # Safety
    /// `size` bytes from `data` must be readable by the plan's device until the call is done.
    pub unsafe fn device(data: *const c_void, size: usize) -> Self {
        Input {
            raw: sys::plait_const_buffer { data, size },
            in_place: false,
            _lifetime: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn or_same<O>(&self, output: &Output<'_, O>) -> sys::plait_const_buffer {
        if self.in_place {
            sys::plait_const_buffer { data: output.raw.data, size: output.raw.size }
        } else {
            self.raw
        }
    }
}

/// Memory that a call writes. `Default` is "not given".
#[derive(Debug)]
pub struct Output<'a, E> {
    pub(crate) raw: sys::plait_buffer,
    #[allow(clippy::type_complexity)]
    _lifetime: PhantomData<(&'a mut [u8], fn(E))>,
}

impl<E> Default for Output<'_, E> {
    fn default() -> Self {
        Output { raw: sys::plait_buffer { data: ptr::null_mut(), size: 0 }, _lifetime: PhantomData }
    }
}

impl<E> Output<'_, E> {
    /// Device memory, or any other memory that is no slice.
    ///
    /// # Safety
    /// `size` bytes from `data` must be writable by the plan's device, and used by nobody else, until
    /// the call is done.
    pub unsafe fn device(data: *mut c_void, size: usize) -> Self {
        Output { raw: sys::plait_buffer { data, size }, _lifetime: PhantomData }
    }
}

fn input<'a, T: Element, E>(slice: &'a [T]) -> Input<'a, E> {
    let data = if slice.is_empty() { ptr::null() } else { slice.as_ptr().cast() };
    let raw = sys::plait_const_buffer { data, size: size_of_val(slice) };
    Input { raw, in_place: false, _lifetime: PhantomData }
}

fn output<'a, T: Element, E>(slice: &'a mut [T]) -> Output<'a, E> {
    let data = if slice.is_empty() { ptr::null_mut() } else { slice.as_mut_ptr().cast() };
    let raw = sys::plait_buffer { data, size: size_of_val(slice) };
    Output { raw, _lifetime: PhantomData }
}

macro_rules! conversions {
    ($element:ty) => {
        impl<'a, T: Element> From<&'a [T]> for Input<'a, $element> {
            #[inline]
            fn from(slice: &'a [T]) -> Self {
                input(slice)
            }
        }
        impl<'a, T: Element> From<&'a Vec<T>> for Input<'a, $element> {
            #[inline]
            fn from(slice: &'a Vec<T>) -> Self {
                input(slice)
            }
        }
        impl<'a, T: Element, const N: usize> From<&'a [T; N]> for Input<'a, $element> {
            #[inline]
            fn from(slice: &'a [T; N]) -> Self {
                input(slice)
            }
        }
        impl<'a, T: Element> From<&'a mut [T]> for Output<'a, $element> {
            #[inline]
            fn from(slice: &'a mut [T]) -> Self {
                output(slice)
            }
        }
        impl<'a, T: Element> From<&'a mut Vec<T>> for Output<'a, $element> {
            #[inline]
            fn from(slice: &'a mut Vec<T>) -> Self {
                output(slice)
            }
        }
        impl<'a, T: Element, const N: usize> From<&'a mut [T; N]> for Output<'a, $element> {
            #[inline]
            fn from(slice: &'a mut [T; N]) -> Self {
                output(slice)
            }
        }
    };
}
conversions!(T);
conversions!(Any);

/// Host memory aligned as a workspace must be. One for each call that runs at once.
#[derive(Debug)]
pub struct Workspace {
    data: *mut u8,
    layout: Layout,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Workspace {}
unsafe impl Sync for Workspace {}

impl Workspace {
    /// `size` bytes of host memory.
    pub fn new(size: usize) -> Result<Workspace> {
        let layout = Layout::from_size_align(size, sys::PLAIT_WORKSPACE_ALIGNMENT as usize)
            .map_err(|_| no_memory(size))?;
        let data = if size == 0 {
            ptr::null_mut()
        } else {
            // SAFETY: the size is not 0.
            unsafe { alloc_zeroed(layout) }
        };
        if size != 0 && data.is_null() {
            return Err(no_memory(size));
        }
        Ok(Workspace { data, layout })
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.layout.size()
    }
}

fn no_memory(size: usize) -> Error {
    Error::own(
        sys::PLAIT_ERROR_OUT_OF_MEMORY,
        "workspace",
        format!("{} bytes could not be had", size),
    )
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if !self.data.is_null() {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.data, self.layout) }
        }
    }
}

impl<'a> From<&'a mut Workspace> for Output<'a, u8> {
    fn from(workspace: &'a mut Workspace) -> Self {
        let raw = sys::plait_buffer { data: workspace.data.cast(), size: workspace.layout.size() };
        Output { raw, _lifetime: PhantomData }
    }
}
