package httpapi

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"

	"pubd/index"
)

// reused are questions that use all of the memory of an exchange.
var reused = []string{
	"search=red+lion&include=match", "search=*&include=match", "pubid=u01&include=match", "pubids=u01,u02&include=match", "search=redlion&include=match",
	"search=lino&include=match", "search=nothing", "search=*&lat=51.5&lng=-0.1&distance=50&include=match", "search=lion&lat=51.5&lng=-0.1&distance=50",
	"search=*&min_beer=5&min_total=5&min_atmos=5&include=label,local_rankings,match", "search=lion&facets=location", "search=*&amount=2&page=2", "bbox=-1,51,1,52", "search=%ff",
}

// An answer is that to the question, whatever the exchange answered before, to whomever.
func TestExchangeInheritsNothing(t *testing.T) {
	s, _ := withData(t, LogOff)
	rng := rand.New(rand.NewPCG(21, 22))
	used, before := newExchange(""), ""
	for range 1000 {
		query := reused[rng.IntN(len(reused))]
		fresh := newExchange(query)
		s.handle(fresh)
		used.query = []byte(query)
		s.handle(used)
		if string(used.body) != string(fresh.body) || used.status != fresh.status || string(used.links) != string(fresh.links) {
			t.Fatalf("?%s after ?%s: got %d %s, want %d %s", query, before, used.status, used.body, fresh.status, fresh.body)
		}
		before = query
	}
}

// A snapshot that is no longer kept is let go of by an exchange that goes on with another.
func TestExchangeLetsSnapshotsGo(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	s.config.KeepSnapshots = 1
	x := newExchange("")
	ask := func() (asked weak.Pointer[index.Snapshot]) {
		s.Publish(build(t, tenPubs()), testSource)
		for _, query := range reused {
			x.query = []byte(query)
			s.handle(x)
		}
		return weak.Make(s.view.Load().snapshot)
	}
	old := ask()
	s.Publish(build(t, tenPubs()), [32]byte{2})
	x.query = []byte("search=anchor")
	s.handle(x)
	runtime.GC()
	if old.Value() != nil {
		t.Error("the snapshot before is still in memory")
	}
	runtime.KeepAlive(x)
}
