// SPDX-License-Identifier: MIT

package plait

import (
	"errors"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

const testTokens, testHidden = 5, 64

type small struct {
	plan *MhcPlan
	MhcPreArgs
	post, comb []float32
	input      []uint16
}

func newPlan(t testing.TB, c *Context) *MhcPlan {
	t.Helper()
	o := DefaultMhcOptions()
	o.Hidden = testHidden
	p, err := NewMhcPlan(c, o)
	must(t, err)
	return p
}

// newSmall is a small pre with outputs of its own.
func newSmall(t testing.TB, p *MhcPlan) *small {
	t.Helper()
	s := &small{plan: p, post: make([]float32, testTokens*4), comb: make([]float32, testTokens*16),
		input: make([]uint16, testTokens*testHidden)}
	residual, fn := make([]uint16, testTokens*4*testHidden), make([]float32, 24*4*testHidden)
	for i := range residual {
		residual[i] = uint16(0x3f00 + i*37%200)
	}
	for i := range fn {
		fn[i] = float32(i*31%101)*1e-3 - 0.05
	}
	sizes, err := p.Sizes(testTokens)
	must(t, err)
	s.MhcPreArgs = MhcPreArgs{
		Tokens: testTokens, Residual: Slice(residual), Fn: Slice(fn), Base: Slice(make([]float32, 24)),
		Scale: Slice([]float32{0.5, 0.7, 0.9}), PostMix: Slice(s.post), CombMix: Slice(s.comb),
		LayerInput: Slice(s.input), Workspace: Workspace(sizes.Workspace),
	}
	return s
}

func (s *small) run() error { return s.plan.Pre(&s.MhcPreArgs, Stream{}) }

func TestContext(t *testing.T) {
	info, err := cpu(t, 2).Info()
	must(t, err)
	if info.Backend != BackendCPU || info.Threads != 2 || info.FallbackReason != "" {
		t.Fatal(info)
	}
	if Version() == "" || VersionNumber() != VersionMajor*1000000+VersionMinor*1000+VersionPatch || LibraryABI() != AbiVersion {
		t.Fatal(Version(), VersionNumber(), LibraryABI())
	}
	probe, err := Probe(BackendCPU, "")
	must(t, err)
	if !probe.Available {
		t.Fatal(probe)
	}
	if probe, err = Probe(BackendCUDA, "/nowhere"); err != nil || probe.Available || probe.Reason == "" {
		t.Fatal(probe, err)
	}
}

func TestErrors(t *testing.T) {
	c := cpu(t, 1)
	p := newPlan(t, c)
	defer p.Close()
	s := newSmall(t, p)
	s.post[0] = 9
	s.CombMix = Slice(s.comb[:3])
	err := s.run()
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrBufferTooSmall) || errors.Is(err, ErrStride) {
		t.Fatal(err)
	}
	if e.Argument != "comb_mix" || e.Name != "PLAIT_ERROR_BUFFER_TOO_SMALL" || !strings.Contains(err.Error(), "comb_mix") {
		t.Fatal(err)
	}
	if s.post[0] != 9 {
		t.Fatal("an output was touched")
	}
	s.CombMix, s.Fn = Slice(s.comb), Buffer{}
	if err := s.run(); !errors.Is(err, ErrNullArgument) {
		t.Fatal(err)
	}
	o := DefaultMhcOptions()
	o.Hidden = -1
	_, err = NewMhcPlan(c, o)
	if !errors.As(err, &e) || e.Code != ErrInvalidValue || e.Argument != "hidden" || !strings.Contains(e.Message, "hidden") {
		t.Fatal(err)
	}
	bad := DefaultContextOptions()
	bad.Backend, bad.BackendDir = BackendCUDA, "/nowhere"
	if _, err := NewContext(&bad); err == nil {
		t.Fatal("a context without a backend")
	}
}

func TestExplain(t *testing.T) {
	p := newPlan(t, cpu(t, 1))
	defer p.Close()
	text, err := p.Explain()
	must(t, err)
	list, err := p.Candidates(OpMhcPre)
	must(t, err)
	kind, err := p.Kind()
	must(t, err)
	if !strings.Contains(text, "mhc_pre") || list[len(list)-1].Name != "reference" || kind != PlanKindMhc || OpMhcPre.String() != "mhc_pre" {
		t.Fatal(text, list, kind)
	}
	if _, err := p.Candidates(OpTopk); err == nil {
		t.Fatal("candidates of another kind of plan")
	}
}

func TestUseAfterClose(t *testing.T) {
	c := cpu(t, 1)
	p := newPlan(t, c)
	s := newSmall(t, p)
	must(t, p.Close())
	must(t, p.Close())
	if err := s.run(); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
	if _, err := p.Sizes(1); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
	if _, err := p.Explain(); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
	must(t, c.Close())
	must(t, c.Close())
	if _, err := NewMhcPlan(c, DefaultMhcOptions()); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
	if _, err := c.Info(); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
}

