package extract_test

import (
	"fmt"
	"os"

	"pubd/cmd/pubd/lists/extract"
	"pubd/loader/sniff"
)

func ExampleRead() {
	file, err := os.Open("testdata/tiny.osm.pbf")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	isBar := func(tags map[string]string) bool { return tags["amenity"] == "bar" }
	err = extract.Read(file, sniff.PBF, isBar, func(e extract.Element) error {
		fmt.Println(e.Type, e.ID, e.Latitude, e.Longitude, e.Tags["name"])
		return nil
	})
	fmt.Println(err)
	// Output:
	// node 103 52.3732345 1.1032345 Bar Zürich
	// node 109 52.3792345 1.1092345 Blue Lantern
	// way 203 NaN NaN The Far Edge
	// <nil>
}
