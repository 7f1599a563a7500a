package request

import (
	"testing"

	"pubd/bench/testkit"
)

func TestPrefersPage(t *testing.T) {
	for accept, want := range map[string]bool{"text/html": true, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true, "application/json, TEXT/HTML ; q=1": true,
		"": false, "*/*": false, "text/*": false, "text/html;q=0": false, "text/html;q=0.9, application/json": false, "text/htm": false, "application/xhtml+xml": false} {
		testkit.Equal(t, "Accept: "+accept, (&Request{Accept: []byte(accept)}).PrefersPage(), want)
	}
}

func TestParseWeight(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "1": 1000, "0.5": 500, ".2": 200, "0.123": 123, "0.1239": 123, "1.000": 1000, "0.": 0, "1.": 1000, "0.001": 1,
		"": -1, ".": -1, "2": -1, "1.001": -1, "01": -1, "-0": -1, "+1": -1, "1e-320": -1, "0x1p-3": -1, "NaN": -1, "0.5 ": -1, "0.5.5": -1} {
		got, valid := parseWeight([]byte(text))
		if !valid {
			got = -1
		}
		testkit.Equal(t, text, got, want)
	}
}
