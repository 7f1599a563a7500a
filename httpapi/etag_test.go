package httpapi

import (
	"strings"
	"testing"
	"time"

	"pubd/httpapi/keys"
)

func TestMatchesAny(t *testing.T) {
	const etag = `"1d-ea"`
	for _, c := range []struct {
		label  string
		values []string // one per header
		want   bool
	}{
		{"same", []string{`"1d-ea"`}, true},
		{"weak", []string{`W/"1d-ea"`}, true},
		{"any", []string{`*`}, true},
		{"any, white space", []string{" *\t"}, true},
		{"first of a list", []string{`"1d-ea", "b"`}, true},
		{"middle of a list", []string{`"a", "1d-ea", "b"`}, true},
		{"last of a list", []string{`"a", "1d-ea"`}, true},
		{"list without spaces", []string{`"a","1d-ea"`}, true},
		{"list with tabs", []string{"\"a\"\t,\t\"1d-ea\""}, true},
		{"weak ones in a list", []string{`W/"a", W/"1d-ea"`}, true},
		{"comma inside a tag", []string{`"a,b", "1d-ea"`}, true},
		{"comma and the tag inside a tag", []string{`"a, 1d-ea"`}, false},
		{"empty tags", []string{`"", "1d-ea"`}, true},
		{"empty members", []string{`, ,"a",, "1d-ea",`}, true},
		{"second header", []string{`"a"`, `"1d-ea"`}, true},
		{"any in the second header", []string{`"a"`, `*`}, true},
		{"broken header, then a good one", []string{`"a`, `"1d-ea"`}, true},

		{"none", nil, false},
		{"empty", []string{``}, false},
		{"only commas", []string{` , ,`}, false},
		{"another", []string{`"1d-eb"`}, false},
		{"beginning", []string{`"1d-e"`}, false},
		{"more", []string{`"1d-ea "`}, false},
		{"other case", []string{`"1D-EA"`}, false},
		{"unquoted", []string{`1d-ea`}, false},
		{"quoted any", []string{`"*"`}, false},
		{"any in a list", []string{`"a", *`}, false},
		{"any and a tag", []string{`*, "a"`}, false},
		{"lower-case weak", []string{`w/"1d-ea"`}, false},
		{"weak twice", []string{`W/W/"1d-ea"`}, false},
		{"weak, apart", []string{`W/ "1d-ea"`}, false},
		{"not closed", []string{`"1d-ea`}, false},
		{"not opened", []string{`1d-ea"`}, false},
		{"broken before", []string{`a, "1d-ea"`}, false},
		{"broken before, quoted", []string{`"a"b, "1d-ea"`}, false},
		{"one quote too many", []string{`""1d-ea"`}, false},
		{"semicolons", []string{`"a"; "1d-ea"`}, false},
		{"no comma", []string{`"a" "1d-ea"`}, false},
		{"nothing between", []string{`"a""1d-ea"`}, false},
	} {
		var values [][]byte
		for _, value := range c.values {
			values = append(values, []byte(value))
		}
		if got := matchesAny(values, []byte(etag), true); got != c.want {
			t.Errorf("%s: If-None-Match %q: got %v, want %v", c.label, c.values, got, c.want)
		}
		strong := c.want && !strings.Contains(c.label, "weak")
		if got := matchesAny(values, []byte(etag), false); got != strong {
			t.Errorf("%s: If-Match %q: got %v, want %v", c.label, c.values, got, strong)
		}
	}
}

