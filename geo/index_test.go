package geo_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/geo/topk"
)

// oracle answers queries by scanning all points.
type oracle struct {
	points []geo.Point
	marked func(uint32) bool
	center geo.Point // of the current circle
}

func (o *oracle) hits(c *geo.Circle, marked, descending bool) []topk.Item {
	var hits []topk.Item
	for i, p := range o.points {
		v := p.Vector()
		if c.Contains(v) && (!marked || o.marked(uint32(i))) {
			hits = append(hits, topk.Item{Key: c.ChordSquared(v), ID: uint32(i)})
		}
	}
	turn := func(order int) int {
		if descending {
			return -order
		}
		return order
	}
	slices.SortFunc(hits, func(a, b topk.Item) int {
		return cmp.Or(turn(cmp.Compare(a.Key, b.Key)), cmp.Compare(a.ID, b.ID))
	})
	// Hits within a thousandth of a millimetre of each other are ordered by the haversine formula.
	close := func(a, b topk.Item) bool {
		x, y := max(a.Key, b.Key), min(a.Key, b.Key)
		return x-y <= (2*math.Sqrt(x)+1e-9/float64(geo.EarthRadius))*1e-9/float64(geo.EarthRadius)
	}
	for low := 0; low < len(hits); {
		end := low + 1
		for end < len(hits) && close(hits[end-1], hits[end]) {
			end++
		}
		if hits[low].Key != hits[end-1].Key {
			slices.SortFunc(hits[low:end], func(a, b topk.Item) int {
				x, y := haversine(o.center, o.points[a.ID]), haversine(o.center, o.points[b.ID])
				return cmp.Or(turn(cmp.Compare(x, y)), cmp.Compare(a.ID, b.ID))
			})
		}
		low = end
	}
	return hits
}

// check compares every operation on one circle with the oracle.
func (o *oracle) check(t testkit.TB, x *geo.Index, s *geo.Workspace, center geo.Point, radius geo.Kilometres, marked, descending bool, first, n int) {
	t.Helper()
	c := geo.NewCircle(center, radius)
	o = &oracle{o.points, o.marked, center}
	want := o.hits(&c, marked, descending)
	if got := x.Count(&c, marked); got != len(want) {
		t.Fatalf("Count(%v, %v km, marked %v) of %d = %d, want %d", center, radius, marked, x.Len(), got, len(want))
	}
	if got := x.CountWhole(&c, marked); got > len(want) {
		t.Fatalf("CountWhole(%v, %v km, marked %v) of %d = %d, want at most %d", center, radius, marked, x.Len(), got, len(want))
	}
	members := x.AppendWithin([]uint32{math.MaxUint32}, &c, marked)
	slices.Sort(members)
	ordinals := make([]uint32, 0, len(want)+1)
	for _, h := range want {
		ordinals = append(ordinals, h.ID)
	}
	slices.Sort(ordinals)
	if ordinals = append(ordinals, math.MaxUint32); !slices.Equal(members, ordinals) {
		t.Fatalf("AppendWithin(%v, %v km, marked %v) of %d = %v, want %v", center, radius, marked, x.Len(), members, ordinals)
	}
	testkit.StopIf(t, !marked && x.Covers(&c) && slices.ContainsFunc(o.points, func(p geo.Point) bool { return isKnown(p) && !c.Contains(p.Vector()) }),
		"Covers(%v, %v km) of %d, but not %d of them", center, radius, x.Len(), x.Len()-len(want))
	byOrdinal := func(a, b topk.Item) int { return cmp.Compare(a.ID, b.ID) }
	inside := make([]uint64, (x.Len()+63)/64)
	var among []topk.Item
	for _, h := range want {
		if h.ID%3 != 1 {
			among = append(among, h)
			inside[h.ID/64] |= 1 << (h.ID % 64)
		}
	}
	slices.SortFunc(among, byOrdinal)
	if first < len(among) && n > 0 {
		got := slices.Clone(x.SelectAmong(s, &c, inside, len(among), descending, first, n))
		if want := x.SelectFrom(&c, among, descending, first, n); !slices.Equal(got, want) {
			t.Fatalf("SelectAmong(%v, %v km, descending %v, first %d, n %d) of %d = %v, want %v", center, radius, descending, first, n, x.Len(), got, want)
		}
	}
	page := want[min(first, len(want)):]
	page = page[:min(n, len(page))]
	got, total := x.Select(s, &c, marked, descending, first, n)
	if total != len(want) || !slices.Equal(got, page) {
		t.Fatalf("Select(%v, %v km, marked %v, descending %v, first %d, n %d) of %d = %v, %d, want %v, %d",
			center, radius, marked, descending, first, n, x.Len(), got, total, page, len(want))
	}
	// The oracle's hits are sorted by distance; a caller would pass them by ordinal.
	page = slices.Clone(page)
	slices.SortFunc(want, byOrdinal)
	if got := x.SelectFrom(&c, want, descending, first, n); !slices.Equal(got, page) && len(got)+len(page) > 0 {
		t.Fatalf("SelectFrom(descending %v, first %d, n %d) = %v, want %v", descending, first, n, got, page)
	}
}

