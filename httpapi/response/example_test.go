package response_test

import (
	"fmt"
	"log"
	"time"

	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/response"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

func Example() {
	snapshot, err := index.InMemory(corpus.Directory{Pubs: []schema.Pub{{UID: "1", Name: "The Anchor"}}}, index.BuildOptions{})
	if err != nil {
		log.Fatal(err)
	}
	var p query.Params
	p.Parse(params.Search, []byte("search=anchor&fields=name&format=csv"), nil, 0, nil)
	var memory response.Workspace
	result := response.Result{Found: snapshot.Search(&p.Query, &memory.Search)}
	r := response.Encode(views.New(snapshot, time.Now()), &p, &result, &memory, nil, nil)
	fmt.Printf("%d %q %q", r.Status, r.Lines, r.Body)
	// Output: 200 "X-Total-Results: 1\r\n" "name\r\nThe Anchor\r\n"
}
