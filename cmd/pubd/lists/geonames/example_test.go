package geonames_test

import (
	"fmt"
	"os"
	"strings"

	"pubd/cmd/pubd/lists/geonames"
)

func ExampleConvert() {
	dump := "1\tDiss\tDiss\t\t52.37\t1.11\tP\tPPL\tGB\t\tENG\t\t\t\t7572\t\t9\tEurope/London\t2026-01-01\n"
	said, err := geonames.Convert(strings.NewReader(dump), os.Stdout)
	fmt.Println(said, err)
	// Output:
	// name,latitude,longitude,population,radius_km,aliases
	// Diss,52.37,1.11,7572,,
	// 1 populated places <nil>
}
