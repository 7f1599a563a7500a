package geo_test

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"pubd/geo"
)

// An index returns each point with the bits that it was given.
func TestPointsAreKept(t *testing.T) {
	degrees := func(limit float64) *rapid.Generator[float64] {
		decimal := rapid.Custom(func(t *rapid.T) float64 {
			value := rapid.Float64Range(-limit, limit).Draw(t, "value")
			value, _ = strconv.ParseFloat(strconv.FormatFloat(value, 'f', rapid.IntRange(0, 9).Draw(t, "decimals"), 64), 64)
			return value
		})
		return rapid.OneOf(decimal, rapid.Float64Range(-limit, limit), rapid.SampledFrom([]float64{-limit, 0, math.Copysign(0, -1), limit, 1e-300, math.NaN()}))
	}
	rapid.Check(t, func(t *rapid.T) {
		var points []geo.Point
		for range rapid.IntRange(0, 40).Draw(t, "points") {
			p := geo.Point{Lat: degrees(90).Draw(t, "lat"), Lng: degrees(180).Draw(t, "lng")}
			if p.Lat != p.Lat || p.Lng != p.Lng {
				p = geo.Point{Lat: math.NaN(), Lng: math.NaN()}
			}
			points = append(points, p)
		}
		x := geo.NewIndex(points, everyThird)
		for i, want := range points {
			got := x.Point(uint32(i))
			if want.Lat != want.Lat && got.Lat != got.Lat && got.Lng != got.Lng {
				continue
			}
			if math.Float64bits(got.Lat) != math.Float64bits(want.Lat) || math.Float64bits(got.Lng) != math.Float64bits(want.Lng) {
				t.Fatalf("point %d: got %v, want %v", i, got, want)
			}
		}
	})
}