func TestPlanOutlivesContext(t *testing.T) {
	lines := 0
	o := DefaultContextOptions()
	o.Backend = BackendCPU
	o.Log = func(level LogLevel, line string) { lines++ }
	c, err := NewContext(&o)
	must(t, err)
	p := newPlan(t, c)
	must(t, c.Close())
	c = nil
	runtime.GC()
	s := newSmall(t, p)
	must(t, s.run())
	must(t, p.Close())
	if lines == 0 || s.input[0] == 0 {
		t.Fatal("no log line, or no output")
	}
}

func TestConcurrentCalls(t *testing.T) {
	p := newPlan(t, cpu(t, 2))
	want := newSmall(t, p)
	must(t, want.run())
	var group sync.WaitGroup
	for i := 0; i < 2; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			s := newSmall(t, p)
			for j := 0; j < 200; j++ {
				if err := s.run(); err != nil {
					t.Error(err)
				}
				if !reflect.DeepEqual(s.input, want.input) || !reflect.DeepEqual(s.comb, want.comb) {
					t.Error("other bits")
				}
			}
		}()
	}
	group.Wait()
	must(t, p.Close())
}

func TestCloseWhileCalling(t *testing.T) {
	c := cpu(t, 1)
	for i := 0; i < 20; i++ {
		p := newPlan(t, c)
		s := newSmall(t, p)
		begun, ended := make(chan bool), make(chan error)
		go func() {
			close(begun)
			for {
				if err := s.run(); err != nil {
					ended <- err
					return
				}
			}
		}()
		<-begun
		must(t, p.Close())
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Fatal(err)
		}
	}
}

func TestNoCopyAndGarbage(t *testing.T) {
	values := []float32{1, 2, 3}
	s := newScratch(true)
	b := Slice(values)
	if got := s.buffer(&b); got.data != uintptr(unsafe.Pointer(&values[0])) || got.size != 12 {
		t.Fatal(got)
	}
	must(t, s.release())
	// The collector runs while calls have pinned slices that nothing else holds.
	p := newPlan(t, cpu(t, 1))
	defer p.Close()
	want := newSmall(t, p)
	must(t, want.run())
	for i := 0; i < 50; i++ {
		go runtime.GC()
		got := newSmall(t, p)
		must(t, got.run())
		if !reflect.DeepEqual(got.input, want.input) {
			t.Fatal("other bits")
		}
	}
}

func TestBind(t *testing.T) {
	p := newPlan(t, cpu(t, 1))
	want, got := newSmall(t, p), newSmall(t, p)
	must(t, want.run())
	call, err := p.BindPre(&got.MhcPreArgs)
	must(t, err)
	runtime.GC()
	must(t, call.Run(Stream{}))
	if !reflect.DeepEqual(got.input, want.input) {
		t.Fatal("other bits")
	}
	got.input[0] = 7
	call.SetCount(0)
	must(t, call.Run(Stream{}))
	if got.input[0] != 7 {
		t.Fatal("0 tokens touched an output")
	}
	call.SetCount(testTokens + 1)
	if err := call.Run(Stream{}); !errors.Is(err, ErrBufferTooSmall) {
		t.Fatal(err)
	}
	must(t, p.Close())
	if err := call.Run(Stream{}); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
	must(t, call.Close())
	must(t, call.Close())
	if err := call.Run(Stream{}); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
	if _, err := p.BindPre(&got.MhcPreArgs); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
}

func TestPinned(t *testing.T) {
	p := newPlan(t, cpu(t, 1))
	defer p.Close()
	want, got := newSmall(t, p), newSmall(t, p)
	must(t, want.run())
	input := Pin(got.input)
	if b := input.Buffer(); b.device != uintptr(unsafe.Pointer(&got.input[0])) || b.Size() != 2*len(got.input) {
		t.Fatal(b)
	}
	fn := PinBuffer(got.Fn)
	defer fn.Close()
	got.LayerInput, got.Fn = input.Buffer(), fn.Buffer()
	runtime.GC()
	must(t, got.run())
	if !reflect.DeepEqual(got.input, want.input) {
		t.Fatal("other bits")
	}
	must(t, input.Close())
	must(t, input.Close())
	got.LayerInput = input.Buffer()
	if err := got.run(); !errors.Is(err, ErrNullArgument) {
		t.Fatal(err)
	}
}

func TestHostSliceOnGPU(t *testing.T) {
	p := newPlan(t, cpu(t, 1))
	defer p.Close()
	p.onCPU = false // as if its context were a GPU's
	if err := newSmall(t, p).run(); !errors.Is(err, ErrUnsupportedDevice) {
		t.Fatal(err)
	}
}

