package topk_test

import (
	"fmt"

	"pubd/geo/topk"
)

// ExamplePartialSort gets the two smallest items, in order. Items with equal keys are ordered by ID.
func ExamplePartialSort() {
	items := []topk.Item{{Key: 3, ID: 0}, {Key: 1, ID: 7}, {Key: 2, ID: 2}, {Key: 1, ID: 3}}
	topk.PartialSort(items, 0, 2)
	fmt.Println(items[:2])
	// Output: [{1 3} {1 7}]
}
