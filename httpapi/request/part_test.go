package request

import (
	"testing"

	"pubd/bench/testkit"
)

func FuzzRange(f *testing.F) {
	for _, value := range []string{"bytes=0-1", "bytes=-5", "bytes=5-", "bytes=99999999999999999999-", "bytes=0-0,1-1"} {
		f.Add(value, int64(100))
	}
	f.Fuzz(func(t *testing.T, value string, size int64) {
		size = max(size, 0)
		p, ok := parseRange([]byte(value), size)
		testkit.FailIf(t, ok && p.Length > 0 && (p.Offset < 0 || p.Length > size || p.Offset > size-p.Length),
			"%q of %d bytes: got %v", value, size, p)
	})
}