var landmarks = []geo.Point{
	{Lat: 90, Lng: 0}, {Lat: 90, Lng: 77}, {Lat: -90, Lng: 0}, {Lat: -90, Lng: -180}, {Lat: 0, Lng: 0}, {Lat: 0, Lng: 180}, {Lat: 0, Lng: -180},
	{Lat: 51.5074, Lng: -0.1278}, {Lat: -51.5074, Lng: 179.8722}, {Lat: -16.8, Lng: 179.99}, {Lat: -16.8, Lng: -179.99},
	{Lat: 0, Lng: 90}, {Lat: 0, Lng: -90}, {Lat: 89.9999, Lng: 12}, {Lat: 89.9999, Lng: -168}, {Lat: -89.999, Lng: 180},
	{Lat: 45, Lng: 45}, {Lat: -45, Lng: -135}, {Lat: math.NaN(), Lng: math.NaN()},
}

var london = geo.Point{Lat: 51.5074, Lng: -0.1278}

// towns returns n points around 400 towns of Britain, of which a few have most of them.
func towns(rng *rand.Rand, n int) []geo.Point {
	centers := []geo.Point{london}
	for len(centers) < 400 {
		centers = append(centers, geo.Point{Lat: 50.2 + 6*rng.Float64(), Lng: -4.5 + 5.5*rng.Float64()})
	}
	points := make([]geo.Point, n)
	for i := range points {
		points[i] = near(rng, centers[int(20*rng.ExpFloat64())%len(centers)], 0.05)
	}
	return points
}

func near(rng *rand.Rand, p geo.Point, degrees float64) geo.Point {
	p.Lat = max(-90, min(90, p.Lat+degrees*rng.NormFloat64()))
	p.Lng += degrees * rng.NormFloat64()
	return geo.Point{Lat: p.Lat, Lng: math.Mod(p.Lng+540, 360) - 180}
}

// scatter returns n points in one of several distributions, all of which have many ties.
func scatter(rng *rand.Rand, n int) []geo.Point {
	kind := rng.IntN(6)
	center := landmarks[rng.IntN(len(landmarks)-1)]
	points := make([]geo.Point, n)
	for i := range points {
		switch {
		case kind == 0:
			points[i] = center
		case kind == 1 || rng.IntN(16) == 0:
			points[i] = landmarks[rng.IntN(len(landmarks))]
		case kind == 2:
			points[i] = near(rng, center, 1e-7)
		case kind == 3:
			points[i] = near(rng, landmarks[rng.IntN(len(landmarks)-1)], 0.2)
		case kind == 4:
			points[i] = geo.Point{Lat: float64(rng.IntN(19)*10 - 90), Lng: float64(rng.IntN(37)*10 - 180)}
		default:
			points[i] = geo.Point{Lat: 180/math.Pi*math.Asin(2*rng.Float64()-1) + 0, Lng: 360*rng.Float64() - 180}
		}
	}
	return points
}

func someRadius(rng *rand.Rand, center, rim geo.Point) geo.Kilometres {
	switch rng.IntN(8) {
	case 0:
		return 0
	case 1:
		return geo.Kilometres(rng.Float64() * 30000)
	case 2:
		return geo.Kilometres(math.Pi) * geo.EarthRadius * geo.Kilometres(rng.IntN(5)) / 4
	case 3, 4:
		if d := geo.Distance(center.Vector(), rim.Vector()); d >= 0 {
			return d
		}
	}
	return geo.Kilometres(math.Exp(rng.Float64()*28 - 18))
}

