package browser

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

//go:embed probe/keystrokes.js
var keystrokesProbe string

// In the median, the results of a text are on the screen 100 ms after the pause of 250 ms that follows its last
// keystroke. On a busy machine, one of three tries must succeed.
func TestKeystrokes(t *testing.T) {
	const tries, limit, least = 3, 250 + 100, 25
	needChromium(t)
	testkit.Long(t, "measures time")
	e := explore(t, many, "")
	evaluate[bool](e, keystrokesProbe)
	var durations []float64
	for range tries {
		durations = e.keystrokes("red lion", "kings arms", "white hart", "plough", "royal oak", "the bell inn")
		sorted := slices.Sorted(slices.Values(durations))
		median := sorted[len(sorted)/2]
		t.Logf("%d keystrokes in %d pubs: median %.0f ms, worst %.0f ms", len(durations), manyPubs, median, slices.Max(sorted))
		if len(durations) >= least && median <= limit {
			return
		}
	}
	t.Errorf("keystrokes in the last of %d tries: got %.0f ms, want at least %d keystrokes with a median of at most %d ms", tries, durations, least, limit)
}

// keystrokes types names and returns the milliseconds from each keystroke to its results on the screen. It omits
// keystrokes that do not change the number of pubs, such as spaces, as their results look the same as the previous
// ones.
func (e *tab) keystrokes(names ...string) []float64 {
	e.t.Helper()
	e.do("run keystrokes.durations.length = 0")
	answered := 0
	for _, name := range names {
		before := -1
		for i := range name {
			key, total := "type "+name[i:i+1], e.server.search(e.t, "search="+url.QueryEscape(name[:i+1])).Total
			if total == before {
				e.do(key)
				continue
			}
			before = total
			answered++
			e.do(fmt.Sprintf("run keystrokes.expect(%d)", total), key, fmt.Sprintf("until keystrokes.durations.length === %d", answered))
		}
		e.do("retype")
	}
	return evaluate[[]float64](e, `keystrokes.durations`)
}

// The first search does not wait for what the directory has.
func TestFirstSearch(t *testing.T) {
	needChromium(t)
	searched := make(chan struct{})
	e := open(t, many.relay(t, "/api/v1/stats", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-searched:
			many.proxy(t).ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}), "/")
	isSearch := func(url string) bool { return strings.Contains(url, "/api/v1/pubs/") }
	e.eventually("the search", func() bool { return slices.ContainsFunc(e.urls(), isSearch) })
	close(searched)
	e.do("see #results li")
}

// A first visit is painted within 0.5 s in one of three loads. It requests its pubs before the points of the map, and
// needs at most 12 requests, and 600 KB for everything, of which the library of the map may have 350 KB.
func TestFirstVisit(t *testing.T) {
	const tries, limit, weight, requests = 3, 500, 600_000, 12
	needChromium(t)
	testkit.Long(t, "measures time")
	var painted float64
	for range tries {
		e := open(t, many, "/")
		e.do(`until performance.getEntriesByName('first-contentful-paint').length === 1`, "points")
		painted = evaluate[float64](e, `performance.getEntriesByName('first-contentful-paint')[0].startTime`)
		e.do(`until performance.getEntriesByType('resource').every(({ responseEnd }) => responseEnd > 0)`)
		e.mu.Lock()
		bytes, sent := e.received, e.requests
		e.mu.Unlock()
		t.Logf("first contentful paint after %.0f ms; %d requests, %.0f bytes", painted, sent, bytes)
		testkit.FailIf(t, bytes == 0 || bytes > weight || sent > requests, "first visit: got %d requests and %.0f bytes, want at most %d and %d\n%q", sent, bytes, requests, weight, e.urls())
		search := slices.IndexFunc(e.urls(), func(url string) bool { return strings.Contains(url, "/api/v1/pubs/") })
		points := slices.IndexFunc(e.urls(), func(url string) bool { return strings.Contains(url, "/api/v1/points") })
		testkit.FailIf(t, search < 0 || points < search, "requests: got the points before the search: %q", e.urls())
		if painted <= limit {
			return
		}
	}
	t.Errorf("first contentful paint in the last of %d loads: got %.0f ms, want at most %d ms", tries, painted, limit)
}
