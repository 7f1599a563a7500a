// Package data has an embedded sample directory and the generator that made it. [Sample] returns the sample as CSV,
// [Generate] writes a directory of any number of pubs: for trying out pubd, for tests and for benchmarks.
//
// The bytes depend only on the number of pubs and the seed, and a directory begins with every smaller one of the same
// seed: what was measured with one can be compared with another. So the generator draws integers from PCG itself,
// since the methods of rand.Rand may change their output, and addresses have random numbers of their own. A pub takes
// about three microseconds and 115 bytes of the file; memory does not grow with their number. Calls share nothing that
// changes, so any number may run at once.
//
// The towns and the districts of large cities are real. Villages, pubs, ratings and trading states are made up, even
// if some have the names of real ones. Only the standard library is imported.
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
