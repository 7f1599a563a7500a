package reliability

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pubd/bench/stage"
	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/httpapi/client"
	"pubd/index/schema"
)

// rim is the distance from a circle's rim, in kilometres, within which pubd and PostGIS may differ.
const rim = 1e-6

// postgisRadius is the radius of PostGIS's sphere in kilometres: the mean of WGS 84's semi-axes.
const postgisRadius = (2*6378.137 + 6356.752314245179498) / 3

// A disc is a circle with the pubs that PostGIS finds in it, and their distances in kilometres.
type disc struct {
	geo.Point
	radius float64
	pubs   map[string]float64
}

func TestM2(t *testing.T) {
	row(t, "circles that PostGIS draws too, each with a pub 1.1 mm from its rim", "the same pubs but for 1 mm, and the distances they have")
	d := usual(t)
	discs := drawDiscs(d.pubs, pick(100, 10_000))
	queryPostGIS(t, d.pubs, discs)
	r := serve(t, d.snapshots[0], "--max-unpaged", "0")
	c := testkit.Must(client.New("http://"+r.API, demo))(t)
	found := 0
	for i, disc := range discs {
		if farthest := slices.Max(append(slices.Collect(maps.Values(disc.pubs)), 0)); farthest > 2*rim {
			disc.radius = farthest + 1.1*rim*float64(1-i%2*2) // just beyond its farthest pub, or just before it
		}
		circle := client.Query{Search: "*", Center: &client.Point{Lat: disc.Lat, Lng: disc.Lng}, Distance: new(client.Kilometres(disc.radius))}
		got := map[string]float64{}
		for _, pub := range testkit.Must(c.Search(t.Context(), circle))(t).Results {
			got[pub.UID] = float64(*pub.Distance)
			_, known := disc.pubs[pub.UID]
			testkit.FailIf(t, !known, "%+v, %v km: pub %s is outside", disc.Point, disc.radius, pub.UID)
		}
		found += len(got)
		// Distances in a response are rounded to metres. Circles that end 1.1 mm before or beyond a pub prove them to
		// the millimetre.
		for uid, want := range disc.pubs {
			distance, in := got[uid]
			testkit.FailIf(t, !in && want < disc.radius-rim || in && (want > disc.radius+rim || math.Abs(distance-want) > 0.0005+rim),
				"%+v, %v km: pub %s: found %v, at %v km, want %v", disc.Point, disc.radius, uid, in, distance, want)
		}
	}
	testkit.FailIf(t, found <= len(discs), "%d pubs in %d circles, want more", found, len(discs))
	figure(t, fmt.Sprintf("%d circles, %d pubs", len(discs), found), "0 circles differ; which pubs they have is compared to 1 mm, distances to the metre that answers have")
}

// drawDiscs returns random circles of 0.1 to 20 km around points near pubs, and a few around any point on Earth.
func drawDiscs(pubs []schema.Pub, n int) []disc {
	rng := rand.New(rand.NewPCG(2, 0))
	discs := make([]disc, n)
	for i := range discs {
		pub := pubs[rng.IntN(len(pubs))]
		for math.IsNaN(pub.Latitude) {
			pub = pubs[rng.IntN(len(pubs))]
		}
		p := geo.Point{Lat: pub.Latitude + (rng.Float64()-0.5)/100, Lng: pub.Longitude + (rng.Float64()-0.5)/100}
		radius := 0.1 * math.Pow(200, rng.Float64())
		if i%200 == 0 {
			p = geo.Point{Lat: math.Asin(2*rng.Float64()-1) * 180 / math.Pi, Lng: 360*rng.Float64() - 180}
			radius = 20_000 * rng.Float64()
		}
		discs[i] = disc{Point: p, radius: radius, pubs: map[string]float64{}}
	}
	return discs
}

// queryPostGIS sets the pubs of each circle with a new database.
func queryPostGIS(t *testing.T, pubs []schema.Pub, discs []disc) {
	database := testkit.Must(stage.StartPostgres(t.Context()))(t)
	defer database.Close()
	var places, circles []byte
	for _, pub := range pubs {
		if !math.IsNaN(pub.Latitude) {
			places = fmt.Appendf(places, "%s\t%v\t%v\n", pub.UID, pub.Latitude, pub.Longitude)
		}
	}
	for i, d := range discs {
		circles = fmt.Appendf(circles, "%d\t%v\t%v\t%v\n", i, d.Lat, d.Lng, d.radius*1000)
	}
	script := fill(testdata(t, "circles.sql"), map[string]string{"pubs": string(places), "circles": string(circles)})
	for line := range strings.Lines(testkit.Must(database.Run(t.Context(), script))(t)) {
		var id int
		var uid string
		var metres float64
		testkit.Must(fmt.Sscan(line, &id, &uid, &metres))(t)
		discs[id].pubs[uid] = metres / 1000 * float64(geo.EarthRadius) / postgisRadius // converted to pubd's sphere
	}
}
