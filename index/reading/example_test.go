package reading_test

import (
	"fmt"

	"pubd/index/reading"
	"pubd/index/terms"
	"pubd/index/text"
)

// The core of a query are the words that are neither generic nor filler.
func Example() {
	x := reading.Index{Terms: &terms.Index{}}
	var w reading.Workspace
	for _, query := range []string{"red lion pub", "pubs with beer garden"} {
		r := x.Read(text.Phrase{}.AppendWords([]byte(query)), reading.Options{}, &w)
		fmt.Printf("%s: core %q, asks %v\n", query, r.CoreWords(), r.Asks())
	}
	// Output:
	// red lion pub: core ["red" "lion"], asks false
	// pubs with beer garden: core ["beer" "garden"], asks true
}
