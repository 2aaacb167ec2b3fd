// SPDX-License-Identifier: MIT
//! Memory, streams, events and graphs for programs without a device runtime of their own.
//!
//! All of them borrow the context that they were made from.
use crate::error::{check, checked};
use crate::{Context, Input, Output, Result};
use plait_sys as sys;
use std::ffi::c_void;
use std::ptr;

/// Memory of a context's device, aligned to 256 bytes.
pub struct Memory<'c> {
    context: &'c Context,
    data: *mut c_void,
    size: usize,
}

// SAFETY: plain memory with one owner; the context is shared by any number of threads.
unsafe impl Send for Memory<'_> {}
unsafe impl Sync for Memory<'_> {}

impl<'c> Memory<'c> {
    /// `size` bytes; their contents are unspecified.
    pub fn new(context: &'c Context, size: usize) -> Result<Memory<'c>> {
        let mut data = ptr::null_mut();
        // SAFETY: the context is alive.
        checked(|error| unsafe {
            sys::plait_memory_alloc(context.handle, size, &mut data, error)
        })?;
        Ok(Memory { context, data, size })
    }

    /// A copy of a slice.
    pub fn from_slice<T: crate::Element>(context: &'c Context, slice: &[T]) -> Result<Memory<'c>> {
        let memory = Memory::new(context, std::mem::size_of_val(slice))?;
        // SAFETY: both have the size.
        check(unsafe {
            sys::plait_memory_copy(
                context.handle,
                memory.data,
                slice.as_ptr().cast(),
                memory.size,
                ptr::null_mut(),
            )
        })?;
        Ok(memory)
    }

    /// Copies the first bytes into a slice, after the work on `stream`, and waits.
    ///
    /// # Panics
    /// If the slice is larger than the memory.
    pub fn read<T: crate::Element>(
        &self,
        into: &mut [T],
        stream: Option<&Stream<'_>>,
    ) -> Result<()> {
        let size = std::mem::size_of_val(into);
        assert!(size <= self.size, "{} bytes from a memory of {}", size, self.size);
        // SAFETY: both have the size.
        check(unsafe {
            sys::plait_memory_copy(
                self.context.handle,
                into.as_mut_ptr().cast(),
                self.data,
                size,
                stream_pointer(stream),
            )
        })
    }

    /// Sets every byte, in stream order, without waiting.
    pub fn fill(&mut self, byte: u8, stream: Option<&Stream<'_>>) -> Result<()> {
        // SAFETY: the memory has the size.
        check(unsafe {
            sys::plait_memory_fill(
                self.context.handle,
                self.data,
                i32::from(byte),
                self.size,
                stream_pointer(stream),
            )
        })
    }

    /// Copies all of `source` to the start of this memory, in stream order, without waiting.
    ///
    /// # Safety
    /// Both must live and stay unwritten until the stream has passed the copy.
    ///
    /// # Panics
    /// If `source` is larger.
    pub unsafe fn copy_async(
        &mut self,
        source: &Memory<'_>,
        stream: Option<&Stream<'_>>,
    ) -> Result<()> {
        assert!(source.size <= self.size);
        check(sys::plait_memory_copy_async(
            self.context.handle,
            self.data,
            source.data,
            source.size,
            stream_pointer(stream),
        ))
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The device pointer.
    pub fn as_ptr(&self) -> *mut c_void {
        self.data
    }

    /// As an argument that the call reads.
    ///
    /// # Safety
    /// The memory must live until the stream has passed the call.
    pub unsafe fn input<E>(&self) -> Input<'static, E> {
        Input::device(self.data, self.size)
    }

    /// As an argument that the call writes.
    ///
    /// # Safety
    /// As [`Memory::input`], and no other call may use it meanwhile.
    pub unsafe fn output<E>(&self) -> Output<'static, E> {
        Output::device(self.data, self.size)
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: the last use; a GPU's free waits for the device.
        unsafe { sys::plait_memory_free(self.context.handle, self.data) }
    }
}

fn stream_pointer(stream: Option<&Stream<'_>>) -> *mut c_void {
    stream.map_or(ptr::null_mut(), |stream| stream.raw)
}

/// A stream that does not wait for the default one. The CPU's is null.
pub struct Stream<'c> {
    context: &'c Context,
    raw: *mut c_void,
}

