package httpapi

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pubd/data/lane"
	"pubd/index"
	"pubd/loader"
)

// isReleased reports whether the memory of a snapshot has been unmapped.
func isReleased(s *index.Snapshot) bool {
	if s.Acquire() {
		s.Release()
		return false
	}
	return true
}

// An indexed is an index file of generated pubs, and what a service of it answers.
type indexed struct {
	path, id string
	bodies   map[string]string // by query
}

// mappedQueries are for every kind of answer, exports included.
var mappedQueries = []string{"search=*&amount=20", "search=lion&include=label,match", "search=*&around=%s&distance=20", "pubid=%s&include=rankings",
	"search=anchr", "search=*&facets=location&amount=1", "/api/v1/suggest?search=red", "/api/v1/export?format=ndjson", "/api/v1/export?search=arms"}

// newIndexed builds the file of a number of pubs, and records the answers to mappedQueries.
func newIndexed(t *testing.T, pubs int, seed uint64) *indexed {
	t.Helper()
	content := generate(t, pubs, seed)
	directory := must(loader.Load("pubs.csv", content, loader.Options{}))(t).Directory
	i := slices.IndexFunc(directory.Pubs, func(pub index.Pub) bool { return pub.Latitude == pub.Latitude })
	uid := directory.Pubs[i].UID
	f := &indexed{path: filepath.Join(t.TempDir(), fmt.Sprint(seed)), bodies: map[string]string{}}
	file := must(os.Create(f.path))(t)
	defer file.Close()
	ok(t, index.Build(directory, file, index.BuildOptions{Source: sha256.Sum256(content)}))
	s, _ := withoutData(t, LogOff)
	snapshot := f.open(t)
	f.id = snapshot.ID()
	s.Arrange(Arrangement{Served: snapshot})
	for _, query := range mappedQueries {
		query = strings.Replace(query, "%s", uid, 1)
		status, body := answerOf(s, newExchange(""), query)
		equal(t, "?"+query, status, 200)
		f.bodies[query] = body
	}
	return f
}

// open maps the file in place.
func (f *indexed) open(t fataler) *index.Snapshot {
	t.Helper()
	file := must(os.Open(f.path))(t)
	defer file.Close()
	return must(index.Open(file, 0))(t)
}

// answerOf returns the response to a query; that of an export is read to its end.
func answerOf(s *Service, x *Exchange, query string) (status int, body string) {
	x.run(s, query)
	e := x.Response.Export
	if e == nil {
		return x.Response.Status, string(x.Response.body)
	}
	defer e.Close()
	var all []byte
	for before := -1; len(all) > before; {
		before = len(all)
		var err error
		if all, err = e.Next(all); err != nil {
			return 0, err.Error()
		}
	}
	return x.Response.Status, string(all)
}

