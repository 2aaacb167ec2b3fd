// SPDX-License-Identifier: MIT

package plait

// #include <plait/plait.h>
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

// plan is what the three kinds have in common.
type plan struct {
	mu     sync.RWMutex
	handle *C.plait_plan
	log    *log // its context may be gone by then
	onCPU  bool
}

// MhcPlan has the hyper-connections: Pre, Post, PostPre, Head, Expand.
type MhcPlan struct{ plan }

// IndexerPlan has the sparse indexer: quantisation, key cache, logits, select.
type IndexerPlan struct{ plan }

// TopkPlan has exact top-k of rows, and the merge of several shards.
type TopkPlan struct{ plan }

type create func(*C.plait_context, **C.plait_plan, *C.plait_error) C.plait_status

func (p *plan) open(c *Context, create create) error {
	context, err := c.use()
	if err != nil {
		return err
	}
	defer c.done()
	p.log, p.onCPU = c.log, c.onCPU
	var made *C.plait_plan // C may not see into p, which has Go pointers
	err = setup(func(record *C.plait_error) C.plait_status {
		return create(context, &made, record)
	})
	p.handle = made
	return err
}

// NewMhcPlan checks the problem and chooses the implementations.
func NewMhcPlan(c *Context, o MhcOptions) (*MhcPlan, error) {
	var d cMhcPlanDesc
	o.fill(&d)
	name, free := cString(o.Implementation)
	defer free()
	d.implementation = uintptr(unsafe.Pointer(name))
	p := &MhcPlan{}
	err := p.open(c, func(context *C.plait_context, out **C.plait_plan, record *C.plait_error) C.plait_status {
		return C.plait_mhc_plan_create(context, (*C.plait_mhc_plan_desc)(unsafe.Pointer(&d)), out, record)
	})
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(p, func(p *MhcPlan) { _ = p.Close() })
	return p, nil
}

// NewIndexerPlan checks the problem and chooses the implementations.
func NewIndexerPlan(c *Context, o IndexerOptions) (*IndexerPlan, error) {
	var d cIndexerPlanDesc
	o.fill(&d)
	name, free := cString(o.Implementation)
	defer free()
	d.implementation = uintptr(unsafe.Pointer(name))
	p := &IndexerPlan{}
	err := p.open(c, func(context *C.plait_context, out **C.plait_plan, record *C.plait_error) C.plait_status {
		return C.plait_indexer_plan_create(context, (*C.plait_indexer_plan_desc)(unsafe.Pointer(&d)), out, record)
	})
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(p, func(p *IndexerPlan) { _ = p.Close() })
	return p, nil
}

// NewTopkPlan checks the problem and chooses the implementations.
func NewTopkPlan(c *Context, o TopkOptions) (*TopkPlan, error) {
	var d cTopkPlanDesc
	o.fill(&d)
	name, free := cString(o.Implementation)
	defer free()
	d.implementation = uintptr(unsafe.Pointer(name))
	p := &TopkPlan{}
	err := p.open(c, func(context *C.plait_context, out **C.plait_plan, record *C.plait_error) C.plait_status {
		return C.plait_topk_plan_create(context, (*C.plait_topk_plan_desc)(unsafe.Pointer(&d)), out, record)
	})
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(p, func(p *TopkPlan) { _ = p.Close() })
	return p, nil
}

// Close gives the plan up, after the calls that run. Twice is no error.
func (p *plan) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.handle != nil {
		C.plait_plan_destroy(p.handle)
		p.handle = nil
		runtime.KeepAlive(p.log)
		p.log = nil
	}
	return nil
}

// use holds the plan open until done.
func (p *plan) use() (*C.plait_plan, error) {
	p.mu.RLock()
	if p.handle == nil {
		p.mu.RUnlock()
		return nil, ErrClosed
	}
	return p.handle, nil
}

func (p *plan) done() {
	p.mu.RUnlock()
	runtime.KeepAlive(p)
}

// Kind is the kind of the plan.
func (p *plan) Kind() (PlanKind, error) {
	handle, err := p.use()
	if err != nil {
		return 0, err
	}
	defer p.done()
	return PlanKind(C.plait_plan_kind(handle)), nil
}

// Explain tells what was chosen for every operation, and why the better ones were not.
func (p *plan) Explain() (string, error) {
	handle, err := p.use()
	if err != nil {
		return "", err
	}
	defer p.done()
	for size := C.size_t(4096); ; {
		text := make([]byte, size)
		var needed C.size_t
		status := C.plait_plan_explain(handle, (*C.char)(unsafe.Pointer(&text[0])), size, &needed)
		if status == 0 {
			return string(text[:needed-1]), nil
		}
		if needed <= size {
			return "", statusError(status)
		}
		size = needed
	}
}

// Candidate is one entry of an operation's ordered list of implementations.
type Candidate struct {
	Name           string
	Chosen, Usable bool
	Reason         string // why it was refused or passed over
}

// Candidates is the list of one operation of this plan, best first.
func (p *plan) Candidates(op Op) ([]Candidate, error) {
	handle, err := p.use()
	if err != nil {
		return nil, err
	}
	defer p.done()
	var found []Candidate
	for {
		var c C.plait_candidate
		c.struct_size = C.sizeof_plait_candidate
		status := C.plait_plan_candidate(handle, C.int32_t(op), C.int32_t(len(found)), &c)
		if Code(C.plait_status_code(status)) == ErrInvalidValue &&
			Argument(C.plait_status_argument(status)) == ArgIndex {
			return found, nil
		}
		if status != 0 {
			return nil, statusError(status)
		}
		found = append(found, Candidate{C.GoString(c.name), c.chosen != 0, c.usable != 0, C.GoString(c.reason)})
	}
}

// Workspace makes host memory aligned as a workspace must be.
func Workspace(size int) Buffer {
	if size == 0 {
		return Buffer{}
	}
	memory := make([]byte, size+WorkspaceAlignment)
	shift := -uintptr(unsafe.Pointer(&memory[0])) % WorkspaceAlignment
	return Slice(memory[shift : shift+uintptr(size)])
}
