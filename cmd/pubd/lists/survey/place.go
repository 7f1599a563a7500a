package survey

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pubd/geo"
	"pubd/geo/topk"
)

// Spacing describes the distances from pubs to their nearest neighbours.
type Spacing struct {
	// Median is in kilometres.
	Median float64 `json:"median_km"`
	// Far is the distance in kilometres beyond which a pub is far from all others.
	Far float64 `json:"far_km"`
}

// rounded rounds a number to four decimals.
func rounded(value geo.Kilometres) float64 { return math.Round(float64(value)*1e4) / 1e4 }

// minSpaced is the number of pubs required to judge what is far.
const minSpaced = 20

// findPlaces finds pubs at 0°, 0°, and those that are not where they should be. The data determines what is far: see
// measure.
func (f *finder) findPlaces() *Spacing {
	for i, p := range f.points {
		// Within some 100 m.
		if math.Abs(p.Lat) < 0.001 && math.Abs(p.Lng) < 0.001 {
			f.add(Zero, i, fmt.Sprintf("%v, %v is a point in the Gulf of Guinea", p.Lat, p.Lng))
			f.points[i] = geo.Point{Lat: math.NaN(), Lng: math.NaN()}
		}
	}
	g := newSpatialIndex(f.points)
	if len(g.index.Neighbours()) < minSpaced {
		return nil
	}
	median := g.measure()
	spacing := &Spacing{rounded(median), rounded(g.far)}
	g.land = newLand(f.points)
	if whole, ok := g.land.judge(f.points); ok {
		f.whole = append(f.whole, whole)
		return spacing
	}
	for i, p := range f.points {
		if math.IsNaN(p.Lat) {
			continue
		}
		if kind, reason := g.judge(i, p); reason != "" {
			f.add(kind, i, reason)
		}
	}
	return spacing
}

// spatialIndex has the positions of the pubs and the distances between them.
type spatialIndex struct {
	points []geo.Point
	// index has at most three pubs per cubic metre, because many pubs at almost the same place are slow to
	// distinguish. The others are only counted.
	index     *geo.Index
	colocated int
	scratch   geo.Workspace
	// secondNearest is the distance to the second nearest other pub, by pub: one mistake may be next to another. It is 0
	// for the pubs that index has not.
	secondNearest []geo.Kilometres
	far           geo.Kilometres
	land          *land
}

func newSpatialIndex(points []geo.Point) *spatialIndex {
	const room, edge = 3, 0.001 / float64(geo.EarthRadius)
	g := &spatialIndex{points: points, secondNearest: make([]geo.Kilometres, len(points))}
	chosen := slices.Clone(points)
	taken := make(map[[3]int32]int, len(points))
	for i, p := range points {
		v := p.Vector()
		if math.IsNaN(v.X) {
			continue
		}
		cube := [3]int32{int32(math.Floor(v.X / edge)), int32(math.Floor(v.Y / edge)), int32(math.Floor(v.Z / edge))}
		if taken[cube]++; taken[cube] > room {
			g.colocated++
			chosen[i] = geo.Point{Lat: math.NaN(), Lng: math.NaN()}
		}
	}
	g.index = geo.NewIndex(chosen, func(uint32) bool { return false })
	return g
}

// minFar is for a country without empty regions.
const minFar geo.Kilometres = 50

// measure sets what is far: twenty times the distance within which nine of ten pubs have another one, at least 50 km.
// A few wrong places do not change it. It returns the median of the distances.
func (g *spatialIndex) measure() (median geo.Kilometres) {
	distances := make([]geo.Kilometres, g.colocated)
	radius := geo.Kilometres(1)
	for _, pub := range g.index.Neighbours() {
		nearest := g.others(pub, radius)
		distances, g.secondNearest[pub] = append(distances, nearest[0]), nearest[1]
		radius = max(2*nearest[1], 0.01)
	}
	slices.Sort(distances)
	g.far = max(minFar, 20*distances[len(distances)*9/10])
	return distances[len(distances)/2]
}

