// SPDX-License-Identifier: MIT

package plait

// #include <plait/plait.h>
//
// // For the benchmark: what a call costs when C makes it.
// static plait_status repeat_pre(const plait_plan *plan, const plait_mhc_pre_args *args, int64_t n) {
//   plait_status status = 0;
//   while (n-- > 0) status |= plait_mhc_pre(plan, args, NULL);
//   return status;
// }
import "C"

import (
	"sync"
	"unsafe"
)

// Call is an execute call with its arguments packed and its slices pinned: for a loop that calls the
// same thing again. One Call must not run in two goroutines at once; Close unpins the slices.
type Call struct {
	mu     sync.Mutex
	plan   *plan
	s      *scratch
	invoke func(*C.plait_plan, *scratch, Stream) C.plait_status
}

func (p *plan) bind(fill func(*scratch), invoke func(*C.plait_plan, *scratch, Stream) C.plait_status) (*Call, error) {
	if _, err := p.use(); err != nil {
		return nil, err
	}
	defer p.done()
	s := &scratch{words: new([scratchWords]uint64), onCPU: p.onCPU}
	fill(s)
	if s.err != nil {
		s.unpin()
		return nil, s.err
	}
	return &Call{plan: p, s: s, invoke: invoke}, nil
}

// SetCount changes the first argument: the tokens, rows or requests. Not for ConvertCache, which has
// none.
func (c *Call) SetCount(count int64) { c.s.words[1] = uint64(count) }

// Run makes the call.
func (c *Call) Run(stream Stream) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s == nil {
		return ErrClosed
	}
	handle, err := c.plan.use()
	if err != nil {
		return err
	}
	status := c.invoke(handle, c.s, stream)
	c.plan.done()
	if status != 0 {
		return statusError(status)
	}
	return nil
}

// Close unpins the slices. Twice is no error.
func (c *Call) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s != nil {
		c.s.unpin()
		c.s = nil
	}
	return nil
}

func repeatInC(handle *C.plait_plan, s *scratch, count int) C.plait_status {
	return C.repeat_pre(handle, (*C.plait_mhc_pre_args)(unsafe.Pointer(s.words)), C.int64_t(count))
}
