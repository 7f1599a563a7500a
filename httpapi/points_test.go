package httpapi

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/httpapi/params"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// A decodedMap is a decoded body of points, in its order, with degrees rounded to 3 decimals.
type decodedMap struct {
	labels []string // "name pubs lat,lng"
	points []string // "lat,lng"
}

func decodeMap(t testing.TB, body string) (m decodedMap) {
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
		m.labels = append(m.labels, fmt.Sprintf("%s %d %s", rest[:size], pubs, degrees(code)))
		rest = rest[size:]
	}
	code := uint64(0)
	for range next() {
		before := code
		code += next()
		testkit.StopIf(t, code < before, "point %d comes after %d", code, before)
		m.points = append(m.points, degrees(code))
	}
	testkit.StopIf(t, len(rest) > 0, "%q: %d bytes left over", body, len(rest))
	return m
}

func degrees(code uint64) string {
	const side = 1 << pointBits
	var x, y float64
	for bit := range pointBits {
		x += float64(code >> (2 * bit) & 1 << bit)
		y += float64(code >> (2*bit + 1) & 1 << bit)
	}
	lat := math.Atan(math.Sinh((0.5-(y+0.5)/side)*2*math.Pi)) * 180 / math.Pi
	return fmt.Sprintf("%.3f,%.3f", lat, ((x+0.5)/side-0.5)*360)
}

func points(query string, headers ...string) string {
	return request11("GET", "/api/v1/points"+query, append([]string{"x-api-key: " + goodSecret}, headers...)...)
}

// The body has all points and the labels of places. For a search, it has the points of its pubs.
func TestPoints(t *testing.T) {
	_, addr := serve(t)
	const west, east, pole = "-16.800,179.990", "-16.800,-179.990", "85.051,0.000"
	lions := []string{"51.500,-0.100", "51.540,-0.140"}
	for _, c := range []struct {
		query          string
		labels, points []string
		total          string
	}{
		{"", []string{"Camden 2 51.520,-0.120", "Soho 2 51.505,-0.110", "High St 1 " + pole, "St. John's, <NL> & Co 1 47.562,-52.713",
			"Taveuni 1 " + east, "Taveuni 1 " + west, "Łódź 1 51.759,19.456"},
			[]string{"47.562,-52.713", "51.500,-0.100", "51.500,-0.100", "51.510,-0.120", "51.540,-0.140", "51.759,19.456", pole, east, west}, ""},
		{"?search=red+lion", nil, lions, "2"},
		{"?search=*&location=Soho", nil, []string{"51.500,-0.100", "51.510,-0.120"}, "2"},
		{"?search=*&around=u01&distance=6&rated=true", nil, []string{"51.510,-0.120", "51.540,-0.140"}, "2"},
		{"?search=redlion", nil, lions, "2"},
		{"?search=redlion&relax=false", nil, nil, "0"},
		{"?search=kings+head", nil, nil, "1"},
	} {
		got := request(t, addr, points(c.query))
		if got.status != 200 || got.header.Get("Content-Type") != "application/octet-stream" || got.header.Get("X-Total-Results") != c.total {
			t.Errorf("points%s: got %d %v", c.query, got.status, got.header)
			continue
		}
		m := decodeMap(t, got.body)
		slices.Sort(m.points)
		slices.Sort(c.points)
		testkit.Equal(t, "points"+c.query, m, decodedMap{c.labels, c.points})
		testkit.Equal(t, "points again"+c.query, request(t, addr, points(c.query, "If-None-Match: "+got.header.Get("ETag"))).status, 304)
	}
}

// The points of all pubs do not count towards a key's rate; those of a search do.
func TestPointsAreUnmetered(t *testing.T) {
	_, addr := serve(t)
	sent := ""
	for _, query := range []string{"", "", "?search=lion", "?search=lion", ""} {
		sent += request11("GET", "/api/v1/points"+query, "x-api-key: "+limitedSecret)
	}
	testkit.Equal(t, "statuses", statusesOf(answers(t, converse(t, addr, sent, true))), "200 200 200 429 200")
}

// A map has a limited number of points: of more pubs, it has a sample. Every point is the position of a pub.
func TestPointsAreBounded(t *testing.T) {
	const pubs, most = params.MaxHitPoints + 10, 5000
	random := rand.New(rand.NewPCG(1, 2))
	known := map[string]bool{}
	list := make([]schema.Pub, pubs)
	for i := range list {
		at := geo.Point{Lat: 49 + 10*random.Float64(), Lng: -8 + 10*random.Float64()}
		list[i] = pub(fmt.Sprint(i), "Bell", fmt.Sprintf("Town %c%c", 'a'+i%40, 'a'+i/40%50), "", at.Lat, at.Lng, "", schema.Rated(nil), 0)
		known[degrees(newPoint(at).code())] = true
	}
	s, _ := withoutData(t, LogOff)
	s.Arrange(Arrangement{Served: build(t, corpus.Directory{Pubs: list})})
	for _, c := range []struct {
		what, body           string
		fewest, most, labels int
	}{
		{"all", string(mapOf(s.arrangement.Load().served.snapshot, most)), most / 2, most, maxLabels},
		{"hits", request(t, listen(t, s), points("?search=bell")).body, params.MaxHitPoints, params.MaxHitPoints, 0},
	} {
		m := decodeMap(t, c.body)
		if n := len(m.points); n < c.fewest || n > c.most || len(m.labels) != c.labels {
			t.Errorf("%s: got %d with %d labels, want from %d to %d with %d", c.what, n, len(m.labels), c.fewest, c.most, c.labels)
		}
		for _, p := range m.points {
			testkit.StopIf(t, !known[p], "%s: no pub is at %s", c.what, p)
		}
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
