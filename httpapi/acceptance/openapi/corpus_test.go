package openapi

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

var queryLike = regexp.MustCompile(`^[A-Za-z_&%=+][^ "<>\x00-\x1f]*$`)

// testedQueries returns the query strings of the service's tests: of the tables in testdata and of the golden files.
func testedQueries(t *testing.T) []string {
	t.Helper()
	queries := map[string]bool{}
	for _, name := range []string{"params/testdata/queries.txt", "testdata/requests.txt", "testdata/allocations.txt", "testdata/golden/*.http"} {
		for _, table := range testkit.Must(filepath.Glob("../../" + name))(t) {
			for line := range strings.Lines(string(testkit.Read(t, table))) {
				given, _, isRow := strings.Cut(line, " ->")
				for word := range strings.FieldsSeq(given) {
					if _, after, found := strings.Cut(word, "?"); found && strings.HasPrefix(word, "/") {
						word = after
					}
					isSent := isRow || strings.HasPrefix(line, "> ")
					if isSent && len(word) < 2000 && strings.Contains(word, "=") && queryLike.MatchString(word) && !strings.Contains(word, "{") { // { stands for more
						queries[word] = true
					}
				}
			}
		}
	}
	testkit.StopIf(t, len(queries) < 150, "the tests have %d query strings", len(queries))
	return slices.Sorted(maps.Keys(queries))
}

// A dice generates random requests: the parameters of tested queries in new combinations, and the UIDs and names of a
// service's pubs.
type dice struct {
	*rand.Rand
	s        *service
	snapshot string
	paths    []string
	pairs    []string // such as sort=name
}

func newDice(random *rand.Rand, s *service, snapshot string, paths, queries []string) *dice {
	d := &dice{random, s, snapshot, append(slices.Clone(paths), pubs+"/", "/api/v1/pub"), []string{"snapshot=" + snapshot}}
	d.paths = append(d.paths, slices.Repeat([]string{pubs}, len(paths))...) // half of them
	for _, query := range queries {
		d.pairs = append(d.pairs, strings.Split(query, "&")...)
	}
	slices.Sort(d.pairs)
	d.pairs = slices.Compact(d.pairs)
	return d
}

func (d *dice) oneOf(list []string) string { return list[d.IntN(len(list))] }

// query draws a query string: mostly a lookup or a search for a pub, and other parameters.
func (d *dice) query() string {
	pub := &d.s.pubs[d.IntN(len(d.s.pubs))]
	search := "search=" + url.QueryEscape(d.oneOf([]string{"*", "*", pub.Name, pub.Name[:1+d.IntN(len(pub.Name))], pub.Name + " " + pub.Location}))
	circle := fmt.Sprintf("&lat=%.3f&lng=%.3f&distance=%d", pub.Latitude, pub.Longitude, d.IntN(30))
	parts := []string{d.oneOf([]string{search, search, search + circle, search + "&distance=5&around=" + pub.UID, "pubid=" + pub.UID, "pubids=" + pub.UID + ",nobody", "x=1"})}
	for range d.IntN(5) {
		pair := d.oneOf(d.pairs)
		name, _, _ := strings.Cut(pair, "=")
		if again := slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(part, name+"=") }); !again || d.IntN(20) == 0 {
			parts = append(parts, pair)
		}
	}
	return strings.Join(parts, "&")
}

// request draws a request: mostly GET with a good key.
func (d *dice) request() (method, target, key string, headers []string) {
	target = d.oneOf(d.paths)
	if target == export && len(d.s.pubs) > mostExported {
		target = pubs
	}
	if target != "/openapi.json" {
		target += "?" + d.query()
	}
	method, key = "GET", d.s.secrets.good
	switch d.IntN(40) {
	case 0:
		method = d.oneOf([]string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"})
	case 1:
		method = "OPTIONS"
	case 2, 3, 4:
		method = "HEAD"
	case 5:
		key = d.oneOf([]string{"", "wrong", d.s.secrets.revoked, d.s.secrets.expired, d.s.secrets.limited})
	}
	if d.IntN(10) == 0 {
		headers = append(headers, "Accept: "+d.oneOf([]string{"text/csv", "application/geo+json", "application/x-ndjson", "text/html, */*;q=0.8"}))
	}
	if d.IntN(20) == 0 {
		headers = append(headers, "If-None-Match: "+d.oneOf([]string{"*", `"x"`, fmt.Sprintf(`W/"%s-0"`, d.snapshot)}))
	}
	return method, target, key, headers
}
