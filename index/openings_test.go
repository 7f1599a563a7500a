package index

import (
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/index/corpus"
	"pubd/index/features"
	"pubd/index/hours"
	"pubd/index/schema"
	"pubd/index/segment"
)

// The pubs of now are kept until the next minute, whatever others ask for; where no hours are known, those of any moment
// are. Those of a moment that is named twice are kept, too, of one named once only for its query.
func TestOpenPubsAreKept(t *testing.T) {
	w := new(Workspace)
	in := func(opened string) func(m hours.Moment) *segment.OpenPubs {
		s := testkit.Must(InMemory(corpus.Directory{Pubs: []schema.Pub{{UID: "a", Name: "Bell", OpeningHours: opened}}}, BuildOptions{}))(t)
		return func(m hours.Moment) *segment.OpenPubs {
			w.begin(1)
			return s.segment.OpenAs(features.OpenNow, features.Time{}, &m, &w.open)
		}
	}
	at, never := in("24/7"), in("")
	testkit.FailIf(t, never(hours.Moment{IsWall: true}) != never(hours.Moment{IsWall: true, Wall: 1}), "what is never open is looked for again")
	now := hours.Moment{Instant: time.Unix(600, 0), IsNow: true}
	first := at(now)
	for minute := range 20 {
		at(hours.Moment{IsWall: true, Wall: hours.Local(minute)})
		at(hours.Moment{Instant: time.Unix(int64(minute*60), 0)})
		testkit.FailIf(t, at(now) != first, "what is open now is not kept after minute %d", minute)
	}
	named, longer := hours.Moment{IsWall: true, Wall: 100}, hours.Moment{IsWall: true, Wall: 100, Minutes: 7}
	once := at(named)
	testkit.FailIf(t, once != at(hours.Moment{IsWall: true, Wall: 101}), "what is open at a moment named once is kept")
	at(named)
	second := at(named)
	testkit.FailIf(t, second == once || second != at(named), "what is open at a moment named again is not kept")
	testkit.FailIf(t, second == at(longer), "what is open for minutes is what is open at their first")
	now.Instant = time.Unix(660, 0)
	testkit.FailIf(t, at(now) == first, "what was open a minute ago is kept")
}
