package sniff_test

import (
	"fmt"

	"pubd/loader/sniff"
)

func ExampleOf() {
	kind := sniff.Of([]byte("%PDF-1.7"))
	fmt.Println(kind, kind.Readable(), kind.Advice())
	// Output:
	// a PDF false find the table that it was made from
}