// While snapshots are mapped, arranged and released, and keys arranged, every answer is right, a snapshot that stays is
// available at every moment, and in the end only what is arranged is mapped.
func TestArrangeWhileAnswering(t *testing.T) {
	rounds, readers := lane.Pick(100, 400), 4
	files := []*indexed{newIndexed(t, 1500, 1), newIndexed(t, 1000, 2), newIndexed(t, 500, 3)}
	byID := map[string]*indexed{}
	for _, f := range files {
		byID[f.id] = f
	}
	s, log := withoutData(t, LogOff)
	s.config.KeepFor = patience
	var all []*index.Snapshot
	// Two snapshots take turns in being served and stay arranged until another of the same file takes their place; the
	// third comes and goes.
	current := [2]*index.Snapshot{files[0].open(t), files[1].open(t)}
	all = append(all, current[:]...)
	s.Arrange(Arrangement{Served: current[0], Others: current[1:]})
	var stop atomic.Bool
	var group sync.WaitGroup
	var exports, gone atomic.Int64
	for reader := range readers {
		group.Go(func() {
			x := newExchange("")
			for i := reader; !stop.Load() && !t.Failed(); i++ {
				chosen := files[i%len(files)]
				for query, want := range chosen.bodies {
					if strings.Contains(query, "export") {
						exports.Add(1)
					}
					status, body := answerOf(s, x, query+"&snapshot="+chosen.id)
					if status == 410 && chosen == files[2] {
						gone.Add(1)
					} else if status != 200 || body != want {
						t.Errorf("?%s of %s: got %d %.300s, want %.300s", query, chosen.id, status, body, want)
						return
					}
					if strings.Contains(query, "=*&around") || strings.Contains(query, "pubid") {
						continue // of another file, it is a 404
					}
					status, body = answerOf(s, x, query)
					if id := string(x.Response.snapshot); status != 200 || byID[id] == nil || body != byID[id].bodies[query] {
						t.Errorf("?%s of %q: got %d %.300s", query, id, status, body)
						return
					}
				}
			}
		})
	}
	for round := range rounds {
		which := round % 2
		before := current[which]
		current[which] = files[which].open(t)
		all = append(all, current[which])
		a := Arrangement{Served: current[which], Others: []*index.Snapshot{current[1-which]}, Loads: Loads{Succeeded: uint64(round)}}
		done := []*index.Snapshot{before}
		if round%3 == 0 {
			visitor := files[2].open(t)
			all, done = append(all, visitor), append(done, visitor)
			a.Others = append(a.Others, visitor)
		}
		s.Arrange(a)
		a.Loads.Failed++
		s.Arrange(a)
		s.ArrangeKeys(testKeys(t), Loads{})
		for _, snapshot := range done {
			snapshot.Release()
		}
	}
	stop.Store(true)
	group.Wait()
	last := files[2].open(t)
	s.Arrange(Arrangement{Served: last})
	last.Release()
	for _, snapshot := range current {
		snapshot.Release()
	}
	mapped := 0
	for _, snapshot := range all {
		if !isReleased(snapshot) {
			mapped++
		}
	}
	failIf(t, mapped > 0 || isReleased(last), "%d of %d replaced snapshots are still mapped, and the current one is %v", mapped, len(all), !isReleased(last))
	failIf(t, log.String() != "", "log: %.2000s", log.String())
	failIf(t, exports.Load() < int64(rounds)/100 || gone.Load() == 0, "%d exports, and %d answers about a snapshot that is gone, are too few", exports.Load(), gone.Load())
	status, body := answerOf(s, newExchange(""), mappedQueries[0])
	equal(t, "the last one", fmt.Sprint(status, body), fmt.Sprint(200, files[2].bodies[mappedQueries[0]]))
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
		equal(t, "released", fmt.Sprint(isReleased(a), isReleased(b), isReleased(c)), want)
	}
	arrange(Arrangement{Served: a, Others: []*index.Snapshot{b, a, c, b}}, "false false false")
	for _, snapshot := range []*index.Snapshot{a, b, c} {
		snapshot.Release() // the openers
	}
	views := s.arrangement.Load().views
	equal(t, "views", len(views), 3)
	arrange(Arrangement{Served: b, Others: []*index.Snapshot{a, c}, Loads: Loads{Succeeded: 1}}, "false false false")
	for _, v := range views {
		failIf(t, !slices.Contains(s.arrangement.Load().views, v), "another view of %s", v.id)
	}
	request := s.acquire()
	arrange(Arrangement{Served: b, Others: []*index.Snapshot{c}}, "false false false")
	request.release()
	equal(t, "after the request", fmt.Sprint(isReleased(a), isReleased(b), isReleased(c)), "true false false")
	released, current := request, s.arrangement.Load()
	s.arrangement.Store(released) // as if it had been loaded before it was released
	time.AfterFunc(0, func() { s.arrangement.Store(current) })
	request = s.acquire()
	failIf(t, request != current, "a request begins with an arrangement that was released")
	request.release()
	export := newExport(s)
	arrange(Arrangement{Served: c}, "true false false")
	whole, err := export.Next(nil)
	failIf(t, err != nil || !strings.Contains(string(whole), "Red Lion"), "export: got %q, %v", whole, err)
	ok(t, export.Close())
	arrange(Arrangement{Served: c}, "true true false")
	defer func() {
		failIf(t, recover() == nil, "a released snapshot can be arranged")
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
	webPages := must(newWebPages("", ""))(t)
	path := filepath.Join(t.TempDir(), "pubs.idx")
	truncate := func(*Service) { ok(t, os.Truncate(path, 0)) }
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
		{"panic when parsed", truncate, get("search=*&around=u01&distance=5"), "500"},
		{"panic when asked", truncate, get("search=lion"), "500"},
		{"panic in a title", truncate, request11("GET", "/?pub=u01"), "500"},
		{"panic when exported", truncate, last(export + "?search=lion"), "500"},
	} {
		s := New(Config{WebPages: webPages, KeepFor: patience})
		s.ArrangeKeys(parseKeys(t, keyLine("good", goodSecret, ""), keyLine("pages", publicSecret, `,"public":"`+publicSecret+`","rate_per_client":1000`)), Loads{})
		file := must(os.Create(path))(t)
		ok(t, index.Build(tenPubs(), file, index.BuildOptions{Source: testSource}))
		snapshot := must(index.Open(file, 0))(t)
		ok(t, file.Close())
		s.Arrange(Arrangement{Served: snapshot, Pending: []string{"aa"}})
		snapshot.Release()
		if c.change != nil {
			c.change(s)
		}
		method, _, _ := strings.Cut(c.sent, " ")
		equal(t, c.label, statusesOf(answers(t, converse(t, listen(t, s), c.sent, true), method)), c.want)
		rejected := newExchange("search=*&facets=location")
		rejected.service = s
		rejected.Handle(admitting(false))
		s.Arrange(Arrangement{})
		waitFor(t, func() bool { return isReleased(snapshot) })
	}
}

// An export whose client goes away is no reader any more.
func TestAbandonedExportReleases(t *testing.T) {
	s, _ := serveFile(t, "pubs.csv", generate(t, 20_000, 3), loader.Options{})
	snapshot := s.arrangement.Load().served.snapshot
	snapshot.Release()
	c := dial(t, listen(t, s), request11("GET", "/api/v1/export", "x-api-key: "+goodSecret))
	must(io.ReadFull(c, make([]byte, ChunkSize)))(t)
	s.Arrange(Arrangement{})
	failIf(t, isReleased(snapshot), "the snapshot is released during the export")
	ok(t, c.Close())
	waitFor(t, func() bool { return isReleased(snapshot) })
}
