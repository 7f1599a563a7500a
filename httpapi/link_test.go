package httpapi

import (
	"fmt"
	"strings"
	"testing"
)

func TestLinks(t *testing.T) {
	long := "exclude=" + strings.Repeat("x", 1500)
	encoded := "search=" + strings.Repeat("é", 1500)
	for _, c := range []struct {
		query       string
		page, pages int
		want        string
	}{
		{"search=*", 1, 2, `<?search=*&page=1&snapshot=1d>; rel="first", <?search=*&page=2&snapshot=1d>; rel="next", <?search=*&page=2&snapshot=1d>; rel="last"`},
		{"page=2&search=*&snapshot=1d", 2, 2, `<?search=*&page=1&snapshot=1d>; rel="first", <?search=*&page=1&snapshot=1d>; rel="prev", <?search=*&page=2&snapshot=1d>; rel="last"`},
		{"search=*&p%61ge=2&page&%73napshot=&pages=1&pag=1", 2, 2, `<?search=*&pages=1&pag=1&page=1&snapshot=1d>; rel="first", <?search=*&pages=1&pag=1&page=1&snapshot=1d>; rel="prev", <?search=*&pages=1&pag=1&page=2&snapshot=1d>; rel="last"`},
		{long, 1, 3, "<?" + long + `&page=2&snapshot=1d>; rel="next"`},
		{long, 3, 3, ""},
		{encoded, 2, 3, "<?" + strings.ReplaceAll(encoded, "é", "%C3%A9") + `&page=3&snapshot=1d>; rel="next"`},
	} {
		equal(t, fmt.Sprintf("?%.80s, page %d of %d", c.query, c.page, c.pages), string(appendLinks(nil, []byte(c.query), int64(c.page), c.pages, []byte("1d"))), c.want)
	}
}

func TestFormatAccepted(t *testing.T) {
	for _, c := range cases(t, "accept.txt") {
		equal(t, "Accept: "+c.given, formats[acceptedFormat([]byte(c.given))].name, c.want)
	}
}

// Accept headers are parsed without allocating, however long and odd they are.
func TestFormatAcceptedDoesNotAllocate(t *testing.T) {
	for _, item := range []string{",", "a,", "text/csv;q=1e-320,", "text/csv;q=x;q=9,", "*/*;q=0.8,"} {
		accept := []byte(strings.Repeat(item, maxHeaderSize/len(item)))
		equal(t, item+"…: allocations", testing.AllocsPerRun(10, func() { acceptedFormat(accept) }), 0)
	}
}

func TestParseWeight(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "1": 1000, "0.5": 500, ".2": 200, "0.123": 123, "0.1239": 123, "1.000": 1000, "0.": 0, "1.": 1000, "0.001": 1,
		"": -1, ".": -1, "2": -1, "1.001": -1, "01": -1, "-0": -1, "+1": -1, "1e-320": -1, "0x1p-3": -1, "NaN": -1, "0.5 ": -1, "0.5.5": -1} {
		got, valid := parseWeight([]byte(text))
		if !valid {
			got = -1
		}
		equal(t, text, got, want)
	}
}
