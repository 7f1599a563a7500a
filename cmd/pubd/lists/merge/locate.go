package merge

import (
	"cmp"
	"math"
	"slices"

	"pubd/cmd/pubd/lists/cell"
	"pubd/geo"
	"pubd/index/corpus"
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

// A yard is a square of about a metre, in which all points are taken for one.
type yard [2]int32

func yardOf(p geo.Point) yard {
	return yard{int32(math.Round(p.Lat * 1e5)), int32(math.Round(p.Lng * 1e5))}
}

// A spotMap has spots, at most as many in a yard as are asked for, and finds those near a point once all were added.
type spotMap struct {
	most    int
	yards   map[yard]int
	points  []geo.Point
	spots   []spot
	index   *geo.Index
	scratch geo.Workspace
}

func (m *spotMap) add(p geo.Point, town string, people float64) {
	if at := yardOf(p); m.yards[at] < m.most {
		m.yards[at]++
		m.points, m.spots = append(m.points, p), append(m.spots, spot{town: town, people: people})
	}
}

// near returns the nearest spots within nearestTown of a point, the nearest first. It looks further until there are
// enough, as there may be very many within all of that.
func (m *spotMap) near(p geo.Point) (found []spot) {
	if m.index == nil {
		m.index = geo.NewIndex(m.points, func(uint32) bool { return false })
	}
	for radius := nearestTown / 256; len(found) < m.most && radius <= nearestTown; radius *= 4 {
		found = found[:0]
		circle := geo.NewCircle(p, radius)
		hits, _ := m.index.Select(&m.scratch, &circle, false, false, 0, m.most)
		for _, hit := range hits {
			s := m.spots[hit.ID]
			s.apart = m.index.Distance(&circle, hit)
			found = append(found, s)
		}
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
func (d *Draft) locate(towns Towns, gazetteer []corpus.GazetteerPlace) (located int) {
	location := slices.Index(d.columns, cell.LocationColumn)
	if location < 0 || !slices.Contains(d.columns, cell.LatitudeColumn) || towns == TownsOfList {
		return 0
	}
	places, pubs := spotMap{most: maxPlaces, yards: map[yard]int{}}, spotMap{most: townVotes, yards: map[yard]int{}}
	type nameless struct {
		row int
		at  geo.Point
	}
	var lacking []nameless
	told := 0
	for row, cells := range d.rows {
		p, ok := d.point(cells)
		switch {
		case !ok:
		case cells[location] == "":
			lacking = append(lacking, nameless{row, p})
		case len(d.guessed) == 0 || !d.guessed[row]:
			pubs.add(p, cells[location], 0)
			told++
		}
	}
	if len(lacking) == 0 || towns == TownsIfFew && gazetteer == nil && len(lacking) < told {
		return 0
	}
	for _, place := range gazetteer {
		places.add(place.At, place.Name, place.Population)
	}
	known := map[yard]string{}
	for _, n := range lacking {
		town, ok := known[yardOf(n.at)]
		if !ok {
			town = cmp.Or(nearestPlace(places.near(n.at)), mostNear(pubs.near(n.at)))
			known[yardOf(n.at)] = town
		}
		if town != "" {
			d.rows[n.row][location] = town
			located++
		}
	}
	return located
}
