package survey

import (
	"math"
	"testing"

	"pubd/index"
)

// Whether two rows are near each other does not depend on their place or direction.
func TestTwinsInEveryDirection(t *testing.T) {
	for i := range 2000 {
		lat, lng := float64(i%160)-80, math.Mod(float64(i)*17.3, 360)-180
		sin, cos := math.Sincos(float64(i))
		for _, c := range []struct {
			metres float64
			want   int
		}{{49, 1}, {51, 0}} {
			degrees := c.metres / 111_195.08
			other := index.Pub{UID: "b", Name: "the BELL", Latitude: lat + sin*degrees, Longitude: lng + cos*degrees/math.Cos(lat*math.Pi/180)}
			directory := &index.Directory{Pubs: []index.Pub{{UID: "a", Name: "The Bell", Latitude: lat, Longitude: lng}, other}}
			if got := Of(directory, Options{}).Counts[Duplicate]; got != c.want {
				t.Fatalf("%v m from %v, %v to %v, %v: got %d, want %d", c.metres, lat, lng, other.Latitude, other.Longitude, got, c.want)
			}
		}
	}
}
