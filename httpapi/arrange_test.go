package httpapi

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/index"
)

// isReleased reports whether the memory of a snapshot has been unmapped.
func isReleased(s *index.Snapshot) bool {
	if s.Acquire() {
		s.Release()
		return false
	}
	return true
}

// While snapshots are arranged and released, and keys arranged, every answer is of one snapshot, and one that stays is
// available at every moment.
func TestArrangeWhileAnswering(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	few := tenPubs()
	few.Pubs = few.Pubs[:4]
	stays, replaced := build(t, few), make([]*index.Snapshot, 30)
	s.Arrange(Arrangement{Served: stays})
	var stop atomic.Bool
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for x := newExchange(""); !stop.Load() && !t.Failed(); {
				for query, kept := range map[string]bool{"search=*": false, "search=*&snapshot=" + stays.ID(): true} {
					x.run(s, query)
					isFew := strings.Contains(string(x.Response.Body), `"total_results":4,`)
					testkit.FailIf(t, x.Response.Status != 200 || isFew != strings.Contains(string(x.Response.Lines), stays.ID()) || kept && !isFew,
						"?%s: got %d %s", query, x.Response.Status, x.Response.Body)
				}
			}
		})
	}
	for i := range replaced {
		replaced[i] = buildFrom(t, tenPubs(), [32]byte{1})
		s.Arrange(Arrangement{Served: replaced[i], Others: []*index.Snapshot{stays}})
		s.ArrangeKeys(testKeys(t), Loads{})
		replaced[i].Release()
	}
	stop.Store(true)
	group.Wait()
	s.Arrange(Arrangement{Served: stays})
	for _, snapshot := range replaced {
		testkit.FailIf(t, !isReleased(snapshot), "a replaced snapshot is still mapped")
	}
}

// A snapshot is mapped while it is arranged, or a request or an export that began with it is under way, and no longer.
// Other loads make no new views.
func TestArrangeReleases(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	s.config.KeepFor = patience
	a, b, c := build(t, tenPubs()), buildFrom(t, tenPubs(), [32]byte{2}), buildFrom(t, tenPubs(), [32]byte{3})
	arrange := func(arrangement Arrangement, want string) {
		t.Helper()
		s.Readiness()
		s.Report()
		s.Arrange(arrangement)
		testkit.Equal(t, "released", fmt.Sprint(isReleased(a), isReleased(b), isReleased(c)), want)
	}
	arrange(Arrangement{Served: a, Others: []*index.Snapshot{b, a, c, b}}, "false false false")
	for _, snapshot := range []*index.Snapshot{a, b, c} {
		snapshot.Release() // the openers
	}
	before := served(s)
	arrange(Arrangement{Served: b, Others: []*index.Snapshot{a, c}, Loads: Loads{Succeeded: 1}}, "false false false")
	arrange(Arrangement{Served: a, Others: []*index.Snapshot{b, c}}, "false false false")
	testkit.FailIf(t, served(s) != before, "another view of %s", before.ID)
	request := s.views.Acquire()
	arrange(Arrangement{Served: b, Others: []*index.Snapshot{c}}, "false false false")
	request.Release()
	testkit.Equal(t, "after the request", fmt.Sprint(isReleased(a), isReleased(b), isReleased(c)), "true false false")
	export := exportOf(s)
	arrange(Arrangement{Served: c}, "true false false")
	whole, err := export.Next(nil)
	testkit.FailIf(t, err != nil || !strings.Contains(string(whole), "Red Lion"), "export: got %q, %v", whole, err)
	testkit.OK(t, export.Close())
	arrange(Arrangement{Served: c}, "true true false")
	defer func() {
		testkit.FailIf(t, recover() == nil, "a released snapshot can be arranged")
		arrange(Arrangement{}, "true true true")
	}()
	s.Arrange(Arrangement{Served: a})
}

