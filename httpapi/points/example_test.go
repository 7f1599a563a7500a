package points_test

import (
	"fmt"
	"log"

	"pubd/httpapi/points"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

func Example() {
	directory := corpus.Directory{Pubs: []schema.Pub{{UID: "1", Name: "The Anchor", Location: "Bristol", Latitude: 51.45, Longitude: -2.59}}}
	snapshot, err := index.InMemory(directory, index.BuildOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(points.All(snapshot, points.Most)), len(points.Append(nil, snapshot, []uint32{0})), "bytes, with the name of the town and without")
	// Output: 25 9 bytes, with the name of the town and without
}
