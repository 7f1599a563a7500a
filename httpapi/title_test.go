package httpapi

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"pubd/httpapi/explorer"
	"pubd/index"
)

var (
	titleElement = regexp.MustCompile(`<title>([^<]*)</title>`)
	openTitle    = regexp.MustCompile(`<meta property="og:title" content="([^"<>]*)">`)
	descriptions = regexp.MustCompile(`<meta (?:name="description"|property="og:description") content="([^"<>]*)">`)
)

// head returns the title and the description of a page, which must be the same in all of its tags.
func head(t *testing.T, addr, query string) (title, description string) {
	t.Helper()
	got := ask(t, addr, request11("GET", "/?"+query, "Accept-Encoding: identity"))
	titles, open, about := titleElement.FindAllStringSubmatch(got.body, -1), openTitle.FindAllStringSubmatch(got.body, -1), descriptions.FindAllStringSubmatch(got.body, -1)
	if got.status != 200 || len(titles) != 1 || len(open) != 1 || len(about) != 2 || titles[0][1] != open[0][1] || about[0][1] != about[1][1] {
		t.Fatalf("/?%s: got %d with titles %q, %q and descriptions %q", query, got.status, titles, open, about)
	}
	if policy := got.header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self'") || strings.Count(got.body, "<script") != 1 {
		t.Errorf("/?%s: got policy %q and scripts %d", query, policy, strings.Count(got.body, "<script"))
	}
	return html.UnescapeString(titles[0][1]), html.UnescapeString(about[0][1])
}

// The preview of a shared link describes the page.
func TestTitles(t *testing.T) {
	const evil = `</title><script>alert(1)</script>" onload="x`
	unrated := index.Ratings{nan, nan, nan, nan, nan, nan}
	s := withPages(t, 1000)
	s.Arrange(Arrangement{Served: build(t, index.Directory{CountsReviews: true, Pubs: []index.Pub{
		{UID: "1", Name: "The Bell", Location: "Ely", Address: "1 High St", Postcode: "CB7 4LA", Area: "Cambridgeshire", Latitude: 52.4, Longitude: 0.26, Ratings: index.Ratings{7, 7, 7, 7, 7, 7.25}, ReviewCount: 12},
		{UID: "a b", Name: evil, Location: "<b>Ely</b>", Latitude: nan, Longitude: nan, Ratings: unrated},
		{UID: "3", Name: strings.Repeat("W", 900), Latitude: nan, Longitude: nan, Ratings: unrated},
	}})})
	addr := listen(t, s)
	_, about := head(t, addr, "")
	for _, c := range cases(t, "titles.txt") {
		title, description := head(t, addr, c.given)
		wantTitle, part, _ := strings.Cut(c.want, " |")
		equal(t, "title of /?"+c.given, title, wantTitle)
		if part = strings.Replace(strings.TrimPrefix(part, " "), "{about}", about, 1); !strings.Contains(description, part) {
			t.Errorf("/?%.60s: got %q, want %q", c.given, description, part)
		}
	}
	first := ask(t, addr, request11("GET", "/?pub=1"))
	equal(t, "the same title again", ask(t, addr, request11("GET", "/?pub=1", "If-None-Match: "+first.header.Get("ETag"))).status, 304)
	equal(t, "another title", ask(t, addr, request11("GET", "/?pub=3", "If-None-Match: "+first.header.Get("ETag"))).status, 200)
}

// Without a public key, a title reveals no data. With one, it counts towards the visitor's rate.
func TestTitlesNeedPublicKey(t *testing.T) {
	s := withPages(t, 0)
	addr := listen(t, s)
	title, _ := head(t, addr, "pub=u01&search=bell")
	equal(t, "without a public key", title, "bell – Pubs")
	publishPublic(t, s, 0.001)
	first, _ := head(t, addr, "pub=u01")
	second, _ := head(t, addr, "pub=u01")
	failIf(t, first == "Pubs" || second != "Pubs", "at a rate of one request: got %q, then %q, want a name and then none", first, second)
	s = New(s.config)
	s.ArrangeKeys(parseKeys(t, keyLine("pages", publicSecret, `,"public":"`+publicSecret+`","rate_per_client":5`)), Loads{})
	title, _ = head(t, listen(t, s), "pub=u01")
	equal(t, "without data", title, "Pubs")
}

// A page with a title takes microseconds, whatever the query.
func BenchmarkTitled(b *testing.B) {
	pages := must(explorer.New(explorer.Settings{}))(b)
	s := New(Config{Pages: pages, Demo: true})
	r := Request{Method: []byte("GET"), Path: []byte("/"), Query: []byte("search=" + strings.Repeat("%3C", 1300)), Received: time.Now()}
	for b.Loop() {
		if d := s.titled(s.arrangement.Load(), s.documents["/"], &r); len(d.body) == 0 || d == s.documents["/"] {
			b.Fatal("no title")
		}
	}
}
