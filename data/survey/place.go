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
func rounded(value float64) float64 { return math.Round(value*1e4) / 1e4 }

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
	g.measure()
	spacing := &Spacing{rounded(float64(g.median)), rounded(float64(g.far))}
	g.land = newLand(f.points)
	if whole, ok := g.land.judge(f.points); ok {
		f.whole = append(f.whole, whole)
		return spacing
	}
	for _, o := range g.outliers() {
		f.add(o.kind, int(o.pub), o.reason)
	}
	return spacing
}

// outliers returns the pubs that are not where they should be, in the order of the directory. Those in the sea are
// judged first, because what many of them have in common is what others may have.
func (g *spatialIndex) outliers() (all []outlier) {
	pubs := slices.Concat(g.index.Neighbours(), g.colocated)
	judge := func(inSea bool) (found []outlier) {
		for i, pub := range pubs {
			if g.land.sea[pub] == inSea {
				if o, ok := g.judge(pub, g.secondNearest[i]); ok {
					found = append(found, o)
				}
			}
		}
		return found
	}
	common := map[*correction]int{}
	for _, o := range judge(true) {
		common[o.by]++
	}
	for c, count := range common {
		g.isCommon[c] = isGroup(count, g.land.located)
	}
	all = append(judge(true), judge(false)...)
	slices.SortFunc(all, func(a, b outlier) int { return cmp.Compare(a.pub, b.pub) })
	return all
}

// spatialIndex has the positions of the pubs and the distances between them.
type spatialIndex struct {
	points []geo.Point
	// index has at most three pubs per cubic metre, because many pubs at almost the same place are slow to
	// distinguish. The others are in colocated.
	index     *geo.Index
	colocated []uint32
	scratch   geo.Workspace
	// secondNearest is the distance to the second nearest other pub: one mistake may be next to another.
	secondNearest []geo.Kilometres
	median, far   geo.Kilometres
	land          *land
	isCommon      map[*correction]bool // whether it is what many pubs in the sea need
}

func newSpatialIndex(points []geo.Point) *spatialIndex {
	const room, edge = 3, 0.001 / float64(geo.EarthRadius)
	g := &spatialIndex{points: points, isCommon: map[*correction]bool{}}
	chosen := slices.Clone(points)
	taken := make(map[[3]int32]int, len(points))
	for i, p := range points {
		v := p.Vector()
		if math.IsNaN(v.X) {
			continue
		}
		cube := [3]int32{int32(math.Floor(v.X / edge)), int32(math.Floor(v.Y / edge)), int32(math.Floor(v.Z / edge))}
		if taken[cube]++; taken[cube] > room {
			g.colocated = append(g.colocated, uint32(i))
			chosen[i] = geo.Point{Lat: math.NaN(), Lng: math.NaN()}
		}
	}
	g.index = geo.NewIndex(chosen, func(uint32) bool { return false })
	return g
}

// minFar is for a country without empty regions.
const minFar geo.Kilometres = 50

