// SPDX-License-Identifier: MIT

// A small decoder with mHC around two sublayers a layer: examples/c/decoder_layer.c in Go.
//
// Two layers, written twice. Unfused: pre, sublayer, post. Fused: each sublayer's post waits until the
// next sublayer's pre and both are one call. Both give the same bits, and those of the C program.
// Usage: decoder_layer [VECTORS]
package main

import (
	"fmt"
	"math"
	"os"
	"slices"

	"plait"
	. "plaitexamples/common"
)

const (
	layers    = 2
	sublayers = 2 * layers
)

// weights are what one sublayer's mHC has learned.
type weights struct{ fn, base, scale []float32 }

type mixes struct{ post, comb []float32 }

// decoder has the plan, the weights, and the state between two sublayers.
type decoder struct {
	plan                    *plait.MhcPlan
	tokens, streams, hidden int
	sublayers               []weights
	head                    weights
	residual, x, layerInput []uint16
	mixes, next             mixes
	workspace               plait.Buffer
	stream                  plait.Stream // the CPU has none
}

func newDecoder(context *plait.Context, c Case) *decoder {
	t, n, h := int(c.Number("tokens")), int(c.Number("hc_mult")), int(c.Number("hidden"))
	// [plan]
	options := plait.DefaultMhcOptions()
	options.Hidden, options.HcMult = int64(h), int32(n)
	options.SinkhornIters = int32(c.Number("sinkhorn_iters"))
	options.RmsEps, options.PreEps = float32(c.Number("rms_eps")), float32(c.Number("pre_eps"))
	options.SinkhornEps = float32(c.Number("sinkhorn_eps"))
	options.PostMult = float32(c.Number("post_mult"))
	plan, err := plait.NewMhcPlan(context, options)
	Must(err)
	sizes, err := plan.Sizes(int64(t))
	Must(err)
	workspace := plait.Workspace(sizes.Workspace)
	// [plan]
	newMixes := func() mixes { return mixes{make([]float32, t*n), make([]float32, t*n*n)} }
	load := func(fn, base, scale string) weights {
		return weights{Array[float32](c, fn), Array[float32](c, base), Array[float32](c, scale)}
	}
	d := &decoder{
		plan: plan, tokens: t, streams: n, hidden: h,
		head:     load("head_fn", "head_base", "head_scale"),
		residual: make([]uint16, t*n*h), x: make([]uint16, t*h), layerInput: make([]uint16, t*h),
		mixes: newMixes(), next: newMixes(), workspace: workspace,
	}
	for i := 0; i < sublayers; i++ {
		d.sublayers = append(d.sublayers, load([]string{"fn", "next_fn"}[i%2], "base", "scale"))
	}
	return d
}

// [calls]
// pre takes a residual [T, n, H], or the embedding [T, H] that stands for n equal streams.
func (d *decoder) pre(w weights, residual []uint16, broadcast bool) {
	Must(d.plan.Pre(&plait.MhcPreArgs{
		Tokens: int64(d.tokens), Residual: plait.Slice(residual), Broadcast: broadcast,
		Fn: plait.Slice(w.fn), Base: plait.Slice(w.base), Scale: plait.Slice(w.scale),
		PostMix: plait.Slice(d.mixes.post), CombMix: plait.Slice(d.mixes.comb),
		LayerInput: plait.Slice(d.layerInput), Workspace: d.workspace,
	}, d.stream))
}

func (d *decoder) post() {
	Must(d.plan.Post(&plait.MhcPostArgs{
		Tokens: int64(d.tokens), X: plait.Slice(d.x), Residual: plait.Slice(d.residual),
		PostMix: plait.Slice(d.mixes.post), CombMix: plait.Slice(d.mixes.comb),
		ResidualOut: plait.Slice(d.residual), // in place
		Workspace:   d.workspace,
	}, d.stream))
}

// postPre is the boundary: it ends the sublayer whose output is x and begins that of w.
func (d *decoder) postPre(w weights, residual []uint16, broadcast bool) {
	Must(d.plan.PostPre(&plait.MhcPostPreArgs{
		Tokens: int64(d.tokens), X: plait.Slice(d.x), Residual: plait.Slice(residual),
		Broadcast: broadcast, PostMix: plait.Slice(d.mixes.post),
		CombMix: plait.Slice(d.mixes.comb), ResidualOut: plait.Slice(d.residual),
		Fn: plait.Slice(w.fn), Base: plait.Slice(w.base), Scale: plait.Slice(w.scale),
		NextPostMix: plait.Slice(d.next.post), NextCombMix: plait.Slice(d.next.comb),
		LayerInput: plait.Slice(d.layerInput), Workspace: d.workspace,
	}, d.stream))
	d.mixes, d.next = d.next, d.mixes
}

