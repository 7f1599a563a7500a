package coordinate

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// apart returns the distance of two near positions in metres.
func apart(latA, lngA, latB, lngB float64) float64 {
	const degree = 111_320
	return math.Hypot((latA-latB)*degree, (lngA-lngB)*degree*math.Cos(latA*math.Pi/180))
}

// The points are those that Ordnance Survey publishes for testing its exact transformation, OSTN15, all over the grid.
func TestBritish(t *testing.T) {
	farthest := 0.0
	for _, c := range []struct {
		name                        string
		lat, lng, easting, northing float64
	}{
		{"TP01", 49.92226394, -6.29977752, 91492.146, 11318.804},
		{"TP04", 50.57563665, -1.29782277, 449816.371, 75335.861},
		{"TP06", 51.40078220, -3.55128349, 292184.870, 168003.465},
		{"TP07", 51.37447026, 1.44454730, 639821.835, 169565.858},
		{"TP09", 51.48936565, -0.11992557, 530624.974, 178388.464},
		{"TP14", 52.75136687, 0.40153547, 562180.547, 319784.995},
		{"TP16", 53.34480280, -2.64049321, 357455.843, 383290.436},
		{"TP17", 53.41628516, -4.28918070, 247958.971, 393492.909},
		{"TP20", 53.80021520, -1.66379168, 422242.186, 433818.701},
		{"TP23", 54.32919541, -4.38849118, 244780.636, 495254.887},
		{"TP27", 55.92478266, -3.29479219, 319188.434, 670947.534},
		{"TP29", 57.13902519, -2.04856031, 397160.491, 805349.736},
		{"TP31", 57.81351838, -8.57854456, 9587.909, 899448.996},
		{"TP33", 58.51560361, -6.26091456, 151968.652, 966483.780},
		{"TP36", 59.09335035, -4.41757675, 261596.778, 1025447.602},
		{"TP40", 60.13308092, -2.07382823, 395999.668, 1138728.951},
	} {
		lat, lng, ok := British(c.easting, c.northing)
		away := apart(lat, lng, c.lat, c.lng)
		if !ok || !(away < 5) {
			t.Errorf("%s: got %v, %v, %v, %.1f m from %v, %v", c.name, lat, lng, ok, away, c.lat, c.lng)
		}
		farthest = max(farthest, away)
	}
	t.Logf("at most %.1f m away", farthest)
}

func TestBritishEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		easting, northing float64
		want              bool
	}{
		{0, 0, true},
		{maxEasting, maxNorthing, true},
		{-1, 0, false},
		{0, -1, false},
		{maxEasting + 1, 0, false},
		{0, maxNorthing + 1, false},
		{inf, 0, false},
		{0, -inf, false},
		{nan, 0, false},
		{0, nan, false},
	} {
		if lat, lng, ok := British(c.easting, c.northing); ok != c.want || ok != (lat != 0) || ok != (lng != 0) {
			t.Errorf("%v, %v: got %v, %v, %v, want %v", c.easting, c.northing, lat, lng, ok, c.want)
		}
	}
}

// A grid reference is the middle of its square.
func TestGridReferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		easting := rapid.IntRange(MinMetres, maxEasting-1).Draw(t, "easting")
		northing := rapid.IntRange(MinMetres, maxNorthing-1).Draw(t, "northing")
		figures := rapid.IntRange(3, 5).Draw(t, "figures")
		letters := squareOf(float64(easting), float64(northing))
		if !isSquare(letters) {
			t.Skip("no land")
		}
		metres := int(math.Pow10(5 - figures))
		between := rapid.SampledFrom([]string{"", " "}).Draw(t, "between")
		text := fmt.Sprintf("%s%s%0*d%s%0*d", letters, between, figures, easting%100_000/metres, between, figures, northing%100_000/metres)
		lat, lng, rule := Pair(text)
		wantLat, wantLng, _ := British(float64(easting/metres*metres)+float64(metres)/2, float64(northing/metres*metres)+float64(metres)/2)
		if rule != "" || lat != rounded(wantLat) || lng != rounded(wantLng) {
			t.Fatalf("%s: got %s, %s, %s, want %v, %v", text, lat, lng, rule, wantLat, wantLng)
		}
	})
}
