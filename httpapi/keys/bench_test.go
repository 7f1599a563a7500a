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
				if _, valid := s.Check([]byte(secret), noon); valid != want {
					b.Fatalf("Check returned %v", valid)
				}
			}
		})
	}
}

func BenchmarkAllow(b *testing.B) {
	for label, rate := range map[string]float64{"free": 0, "passes": MaxRate, "rejected": 1e-9} {
		key := limited(rate)
		key.Allow(noon, anyone)
		b.Run(label, func(b *testing.B) {
			b.ReportAllocs()
			now := noon
			for b.Loop() {
				now = now.Add(time.Microsecond)
				if allowed := allows(key, now, anyone); allowed != (label != "rejected") {
					b.Fatalf("Allow returned %v", allowed)
				}
			}
		})
	}
}
