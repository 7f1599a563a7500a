package convert

import (
	"cmp"
	"slices"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index"
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
	location := slices.Index(d.columns, locationColumn)
	lat, lng := slices.Index(d.columns, latitudeColumn), slices.Index(d.columns, longitudeColumn)
	if location < 0 || lat < 0 {
		return 0
	}
	at := func(cells []string) (geo.Point, bool) {
		north, ok := index.ParseDecimal([]byte(cells[lat]))
		east, also := index.ParseDecimal([]byte(cells[lng]))
		return geo.Point{Lat: north, Lng: east}, ok && also
	}
	var points []geo.Point
	var towns []string
	voters := map[geo.Point]int{}
	for _, cells := range d.rows {
		// More than townVotes pubs at one point never vote.
		if p, known := at(cells); known && cells[location] != "" && voters[p] < townVotes {
			voters[p]++
			points, towns = append(points, p), append(towns, cells[location])
		}
	}
	near := geo.NewIndex(points, func(uint32) bool { return false })
	var work geo.Workspace
	found := map[geo.Point]string{}
	for _, cells := range d.rows {
		p, known := at(cells)
		if !known || cells[location] != "" {
			continue
		}
		town, known := found[p]
		if !known {
			town = townAt(p, near, towns, &work)
			found[p] = town
		}
		if town != "" {
			cells[location] = town
			located++
		}
	}
	return located
}

// townAt returns the town of most of the nearest points, of which towns has that of each; empty if there are none. It
// looks in circles that grow, as selecting from one takes time by the number of points in it.
func townAt(at geo.Point, near *geo.Index, towns []string, work *geo.Workspace) string {
	var hits []topk.Item
	for radius := nearestTown / 1024; radius <= nearestTown && len(hits) < townVotes; radius *= 4 {
		circle := geo.NewCircle(at, radius)
		hits, _ = near.Select(work, &circle, false, false, 0, townVotes)
	}
	if len(hits) == 0 {
		return ""
	}
	votes := map[string]int{}
	for _, hit := range hits {
		votes[towns[hit.ID]]++
	}
	// The hits are in order of distance, and the first of the best is kept.
	best := slices.MaxFunc(hits, func(a, b topk.Item) int { return cmp.Compare(votes[towns[a.ID]], votes[towns[b.ID]]) })
	return towns[best.ID]
}