// measure sets what is far: twenty times the distance within which nine of ten pubs have another one, at least 50 km.
// A few wrong places do not change it.
func (g *spatialIndex) measure() {
	var distances []geo.Kilometres
	radius := geo.Kilometres(1)
	for _, pub := range g.index.Neighbours() {
		nearest := g.others(pub, radius)
		distances, g.secondNearest = append(distances, nearest[0]), append(g.secondNearest, nearest[1])
		radius = max(2*nearest[1], 0.01)
	}
	for range g.colocated {
		distances, g.secondNearest = append(distances, 0), append(g.secondNearest, 0)
	}
	slices.Sort(distances)
	g.median, g.far = distances[len(distances)/2], max(minFar, 20*distances[len(distances)*9/10])
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

// outlier is a pub that is not where it should be.
type outlier struct {
	pub    uint32
	kind   Kind
	by     *correction // nil unless the corrected coordinates are among the others
	reason string
}

// A correction undoes a mistake of the coordinates.
type correction struct {
	kind   Kind
	column string
	of     func(p geo.Point) geo.Point
}

// corrections are ordered by how usual the mistakes are.
var corrections = [...]correction{
	{Swapped, "", func(p geo.Point) geo.Point { return geo.Point{Lat: p.Lng, Lng: p.Lat} }},
	{Sign, "longitude", func(p geo.Point) geo.Point { return geo.Point{Lat: p.Lat, Lng: -p.Lng} }},
	{Sign, "latitude", func(p geo.Point) geo.Point { return geo.Point{Lat: -p.Lat, Lng: p.Lng} }},
	{Sign, "", func(p geo.Point) geo.Point { return geo.Point{Lat: -p.Lat, Lng: -p.Lng} }},
}

// crowd is how many times as many pubs must be near the corrected coordinates as near the given ones.
const crowd = 10

// judge checks whether a pub is not where it should be; secondNearest is the distance to its second nearest other pub.
// A pub in the sea, or abroad, is wrong if the corrected place is among the others. Elsewhere, the given place must be
// rather empty, and a sign is only doubted if hardly any pub is abroad: many a town has others on the opposite side of
// the Earth.
func (g *spatialIndex) judge(pub uint32, secondNearest geo.Kilometres) (outlier, bool) {
	place, inSea := g.points[pub], g.land.sea[pub]
	isFar := secondNearest > g.far
	isAbroad := !inSea && g.land.isAbroad(pub, place)
	var best *correction
	var at geo.Point
	for i := range corrections {
		c := &corrections[i]
		corrected := c.of(place)
		if math.Abs(corrected.Lat) > 90 {
			continue
		}
		var is bool
		switch {
		case (inSea || isAbroad) && g.isCommon[c]:
			is = g.land.isNearHome(corrected, offshore) || g.isCrowded(corrected)
		case inSea:
			is = g.isCrowded(corrected)
		case c.kind == Swapped || isAbroad && g.land.isNational():
			is = g.belongs(corrected, place)
		case best != nil: // what seems to be exchanged may be among others whose sign is wrong
			is = true
		}
		if is && (best == nil || g.near(corrected) > g.near(at)) {
			best, at = c, corrected
		}
	}
	if best != nil && (best.kind == Swapped || inSea || isAbroad) {
		return outlier{pub, best.kind, best, fmt.Sprintf("%v, %v would be %v, %v among the others", place.Lat, place.Lng, at.Lat, at.Lng)}, true
	}
	switch {
	case inSea:
		return outlier{pub, Sea, nil, fmt.Sprintf("%v, %v is more than %v km from any land", place.Lat, place.Lng, float64(offshore))}, true
	case isAbroad && g.land.isNational() && g.land.isRare(pub):
		return outlier{pub, Country, nil, fmt.Sprintf("%v, %v is in %s, nearly all others are in %s", place.Lat, place.Lng, g.land.country[pub], strings.Join(g.land.home, " or "))}, true
	case !isFar:
		return outlier{}, false
	}
	reason := fmt.Sprintf("%v, %v has at most one other pub within %.0f km", place.Lat, place.Lng, float64(secondNearest))
	for _, c := range corrections {
		if turned := c.of(place); c.kind == Sign && g.belongs(turned, place) {
			reason += fmt.Sprintf("; %v, %v would be among the others", turned.Lat, turned.Lng)
			break
		}
	}
	return outlier{pub, Far, nil, reason}, true
}

// near counts the pubs that are not far from a place.
func (g *spatialIndex) near(place geo.Point) int {
	circle := geo.NewCircle(place, g.far)
	return g.index.Count(&circle, false)
}

// isCrowded reports whether a place on land is among the pubs.
func (g *spatialIndex) isCrowded(place geo.Point) bool {
	return g.near(place) >= crowd && !isSea(place)
}

// belongs reports whether the given coordinates are probably a mistake for place: at least crowd times as many pubs
// are near place.
func (g *spatialIndex) belongs(place, given geo.Point) bool {
	if math.Abs(place.Lat) > 90 {
		return false
	}
	pubs := g.near(place)
	return pubs >= crowd && pubs >= crowd*g.near(given)
}