// others returns the distances of the two nearest other pubs. It searches within radius first, and then farther and
// farther.
func (g *spatialIndex) others(pub uint32, radius geo.Kilometres) (nearest [2]geo.Kilometres) {
	const world = 4 * geo.EarthRadius // more than half of the circumference
	for ; ; radius *= 4 {
		circle := geo.NewCircle(g.points[pub], min(radius, world))
		hits, total := g.index.Select(&g.scratch, &circle, false, false, 0, len(nearest)+1)
		if total <= len(nearest) {
			continue
		}
		// With several pubs in one place, the pub itself may not be the first.
		hits = slices.DeleteFunc(hits, func(found topk.Item) bool { return found.ID == pub })
		for i := range nearest {
			nearest[i] = g.index.Distance(&circle, hits[i])
		}
		return nearest
	}
}

// A correction undoes a mistake of the coordinates.
type correction struct {
	kind   Kind
	column string
	of     func(p geo.Point) geo.Point
	// What to say if all rows need it: what is wrong, that it is corrected, and how to.
	wrong, done, advice string
}

// corrections are ordered by how usual the mistakes are.
var corrections = [...]correction{
	{Swapped, "", func(p geo.Point) geo.Point { return geo.Point{Lat: p.Lng, Lng: p.Lat} },
		"latitude and longitude are probably exchanged", "exchanged", "swap the names of the two columns"},
	signCorrection("longitude", func(p geo.Point) geo.Point { return geo.Point{Lat: p.Lat, Lng: -p.Lng} }),
	signCorrection("latitude", func(p geo.Point) geo.Point { return geo.Point{Lat: -p.Lat, Lng: p.Lng} }),
	signCorrection("", func(p geo.Point) geo.Point { return geo.Point{Lat: -p.Lat, Lng: -p.Lng} }),
}

func signCorrection(column string, of func(geo.Point) geo.Point) correction {
	name := cmp.Or(column, "latitude and longitude")
	return correction{Sign, column, of, "minus signs of " + name + " are probably lost", "with the other sign of " + name,
		"write the minus signs that were lost"}
}

// crowd is how many pubs must be near the corrected coordinates, and how many times as many as near the given ones.
const crowd = 10

// judge says why a pub is not where it should be; the reason is empty if it may be there. A pub in the sea, abroad or
// far from all others is wrong if the corrected place is among the others. On land, the given place must be rather
// empty, and a sign is only doubted abroad: many a town has others on the opposite side of the Earth.
func (g *spatialIndex) judge(pub int, place geo.Point) (kind Kind, reason string) {
	isSea, isAbroad := g.land.sea[pub], g.land.abroad[pub] && g.land.isNational()
	isFar := g.secondNearest[pub] > g.far
	if !isSea && !isAbroad && !isFar {
		return "", ""
	}
	most, among := crowd-1, ""
	for _, c := range corrections {
		at := c.of(place)
		if math.Abs(at.Lat) > 90 {
			continue
		}
		if pubs := g.near(at); pubs > most && (isSea && !isOffshore(at) || !isSea && pubs >= crowd*g.near(place)) {
			kind, most, among = c.kind, pubs, fmt.Sprintf("%v, %v", at.Lat, at.Lng)
		}
	}
	given := fmt.Sprintf("%v, %v", place.Lat, place.Lng)
	switch {
	case kind == Swapped || among != "" && (isSea || isAbroad):
		return kind, given + " would be " + among + " among the others"
	case isSea:
		return Sea, fmt.Sprintf("%s is more than %v km from any land", given, float64(offshore))
	case isAbroad && g.land.isRare(pub):
		home := strings.Join(g.land.home, " or ")
		return Country, fmt.Sprintf("%s is in %s, nearly all others are in %s", given, g.land.country[pub], home)
	case !isFar:
		return "", ""
	}
	reason = fmt.Sprintf("%s has at most one other pub within %.0f km", given, float64(g.secondNearest[pub]))
	if among != "" {
		reason += "; " + among + " would be among the others"
	}
	return Far, reason
}

// near counts the pubs that are not far from a place.
func (g *spatialIndex) near(place geo.Point) int {
	circle := geo.NewCircle(place, g.far)
	return g.index.Count(&circle, false)
}