func TestNotModified(t *testing.T) {
	s, _ := withData(t, LogOff)
	addr := listen(t, s)
	tags := map[string]string{}
	for _, query := range []string{"pubid=u01", "pubid=u02", "search=lion", "search=Lion", "search=lion&page=1", "search=lion&amount=1",
		"search=lion&order=desc", "search=lion&rated=1", "search=lion&x=1", "search=anchr", "search=*&lat=51.5&lng=0&distance=50"} {
		fresh := ask(t, addr, get(query))
		tag := fresh.header.Get("ETag")
		if other, ok := tags[tag]; ok || !strings.HasPrefix(tag, `"`) || fresh.status != 200 {
			t.Errorf("?%s: got %d, ETag %s, want 200 and a tag other than that of ?%s", query, fresh.status, tag, other)
		}
		tags[tag] = query
		for _, c := range []struct {
			value string
			want  int
		}{{tag, 304}, {"W/" + tag, 304}, {`"a", ` + tag, 304}, {"*", 304}, {`"a"`, 200}, {strings.Trim(tag, `"`), 200}, {"", 200}} {
			got := ask(t, addr, get(query, "If-None-Match: "+c.value))
			body := fresh.body
			if c.want == 304 {
				body = ""
			}
			if got.status != c.want || got.body != body || got.header.Get("ETag") != tag || got.header.Get("X-Snapshot") != "1dea10ba11ade501" {
				t.Errorf("?%s, If-None-Match %s: got %d, ETag %s, %s, want %d", query, c.value, got.status, got.header.Get("ETag"), got.body, c.want)
			}
			if names := got.header.Get("X-Ignored-Params"); (names == "x") != (query == "search=lion&x=1" && c.want == 200) {
				t.Errorf("?%s, If-None-Match %s: X-Ignored-Params %q", query, c.value, names)
			}
		}
	}
}

// If-Match rejects every response with an ETag that it does not name, and comes before If-None-Match.
func TestIfMatch(t *testing.T) {
	s, _ := demo(t, LogOff)
	addr := listen(t, s)
	for _, target := range []string{"/api/v1/pubs/?pubid=u01", "/api/v1/pubs/?pubids=u01,u02", "/api/v1/pubs/?search=lion", "/api/v1/pubs/?search=*&lat=51.5&lng=0&distance=50",
		"/api/v1/pubs/?search=lion&facets=location", "/api/v1/suggest?search=r", "/api/v1/stats", "/api/v1/points", "/api/v1/points?search=lion", "/api/v1/export",
		"/api/v1/export?search=lion", "/openapi.json", "/", "/?search=lion"} {
		key := "x-api-key: " + keys.DemoSecret
		request := func(method string, headers ...string) answer {
			sent := strings.Replace(request11(method, target, append(headers, key)...), "pubs.test", "localhost", 1)
			return answers(t, converse(t, addr, sent, true), method)[0]
		}
		tag := request("GET").header.Get("ETag")
		for value, want := range map[string]int{tag: 200, `"a", ` + tag: 200, "*": 200, `"stale"`: 412, "W/" + tag: 412, "": 412, tag + "\r\nIf-None-Match: " + tag: 304,
			`"stale"` + "\r\nIf-None-Match: " + tag: 412} {
			for _, method := range []string{"GET", "HEAD"} {
				if got := request(method, "If-Match: "+value); got.status != want || want == 412 && got.header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s %s, If-Match %s: got %d %v, want %d", method, target, value, got.status, got.header, want)
				}
			}
		}
	}
}

func TestETagDependsOnSnapshotAndSettings(t *testing.T) {
	tags := map[string]string{}
	for label, v := range map[string]*view{
		"one":            newView(buildFrom(t, tenPubs(), [32]byte{1}), 1000, testTime),
		"other bytes":    newView(buildFrom(t, tenPubs(), [32]byte{2}), 1000, testTime),
		"other settings": newView(buildFrom(t, tenPubs(), [32]byte{1}), 10, testTime),
	} {
		tag := string(v.appendETag(nil, []byte("search=lion"), 0))
		if other, ok := tags[tag]; ok {
			t.Errorf("%s and %s: both %s", label, other, tag)
		}
		tags[tag] = label
		if again := string(v.appendETag([]byte("x"), []byte("search=lion"), 0))[1:]; again != tag {
			t.Errorf("%s: got %s, then %s", label, tag, again)
		}
	}
}

// Only statistics contain the time at which the server loaded the snapshot.
func TestETagDependsOnLoadTimeOfStatisticsOnly(t *testing.T) {
	early, late := newView(buildFrom(t, tenPubs(), [32]byte{1}), 1000, testTime), newView(buildFrom(t, tenPubs(), [32]byte{1}), 1000, testTime.Add(time.Second))
	for _, o := range []operation{opLookup, opSuggest, opStats} {
		a := &params{operation: o}
		same := early.variant(a) == late.variant(a)
		if want := o != opStats; same != want {
			t.Errorf("operation %d: same tag for two load times: got %v, want %v", o, same, want)
		}
	}
}
