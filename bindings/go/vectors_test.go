// SPDX-License-Identifier: MIT

package plait

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vector is one golden case.
type vector struct {
	t      *testing.T
	folder string
	values map[string]any
}

func vectors(t *testing.T, prefix string) []vector {
	root := os.Getenv("PLAIT_VECTORS")
	if root == "" {
		root = "../../tests/vectors"
	}
	folders, err := filepath.Glob(filepath.Join(root, prefix+"*", "case.json"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no vectors %s* in %s", prefix, root)
	}
	var found []vector
	for _, path := range folders {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		v := vector{t: t, folder: filepath.Dir(path)}
		if err := json.Unmarshal(text, &v.values); err != nil {
			t.Fatal(err)
		}
		found = append(found, v)
	}
	return found
}

func (v vector) name() string           { return filepath.Base(v.folder) }
func (v vector) int(key string) int     { return int(v.values[key].(float64)) }
func (v vector) float(k string) float32 { return float32(v.values[k].(float64)) }

// load reads a version 1 .npy file in C order.
func load[T Element](v vector, name string) []T {
	data, err := os.ReadFile(filepath.Join(v.folder, name+".npy"))
	if err != nil {
		v.t.Fatal(err)
	}
	start := 10 + int(binary.LittleEndian.Uint16(data[8:]))
	if string(data[:8]) != "\x93NUMPY\x01\x00" || !strings.Contains(string(data[:start]), "'fortran_order': False") {
		v.t.Fatal(name, "is not a .npy file of version 1 in C order")
	}
	var one T
	values := make([]T, (len(data)-start)/binary.Size(one))
	if err := binary.Read(bytes.NewReader(data[start:]), binary.LittleEndian, values); err != nil {
		v.t.Fatal(err)
	}
	return values
}

func wide(bits uint16) float64 { return float64(math.Float32frombits(uint32(bits) << 16)) }

func near(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, not %d", what, len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= tolerance) {
			t.Fatalf("%s[%d]: %g is not %g", what, i, got[i], want[i])
		}
	}
}