// SAFETY: streams may be used from any thread.
unsafe impl Send for Stream<'_> {}
unsafe impl Sync for Stream<'_> {}

impl<'c> Stream<'c> {
    /// Makes a stream.
    pub fn new(context: &'c Context) -> Result<Stream<'c>> {
        let mut raw = ptr::null_mut();
        // SAFETY: the context is alive.
        checked(|error| unsafe { sys::plait_stream_create(context.handle, &mut raw, error) })?;
        Ok(Stream { context, raw })
    }

    /// hipStream_t or cudaStream_t.
    pub fn as_ptr(&self) -> *mut c_void {
        self.raw
    }

    /// Waits until everything enqueued is done, and returns its first error.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: both handles are alive.
        check(unsafe { sys::plait_stream_synchronize(self.context.handle, self.raw) })
    }

    /// Records the calls of `work` into a graph instead of running them (GPUs only).
    pub fn capture(&self, work: impl FnOnce() -> Result<()>) -> Result<Graph<'c>> {
        let context = self.context;
        // SAFETY: both handles are alive.
        checked(|error| unsafe { sys::plait_graph_begin(context.handle, self.raw, error) })?;
        let worked = work();
        let mut raw = ptr::null_mut();
        // SAFETY: as above; recording is ended whatever happened.
        let ended = checked(|error| unsafe {
            sys::plait_graph_end(context.handle, self.raw, &mut raw, error)
        });
        let graph = Graph { context, raw };
        worked?;
        ended?;
        Ok(graph)
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: the last use.
        unsafe { sys::plait_stream_destroy(self.context.handle, self.raw) }
    }
}

/// A point in time on a stream.
pub struct Event<'c> {
    context: &'c Context,
    raw: *mut c_void,
}

// SAFETY: recording takes `&mut self`; the rest only reads.
unsafe impl Send for Event<'_> {}

impl<'c> Event<'c> {
    /// Makes an event.
    pub fn new(context: &'c Context) -> Result<Event<'c>> {
        let mut raw = ptr::null_mut();
        // SAFETY: the context is alive.
        checked(|error| unsafe { sys::plait_event_create(context.handle, &mut raw, error) })?;
        Ok(Event { context, raw })
    }

    /// Records it on a stream; `None`: the default stream.
    pub fn record(&mut self, stream: Option<&Stream<'_>>) -> Result<()> {
        // SAFETY: the handles are alive.
        check(unsafe {
            sys::plait_event_record(self.context.handle, self.raw, stream_pointer(stream))
        })
    }

    /// Waits for both events; microseconds from this one to `stop`.
    pub fn elapsed(&self, stop: &Event<'_>) -> Result<f64> {
        let mut time = 0.0;
        // SAFETY: the handles are alive.
        check(unsafe {
            sys::plait_event_elapsed(self.context.handle, self.raw, stop.raw, &mut time)
        })?;
        Ok(time)
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        // SAFETY: the last use.
        unsafe { sys::plait_event_destroy(self.context.handle, self.raw) }
    }
}

/// Recorded execute calls; made by [`Stream::capture`].
pub struct Graph<'c> {
    context: &'c Context,
    raw: *mut sys::plait_graph,
}

// SAFETY: launching takes `&mut self`.
unsafe impl Send for Graph<'_> {}

impl Graph<'_> {
    /// Enqueues the graph.
    ///
    /// # Safety
    /// Every buffer that was recorded must still live, until the stream has passed the graph.
    pub unsafe fn launch(&mut self, stream: Option<&Stream<'_>>) -> Result<()> {
        check(sys::plait_graph_launch(self.context.handle, self.raw, stream_pointer(stream)))
    }
}

impl Drop for Graph<'_> {
    fn drop(&mut self) {
        // SAFETY: the last use.
        unsafe { sys::plait_graph_destroy(self.context.handle, self.raw) }
    }
}
