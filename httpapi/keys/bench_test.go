package keys

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func BenchmarkCheck(b *testing.B) {
	var file strings.Builder
	for i := range 10_000 {
		file.WriteString(line(fmt.Sprint(i), ""))
	}
	s := mustParse(b, file.String())
	for secret, want := range map[string]bool{"77": true, "unknown": false} {
		b.Run(secret, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := s.Check([]byte(secret), noon); ok != want {
					b.Fatalf("Check returned %v", ok)
				}
			}
		})
	}
}

func BenchmarkAllow(b *testing.B) {
	for label, rate := range map[string]float64{"free": 0, "passes": MaxRate, "rejected": 1e-9} {
		key := newKey(&record{Entry: Entry{Name: "k", Rate: rate}}, nil)
		key.Allow(noon, anyone)
		b.Run(label, func(b *testing.B) {
			b.ReportAllocs()
			now := noon
			for b.Loop() {
				now = now.Add(time.Microsecond)
				if ok, _ := key.Allow(now, anyone); ok != (label != "rejected") {
					b.Fatalf("Allow returned %v", ok)
				}
			}
		})
	}
}
