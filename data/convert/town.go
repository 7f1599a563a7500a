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
	// maxSpots bounds the time for a part of the grid.
	maxSpots = 64
	// step is by how many kilometres a place must be nearer than one with more people.
	step geo.Kilometres = 0.5
)

// A spot is where a town is known: that of a pub, or a place of a gazetteer with its population.
type spot struct {
	at     geo.Vector
	town   string
	people float64
}

// A grid has spots, at most maxSpots in each of its parts, which are nearestTown high and at least as wide.
type grid map[[2]int][]spot

const rowsPerDegree = float64(geo.EarthRadius) * math.Pi / 180 / float64(nearestTown)

// column returns where a longitude is in a row.
func column(lng float64, row int) int {
	return int(math.Floor(lng * rowsPerDegree * max(0.01, math.Cos((math.Abs(float64(row))+1)/rowsPerDegree*math.Pi/180))))
}

func (g grid) add(p geo.Point, town string, people float64) {
	row := int(math.Floor(p.Lat * rowsPerDegree))
	part := [2]int{row, column(p.Lng, row)}
	if len(g[part]) < maxSpots {
		g[part] = append(g[part], spot{p.Vector(), town, people})
	}
}

// near returns the distances and the towns of the spots within nearestTown of a point.
func (g grid) near(p geo.Point) (found []distant) {
	at := p.Vector()
	for row := int(math.Floor(p.Lat*rowsPerDegree)) - 1; row <= int(math.Floor(p.Lat*rowsPerDegree))+1; row++ {
		for middle, beside := column(p.Lng, row), -1; beside <= 1; beside++ {
			for i := range g[[2]int{row, middle + beside}] {
				s := &g[[2]int{row, middle + beside}][i]
				if apart := geo.Distance(at, s.at); apart <= nearestTown {
					found = append(found, distant{apart, s})
				}
			}
		}
	}
	return found
}

type distant struct {
	apart geo.Kilometres
	*spot
}

// mostNear returns the town of most of the nearest spots; between equally many, that of the nearest. It is empty if
// there are none.
func mostNear(spots []distant) string {
	slices.SortStableFunc(spots, func(a, b distant) int { return cmp.Compare(a.apart, b.apart) })
	spots = spots[:min(len(spots), townVotes)]
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
func nearestPlace(places []distant) string {
	if len(places) == 0 {
		return ""
	}
	return slices.MinFunc(places, func(a, b distant) int {
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
	all, lacking := 0, 0
	for _, cells := range d.rows {
		if cells[lat] != "" {
			if all++; cells[location] == "" {
				lacking++
			}
		}
	}
	if lacking == 0 || towns == TownsIfFew && gazetteer == nil && 2*lacking < all {
		return 0
	}
	places, pubs := grid{}, grid{}
	for _, place := range gazetteer {
		places.add(place.At, place.Name, place.Population)
	}
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
	for row, p := range missing {
		d.rows[row][location] = cmp.Or(nearestPlace(places.near(p)), mostNear(pubs.near(p)))
		if d.rows[row][location] != "" {
			located++
		}
	}
	return located
}
