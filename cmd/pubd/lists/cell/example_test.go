package cell_test

import (
	"fmt"

	"pubd/cmd/pubd/lists/cell"
	"pubd/index/schema"
)

func ExampleValue() {
	for _, rating := range []string{"4,5", "2,25 von 5", "45 %", "k. A.", "good"} {
		fmt.Printf("%q ", cell.Value("total", schema.Decimal, rating))
	}
	// Output: "4.5" "4.5" "4.5" "" "good"
}
