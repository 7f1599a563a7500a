package schema

import (
	"math"
	"testing"
)

func TestAppendNumber(t *testing.T) {
	for _, c := range []struct {
		value float64
		want  string
	}{
		{0, "0"}, {53, "53"}, {-2.001, "-2.001"}, {9.5, "9.5"}, {1e300, "1e+300"}, {1e-7, "1e-07"}, {1e9, "1000000000"}, {math.Inf(1), "null"}, {math.NaN(), "null"},
	} {
		if got := string(AppendNumber(nil, c.value)); got != c.want {
			t.Errorf("AppendNumber(%v) = %q, want %q", c.value, got, c.want)
		}
	}
}
