// SPDX-License-Identifier: MIT

// Package plait gives the operators of DeepSeek-V4-style models in libplait: manifold-constrained
// hyper-connections and the sparse indexer, on slices and device pointers, without a copy.
//
// A Context is one device, a plan (MhcPlan, IndexerPlan, TopkPlan) one checked problem. Both are safe
// for any number of goroutines and are released with Close, in any order; concurrent calls need
// outputs and a workspace of their own. Slices are pinned for the length of a call.
package plait

// #cgo pkg-config: plait
// #include <plait/plait.h>
import "C"

import (
	"errors"
	"runtime"
	"sync"
	"unsafe"
)

// ErrClosed is returned by every use of something after its Close.
var ErrClosed = errors.New("plait: use after Close")

// Error is a status of the library, or of this package before a call was made.
type Error struct {
	Code       Code
	Name       string // "PLAIT_ERROR_BUFFER_TOO_SMALL"
	Argument   string // the parameter or field at fault, or ""
	Message    string // one sentence
	NativeCode int    // hipError_t, cudaError_t or errno, or 0
}

func (e *Error) Error() string {
	if e.Argument != "" {
		return e.Name + " (" + e.Argument + "): " + e.Message
	}
	return e.Name + ": " + e.Message
}

// Is makes errors.Is(err, plait.ErrBufferTooSmall) work.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// Error makes codes targets of errors.Is.
func (c Code) Error() string {
	return C.GoString(C.plait_status_name(C.plait_status(c)))
}

func statusError(status C.plait_status) error {
	return &Error{
		Code:     Code(C.plait_status_code(status)),
		Name:     C.GoString(C.plait_status_name(status)),
		Argument: C.GoString(C.plait_argument_name(C.plait_status_argument(status))),
		Message:  C.GoString(C.plait_status_description(status)),
	}
}

func check(status C.plait_status) error {
	if status != 0 {
		return statusError(status)
	}
	return nil
}

// setup runs a call that takes an error record.
func setup(call func(record *C.plait_error) C.plait_status) error {
	var record C.plait_error
	C.plait_error_init(&record, C.sizeof_plait_error)
	status := call(&record)
	if status == 0 {
		return nil
	}
	err := statusError(status).(*Error)
	if record.status == status && record.message[0] != 0 {
		err.Message = C.GoString(&record.message[0])
		err.NativeCode = int(record.native_code)
	}
	return err
}

func flag(value bool) int32 {
	if value {
		return 1
	}
	return 0
}

// Version is the version of the library, "0.1.0".
func Version() string { return C.GoString(C.plait_version_string()) }

// VersionNumber is the same as major * 1000000 + minor * 1000 + patch.
func VersionNumber() int { return int(C.plait_version()) }

// LibraryABI is AbiVersion of the library that is loaded.
func LibraryABI() int { return int(C.plait_abi_version()) }

func (op Op) String() string { return C.GoString(C.plait_op_name(C.int32_t(op))) }

// Element is what a slice of a tensor may hold. bf16 and f16 travel as their bits in uint16.
type Element interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64 | ~float32 | ~float64
}

// Buffer is memory of a call, with its size. The zero Buffer is "not given".
type Buffer struct {
	host   unsafe.Pointer
	device uintptr
	size   uintptr
}

// Slice is a host slice as a buffer of a plan on the CPU.
func Slice[T Element](s []T) Buffer {
	if len(s) == 0 {
		return Buffer{}
	}
	return Buffer{host: unsafe.Pointer(unsafe.SliceData(s)), size: unsafe.Sizeof(s[0]) * uintptr(len(s))}
}

// Device is memory that a device address stands for, or other memory that Go does not own. It must
// live until the stream has passed the call.
func Device(address, size uintptr) Buffer { return Buffer{device: address, size: size} }

// Pinned is a slice that stays where it is until Close: for weights, caches and workspaces that many
// calls use, which then need not pin them one call at a time.
type Pinned struct {
	mu     sync.Mutex
	pinner runtime.Pinner
	buffer Buffer
}

// Pin pins a host slice.
func Pin[T Element](s []T) *Pinned { return PinBuffer(Slice(s)) }

// PinBuffer pins a buffer of Slice or Workspace.
func PinBuffer(b Buffer) *Pinned {
	p := &Pinned{buffer: b}
	if b.host != nil {
		p.pinner.Pin(b.host)
		p.buffer = Device(uintptr(b.host), b.size)
	}
	return p
}

// Buffer is the slice as a buffer of a plan on the CPU. After Close it is "not given".
func (p *Pinned) Buffer() Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buffer
}

// Close unpins the slice, after the calls that use it. Twice is no error.
func (p *Pinned) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pinner.Unpin()
	p.buffer = Buffer{}
	return nil
}

// Size is the bytes of a buffer.
func (b Buffer) Size() int { return int(b.size) }

// cBuffer is laid out as plait_buffer and plait_const_buffer.
type cBuffer struct{ data, size uintptr }

// scratch holds the C struct of a call, and pins what it points to. The words hold addresses as
// plain numbers: pinning keeps them true.
type scratch struct {
	words  *[scratchWords]uint64
	pinner runtime.Pinner
	onCPU  bool
	pinned bool
	err    error
}

const scratchWords = 64

var scratches = sync.Pool{New: func() any { return &scratch{words: new([scratchWords]uint64)} }}

func newScratch(onCPU bool) *scratch {
	s := scratches.Get().(*scratch)
	s.onCPU, s.err = onCPU, nil
	return s
}

func (s *scratch) buffer(b *Buffer) cBuffer {
	if b.host == nil {
		return cBuffer{b.device, b.size}
	}
	if !s.onCPU {
		s.err = &Error{Code: ErrUnsupportedDevice, Name: ErrUnsupportedDevice.Error(),
			Message: "a host slice, but the plan is on a GPU: use Device"}
		return cBuffer{}
	}
	s.pinner.Pin(b.host)
	s.pinned = true
	return cBuffer{uintptr(b.host), b.size}
}

func (s *scratch) unpin() {
	if s.pinned {
		s.pinner.Unpin()
		s.pinned = false
	}
}

func (s *scratch) release() error {
	s.unpin()
	err := s.err
	s.err = nil
	scratches.Put(s)
	return err
}
