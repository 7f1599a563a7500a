package httpapi

import (
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/httpapi/keys"
	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/views"
	"pubd/index/features"
)

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
		for value, want := range map[string]int{tag: 200, `"a", ` + tag: 200, "*": 200, `"stale"`: 412, "W/" + tag: 412, "": 412, tag + "\r\nIf-None-Match: " + tag: 304, tag + "\r\nIf-None-Match: W/" + tag: 304,
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
	tags := map[string]bool{}
	for _, v := range []*views.View{
		views.New(buildFrom(t, tenPubs(), [32]byte{1}), testTime),
		views.New(buildFrom(t, tenPubs(), [32]byte{2}), testTime),
	} {
		tag := v.ETag([]byte("search=lion"), 0)
		tags[string(tag[:])] = true
		testkit.Equal(t, "again", v.ETag([]byte("search=lion"), 0), tag)
		other := v.ETag([]byte("search=Lion"), 0)
		tags[string(other[:])] = true
	}
	testkit.Equal(t, "different tags", len(tags), 4)
	words := testkit.Must(features.BuiltIn().With([]byte("darts: darts"), "words"))(t)
	seeds := map[uint64]bool{}
	for _, config := range []Config{{}, {MaxUnpaged: 10}, {Features: words}} {
		seeds[New(config).seed] = true
	}
	testkit.Equal(t, "different seeds", len(seeds), 3)
}

// Only statistics contain the time at which the server loaded the snapshot.
func TestETagDependsOnLoadTimeOfStatisticsOnly(t *testing.T) {
	early, late := views.New(buildFrom(t, tenPubs(), [32]byte{1}), testTime), views.New(buildFrom(t, tenPubs(), [32]byte{1}), testTime.Add(time.Second))
	for _, o := range []params.Operation{params.Lookup, params.Suggest, params.Stats} {
		a := &query.Params{Operation: o}
		testkit.Equal(t, o.String()+": same tag for two load times", early.Variant(a) == late.Variant(a), o != params.Stats)
	}
}
