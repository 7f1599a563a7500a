package views_test

import (
	"fmt"
	"log"
	"math"

	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

func Example() {
	snapshot, err := index.InMemory(corpus.Directory{Pubs: []schema.Pub{{UID: "1", Name: "The Anchor"}}}, index.BuildOptions{Source: [32]byte{1}})
	if err != nil {
		log.Fatal(err)
	}
	all := views.NewViews(math.MaxInt64, nil)
	all.Publish(all.Next(views.Arrangement{Served: snapshot}))
	generation := all.Acquire()
	defer generation.Release()
	_, gone := generation.Find([]byte("0200000000000000"))
	fmt.Println(generation.Served.ID, gone.Row.Code)
	// Output: 0100000000000000 snapshot_gone
}
