package reliability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pubd/bench/proof"
	"pubd/bench/stage"
	"pubd/geo"
	"pubd/httpapi/client"
	"pubd/index"
)

// rim is the distance from a circle's rim, in kilometres, within which pubd and PostGIS may differ.
const rim = 1e-6

// postgisRadius is the radius of PostGIS's sphere in kilometres: the mean of WGS 84's semi-axes.
const postgisRadius = (2*6378.137 + 6356.752314245179498) / 3

// postgisCircles selects the pubs in each circle, with their distances on the sphere in metres.
const postgisCircles = `
CREATE INDEX ON pubs USING gist (place);
ANALYZE;
COPY (SELECT c.id, p.uid, ST_Distance(p.place, c.place, false)
	FROM circles c JOIN pubs p ON ST_DWithin(p.place, c.place, c.metres, false)) TO STDOUT;
`

const postgisTables = `
CREATE EXTENSION postgis;
CREATE TABLE pubs (uid text, latitude float8, longitude float8,
	place geography GENERATED ALWAYS AS (ST_MakePoint(longitude, latitude)::geography) STORED);
CREATE TABLE circles (id int, latitude float8, longitude float8, metres float8,
	place geography GENERATED ALWAYS AS (ST_MakePoint(longitude, latitude)::geography) STORED);
`

// A disc is a circle with the pubs that PostGIS finds in it, and their distances in kilometres.
type disc struct {
	geo.Point
	radius float64
	pubs   map[string]float64
}

func TestM2(t *testing.T) {
	row(t, "circles that PostGIS draws too, each with a pub 1.1 mm from its rim", "the same pubs but for 1 mm, and the distances they have")
	d := usual(t)
	discs := drawDiscs(d.pubs, proof.Pick(100, 10_000))
	askPostGIS(t, d.pubs, discs)
	r := serve(t, d.snapshots[0], "--max-unpaged", "0")
	c := must(client.New("http://"+r.API, demo))(t)
	found := 0
	for i := range discs {
		disc := &discs[i]
		disc.narrow(i%2 == 0)
		got := disc.ask(t, c)
		found += len(got)
		// Distances in a response are rounded to metres. Circles that end 1.1 mm before or beyond a pub prove them to the millimetre.
		problem := disc.difference(got)
		failIf(t, problem != "", "%+v, %v km: %s", disc.Point, disc.radius, problem)
	}
	failIf(t, found <= len(discs), "%d pubs in %d circles, want more", found, len(discs))
	proof.Figure(t, fmt.Sprintf("%d circles, %d pubs", len(discs), found), "0 circles differ; which pubs they have is compared to 1 mm, distances to the metre that answers have")
}

// drawDiscs returns random circles of 0.1 to 20 km around points near pubs, and a few around any point on Earth.
func drawDiscs(pubs []index.Pub, n int) []disc {
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

// narrow ends a circle just beyond its farthest pub, or just before it.
func (d *disc) narrow(beyond bool) {
	farthest := 0.0
	for _, distance := range d.pubs {
		farthest = max(farthest, distance)
	}
	switch {
	case farthest <= 2*rim:
	case beyond:
		d.radius = farthest + 1.1*rim
	default:
		d.radius = farthest - 1.1*rim
	}
}

// ask returns the pubs that pubd finds in a circle, with their distances.
func (d *disc) ask(t *testing.T, c *client.Client) map[string]float64 {
	t.Helper()
	circle := client.Query{Search: "*", Center: &client.Point{Lat: d.Lat, Lng: d.Lng}, Distance: new(client.Kilometres(d.radius))}
	answer := must(c.Search(t.Context(), circle))(t)
	got := map[string]float64{}
	for _, pub := range answer.Results {
		got[pub.UID] = float64(*pub.Distance)
	}
	return got
}

// difference returns how pubd's pubs differ from those of PostGIS, or "". Distances are rounded to 1 m.
func (d *disc) difference(got map[string]float64) string {
	for uid, want := range d.pubs {
		distance, in := got[uid]
		switch {
		case !in && want < d.radius-rim:
			return fmt.Sprintf("pub %s at %v km is missing", uid, want)
		case in && want > d.radius+rim:
			return fmt.Sprintf("pub %s at %v km is too far", uid, want)
		case in && math.Abs(distance-want) > 0.0005+rim:
			return fmt.Sprintf("pub %s is at %v km, not %v", uid, want, distance)
		}
	}
	for uid := range got {
		if _, known := d.pubs[uid]; !known {
			return fmt.Sprintf("pub %s is outside", uid)
		}
	}
	return ""
}

// askPostGIS sets the pubs of each circle with a new database.
func askPostGIS(t *testing.T, pubs []index.Pub, discs []disc) {
	database := must(stage.StartPostgres(t.Context()))(t)
	defer database.Close()
	var script strings.Builder
	script.WriteString(postgisTables + "COPY pubs (uid, latitude, longitude) FROM STDIN;\n")
	for _, pub := range pubs {
		if !math.IsNaN(pub.Latitude) {
			fmt.Fprintf(&script, "%s\t%v\t%v\n", pub.UID, pub.Latitude, pub.Longitude)
		}
	}
	script.WriteString("\\.\nCOPY circles (id, latitude, longitude, metres) FROM STDIN;\n")
	for i, d := range discs {
		fmt.Fprintf(&script, "%d\t%v\t%v\t%v\n", i, d.Lat, d.Lng, d.radius*1000)
	}
	said := must(database.Run(t.Context(), script.String()+"\\.\n"+postgisCircles))(t)
	for line := range strings.Lines(said) {
		var id int
		var uid string
		var metres float64
		must(fmt.Sscan(line, &id, &uid, &metres))(t)
		discs[id].pubs[uid] = metres / 1000 * float64(geo.EarthRadius) / postgisRadius // converted to pubd's sphere
	}
}
