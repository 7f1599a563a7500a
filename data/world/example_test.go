package world_test

import (
	"encoding/json"
	"fmt"
	"log"

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

func ExampleMap() {
	ireland := geo.Box{West: -11, South: 51, East: -5, North: 56}
	var m struct {
		Box   [4]float64
		Towns struct {
			Features []struct{ Properties struct{ Name string } }
		}
	}
	if err := json.Unmarshal(world.Map(ireland), &m); err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Box, m.Towns.Features[0].Properties.Name)
	// Output: [-17 45 1 62] London
}