func isKnown(p geo.Point) bool { return !math.IsNaN(p.Lat) }

func everyThird(ordinal uint32) bool { return ordinal%3 == 1 }

func checkRandomly(t testkit.TB, rng *rand.Rand, o *oracle, x *geo.Index, s *geo.Workspace) {
	t.Helper()
	center := near(rng, landmarks[rng.IntN(len(landmarks)-1)], 0.1)
	if len(o.points) > 0 && rng.IntN(2) == 0 {
		if center = o.points[rng.IntN(len(o.points))]; math.IsNaN(center.Lat) {
			center = geo.Point{}
		}
	}
	if rng.IntN(4) == 0 {
		center = geo.Point{Lat: -center.Lat, Lng: math.Mod(center.Lng+360, 360) - 180}
	}
	rim := geo.Point{Lat: math.NaN(), Lng: math.NaN()}
	if len(o.points) > 0 {
		rim = o.points[rng.IntN(len(o.points))]
	}
	first, n := rng.IntN(len(o.points)+2), rng.IntN(60)
	switch rng.IntN(8) {
	case 0, 1, 2:
		first = 0
	case 3:
		n = math.MaxInt
	case 4:
		first = math.MaxInt - rng.IntN(3)
	}
	o.check(t, x, s, center, someRadius(rng, center, rim), rng.IntN(3) == 0, rng.IntN(2) == 0, first, n)
}

func TestIndexAgreesWithScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s geo.Workspace
	for range testkit.Pick(40, 120) {
		n := int(math.Exp(rng.Float64() * 8.7))
		o := &oracle{points: scatter(rng, n-1), marked: everyThird}
		x := geo.NewIndex(o.points, o.marked)
		for range 60 {
			checkRandomly(t, rng, o, x, &s)
		}
	}
}

func TestOpenRejectsInconsistentArrays(t *testing.T) {
	pack := func() geo.Flat { return geo.Pack(towns(rand.New(rand.NewPCG(1, 2)), 2000), everyThird) }
	for name, damage := range map[string]func(f *geo.Flat){
		"fewer points":            func(f *geo.Flat) { f.Points = f.Points[1:] },
		"fewer vectors":           func(f *geo.Flat) { f.All.Vectors = f.All.Vectors[1:] },
		"fewer blocks":            func(f *geo.Flat) { f.All.Blocks = f.All.Blocks[1:] },
		"fewer groups":            func(f *geo.Flat) { f.Marked.Groups = f.Marked.Groups[1:] },
		"an ordinal too large":    func(f *geo.Flat) { f.All.Ordinals[7] = 2000 },
		"a rectangle of NaN":      func(f *geo.Flat) { f.All.Rectangles[1].West = math.NaN() },
		"no bounding cap":         func(f *geo.Flat) { f.All.Whole = nil },
		"a rectangle past a pole": func(f *geo.Flat) { f.Marked.Rectangles[0].North = 91 },
	} {
		flat := pack()
		damage(&flat)
		if _, err := geo.Open(flat); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, err := geo.Open(pack()); err != nil {
		t.Error(err)
	}
}

// Of 1,000 points from the centre to 111 km east of it, the nearest 512 are a group and the others are another.
func TestCountWholeCountsGroups(t *testing.T) {
	var points []geo.Point
	for i := range 1000 {
		points = append(points, geo.Point{Lat: 0, Lng: float64(i) / 1000})
	}
	x := geo.NewIndex(points, func(ordinal uint32) bool { return ordinal < 512 })
	for _, c := range []struct {
		radius      geo.Kilometres
		all, marked int
	}{{50, 0, 0}, {70, 512, 512}, {100, 512, 512}, {120, 1000, 512}, {1e9, 1000, 512}} {
		circle := geo.NewCircle(geo.Point{}, c.radius)
		if all, marked := x.CountWhole(&circle, false), x.CountWhole(&circle, true); all != c.all || marked != c.marked {
			t.Errorf("within %v km: %d and %d, want %d and %d", c.radius, all, marked, c.all, c.marked)
		}
	}
}
