package heading_test

import (
	"fmt"

	"pubd/cmd/pubd/lists/heading"
)

func ExampleMeanings() {
	for _, name := range []string{"Breitengrad", "address.city", "entrance.status", "Fax"} {
		fmt.Println(name, heading.Meanings(name))
	}
	// Output:
	// Breitengrad [{latitude 6}]
	// address.city [{location 1005}]
	// entrance.status []
	// Fax []
}
