package query

import (
	"fmt"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/request"
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

// Accept headers are parsed without allocating, however long and odd they are.
func TestFormatAcceptedDoesNotAllocate(t *testing.T) {
	for _, item := range []string{",", "a,", "text/csv;q=1e-320,", "text/csv;q=x;q=9,", "*/*;q=0.8,"} {
		accept := []byte(strings.Repeat(item, (16<<10)/len(item)))
		r := request.Request{Accept: accept}
		testkit.Equal(t, item+"…: allocations", testing.AllocsPerRun(10, func() { acceptedFormat(accept); r.PrefersPage() }), 0)
	}
}
