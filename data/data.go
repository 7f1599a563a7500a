// Package data generates directories: [Generate] writes one of any number of pubs as CSV, and [Sample] returns one of
// 2,000, for trying out pubd, for tests and for benchmarks.
//
// The bytes depend only on the number of pubs and the seed, and a directory begins with every smaller one of the same
// seed: what was measured with one can be compared with another. So the generator draws integers from PCG itself,
// since the methods of rand.Rand may change their output, and addresses have random numbers of their own. A pub takes
// about three microseconds and 147 bytes of the file; memory does not grow with their number. Calls share nothing that
// changes, so any number may run at once.
//
// The towns and the districts of large cities are real. Villages, pubs, ratings and trading states are made up, even
// if some have the names of real ones. Only the standard library is imported.
package data

import "bytes"

// SampleName is the file name of the sample in messages.
const SampleName = "sample.csv"

// SamplePubs and SampleSeed are the arguments of Generate that make the sample.
const (
	SamplePubs        = 2000
	SampleSeed uint64 = 1
)

// Sample returns the directory that Generate writes for SamplePubs and SampleSeed. Every call generates it anew, and the
// caller owns it.
func Sample() []byte {
	var csv bytes.Buffer
	if err := Generate(&csv, SamplePubs, SampleSeed, nil); err != nil {
		panic(err) // it is written to memory
	}
	return csv.Bytes()
}