// However a request ends, nothing of it is a reader of the snapshot afterwards.
func TestEveryRequestReleases(t *testing.T) {
	const export, key = "/api/v1/export", "x-api-key: " + goodSecret
	last := func(target string, headers ...string) string {
		return request11("GET", target, append(headers, key, "Connection: close")...)
	}
	webPages := testkit.Must(newWebPages("", ""))(t)
	path := filepath.Join(t.TempDir(), "pubs.idx")
	truncate := func(*Service) { testkit.OK(t, os.Truncate(path, 0)) }
	overwrite := func(*Service) { // in another tick of the kernel's clock
		testkit.OK(t, errors.Join(os.WriteFile(path, testkit.Must(os.ReadFile(path))(t), 0o600), os.Chtimes(path, time.Time{}, time.Unix(1, 0))))
	}
	for _, c := range []struct {
		label  string
		change func(*Service)
		sent   string
		want   string // statuses
	}{
		{"export", nil, last(export), "200"},
		{"filtered export", nil, last(export + "?search=lion&format=geojson"), "200"},
		{"HEAD of an export", nil, request11("HEAD", export, key, "Connection: close"), "200"},
		{"export in HTTP/1.0", nil, "GET " + export + " HTTP/1.0\r\n" + key + "\r\n\r\n", "200"},
		{"export that the client has", nil, last(export, "If-None-Match: *"), "304"},
		{"export that does not match", nil, last(export, `If-Match: "x"`), "412"},
		{"export after an unknown pub", nil, last(export + "?after=no"), "404"},
		{"search", nil, get("search=*") + get("search=lion&page=0") + get("search=*&around=u01&distance=5") + get("pubid=no"), "200 400 200 404"},
		{"HEAD", nil, request11("HEAD", "/api/v1/pubs/?search=*", key), "200"},
		{"stats and points", nil, request11("GET", "/api/v1/stats", key) + request11("GET", "/api/v1/points", key), "200 200"},
		{"preconditions", nil, get("search=*", "If-None-Match: *") + get("search=*", `If-Match: "x"`), "304 412"},
		{"gone and pending", nil, get("search=*&snapshot=00") + get("search=*&snapshot=aa"), "410 503"},
		{"no access", nil, request11("GET", "/api/v1/pubs/?search=*") + request11("OPTIONS", "/api/v1/pubs/") + request11("GET", "/no"), "401 204 404"},
		{"page with a title", nil, request11("GET", "/?pub=u01") + request11("GET", "/?pub=no"), "200 200"},
		{"written over", overwrite, get("search=lion") + get("pubid=u01") + get("search=*", "If-None-Match: *") + last(export), "503 503 503 503"},
		{"panic when parsed", truncate, get("search=*&around=u01&distance=5"), "500"},
		{"panic when asked", truncate, get("search=lion"), "500"},
		{"panic in a title", truncate, request11("GET", "/?pub=u01"), "500"},
		{"panic when exported", truncate, last(export + "?search=lion"), "500"},
	} {
		s := New(Config{WebPages: webPages, KeepFor: patience})
		s.ArrangeKeys(parseKeys(t, keyLine("good", goodSecret, ""), keyLine("pages", publicSecret, `,"public":"`+publicSecret+`","rate_per_client":1000`)), Loads{})
		file := testkit.Must(os.Create(path))(t)
		testkit.OK(t, index.Build(tenPubs(), file, index.BuildOptions{Source: testSource}))
		snapshot := testkit.Must(index.Open(file, 0))(t)
		testkit.OK(t, file.Close())
		s.Arrange(Arrangement{Served: snapshot, Pending: []string{"aa"}})
		snapshot.Release()
		if c.change != nil {
			c.change(s)
		}
		method, _, _ := strings.Cut(c.sent, " ")
		testkit.Equal(t, c.label, statusesOf(answers(t, converse(t, listen(t, s), c.sent, true), method)), c.want)
		rejected := newExchange("search=*&facets=location")
		rejected.service = s
		rejected.Handle(admitting(false))
		s.Arrange(Arrangement{})
		testkit.Eventually(t, "the snapshot is released", func() bool { return isReleased(snapshot) })
	}
}
