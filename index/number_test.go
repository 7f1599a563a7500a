package index

import (
	"math"
	"testing"

	"pubd/bench/testkit"
)

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"5", 5, true}, {"5.", 5, true}, {".5", 0.5, true}, {".5e1", 5, true}, {"1E1", 10, true}, {"+2.5", 2.5, true},
		{"150e-1", 15, true}, {"1e-400", 0, true}, {"-0", 0, true}, {"-0.0", 0, true}, {"-1e-400", 0, true},
		{"", 0, false}, {".", 0, false}, {"e5", 0, false}, {"1e", 0, false}, {"1e+", 0, false}, {"1e999", 0, false},
		{"NaN", 0, false}, {"Inf", 0, false}, {"0x10", 0, false}, {"1_0", 0, false}, {" 1", 0, false}, {"1 ", 0, false},
		{"--1", 0, false}, {"1.2.3", 0, false}, {"1,5", 0, false}, {"١", 0, false},
	} {
		got, ok := ParseDecimal([]byte(c.text))
		testkit.FailIf(t, got != c.want || ok != c.ok || math.Signbit(got),
			"ParseDecimal(%q) = %v, %v; want %v, %v", c.text, got, ok, c.want, c.ok)
	}
}

func TestParseInteger(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"007", 7, true}, {"+8", 8, true}, {"9223372036854775807", math.MaxInt64, true},
		{"9223372036854775808", 0, false}, {"99999999999999999999", 0, false}, {"", 0, false}, {"+", 0, false},
		{"-1", 0, false}, {"1.0", 0, false}, {"1e1", 0, false}, {" 1", 0, false}, {"++1", 0, false},
	} {
		got, ok := ParseInteger([]byte(c.text))
		testkit.FailIf(t, ok != c.ok || ok && got != c.want,
			"ParseInteger(%q) = %v, %v; want %v, %v", c.text, got, ok, c.want, c.ok)
	}
}

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
