// Package data holds the embedded sample directory and the generator that made it.
//
// The towns and the districts of large cities are real. Villages, pubs, ratings and
// trading states are made up, even if some have the names of real ones.
package data

import _ "embed"

// SampleName is the file name of the sample in messages.
const SampleName = "sample.csv"

// SamplePubs and SampleSeed are the arguments of Generate that make the sample.
const (
	SamplePubs        = 2000
	SampleSeed uint64 = 1
)

//go:embed sample.csv
var sample string

// Sample returns the embedded directory as CSV, about 230 KB: what Generate writes
// for SamplePubs and SampleSeed. Every call returns a copy that the caller owns.
func Sample() []byte { return []byte(sample) }
