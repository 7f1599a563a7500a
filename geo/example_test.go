package geo_test

import (
	"fmt"

	"pubd/geo"
)

func Example() {
	points := []geo.Point{{Lat: 51.5074, Lng: -0.1278}, {Lat: 51.4545, Lng: -2.5879}, {Lat: 51.7520, Lng: -1.2577}}
	x := geo.NewIndex(points, func(uint32) bool { return true })
	circle := geo.NewCircle(geo.Point{Lat: 51.5, Lng: -0.1}, 100)
	var w geo.Workspace
	nearest, total := x.Select(&w, &circle, false, false, 0, 10)
	for _, found := range nearest {
		fmt.Printf("point %d at %.1f km\n", found.ID, x.Distance(&circle, found))
	}
	fmt.Println(total, "within 100 km")
	// Output:
	// point 0 at 2.1 km
	// point 2 at 84.7 km
	// 2 within 100 km
}
