package index

import (
	"testing"

	"pubd/bench/testkit"
	"pubd/index/hours"
)

// The pubs of the four moments that were used last are kept.
func TestOpenPubsAreKept(t *testing.T) {
	o := newOpenings(NewRows(0, "", 0))
	o.zones = append(o.zones, nil)
	at := func(minute int) *openPubs { return o.at(&Moment{IsWall: true, Wall: hours.Local(minute)}, 0) }
	first := at(1)
	for minute := range 20 {
		at(2 + minute)
		testkit.FailIf(t, at(1) != first, "what is used between others is not kept after minute %d", 2+minute)
	}
	for minute := range 4 {
		at(30 + minute)
	}
	testkit.FailIf(t, at(1) == first, "what was used before four others is kept")
}
