package basemap_test

import (
	"fmt"
	"log"

	"pubd/httpapi/web/basemap"
)

func ExampleOpen() {
	streets, err := basemap.Open("../../acceptance/browser/testdata/streets.pmtiles")
	if err != nil {
		log.Fatal(err)
	}
	defer streets.Close()
	start := make([]byte, 7)
	if _, err := streets.ReadAt(start, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(streets.Schema, streets.Attribution, string(start))
	// Output: openmaptiles © OpenStreetMap contributors PMTiles
}
