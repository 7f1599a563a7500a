package httpapi

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"weak"

	"pubd/bench/testkit"
	"pubd/index"
)

// reused are queries whose responses use much of an exchange's memory. Those that begin with a slash are other paths.
var reused = []string{
	"/api/v1/points?", "/api/v1/points?search=lion", "search=lion&secret_name=1", "/api/v1/suggest?search=red+l", "/api/v1/stats?", "search=red+lion&include=match", "search=*&include=match", "pubid=u01&include=match", "pubids=u01,u02&include=match", "search=redlion&include=match",
	"search=lino&include=match", "search=nothing", "search=*&lat=51.5&lng=-0.1&distance=50&include=match", "search=lion&lat=51.5&lng=-0.1&distance=50",
	"search=*&min_beer=5&min_total=5&min_atmos=5&include=label,local_rankings,match", "search=lion&facets=location", "search=*&amount=2&page=2", "search=*&bbox=-1,51,1,52", "search=%ff",
	"search=*&around=u01&distance=5&include=match", "search=lion&sort=relevance", "search=*&sort=weighted&weights=beer:2", "search=*&sort=random&seed=7",
	"search=*&format=geojson&include=match,label", "search=*&format=csv", "search=*&format=spreadsheet", "search=*&format=ndjson&fields=name",
}

func (x *Exchange) run(s *Service, question string) {
	x.Request.Path, x.Request.Query = []byte("/api/v1/pubs/"), []byte(question)
	if path, query, other := strings.Cut(question, "?"); other {
		x.Request.Path, x.Request.Query = []byte(path), []byte(query)
	}
	handle(s, x)
}

// whole returns a response with its headers.
func whole(x *Exchange) string {
	return fmt.Sprintf("%d\n%s\n%s", x.Response.Status, x.AppendFields(nil, -1), x.Response.Body)
}

// A response does not depend on earlier requests of the exchange, from any client.
func TestExchangeInheritsNothing(t *testing.T) {
	s, _ := withData(t, LogOff)
	rng := rand.New(rand.NewPCG(21, 22))
	used, before, counts := newExchange(""), "", map[int]int{}
	for range 1000 {
		query := reused[rng.IntN(len(reused))]
		fresh := newExchange("")
		fresh.run(s, query)
		used.run(s, query)
		counts[used.Response.Status]++
		got, want := whole(used), whole(fresh)
		testkit.StopIf(t, got != want, "?%s after ?%s: got %s, want %s", query, before, got, want)
		before = query
	}
	testkit.FailIf(t, counts[200] < 900, "answers by status: %v, want 200 for all but one of the queries", counts)
}

// An exchange that used a snapshot is not its reader afterwards, and does not keep it in memory.
func TestExchangeReleasesSnapshots(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	x := newExchange("")
	use := func() (used weak.Pointer[index.Snapshot]) {
		snapshot := build(t, tenPubs())
		s.Arrange(Arrangement{Served: snapshot})
		snapshot.Release()
		for _, query := range reused {
			x.run(s, query)
		}
		s.Arrange(Arrangement{Served: buildFrom(t, tenPubs(), [32]byte{2})})
		testkit.FailIf(t, !isReleased(snapshot), "the replaced snapshot still has readers")
		return weak.Make(snapshot)
	}
	old := use()
	runtime.GC()
	testkit.FailIf(t, old.Value() != nil, "the replaced snapshot is still in memory")
	runtime.KeepAlive(x)
}
