// SPDX-License-Identifier: MIT

package plait

// #include <plait/plait.h>
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

// Stream is a hipStream_t or cudaStream_t; the zero Stream is the default stream.
type Stream struct{ raw unsafe.Pointer }

// StreamOf is a stream that something else made.
func StreamOf(handle uintptr) Stream {
	return Stream{*(*unsafe.Pointer)(unsafe.Pointer(&handle))}
}

// NewStream makes a stream that does not wait for the default one. Release it with CloseStream.
func (c *Context) NewStream() (Stream, error) {
	handle, err := c.use()
	if err != nil {
		return Stream{}, err
	}
	defer c.done()
	var s Stream
	err = setup(func(record *C.plait_error) C.plait_status {
		return C.plait_stream_create(handle, &s.raw, record)
	})
	return s, err
}

// CloseStream releases a stream of NewStream.
func (c *Context) CloseStream(s Stream) error {
	handle, err := c.use()
	if err != nil {
		return err
	}
	defer c.done()
	C.plait_stream_destroy(handle, s.raw)
	return nil
}

// Synchronize waits for everything enqueued on a stream and returns its first error.
func (c *Context) Synchronize(s Stream) error {
	handle, err := c.use()
	if err != nil {
		return err
	}
	defer c.done()
	return check(C.plait_stream_synchronize(handle, s.raw))
}

// owned is something of a context, to be closed before it.
type owned struct {
	mu      sync.Mutex
	context *Context
	raw     unsafe.Pointer
	destroy func(*C.plait_context, unsafe.Pointer)
}

// Close releases it. Twice is no error; after its context's Close it is one.
func (o *owned) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.raw == nil {
		return nil
	}
	handle, err := o.context.use()
	if err != nil {
		return err
	}
	defer o.context.done()
	o.destroy(handle, o.raw)
	o.raw = nil
	return nil
}

// Memory is memory of a context's device, aligned to 256 bytes.
type Memory struct {
	owned
	size uintptr
}

// NewMemory allocates; the contents are unspecified.
func (c *Context) NewMemory(size int) (*Memory, error) {
	handle, err := c.use()
	if err != nil {
		return nil, err
	}
	defer c.done()
	m := &Memory{owned: owned{context: c, destroy: func(c *C.plait_context, p unsafe.Pointer) {
		C.plait_memory_free(c, p)
	}}, size: uintptr(size)}
	var made unsafe.Pointer
	err = setup(func(record *C.plait_error) C.plait_status {
		return C.plait_memory_alloc(handle, C.size_t(size), &made, record)
	})
	m.raw = made
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Buffer is the memory as an argument. It must stay open until the stream has passed the call.
func (m *Memory) Buffer() Buffer { return Device(uintptr(m.raw), m.size) }

// copyWith calls with the addresses of both buffers, pinned.
func (c *Context) copyWith(dst, src Buffer, call func(handle *C.plait_context, dst, src unsafe.Pointer, size C.size_t) C.plait_status) error {
	if src.size > dst.size {
		return &Error{Code: ErrBufferTooSmall, Name: ErrBufferTooSmall.Error(), Argument: "dst",
			Message: "The buffer is smaller than what is copied."}
	}
	handle, err := c.use()
	if err != nil {
		return err
	}
	defer c.done()
	var pinner runtime.Pinner
	defer pinner.Unpin()
	address := func(b Buffer) unsafe.Pointer {
		if b.host != nil {
			pinner.Pin(b.host)
			return b.host
		}
		return StreamOf(b.device).raw
	}
	return check(call(handle, address(dst), address(src), C.size_t(src.size)))
}

// Copy copies all of src to the start of dst, in stream order, and waits.
func (c *Context) Copy(dst, src Buffer, stream Stream) error {
	return c.copyWith(dst, src, func(h *C.plait_context, d, s unsafe.Pointer, n C.size_t) C.plait_status {
		return C.plait_memory_copy(h, d, s, n, stream.raw)
	})
}

// CopyAsync copies device memory to device memory in stream order, without waiting.
func (c *Context) CopyAsync(dst, src *Memory, stream Stream) error {
	return c.copyWith(dst.Buffer(), src.Buffer(), func(h *C.plait_context, d, s unsafe.Pointer, n C.size_t) C.plait_status {
		return C.plait_memory_copy_async(h, d, s, n, stream.raw)
	})
}

// Fill sets every byte of memory, in stream order, without waiting.
func (c *Context) Fill(m *Memory, value byte, stream Stream) error {
	handle, err := c.use()
	if err != nil {
		return err
	}
	defer c.done()
	return check(C.plait_memory_fill(handle, m.raw, C.int32_t(value), C.size_t(m.size), stream.raw))
}

// Event is a point in time on a stream.
type Event struct{ owned }

// NewEvent makes an event.
func (c *Context) NewEvent() (*Event, error) {
	handle, err := c.use()
	if err != nil {
		return nil, err
	}
	defer c.done()
	e := &Event{owned{context: c, destroy: func(c *C.plait_context, p unsafe.Pointer) {
		C.plait_event_destroy(c, p)
	}}}
	var made unsafe.Pointer
	err = setup(func(record *C.plait_error) C.plait_status {
		return C.plait_event_create(handle, &made, record)
	})
	e.raw = made
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Record puts the event on a stream.
func (e *Event) Record(stream Stream) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	handle, err := e.context.use()
	if err != nil {
		return err
	}
	defer e.context.done()
	return check(C.plait_event_record(handle, e.raw, stream.raw))
}

// Elapsed waits for both events and gives the microseconds from this one to stop.
func (e *Event) Elapsed(stop *Event) (float64, error) {
	handle, err := e.context.use()
	if err != nil {
		return 0, err
	}
	defer e.context.done()
	var time C.double
	err = check(C.plait_event_elapsed(handle, e.raw, stop.raw, &time))
	return float64(time), err
}

// Graph is a recording of execute calls.
type Graph struct{ owned }

// Capture records what work enqueues on the stream instead of running it (GPUs only). Recording
// belongs to a thread, so the goroutine keeps its own meanwhile.
func (c *Context) Capture(stream Stream, work func() error) (*Graph, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	handle, err := c.use()
	if err != nil {
		return nil, err
	}
	err = setup(func(record *C.plait_error) C.plait_status {
		return C.plait_graph_begin(handle, stream.raw, record)
	})
	c.done()
	if err != nil {
		return nil, err
	}
	worked := work()
	if handle, err = c.use(); err != nil {
		return nil, err
	}
	defer c.done()
	g := &Graph{owned{context: c, destroy: func(c *C.plait_context, p unsafe.Pointer) {
		C.plait_graph_destroy(c, (*C.plait_graph)(p))
	}}}
	var made *C.plait_graph
	err = setup(func(record *C.plait_error) C.plait_status {
		return C.plait_graph_end(handle, stream.raw, &made, record)
	})
	g.raw = unsafe.Pointer(made)
	if worked != nil {
		err = worked
	}
	if err != nil {
		C.plait_graph_destroy(handle, made)
		return nil, err
	}
	return g, nil
}

// Launch enqueues the graph on a stream.
func (g *Graph) Launch(stream Stream) error {
	handle, err := g.context.use()
	if err != nil {
		return err
	}
	defer g.context.done()
	return check(C.plait_graph_launch(handle, (*C.plait_graph)(g.raw), stream.raw))
}
