package suggest_test

import (
	"fmt"

	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

func Example() {
	s, err := index.InMemory(corpus.Directory{Pubs: []schema.Pub{{UID: "1", Name: "Yorkshire Grey"}, {UID: "2", Name: "Swan", Location: "York"}, {UID: "3", Name: "Bell", Location: "York"}}}, index.BuildOptions{})
	if err != nil {
		panic(err)
	}
	var w index.Workspace
	for _, completion := range s.Suggest(&w, &index.Query{Text: []byte("yor"), Amount: 5}) {
		fmt.Printf("%s %s: %d\n", completion.Kind, completion.Text, completion.Pubs)
	}
	// Output:
	// location York: 2
	// name Yorkshire Grey: 1
}
