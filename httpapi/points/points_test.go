package points

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// decode decodes a body: labels as "name pubs lat,lng" and points as "lat,lng", in its order, with degrees
// rounded to 3 decimals.
func decode(t testing.TB, body string) (labels, points []string) {
	t.Helper()
	rest := []byte(body)
	next := func() uint64 {
		v, n := binary.Uvarint(rest)
		testkit.StopIf(t, n <= 0, "%q: truncated", body)
		rest = rest[n:]
		return v
	}
	for range next() {
		code, pubs, size := next(), next(), next()
		labels = append(labels, fmt.Sprintf("%s %d %s", rest[:size], pubs, degrees(code)))
		rest = rest[size:]
	}
	code := uint64(0)
	for range next() {
		before := code
		code += next()
		testkit.StopIf(t, code < before, "point %d comes after %d", code, before)
		points = append(points, degrees(code))
	}
	testkit.StopIf(t, len(rest) > 0, "%q: %d bytes left over", body, len(rest))
	return labels, points
}

// degrees returns the latitude and the longitude of the code of a point.
func degrees(code uint64) string {
	const bits, side = 24, 1 << 24
	var x, y float64
	for bit := range bits {
		x += float64(code >> (2 * bit) & 1 << bit)
		y += float64(code >> (2*bit + 1) & 1 << bit)
	}
	lat := math.Atan(math.Sinh((0.5-(y+0.5)/side)*2*math.Pi)) * 180 / math.Pi
	return fmt.Sprintf("%.3f,%.3f", lat, ((x+0.5)/side-0.5)*360)
}

// The body has all points and the labels of places, in the order of their numbers of pubs. For some pubs, it has their
// points.
func TestPoints(t *testing.T) {
	none := math.NaN()
	directory := corpus.Directory{}
	for i, p := range []struct {
		location string
		lat, lng float64
	}{{"Soho", 51.5, -0.1}, {"Soho", 51.51, -0.12}, {"Łódź", 51.759, 19.456}, {"", none, none}, {"Taveuni", -16.8, 179.99}, {"Taveuni", -16.8, -179.99}, {"High St", 90, 0}} {
		directory.Pubs = append(directory.Pubs, schema.Pub{UID: fmt.Sprint(i), Name: fmt.Sprint(i), Location: p.location, Latitude: p.lat, Longitude: p.lng, Ratings: schema.Rated(nil)})
	}
	snapshot := testkit.Must(index.InMemory(directory, index.BuildOptions{}))(t)
	const west, east, pole = "-16.800,179.990", "-16.800,-179.990", "85.051,0.000"
	labels, points := decode(t, string(All(snapshot, Most)))
	slices.Sort(points)
	testkit.Equal(t, "labels", labels, []string{"Soho 2 51.505,-0.110", "High St 1 " + pole, "Taveuni 1 " + east, "Taveuni 1 " + west, "Łódź 1 51.759,19.456"})
	testkit.Equal(t, "points", points, []string{east, west, "51.500,-0.100", "51.510,-0.120", "51.759,19.456", pole})
	labels, points = decode(t, string(Append(nil, snapshot, []uint32{3, 2})))
	testkit.Equal(t, "of two pubs", [][]string{labels, points}, [][]string{nil, {"51.759,19.456"}})
}

// A map has a limited number of points: of more pubs, it has a sample. Every point is the position of a pub.
func TestPointsAreBounded(t *testing.T) {
	const pubs, most = 20_010, 5000
	random := rand.New(rand.NewPCG(1, 2))
	known := map[string]bool{}
	list := make([]schema.Pub, pubs)
	for i := range list {
		at := geo.Point{Lat: 49 + 10*random.Float64(), Lng: -8 + 10*random.Float64()}
		list[i] = schema.Pub{UID: fmt.Sprint(i), Name: "Bell", Location: fmt.Sprintf("Town %c%c", 'a'+i%40, 'a'+i/40%50), Latitude: at.Lat, Longitude: at.Lng,
			Ratings: schema.Rated(nil)}
		known[degrees(newPoint(at).code())] = true
	}
	snapshot := testkit.Must(index.InMemory(corpus.Directory{Pubs: list}, index.BuildOptions{}))(t)
	labels, points := decode(t, string(All(snapshot, most)))
	testkit.FailIf(t, len(points) < most/2 || len(points) > most || len(labels) != MaxLabels, "got %d points with %d labels", len(points), len(labels))
	for _, p := range points {
		testkit.StopIf(t, !known[p], "no pub is at %s", p)
	}
}

// A place in neighbouring cells has one label; two towns with the same name have two. What names no town has none.
func TestLabels(t *testing.T) {
	const side = 1 << (pointBits - cellBits)
	newport := new(place)
	for _, at := range []point{{side - 1, 5}, {side + 1, 5}, {side + 3, 7}, {9 * side, 9 * side}} {
		newport.add(at)
	}
	for location, want := range map[string]bool{"York": true, "Łódź": true, "BT3 41BG": false, "12": false, "Non-geographic": false, "-": false, "": false} {
		testkit.Equal(t, location, isTown([]byte(location)), want)
	}
	var got []string
	for _, l := range labelsOf(map[string]*place{`New\"port`: newport}) {
		got = append(got, fmt.Sprint(string(l.text), l.at, l.pubs))
	}
	testkit.Equal(t, "labels", got, []string{fmt.Sprint(`New"port`, point{side + 1, 5}, 3), fmt.Sprint(`New"port`, point{9 * side, 9 * side}, 1)})
}