func (d *decoder) runHead() []uint16 {
	out := make([]uint16, d.tokens*d.hidden)
	Must(d.plan.Head(&plait.MhcHeadArgs{
		Tokens: int64(d.tokens), Residual: plait.Slice(d.residual), Fn: plait.Slice(d.head.fn),
		Base: plait.Slice(d.head.base), Scale: plait.Slice(d.head.scale), Out: plait.Slice(out),
		Workspace: d.workspace,
	}, d.stream))
	return out
}

// [calls]

// sublayer stands in for attention or MLP: 1.5 v / (1 + |v|), rotated by turn places.
func (d *decoder) sublayer(turn int) {
	for t := 0; t < d.tokens; t++ {
		in, out := d.layerInput[t*d.hidden:(t+1)*d.hidden], d.x[t*d.hidden:(t+1)*d.hidden]
		for h, bits := range in {
			v := FromBF16(bits)
			out[(h+turn)%d.hidden] = ToBF16(1.5 * v / (1 + float32(math.Abs(float64(v)))))
		}
	}
}

// [flow]
func (d *decoder) decodeUnfused(embedding []uint16) {
	Must(d.plan.Expand(&plait.MhcExpandArgs{
		Tokens: int64(d.tokens), X: plait.Slice(embedding), ResidualOut: plait.Slice(d.residual),
		Workspace: d.workspace,
	}, d.stream))
	for i, w := range d.sublayers {
		d.pre(w, d.residual, false)
		d.sublayer(i + 1)
		d.post()
	}
}

// The streams are equal at first: the embedding itself is the first residual.
func (d *decoder) decodeFused(embedding []uint16) {
	d.pre(d.sublayers[0], embedding, true)
	d.sublayer(1)
	for i := 1; i < sublayers; i++ {
		residual := d.residual
		if i == 1 {
			residual = embedding
		}
		d.postPre(d.sublayers[i], residual, i == 1)
		d.sublayer(i + 1)
	}
	d.post() // nothing follows that could take it
}

// [flow]

// mtp is one prediction further: the next token's embedding goes into every stream (unit mixes, no
// comb), then one more sublayer.
func (d *decoder) mtp(nextEmbedding []uint16) {
	unit := make([]float32, d.tokens*d.streams)
	for i := range unit {
		unit[i] = 1
	}
	Must(d.plan.Post(&plait.MhcPostArgs{
		Tokens: int64(d.tokens), X: plait.Slice(nextEmbedding), Residual: plait.Slice(d.residual),
		PostMix: plait.Slice(unit), ResidualOut: plait.Slice(d.residual), Workspace: d.workspace,
	}, d.stream))
	d.pre(d.sublayers[0], d.residual, false)
	d.sublayer(7)
	d.post()
}

func run(context *plait.Context, c Case, fused bool) [3][]uint16 {
	d := newDecoder(context, c)
	defer d.plan.Close()
	embedding := Array[uint16](c, "x")
	if fused {
		d.decodeFused(embedding)
	} else {
		d.decodeUnfused(embedding)
	}
	residual, head := slices.Clone(d.residual), d.runHead()
	d.mtp(Array[uint16](c, "layer_input"))
	return [3][]uint16{residual, head, d.runHead()}
}

func main() {
	c := OpenCase("mhc_n4_h1280_odd_constants")
	options := plait.DefaultContextOptions()
	options.Backend = plait.BackendCPU
	context, err := plait.NewContext(&options)
	Must(err)
	defer context.Close()
	info, err := context.Info()
	Must(err)
	fmt.Printf("plait %s on %s (%s)\n", plait.Version(), info.DeviceName, info.Architecture)
	fused, unfused := run(context, c, true), run(context, c, false)
	names, right := []string{"streams after the layers", "head", "head of the MTP step"}, true
	for i, name := range names {
		equal := slices.Equal(fused[i], unfused[i])
		fmt.Printf("  %-28s %s\n", name, Same(equal))
		right = right && equal
	}
	for i, name := range names {
		Checksum(name, fused[i])
	}
	if !right {
		os.Exit(1)
	}
}
