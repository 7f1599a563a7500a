package main

import (
	"strings"
	"testing"
)

// The medians of each class count, allocations are pubd's, and a class that misses its ratio to nginx is named.
func TestTables(t *testing.T) {
	const input = `run: 50000 pubs; commit 0123456789ab
pkg: pubd/bench
BenchmarkStart-2 	 1	 2.5 s/start
BenchmarkPubd/lookup-2         	 1000	 50000 answers/s	 20.0 cpu-µs/op	 40000 old-answers/s	 25.0 old-cpu-µs/op	 0 B/op	 0 allocs/op
BenchmarkPubd/lookup-2         	 1000	 10000 answers/s	 90.0 cpu-µs/op	 30000 old-answers/s	 99.0 old-cpu-µs/op	 8 B/op	 1 allocs/op
BenchmarkPubd/lookup-2         	 1000	 60000 answers/s	 10.0 cpu-µs/op	 50000 old-answers/s	 15.0 old-cpu-µs/op	 0 B/op	 0 allocs/op
BenchmarkPubd/within_2_km-2    	 1000	  8000 answers/s	 125 cpu-µs/op	  8000 old-answers/s	 125 old-cpu-µs/op	 0 B/op	 0 allocs/op
BenchmarkPubd/min_total-2      	 1000	  900.4 answers/s	 125 cpu-µs/op
BenchmarkPeers/nginx/lookup-2  	 1000	 50001 answers/s	 20.0 cpu-µs/op
BenchmarkPeers/PostgreSQL/within_2_km-2  	 1000	 80 answers/s	 12500 cpu-µs/op
PASS
| no sample |
`
	const want = `50000 pubs; commit 0123456789ab

| answers per second | pubd | CPU | allocations | old pubd | nginx | PostgreSQL |
|---|--:|--:|--:|--:|--:|--:|
| lookup | 50,000 | 20 µs | 0 | 40,000 (×1.25) | 50,001 (×1.00) | |
| within 2 km | 8,000 | 125 µs | 0 | 8,000 (×1.00) | | 80 (×100) |
| geometric mean | | | | ×1.12 | ×1.00 | ×100 |

**Missed**: lookup has 1.00 times nginx's rate, and must reach 1.00.

| answers per second | pubd | CPU | allocations |
|---|--:|--:|--:|
| min_total | 900 | 125 µs | 0 |

`
	var got strings.Builder
	if err := run(strings.NewReader(input), &got, ""); err != nil || got.String() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got.String(), want)
	}
	for _, empty := range []string{"", "PASS\nok\n", "BenchmarkOther/lookup 1 5 answers/s\n"} {
		if err := run(strings.NewReader(empty), &got, ""); err == nil || !strings.Contains(err.Error(), "go test -bench") {
			t.Errorf("%q: got %v, want an error", empty, err)
		}
	}
}
