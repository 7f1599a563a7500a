package segment_test

import (
	"fmt"

	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/index/segment"
	"pubd/index/text"
)

func ExampleValues() {
	directory := corpus.Directory{Pubs: []schema.Pub{{UID: "1", Location: "York"}, {UID: "2", Location: "YORK"}, {UID: "3", Location: "York"}}}
	rows := directory.InRows()
	defer rows.Close()
	locations := segment.NewValues(rows, text.AppendFolded, rows.Each(schema.Location.Each))
	found := locations.Find([]byte("york"))
	fmt.Printf("%s: %d pubs", locations.Spelling(found.Low), locations.Pubs.Count(found.Low))
	// Output: York: 3 pubs
}
