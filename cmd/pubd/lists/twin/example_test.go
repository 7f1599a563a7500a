package twin_test

import (
	"fmt"

	"pubd/cmd/pubd/lists/twin"
	"pubd/geo"
)

func ExampleFinder_Twin() {
	var pubs twin.Finder
	for i, name := range []string{"the swan", "bell and dragon", "swan inn"} {
		other, metres, found := pubs.Twin(twin.Key(name), geo.Point{Lat: 52.39 + float64(i)/1e4, Lng: 1.13}.Vector(), i)
		fmt.Printf("%s: %d, %.0f m, %t\n", name, other, metres, found)
	}
	// Output:
	// the swan: 0, 0 m, false
	// bell and dragon: 0, 0 m, false
	// swan inn: 0, 22 m, true
}
