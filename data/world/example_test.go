package world_test

import (
	"fmt"

	"pubd/data/world"
	"pubd/geo"
)

func Example() {
	arundel := geo.Point{Lat: 50.855, Lng: -0.554}
	fmt.Printf("%q\n", world.Country(arundel))
	// With latitude and longitude exchanged, it is in the Indian Ocean.
	exchanged := geo.Point{Lat: arundel.Lng, Lng: arundel.Lat}
	fmt.Printf("%q %q\n", world.Country(exchanged), world.Near(exchanged, 12))
	newry := geo.Point{Lat: 54.18, Lng: -6.34}
	fmt.Printf("%q %q\n", world.Country(newry), world.Near(newry, 10))
	// Output:
	// "United Kingdom"
	// "" []
	// "United Kingdom" ["United Kingdom" "Ireland"]
}