func TestDevice(t *testing.T) {
	c := cpu(t, 1)
	stream, err := c.NewStream()
	must(t, err)
	start, err := c.NewEvent()
	must(t, err)
	stop, err := c.NewEvent()
	must(t, err)
	m, err := c.NewMemory(16)
	must(t, err)
	other, err := c.NewMemory(16)
	must(t, err)
	must(t, start.Record(stream))
	must(t, c.Copy(m.Buffer(), Slice([]int32{1, 2, 3, 4}), stream))
	must(t, c.CopyAsync(other, m, stream))
	must(t, stop.Record(stream))
	must(t, c.Synchronize(stream))
	got := make([]int32, 4)
	must(t, c.Copy(Slice(got), other.Buffer(), stream))
	if !reflect.DeepEqual(got, []int32{1, 2, 3, 4}) {
		t.Fatal(got)
	}
	must(t, c.Fill(m, 255, stream))
	must(t, c.Copy(Slice(got), m.Buffer(), stream))
	if got[3] != -1 {
		t.Fatal(got)
	}
	if time, err := start.Elapsed(stop); err != nil || time < 0 {
		t.Fatal(time, err)
	}
	if err := c.Copy(Slice(got[:1]), m.Buffer(), stream); !errors.Is(err, ErrBufferTooSmall) {
		t.Fatal(err)
	}
	if _, err := c.Capture(stream, func() error { return nil }); !errors.Is(err, ErrUnsupportedOperation) {
		t.Fatal(err)
	}
	// Memory of the library as a call's buffer: nothing of Go's to pin.
	o := DefaultTopkOptions()
	o.MaxColumns, o.K = 4, 1
	p, err := NewTopkPlan(c, o)
	must(t, err)
	must(t, c.Copy(m.Buffer(), Slice([]float32{1, 4, 3, 2}), stream))
	sizes, err := p.Sizes(1)
	must(t, err)
	must(t, p.Topk(&TopkArgs{Rows: 1, Columns: 4, Values: m.Buffer(), Indices: other.Buffer(),
		Workspace: Workspace(sizes.Workspace)}, stream))
	must(t, c.Copy(Slice(got), other.Buffer(), stream))
	if got[0] != 1 {
		t.Fatal(got)
	}
	for _, closer := range []interface{ Close() error }{m, other, start, stop, p, m} {
		must(t, closer.Close())
	}
	must(t, c.CloseStream(stream))
}

func resident(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	must(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	must(t, err)
	return pages * os.Getpagesize()
}

func TestNoLeak(t *testing.T) {
	c := cpu(t, 1)
	o := DefaultContextOptions()
	o.Backend, o.Threads = BackendCPU, 1
	cycle := func(plans, contexts int) {
		for i := 0; i < plans; i++ {
			must(t, newPlan(t, c).Close())
		}
		for i := 0; i < contexts; i++ {
			other, err := NewContext(&o)
			must(t, err)
			must(t, other.Close())
		}
	}
	cycle(2000, 200)
	runtime.GC()
	before := resident(t)
	cycle(90000, 10000)
	runtime.GC()
	limit := 4 << 20
	if raceEnabled {
		limit = 64 << 20 // the detector's own shadow memory
	}
	if grown := resident(t) - before; grown > limit {
		t.Fatal(grown, "bytes")
	}
}

// The binding's own cost: T = 0 touches nothing.
func BenchmarkPreNoTokens(b *testing.B) {
	p := newPlan(b, cpu(b, 1))
	defer p.Close()
	s := newSmall(b, p)
	s.Tokens = 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if err := s.run(); err != nil {
			b.Fatal(err)
		}
	}
}

// The same with device addresses or pinned slices: the call pins nothing.
func BenchmarkPreNoTokensAddresses(b *testing.B) {
	p := newPlan(b, cpu(b, 1))
	defer p.Close()
	s := newSmall(b, p)
	s.Tokens = 0
	for _, buffer := range []*Buffer{&s.Residual, &s.Fn, &s.Base, &s.Scale, &s.PostMix, &s.CombMix,
		&s.LayerInput, &s.Workspace} {
		*buffer = Device(256, buffer.size) // T = 0: not touched
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if err := s.run(); err != nil {
			b.Fatal(err)
		}
	}
}

// The same, packed and pinned once.
func BenchmarkBoundPreNoTokens(b *testing.B) {
	p := newPlan(b, cpu(b, 1))
	defer p.Close()
	s := newSmall(b, p)
	s.Tokens = 0
	call, err := p.BindPre(&s.MhcPreArgs)
	must(b, err)
	defer call.Close()
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if err := call.Run(Stream{}); err != nil {
			b.Fatal(err)
		}
	}
}

// One crossing into C that makes all the calls: the C function alone.
func BenchmarkCNoTokens(b *testing.B) {
	p := newPlan(b, cpu(b, 1))
	defer p.Close()
	s := newSmall(b, p)
	s.Tokens = 0
	call, err := p.BindPre(&s.MhcPreArgs)
	must(b, err)
	defer call.Close()
	b.ResetTimer()
	must(b, check(repeatInC(p.handle, call.s, b.N)))
}
