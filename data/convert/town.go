package convert

import (
	"cmp"
	"math"
	"slices"

	"pubd/geo"
	"pubd/index"
)

// Towns says which pubs with coordinates but without a location get one.
type Towns string

// The choices.
const (
	TownsIfFew  Towns = ""        // all, if that is half of the pubs with coordinates or more, or if there are Places
	TownsOfList Towns = "none"    // none
	TownsOfAll  Towns = "nearest" // all
)

const (
	// nearestTown is within how many kilometres a town is taken from.
	nearestTown geo.Kilometres = 3
	// townVotes is how many of the nearest pubs say it.
	townVotes = 5
	// maxPlaces is how many of the nearest places are looked at.
	maxPlaces = 64
	// step is by how many kilometres a place must be nearer than one with more people.
	step geo.Kilometres = 0.5
)

// A spot is where a town is known: that of a pub, or a place of a gazetteer with its population.
type spot struct {
	town   string
	people float64
	apart  geo.Kilometres // from where it was asked for
}

// A spotMap has spots, and finds those near a point once all were added.
type spotMap struct {
	points  []geo.Point
	spots   []spot
	index   *geo.Index
	scratch geo.Workspace
}

func (m *spotMap) add(p geo.Point, town string, people float64) {
	m.points, m.spots = append(m.points, p), append(m.spots, spot{town: town, people: people})
}

// near returns up to most of the nearest spots within nearestTown of a point, the nearest first.
func (m *spotMap) near(p geo.Point, most int) (found []spot) {
	if m.index == nil {
		m.index = geo.NewIndex(m.points, func(uint32) bool { return false })
	}
	circle := geo.NewCircle(p, nearestTown)
	hits, _ := m.index.Select(&m.scratch, &circle, false, false, 0, most)
	for _, hit := range hits {
		s := m.spots[hit.ID]
		s.apart = m.index.Distance(&circle, hit)
		found = append(found, s)
	}
	return found
}

// mostNear returns the town of most of some spots; between equally many, that of the first. It is empty if there are
// none.
func mostNear(spots []spot) string {
	votes := map[string]int{}
	best := ""
	for _, s := range spots {
		votes[s.town]++
	}
	for _, s := range spots {
		if best == "" || votes[s.town] > votes[best] {
			best = s.town
		}
	}
	return best
}

// nearestPlace returns the nearest of some places; of those that are about as near, the one with most people.
func nearestPlace(places []spot) string {
	if len(places) == 0 {
		return ""
	}
	return slices.MinFunc(places, func(a, b spot) int {
		return cmp.Or(cmp.Compare(math.Floor(float64(a.apart/step)), math.Floor(float64(b.apart/step))), cmp.Compare(b.people, a.people), cmp.Compare(a.apart, b.apart))
	}).town
}

// locate gives pubs with coordinates but without a location that of a place of the gazetteer, or of their neighbours. It
// returns how many it gave one. It takes time in proportion to the number of pubs.
func (d *draft) locate(towns Towns, gazetteer []index.GazetteerPlace) (located int) {
	location, lat, lng := slices.Index(d.columns, locationColumn), slices.Index(d.columns, latitudeColumn), slices.Index(d.columns, longitudeColumn)
	if location < 0 || lat < 0 || towns == TownsOfList {
		return 0
	}
	var places, pubs spotMap
	missing := map[int]geo.Point{} // by row
	for row, cells := range d.rows {
		north, ok := index.ParseDecimal([]byte(cells[lat]))
		east, also := index.ParseDecimal([]byte(cells[lng]))
		switch p := (geo.Point{Lat: north, Lng: east}); {
		case !ok || !also:
		case cells[location] == "":
			missing[row] = p
		default:
			pubs.add(p, cells[location], 0)
		}
	}
	if len(missing) == 0 || towns == TownsIfFew && gazetteer == nil && len(missing) < len(pubs.spots) {
		return 0
	}
	for _, place := range gazetteer {
		places.add(place.At, place.Name, place.Population)
	}
	for row, p := range missing {
		d.rows[row][location] = cmp.Or(nearestPlace(places.near(p, maxPlaces)), mostNear(pubs.near(p, townVotes)))
		if d.rows[row][location] != "" {
			located++
		}
	}
	return located
}
