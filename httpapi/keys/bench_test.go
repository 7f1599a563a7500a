package keys

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// rejections returns a set of at least 3 keys, and secrets of equal length by the reason to accept or reject them.
func rejections(b *testing.B, size int) (*Set, map[string][]byte) {
	secrets := map[string][]byte{}
	for _, label := range []string{"known", "revoked", "expired", "unknown", "malformed"} {
		secrets[label] = []byte(newSecret())
	}
	copy(secrets["malformed"], "\x00\xff ,\"")
	var file strings.Builder
	for i := range size - 3 {
		file.WriteString(line(fmt.Sprint(i), ""))
	}
	for label, members := range map[string]string{
		"known": "", "revoked": `,"revoked":"2026-01-01T00:00:00Z"`, "expired": `,"expires":"2026-01-01T00:00:00Z"`,
	} {
		fmt.Fprintf(&file, "{\"name\":%q,\"sha256\":%q%s}\n", label, hexDigest(string(secrets[label])), members)
	}
	return mustParse(b, file.String()), secrets
}

func BenchmarkCheck(b *testing.B) {
	for _, size := range []int{3, 100, 10_000} {
		s, secrets := rejections(b, size)
		for _, label := range []string{"known", "unknown", "revoked", "expired"} {
			b.Run(fmt.Sprintf("%s/keys=%d", label, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, ok := s.Check(secrets[label], noon); ok != (label == "known") {
						b.Fatalf("Check returned %v", ok)
					}
				}
			})
		}
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

// BenchmarkRejections shows whether the time of Check reveals why a secret was rejected. For each reason, it reports Welch's t of some 100,000
// samples against as many of the unknown secret, in random order. If the time revealed a reason, its t would exceed 4.5 in most runs. In a few
// runs in a hundred, any secret exceeds it by a nanosecond or two because its digest leads to other cache lines: malformed, which is as unknown,
// does so as often as the others. same compares the unknown secret with itself.
func BenchmarkRejections(b *testing.B) {
	s, secrets := rejections(b, 100)
	secrets["same"] = append([]byte(nil), secrets["unknown"]...)
	labels := []string{"unknown", "same", "revoked", "expired", "malformed"}
	buffer := make([]byte, 64)
	for b.Loop() {
		const each = 100_000
		var count, sum, squares [5]float64
		for range each * len(labels) {
			which := rand.IntN(len(labels))
			secret := buffer[:copy(buffer, secrets[labels[which]])] // at one address, as in the server
			begin := time.Now()
			_, ok := s.Check(secret, begin)
			took := min(float64(time.Since(begin)), 5000) // longer ones are interrupts
			if ok {
				b.Fatalf("%s is accepted", labels[which])
			}
			count[which]++
			sum[which] += took
			squares[which] += took * took
		}
		mean := func(i int) float64 { return sum[i] / count[i] }
		variance := func(i int) float64 { return (squares[i]/count[i] - mean(i)*mean(i)) / count[i] }
		for i, label := range labels[1:] {
			b.ReportMetric((mean(i+1)-mean(0))/math.Sqrt(variance(i+1)+variance(0)), "t-"+label)
		}
		b.ReportMetric(mean(0), "ns/check")
	}
}
