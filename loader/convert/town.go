package convert

import (
	"cmp"
	"math"
	"slices"

	"pubd/geo"
	"pubd/geo/topk"
)

const (
	// nearestTown is within how many kilometres a pub without a location takes that of others.
	nearestTown geo.Kilometres = 3
	// townVotes is how many of the nearest others say it.
	townVotes = 5
)

// locate gives pubs with coordinates but without a location that of most of the nearest ones that have one; between
// equally many, that of the nearest. It returns how many it gave one.
func (d *draft) locate() (located int) {
	column := slices.Index(d.columns, locationColumn)
	if column < 0 {
		return 0
	}
	points := make([]geo.Point, len(d.places))
	for i, p := range d.places {
		if points[i] = p.at; p.location == "" {
			points[i] = geo.Point{Lat: math.NaN(), Lng: math.NaN()}
		}
	}
	near := geo.NewIndex(points, func(uint32) bool { return false })
	var work geo.Workspace
	for _, p := range d.places {
		if p.location != "" || math.IsNaN(p.at.Lat) {
			continue
		}
		circle := geo.NewCircle(p.at, nearestTown)
		hits, _ := near.Select(&work, &circle, false, false, 0, townVotes)
		votes := map[string]int{}
		for _, hit := range hits {
			votes[d.places[hit.ID].location]++
		}
		if len(hits) == 0 {
			continue
		}
		// The hits are in order of distance, and the first of the best is kept.
		best := slices.MaxFunc(hits, func(a, b topk.Item) int {
			return cmp.Compare(votes[d.places[a.ID].location], votes[d.places[b.ID].location])
		})
		d.rows[p.row].location = d.places[best.ID].location
		located++
	}
	return located
}
