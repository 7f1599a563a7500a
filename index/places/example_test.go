package places_test

import (
	"fmt"

	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// A query that asks for all pubs of a place finds those that say that they are there.
func Example() {
	s, err := index.InMemory(corpus.Directory{Pubs: []schema.Pub{
		{UID: "u1", Name: "The Duke of York", Location: "Leeds"},
		{UID: "u2", Name: "The Minster Inn", Location: "York"},
		{UID: "u3", Name: "The Blue Bell", Location: "York", Postcode: "YO1 9TF"},
	}}, index.BuildOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var w index.Workspace
	for _, search := range []string{"york", "pubs in york", "bars near yo1"} {
		result := s.Search(&index.Query{Text: []byte(search), Amount: 10}, &w)
		fmt.Printf("%s: %d %q\n", search, result.Total, result.Place)
	}
	// Output:
	// york: 3 ["york"]
	// pubs in york: 2 ["york"]
	// bars near yo1: 1 ["yo1"]
}
