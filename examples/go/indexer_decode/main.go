// SPDX-License-Identifier: MIT

// The sparse indexer over a paged key cache: examples/c/indexer_decode.c in Go.
//
// Prefill of two packed requests, then decode steps of two rows a request with one padding request,
// each with select and with logits followed by top-k. The indices are equal, and those of the C
// program.
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
	heads, headDim, ropeDim, page, topk, nextN = 64, 128, 64, 64, 48, 2

	requests = 3 // the last one is padding
	real     = 2
	table    = 8 // pages a request may have
	pages    = real * table
	steps    = 4
	maxKeys  = table * page
	rows     = requests * nextN
)

var prompt = [real]int{301, 170}

// Requests own scattered pages.
func pageOf(request, i int) int { return (5*(request*table+i) + 3) % pages }

func slotOf(request, position int) int64 {
	return int64(pageOf(request, position/page)*page + position%page)
}

// Row p: the cosines of ropeDim / 2 angles, then their sines.
func ropeTable() []float32 {
	out := make([]float32, maxKeys*ropeDim)
	for p := 0; p < maxKeys; p++ {
		for i := 0; i < ropeDim/2; i++ {
			angle := float64(p) * math.Pow(10000, -2*float64(i)/ropeDim)
			out[p*ropeDim+i] = float32(math.Cos(angle))
			out[p*ropeDim+ropeDim/2+i] = float32(math.Sin(angle))
		}
	}
	return out
}

type indexer struct {
	plan     *plait.IndexerPlan
	topkPlan *plait.TopkPlan
	cache    []byte
	cosSin   []float32
	table    []int32
	stream   plait.Stream // the CPU has none
}

type queries struct {
	values  []byte
	weights []float32
}

func newIndexer(context *plait.Context) *indexer {
	// [plans]
	options := plait.DefaultIndexerOptions()
	options.Heads, options.HeadDim, options.RopeDim, options.PageEntries = heads, headDim, ropeDim, page
	options.Hadamard, options.NextN, options.Order = true, nextN, plait.OrderIndex
	options.Topk, options.MaxKeys, options.SelectBudget = topk, maxKeys, 64<<20
	plan, err := plait.NewIndexerPlan(context, options)
	Must(err)
	topkOptions := plait.DefaultTopkOptions()
	topkOptions.MaxColumns, topkOptions.K, topkOptions.PageEntries = maxKeys, topk, page
	topkOptions.Order = plait.OrderIndex
	topkPlan, err := plait.NewTopkPlan(context, topkOptions)
	Must(err)
	// [plans]
	x := &indexer{plan: plan, topkPlan: topkPlan, cosSin: ropeTable(), table: make([]int32, requests*table)}
	sizes, err := plan.Sizes(1)
	Must(err)
	x.cache = make([]byte, pages*sizes.PageStride)
	for i := range x.table {
		x.table[i] = -1
		if i < real*table {
			x.table[i] = int32(pageOf(i/table, i%table))
		}
	}
	return x
}

func (x *indexer) workspace(rows int) plait.Buffer {
	sizes, err := x.plan.Sizes(int64(rows))
	Must(err)
	return plait.Workspace(sizes.Workspace)
}

// separate is the top-k of logits.
func (x *indexer) separate(args plait.TopkArgs) []int32 {
	sizes, err := x.topkPlan.Sizes(args.Rows)
	Must(err)
	indices := make([]int32, args.Rows*topk)
	args.Indices, args.Workspace = plait.Slice(indices), plait.Workspace(sizes.Workspace)
	Must(x.topkPlan.Topk(&args, x.stream))
	return indices
}

// [step]
// writeKeys puts new keys [tokens, D] to their slots; a negative slot is padding.
func (x *indexer) writeKeys(k []uint16, positions, slots []int64) {
	Must(x.plan.WriteK(&plait.IndexerWriteKArgs{
		Tokens: int64(len(slots)), K: plait.Slice(k), Positions: plait.Slice(positions),
		CosSin: plait.Slice(x.cosSin), SlotMapping: plait.Slice(slots), Cache: plait.Slice(x.cache),
		Workspace: x.workspace(len(slots)),
	}, x.stream))
}

// quantize folds the q scales into the weights: QScale is not asked for.
func (x *indexer) quantize(q []uint16, positions []int64, weights []float32) queries {
	out := queries{make([]byte, len(q)), make([]float32, len(weights))}
	Must(x.plan.QuantizeQ(&plait.IndexerQuantizeQArgs{
		Tokens: int64(len(positions)), Q: plait.Slice(q), Positions: plait.Slice(positions),
		CosSin: plait.Slice(x.cosSin), Weights: plait.Slice(weights),
		QValues: plait.Slice(out.values), WeightsOut: plait.Slice(out.weights),
		Workspace: x.workspace(len(positions)),
	}, x.stream))
	return out
}

func (x *indexer) decodeSelect(q queries, lengths []int32) []int32 {
	indices := make([]int32, rows*topk)
	Must(x.plan.SelectPaged(&plait.IndexerSelectPagedArgs{
		Requests: requests, Columns: maxKeys, QValues: plait.Slice(q.values),
		Weights: plait.Slice(q.weights), Cache: plait.Slice(x.cache),
		BlockTable: plait.Slice(x.table), BlockTableColumns: table, Lengths: plait.Slice(lengths),
		LengthsPerRequest: true, Indices: plait.Slice(indices), Workspace: x.workspace(rows),
	}, x.stream))
	return indices
}

// [step]

