package httpapi

import (
	"regexp"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/request"
)

var titleElement = regexp.MustCompile(`<title>([^<]*)</title>`)

// titleOf returns the title of the page for a query, and its ETag.
func titleOf(t *testing.T, addr, query string) (title, etag string) {
	t.Helper()
	got := send(t, addr, request11("GET", "/?"+query, "Accept-Encoding: identity"))
	titles := titleElement.FindStringSubmatch(got.body)
	if policy := got.header.Get("Content-Security-Policy"); got.status != 200 || titles == nil || !strings.Contains(policy, "script-src 'self'") {
		t.Fatalf("/?%s: got %d with policy %q and titles %q", query, got.status, policy, titles)
	}
	return titles[1], got.header.Get("ETag")
}

// The title of the page describes the query.
func TestTitles(t *testing.T) {
	addr := listen(t, withWebPages(t, 1000))
	for query, want := range map[string]string{"search=red+lion": "red lion – Pubs", "search=" + strings.Repeat("a", request.MaxQuery): "Pubs", "pub=u01": "The Red Lion, Soho – Pubs"} {
		title, _ := titleOf(t, addr, query)
		testkit.Equal(t, "title of /?"+query, title, want)
	}
	shared := send(t, addr, request11("GET", "/?search=bell&pub=u01"))
	testkit.Contains(t, "the page of a pub", shared.body, `<link rel="canonical" href="http://pubs.test/pubs/u01/the-red-lion-soho">`)
	_, etag := titleOf(t, addr, "pub=u01")
	testkit.Equal(t, "the same title again", send(t, addr, request11("GET", "/?pub=u01", "If-None-Match: "+etag)).status, 304)
	testkit.Equal(t, "another title", send(t, addr, request11("GET", "/?pub=u02", "If-None-Match: "+etag)).status, 200)
}

// Without a public key, a title reveals no data. With one, it counts towards the visitor's rate.
func TestTitlesNeedPublicKey(t *testing.T) {
	s := withWebPages(t, 0)
	addr := listen(t, s)
	title, _ := titleOf(t, addr, "pub=u01&search=bell")
	testkit.Equal(t, "without a public key", title, "bell – Pubs")
	for _, query := range []string{"pub=u01", "search=bell"} {
		installPublicKey(t, s, 0) // forgets the rate
		installPublicKey(t, s, 0.001)
		first, _ := titleOf(t, addr, query)
		second, _ := titleOf(t, addr, query)
		testkit.FailIf(t, first == "Pubs" || second != "Pubs", "/?%s at a rate of one request: got %q, then %q, want a title and then none", query, first, second)
	}
	s = New(s.config)
	s.ArrangeKeys(parseKeys(t, keyLine("pages", publicSecret, `,"public":"`+publicSecret+`","rate_per_client":5`)), Loads{})
	title, _ = titleOf(t, listen(t, s), "pub=u01")
	testkit.Equal(t, "without data", title, "Pubs")
}
