package heading

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/schema"
)

// The names of columns that are recognised, for who writes a list.
func TestNames(t *testing.T) {
	var b strings.Builder
	row := func(to string, names ...[]string) {
		fmt.Fprintf(&b, "%s: %s\n", to, strings.Join(slices.Concat(names...), ", "))
	}
	for _, c := range schema.Columns {
		row(c.Name, c.Usual)
	}
	row("both coordinates", Parts[BothCoordinates])
	row("metres east", Parts[Easting])
	row("metres north", Parts[Northing])
	row("parts of address", Parts[HouseName], Parts[HouseNumber], Parts[Street], Parts[FurtherLine])
	row("UID, with --uid auto", Parts[Identifier])
	row("common_category, if there is an amenity", Parts[Tag])
	testkit.Golden(t, "testdata/names.txt", b.String())
}