func (x *indexer) decodeSeparate(q queries, lengths, rowLengths []int32) []int32 {
	logits := make([]float32, rows*maxKeys)
	Must(x.plan.LogitsPaged(&plait.IndexerLogitsPagedArgs{
		Requests: requests, Columns: maxKeys, QValues: plait.Slice(q.values),
		Weights: plait.Slice(q.weights), Cache: plait.Slice(x.cache),
		BlockTable: plait.Slice(x.table), BlockTableColumns: table, Lengths: plait.Slice(lengths),
		LengthsPerRequest: true, Logits: plait.Slice(logits), Workspace: x.workspace(rows),
	}, x.stream))
	return x.separate(plait.TopkArgs{Rows: rows, Columns: maxKeys, Values: plait.Slice(logits),
		RowEnd: plait.Slice(rowLengths)})
}

// gather gives the keys that the requests have in the cache, contiguous.
func (x *indexer) gather(keys int) ([]byte, []float32) {
	values, scale := make([]byte, keys*headDim), make([]float32, keys)
	Must(x.plan.GatherK(&plait.IndexerGatherKArgs{
		Requests: real, Keys: int64(keys), Cache: plait.Slice(x.cache),
		BlockTable: plait.Slice(x.table), BlockTableColumns: table,
		CuLengths: plait.Slice([]int32{0, int32(prompt[0]), int32(keys)}),
		KValues:   plait.Slice(values), KScale: plait.Slice(scale), Workspace: x.workspace(keys),
	}, x.stream))
	return values, scale
}

func prefill(x *indexer, noise *Noise) bool {
	n := prompt[0] + prompt[1]
	var owner, start, end []int32
	var positions, slots []int64
	first := 0
	for b, length := range prompt {
		for i := 0; i < length; i++ {
			owner, positions, slots = append(owner, int32(b)), append(positions, int64(i)), append(slots, slotOf(b, i))
			start, end = append(start, int32(first)), append(end, int32(first+i+1)) // causal
		}
		first += length
	}
	k, q := noise.BF16(n*headDim), noise.BF16(n*heads*headDim)
	weights := noise.F32(n * heads)
	x.writeKeys(k, positions, slots)
	kValues, kScale := x.gather(n)
	query := x.quantize(q, positions, weights)
	indices, places := make([]int32, n*topk), make([]int32, n*topk)
	Must(x.plan.SelectRagged(&plait.IndexerSelectRaggedArgs{
		Rows: int64(n), Keys: int64(n), QValues: plait.Slice(query.values),
		Weights: plait.Slice(query.weights), KValues: plait.Slice(kValues), KScale: plait.Slice(kScale),
		RowStart: plait.Slice(start), RowEnd: plait.Slice(end),
		Indices:    plait.Slice(indices), // relative to RowStart: positions within the request
		Slots:      plait.Slice(places),  // the same keys as places in the cache
		BlockTable: plait.Slice(x.table), BlockTableColumns: table, TableCount: real,
		TableRow: plait.Slice(owner), Workspace: x.workspace(n),
	}, x.stream))
	logits := make([]float32, n*n)
	Must(x.plan.LogitsRagged(&plait.IndexerLogitsRaggedArgs{
		Rows: int64(n), Keys: int64(n), QValues: plait.Slice(query.values),
		Weights: plait.Slice(query.weights), KValues: plait.Slice(kValues), KScale: plait.Slice(kScale),
		RowStart: plait.Slice(start), RowEnd: plait.Slice(end), Logits: plait.Slice(logits),
		Workspace: x.workspace(n),
	}, x.stream))
	separate := x.separate(plait.TopkArgs{Rows: int64(n), Columns: int64(n), Values: plait.Slice(logits),
		RowStart: plait.Slice(start), RowEnd: plait.Slice(end)})
	equal := slices.Equal(indices, separate)
	fmt.Printf("  %-28s %s\n", "select, logits + topk", Same(equal))
	Checksum("prefill indices", indices)
	Checksum("prefill slots", places)
	return equal
}

func decode(x *indexer, noise *Noise, step int) bool {
	positions, slots := make([]int64, rows), []int64{-1, -1, -1, -1, -1, -1}
	lengths, rowLengths := make([]int32, requests), make([]int32, rows)
	for row := 0; row < real*nextN; row++ {
		b, t := row/nextN, row%nextN
		position := prompt[b] + step*nextN + t
		positions[row], slots[row] = int64(position), slotOf(b, position)
		lengths[b] = int32(position) + 1
		rowLengths[row] = lengths[b]
	}
	k, q := noise.BF16(rows*headDim), noise.BF16(rows*heads*headDim)
	weights := noise.F32(rows * heads)
	x.writeKeys(k, positions, slots)
	query := x.quantize(q, positions, weights)
	indices := x.decodeSelect(query, lengths)
	equal := slices.Equal(indices, x.decodeSeparate(query, lengths, rowLengths))
	padding := !slices.ContainsFunc(indices[real*nextN*topk:], func(i int32) bool { return i != -1 })
	fmt.Printf("  step %d: select, logits + topk %s; padding rows -1: %t\n", step, Same(equal), padding)
	Checksum("decode indices", indices)
	return equal && padding
}

func main() {
	options := plait.DefaultContextOptions()
	options.Backend = plait.BackendCPU
	context, err := plait.NewContext(&options)
	Must(err)
	defer context.Close()
	x, noise := newIndexer(context), Noise(1)
	defer x.plan.Close()
	defer x.topkPlan.Close()
	fmt.Printf("prefill of %d and %d tokens\n", prompt[0], prompt[1])
	right := prefill(x, &noise)
	fmt.Println("decode")
	for step := 0; step < steps; step++ {
		right = decode(x, &noise, step) && right
	}
	if !right {
		os.Exit(1)
	}
}
