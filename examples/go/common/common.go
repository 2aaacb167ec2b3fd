// SPDX-License-Identifier: MIT

// Package common is what the programs need beside plait: golden cases, bf16, a checksum, a fixed
// sequence.
package common

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// Must ends the program on an error.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Case is a golden case: arrays of .npy files, numbers of case.json.
type Case struct {
	folder string
	values map[string]any
}

// OpenCase opens a case in the folder of the first argument, or in tests/vectors.
func OpenCase(name string) Case {
	vectors := "../../tests/vectors"
	if len(os.Args) > 1 {
		vectors = os.Args[1]
	}
	c := Case{folder: filepath.Join(vectors, name)}
	text, err := os.ReadFile(filepath.Join(c.folder, "case.json"))
	Must(err)
	Must(json.Unmarshal(text, &c.values))
	return c
}

// Number is a number of case.json.
func (c Case) Number(key string) float64 { return c.values[key].(float64) }

// Array reads a version 1 .npy file in C order.
func Array[T uint16 | float32](c Case, name string) []T {
	data, err := os.ReadFile(filepath.Join(c.folder, name+".npy"))
	Must(err)
	start := 10 + int(binary.LittleEndian.Uint16(data[8:]))
	var one T
	values := make([]T, (len(data)-start)/binary.Size(one))
	Must(binary.Read(bytes.NewReader(data[start:]), binary.LittleEndian, values))
	return values
}

// FromBF16 is the value of bf16 bits.
func FromBF16(bits uint16) float32 { return math.Float32frombits(uint32(bits) << 16) }

// ToBF16 rounds to nearest, ties to even.
func ToBF16(value float32) uint16 {
	bits := math.Float32bits(value)
	return uint16((bits + 0x7fff + (bits>>16)&1) >> 16)
}

// Checksum prints the FNV-1a of the bytes, as the C programs do.
func Checksum(what string, values any) {
	var data bytes.Buffer
	Must(binary.Write(&data, binary.LittleEndian, values))
	hash := uint64(0xcbf29ce484222325)
	for _, b := range data.Bytes() {
		hash = (hash ^ uint64(b)) * 0x100000001b3
	}
	fmt.Printf("checksum %016x %s\n", hash, what)
}

// Same tells of two equal outputs.
func Same(equal bool) string {
	if equal {
		return "equal bytes"
	}
	return "DIFFERENT"
}

// Noise is a fixed sequence of numbers in (-1, 1).
type Noise uint64

func (n *Noise) next() float32 {
	*n = *n*6364136223846793005 + 1442695040888963407
	return float32(float64(*n>>40)/(1<<23) - 1)
}

// F32 gives the next numbers.
func (n *Noise) F32(count int) []float32 {
	out := make([]float32, count)
	for i := range out {
		out[i] = n.next()
	}
	return out
}

// BF16 gives the next numbers, rounded.
func (n *Noise) BF16(count int) []uint16 {
	out := make([]uint16, count)
	for i := range out {
		out[i] = ToBF16(n.next())
	}
	return out
}
