package survey_test

import (
	"fmt"

	"pubd/cmd/pubd/lists/survey"
	"pubd/index/corpus"
	"pubd/index/schema"
)

func ExampleOf() {
	s := survey.Of(&corpus.Directory{Pubs: []schema.Pub{
		{UID: "u1", Name: "The Bell", Location: "York", Latitude: 53.96, Longitude: -1.08},
		{UID: "u2", Name: "The Anchor  Inn", Location: "York", Latitude: 0, Longitude: 0},
	}}, survey.Options{Lines: []int{2, 3}})
	for _, f := range s.Findings {
		fmt.Printf("line %d: %s: %s (%s)\n", f.Line, f.Name, f.Kind, f.Reason)
	}
	// Output:
	// line 3: The Anchor  Inn: zero (0, 0 is a point in the Gulf of Guinea)
	// line 3: The Anchor  Inn: spaces (name has two spaces in a row)
}
