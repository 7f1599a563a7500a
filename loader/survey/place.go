package survey

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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

// minSpaced is the number of pubs required to judge what is far.
const minSpaced = 20

// findPlaces finds pubs at 0°, 0°, swapped ones and far ones. The data determines what is far: see measure.
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
	g.measure(&f.work)
	var outliers []outlier
	for i, pub := range slices.Concat(g.index.Neighbours(), g.colocated) {
		if s, ok := g.judge(pub, g.secondNearest[i]); ok {
			outliers = append(outliers, s)
		}
	}
	slices.SortFunc(outliers, func(a, b outlier) int { return cmp.Compare(a.pub, b.pub) })
	for _, s := range outliers {
		f.add(s.kind, int(s.pub), s.reason)
	}
	return &Spacing{rounded(float64(g.median)), rounded(float64(g.far))}
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
}

func newSpatialIndex(points []geo.Point) *spatialIndex {
	const room, edge = 3, 0.001 / float64(geo.EarthRadius)
	g := &spatialIndex{points: points}
	chosen := slices.Clone(points)
	taken := map[[3]int32]int{}
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
func (g *spatialIndex) measure(w *work) {
	var distances []geo.Kilometres
	radius := geo.Kilometres(1)
	for _, pub := range g.index.Neighbours() {
		w.step()
		nearest := g.others(pub, radius)
		distances, g.secondNearest = append(distances, nearest[0]), append(g.secondNearest, nearest[1])
		radius = max(2*nearest[1], 0.01)
	}
	for range g.colocated {
		w.step()
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
	reason string
}

// crowd is how many times as many pubs must be near the swapped coordinates as near the given ones.
const crowd = 10

// judge checks whether a pub is swapped or far; secondNearest is the distance to its second nearest other pub.
func (g *spatialIndex) judge(pub uint32, secondNearest geo.Kilometres) (outlier, bool) {
	place := g.points[pub]
	if swapped := (geo.Point{Lat: place.Lng, Lng: place.Lat}); g.belongs(swapped, place) {
		return outlier{pub, Swapped, fmt.Sprintf("%v, %v would be %v, %v among the others", place.Lat, place.Lng, swapped.Lat, swapped.Lng)}, true
	}
	if secondNearest <= g.far {
		return outlier{}, false
	}
	reason := fmt.Sprintf("%v, %v has at most one other pub within %.0f km", place.Lat, place.Lng, float64(secondNearest))
	for _, turned := range []geo.Point{{Lat: place.Lat, Lng: -place.Lng}, {Lat: -place.Lat, Lng: place.Lng}} {
		if g.belongs(turned, place) {
			reason += fmt.Sprintf("; %v, %v would be among the others", turned.Lat, turned.Lng)
			break
		}
	}
	return outlier{pub, Far, reason}, true
}

// belongs reports whether the given coordinates are probably a mistake for place: at least crowd times as many pubs
// are near place.
func (g *spatialIndex) belongs(place, given geo.Point) bool {
	if math.Abs(place.Lat) > 90 {
		return false
	}
	there := geo.NewCircle(place, g.far)
	pubs := g.index.Count(&there, false)
	if pubs < crowd {
		return false
	}
	here := geo.NewCircle(given, g.far)
	return pubs >= crowd*g.index.Count(&here, false)
}