// nearBF16 allows one ulp, and what cancellation of terms leaves.
func nearBF16(t *testing.T, what string, got, want []uint16, terms float64) {
	t.Helper()
	for i := range got {
		a, b := wide(got[i]), wide(want[i])
		_, exponent := math.Frexp(math.Max(math.Abs(b), 1e-38))
		if !(math.Abs(a-b) <= math.Ldexp(1, exponent-8)+1e-6*terms) {
			t.Fatalf("%s[%d]: %g is not %g", what, i, a, b)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func cpu(t testing.TB, threads int32) *Context {
	t.Helper()
	o := DefaultContextOptions()
	o.Backend, o.Threads = BackendCPU, threads
	c, err := NewContext(&o)
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestGoldenMhc(t *testing.T) {
	c := cpu(t, 2)
	for _, v := range vectors(t, "mhc_") {
		tokens, n, h := v.int("tokens"), v.int("hc_mult"), v.int("hidden")
		o := DefaultMhcOptions()
		o.Hidden, o.HcMult, o.SinkhornIters = int64(h), int32(n), int32(v.int("sinkhorn_iters"))
		o.PostMult, o.RmsEps = v.float("post_mult"), v.float("rms_eps")
		o.PreEps, o.SinkhornEps = v.float("pre_eps"), v.float("sinkhorn_eps")
		p, err := NewMhcPlan(c, o)
		must(t, err)
		sizes, err := p.Sizes(int64(tokens))
		must(t, err)
		work := Workspace(sizes.Workspace)
		residual, x := load[uint16](v, "residual"), load[uint16](v, "x")
		base, scale := Slice(load[float32](v, "base")), Slice(load[float32](v, "scale"))
		largest := 1.0
		for _, b := range residual {
			largest = math.Max(largest, math.Abs(wide(b)))
		}
		pre, post := make([]float32, tokens*n), make([]float32, tokens*n)
		comb, input := make([]float32, tokens*n*n), make([]uint16, tokens*h)
		must(t, p.Pre(&MhcPreArgs{
			Tokens: int64(tokens), Residual: Slice(residual), Fn: Slice(load[float32](v, "fn")),
			Base: base, Scale: scale, PreMix: Slice(pre), PostMix: Slice(post),
			CombMix: Slice(comb), LayerInput: Slice(input), Workspace: work,
		}, Stream{}))
		near(t, v.name(), pre, load[float32](v, "mixes_pre"), 3e-6)
		near(t, v.name(), post, load[float32](v, "post_mix"), 3e-6)
		near(t, v.name(), comb, load[float32](v, "comb_mix"), 3e-6)
		nearBF16(t, v.name(), input, load[uint16](v, "layer_input"), 4*largest)
		out := make([]uint16, len(residual))
		postArgs := MhcPostArgs{
			Tokens: int64(tokens), X: Slice(x), Residual: Slice(residual),
			PostMix: Slice(load[float32](v, "post_mix")), CombMix: Slice(load[float32](v, "comb_mix")),
			ResidualOut: Slice(out), Workspace: work,
		}
		must(t, p.Post(&postArgs, Stream{}))
		nearBF16(t, v.name(), out, load[uint16](v, "residual_out"), 8*largest)
		// In place: the same bits.
		same := append([]uint16(nil), residual...)
		postArgs.Residual, postArgs.ResidualOut = Slice(same), Slice(same)
		must(t, p.Post(&postArgs, Stream{}))
		if !bytes.Equal(raw(same), raw(out)) {
			t.Fatal(v.name(), "in place differs")
		}
		must(t, p.PostPre(&MhcPostPreArgs{
			Tokens: int64(tokens), X: Slice(x), Residual: Slice(residual), PostMix: postArgs.PostMix,
			CombMix: postArgs.CombMix, ResidualOut: Slice(same), Fn: Slice(load[float32](v, "next_fn")),
			Base: base, Scale: scale, NextPostMix: Slice(post), NextCombMix: Slice(comb),
			LayerInput: Slice(input), Workspace: work,
		}, Stream{}))
		near(t, v.name(), post, load[float32](v, "next_post_mix"), 3e-6)
		near(t, v.name(), comb, load[float32](v, "next_comb_mix"), 3e-6)
		must(t, p.Head(&MhcHeadArgs{
			Tokens: int64(tokens), Residual: Slice(residual), Fn: Slice(load[float32](v, "head_fn")),
			Base: Slice(load[float32](v, "head_base")), Scale: Slice(load[float32](v, "head_scale")),
			Out: Slice(input), Workspace: work,
		}, Stream{}))
		nearBF16(t, v.name(), input, load[uint16](v, "head_out"), 4*largest)
		must(t, p.Close())
	}
}

func raw(values []uint16) []byte {
	out := make([]byte, 0, 2*len(values))
	for _, v := range values {
		out = append(out, byte(v), byte(v>>8))
	}
	return out
}

func TestGoldenKeyCache(t *testing.T) {
	c := cpu(t, 2)
	for _, v := range vectors(t, "kcache_") {
		o := DefaultIndexerOptions()
		o.RopeMode, o.PageEntries = RopeNone, int32(v.int("page_size"))
		if v.values["fp8"] == "e4m3fnuz" {
			o.Format = FormatFP8E4M3FNUZ
		}
		p, err := NewIndexerPlan(c, o)
		must(t, err)
		want, slots := load[uint8](v, "cache"), load[int64](v, "slot_mapping")
		cache := bytes.Repeat([]byte{0xAB}, len(want))
		sizes, err := p.Sizes(int64(len(slots)))
		must(t, err)
		must(t, p.WriteK(&IndexerWriteKArgs{
			Tokens: int64(len(slots)), K: Slice(load[uint16](v, "k")), SlotMapping: Slice(slots),
			Cache: Slice(cache), Workspace: Workspace(sizes.Workspace),
		}, Stream{}))
		if !bytes.Equal(cache, want) {
			t.Fatal(v.name(), "other bytes")
		}
		must(t, p.Close())
	}
}

func nearLogits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	largest := 1.0
	for _, value := range want {
		largest = math.Max(largest, math.Abs(float64(value)))
	}
	near(t, what, got, want, 2e-4*largest)
}

func TestGoldenLogits(t *testing.T) {
	c := cpu(t, 2)
	for _, v := range vectors(t, "logits_") {
		rows, keys := v.int("queries"), v.int("keys")
		o := DefaultIndexerOptions()
		o.Heads = int32(v.int("heads"))
		p, err := NewIndexerPlan(c, o)
		must(t, err)
		sizes, err := p.Sizes(int64(rows))
		must(t, err)
		start, end := load[int32](v, "row_start"), load[int32](v, "row_end")
		got, want := make([]float32, rows*keys), load[float32](v, "logits_fp64")
		must(t, p.LogitsRagged(&IndexerLogitsRaggedArgs{
			Rows: int64(rows), Keys: int64(keys), QValues: Slice(load[uint8](v, "q")),
			Weights: Slice(load[float32](v, "weights")), KValues: Slice(load[uint8](v, "k")),
			KScale: Slice(load[float32](v, "k_scale")), RowStart: Slice(start), RowEnd: Slice(end),
			Logits: Slice(got), Workspace: Workspace(sizes.Workspace),
		}, Stream{}))
		for r := range start {
			nearLogits(t, v.name(), got[r*keys+int(start[r]):r*keys+int(end[r])],
				want[r*keys+int(start[r]):r*keys+int(end[r])])
		}
		must(t, p.Close())
	}
	for _, v := range vectors(t, "paged_") {
		requests, nextN := v.int("batch"), v.int("next_n")
		o := DefaultIndexerOptions()
		o.Heads, o.NextN = int32(v.int("heads")), int32(nextN)
		p, err := NewIndexerPlan(c, o)
		must(t, err)
		rows := requests * nextN
		sizes, err := p.Sizes(int64(rows))
		must(t, err)
		want, table, lengths := load[float32](v, "logits_fp64"), load[int32](v, "block_table"), load[int32](v, "context_lens")
		columns, got := len(want)/rows, make([]float32, len(want))
		must(t, p.LogitsPaged(&IndexerLogitsPagedArgs{
			Requests: int64(requests), Columns: int64(columns), QValues: Slice(load[uint8](v, "q")),
			Weights: Slice(load[float32](v, "weights")), Cache: Slice(load[uint8](v, "cache")),
			BlockTable: Slice(table), BlockTableColumns: int64(len(table) / requests),
			Lengths: Slice(lengths), Logits: Slice(got), Workspace: Workspace(sizes.Workspace),
		}, Stream{}))
		for r, length := range lengths {
			nearLogits(t, v.name(), got[r*columns:r*columns+int(length)], want[r*columns:r*columns+int(length)])
		}
		must(t, p.Close())
	}
}

func TestGoldenTopk(t *testing.T) {
	c := cpu(t, 2)
	for _, v := range vectors(t, "topk_") {
		rows, columns, k := v.int("rows"), v.int("cols"), v.int("k")
		o := DefaultTopkOptions()
		o.MaxColumns, o.K, o.Order = int64(columns), int64(k), OrderDescending
		p, err := NewTopkPlan(c, o)
		must(t, err)
		sizes, err := p.Sizes(int64(rows))
		must(t, err)
		got, want := make([]int32, rows*k), load[int32](v, "indices")
		must(t, p.Topk(&TopkArgs{
			Rows: int64(rows), Columns: int64(columns), Values: Slice(load[float32](v, "logits")),
			RowStart: Slice(load[int32](v, "row_start")), RowEnd: Slice(load[int32](v, "row_end")),
			Indices: Slice(got), Workspace: Workspace(sizes.Workspace),
		}, Stream{}))
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s[%d]: %d is not %d", v.name(), i, got[i], want[i])
			}
		}
		must(t, p.Close())
	}
}
