package params

import (
	"fmt"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/index"
)

func TestLinks(t *testing.T) {
	for _, c := range testkit.Cases(t, "links.txt") {
		var page, pageCount int
		var query string
		_, err := fmt.Sscan(c.Given, &page, &pageCount, &query)
		testkit.FailIf(t, err != nil, "%s: %v", c.Given, err)
		p := &Params{Raw: []byte(query), Query: index.Query{Page: int64(page)}}
		testkit.Equal(t, c.Given, string(p.AppendLinks(nil, pageCount, "1d")), c.Want)
	}
}

func TestFormatAccepted(t *testing.T) {
	for _, c := range testkit.Cases(t, "accept.txt") {
		testkit.Equal(t, "Accept: "+c.Given, acceptedFormat([]byte(c.Given)).String(), c.Want)
	}
}

func TestPrefersPage(t *testing.T) {
	for accept, want := range map[string]bool{"text/html": true, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true, "application/json, TEXT/HTML ; q=1": true,
		"": false, "*/*": false, "text/*": false, "text/html;q=0": false, "text/html;q=0.9, application/json": false, "text/htm": false, "application/xhtml+xml": false} {
		testkit.Equal(t, "Accept: "+accept, PrefersPage([]byte(accept)), want)
	}
}

// Accept headers are parsed without allocating, however long and odd they are.
func TestFormatAcceptedDoesNotAllocate(t *testing.T) {
	for _, item := range []string{",", "a,", "text/csv;q=1e-320,", "text/csv;q=x;q=9,", "*/*;q=0.8,"} {
		accept := []byte(strings.Repeat(item, (16<<10)/len(item)))
		testkit.Equal(t, item+"…: allocations", testing.AllocsPerRun(10, func() { acceptedFormat(accept); PrefersPage(accept) }), 0)
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
