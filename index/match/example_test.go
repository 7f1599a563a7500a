package match_test

import (
	"fmt"

	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// A search that matches no pub is relaxed, and the result says how.
func Example() {
	s, err := index.InMemory(corpus.Directory{Pubs: []schema.Pub{{UID: "u1", Name: "The Blue Bell", Location: "York"}}}, index.BuildOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var w index.Workspace
	for _, search := range []string{"bell york", "bluebell", "blue bell pub", "blue bekl york", "blue bell tavern york leeds"} {
		result := s.Search(&index.Query{Text: []byte(search), Amount: 1}, &w)
		fmt.Printf("%s: %d %q\n", search, result.Total, result.Step)
	}
	// Output:
	// bell york: 1 "strict"
	// bluebell: 1 "words"
	// blue bell pub: 1 "words"
	// blue bekl york: 1 "place"
	// blue bell tavern york leeds: 1 "partial"
}
