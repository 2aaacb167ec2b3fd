// SPDX-License-Identifier: MIT

package plait

// #include <stdlib.h>
// #include <plait/plait.h>
//
// extern void plaitGoLog(void *user, int32_t level, char *line);
import "C"

import (
	"runtime"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// Logger receives one line during a setup call. It must not use the same context.
type Logger func(level LogLevel, line string)

// ContextOptions is how to make a context. Begin with DefaultContextOptions.
type ContextOptions struct {
	Backend        Backend
	Policy         Policy
	Device         int32 // ordinal; -1: the calling thread's current device
	Threads        int32 // CPU backend; 0: as many as the process may run on
	LogLevel       LogLevel
	Log            Logger // nil: stderr if the environment asked, else none
	BackendDir     string // "": `plait/` beside libplait.so
	Implementation string // "": the best
}

// DefaultContextOptions gives the library's defaults.
func DefaultContextOptions() ContextOptions {
	var d cContextDesc
	C.plait_context_desc_init((*C.plait_context_desc)(unsafe.Pointer(&d)), C.sizeof_plait_context_desc)
	return ContextOptions{
		Backend: Backend(d.backend), Policy: Policy(d.policy), Device: d.device,
		Threads: d.threads, LogLevel: LogLevel(d.logLevel),
	}
}

// log is a logger that C knows by a number. Contexts and plans share it: a plan may be the last.
type log struct{ handle cgo.Handle }

func newLog(logger Logger) *log {
	if logger == nil {
		return nil
	}
	l := &log{cgo.NewHandle(logger)}
	runtime.SetFinalizer(l, func(l *log) { l.handle.Delete() })
	return l
}

//export plaitGoLog
func plaitGoLog(user unsafe.Pointer, level C.int32_t, line *C.char) {
	defer func() { _ = recover() }() // a panic must not cross the C frames
	cgo.Handle(uintptr(user)).Value().(Logger)(LogLevel(level), C.GoString(line))
}

// Context is one device of one backend.
type Context struct {
	mu     sync.RWMutex
	handle *C.plait_context
	log    *log
	onCPU  bool
}

func cString(text string) (pointer *C.char, free func()) {
	if text == "" {
		return nil, func() {}
	}
	pointer = C.CString(text)
	return pointer, func() { C.free(unsafe.Pointer(pointer)) }
}

// NewContext makes a context; nil stands for DefaultContextOptions. It alone reads the environment
// and loads a backend.
func NewContext(options *ContextOptions) (*Context, error) {
	if options == nil {
		defaults := DefaultContextOptions()
		options = &defaults
	}
	var d cContextDesc
	desc := (*C.plait_context_desc)(unsafe.Pointer(&d))
	C.plait_context_desc_init(desc, C.sizeof_plait_context_desc)
	d.backend, d.policy = int32(options.Backend), int32(options.Policy)
	d.device, d.threads = options.Device, options.Threads
	d.logLevel = int32(options.LogLevel)
	log := newLog(options.Log)
	if log != nil {
		d.log = uintptr(C.plaitGoLog)
		d.logUser = uintptr(log.handle)
		if d.logLevel == int32(LogSilent) {
			d.logLevel = int32(LogInfo)
		}
	}
	dir, freeDir := cString(options.BackendDir)
	defer freeDir()
	implementation, freeImplementation := cString(options.Implementation)
	defer freeImplementation()
	d.backendDir = uintptr(unsafe.Pointer(dir))
	d.implementation = uintptr(unsafe.Pointer(implementation))
	var made *C.plait_context
	err := setup(func(record *C.plait_error) C.plait_status {
		return C.plait_context_create(desc, &made, record)
	})
	runtime.KeepAlive(log)
	if err != nil {
		return nil, err
	}
	c := &Context{handle: made, log: log}
	runtime.SetFinalizer(c, func(c *Context) { _ = c.Close() })
	info, err := c.Info()
	if err != nil {
		return nil, err
	}
	c.onCPU = info.Backend == BackendCPU
	return c, nil
}

// Close gives the context up. Plans made from it live on. Twice is no error.
func (c *Context) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle != nil {
		C.plait_context_destroy(c.handle)
		c.handle = nil
		runtime.SetFinalizer(c, nil)
	}
	return nil
}

func (c *Context) use() (*C.plait_context, error) {
	c.mu.RLock()
	if c.handle == nil {
		c.mu.RUnlock()
		return nil, ErrClosed
	}
	return c.handle, nil
}

func (c *Context) done() { c.mu.RUnlock() }

// ContextInfo is what a context turned out to be.
type ContextInfo struct {
	Backend, AskedBackend    Backend
	Device, Threads          int
	ComputeUnits, WaveSize   int
	MemoryBytes              int64
	DeviceName, Architecture string
	FallbackReason           string // why the asked backend was not taken, or ""
}

// Info tells what the context is.
func (c *Context) Info() (ContextInfo, error) {
	handle, err := c.use()
	if err != nil {
		return ContextInfo{}, err
	}
	defer c.done()
	var i C.plait_context_info
	i.struct_size = C.sizeof_plait_context_info
	if err := check(C.plait_context_get_info(handle, &i)); err != nil {
		return ContextInfo{}, err
	}
	return ContextInfo{
		Backend: Backend(i.backend), AskedBackend: Backend(i.asked_backend),
		Device: int(i.device), Threads: int(i.threads),
		ComputeUnits: int(i.compute_units), WaveSize: int(i.wave_size),
		MemoryBytes: int64(i.memory_bytes),
		DeviceName:  C.GoString(i.device_name), Architecture: C.GoString(i.architecture),
		FallbackReason: C.GoString(i.fallback_reason),
	}, nil
}

// BackendInfo is what is known of a backend before a context is made.
type BackendInfo struct {
	Available    bool
	DeviceCount  int
	Path, Reason string
}

// Probe looks whether a backend works here, and if not, why. "" is the default folder.
func Probe(backend Backend, backendDir string) (BackendInfo, error) {
	dir, free := cString(backendDir)
	defer free()
	var i C.plait_backend_info
	i.struct_size = C.sizeof_plait_backend_info
	if err := check(C.plait_backend_probe(C.int32_t(backend), dir, &i)); err != nil {
		return BackendInfo{}, err
	}
	return BackendInfo{
		Available: i.available != 0, DeviceCount: int(i.device_count),
		Path: C.GoString(&i.path[0]), Reason: C.GoString(&i.reason[0]),
	}, nil
}
