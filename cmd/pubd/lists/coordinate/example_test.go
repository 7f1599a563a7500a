package coordinate_test

import (
	"fmt"

	"pubd/cmd/pubd/lists/coordinate"
)

func ExamplePair() {
	for _, text := range []string{`51°30'26"N 0°7'39"W`, "51,50 -0,12", "SRID=27700;POINT(530034 180381)", "-13358, 6711542"} {
		lat, lng, rule := coordinate.Pair(text)
		if rule != "" {
			fmt.Println(text, rule)
			continue
		}
		fmt.Println(lat, lng)
	}
	// Output:
	// 51.507222 -0.1275
	// 51.50 -0.12
	// 51.507407 -0.127724
	// -13358, 6711542 must be in degrees, latitude first, such as 51.5, -0.12: convert metres of a projection to EPSG:4326
}

func ExampleLongitude() {
	fmt.Println(coordinate.Longitude("0,12° W"))
	fmt.Println(coordinate.Longitude("51,5° N"))
	// Output:
	// -0.12 true
	//  false
}

func ExampleCRS() {
	kind, title := coordinate.CRS("urn:ogc:def:crs:EPSG::3857")
	fmt.Println(kind == coordinate.OtherCRS, title)
	// Output: true EPSG:3857
}
