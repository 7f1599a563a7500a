package address

import (
	"slices"
	"testing"
)

func BenchmarkLearn(b *testing.B) {
	addresses := sample()
	for b.Loop() {
		if towns := Learn(slices.Values(addresses)); len(towns.form) == 0 {
			b.Fatal("nothing learned")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(addresses)), "ns/address")
}

func BenchmarkOf(b *testing.B) {
	addresses := sample()
	towns := Learn(slices.Values(addresses))
	for b.Loop() {
		if location, _ := towns.Of(addresses[0]); location != "Glemsford" {
			b.Fatal(location)
		}
	}
}
