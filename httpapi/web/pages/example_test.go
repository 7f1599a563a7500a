package pages_test

import (
	"fmt"
	"log"
	"strings"

	"pubd/httpapi/web"
	"pubd/httpapi/web/explorer"
	"pubd/httpapi/web/pages"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// Whatever else names a pub leads to the one address of its page.
func ExamplePages_Render() {
	s, err := index.InMemory(corpus.Directory{Pubs: []schema.Pub{{UID: "u1", Name: "The Red Lion", Location: "St Albans", Ratings: schema.Rated(nil)}}}, index.BuildOptions{})
	if err != nil {
		log.Fatal(err)
	}
	e, err := explorer.New(explorer.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range []string{"/pubs/u1/the-red-lion-st-albans", "/pubs/u1", "/pubs/u1/the-old-name", "/pubs/u2", "/places/st-albans"} {
		page := pages.New(nil, e).Render(nil, web.PageRequest{Path: []byte(path)}, s, new(index.Workspace))
		fmt.Println(strings.TrimSpace(fmt.Sprint(path, " ", page.Status, " ", page.Location)))
	}
	// Output:
	// /pubs/u1/the-red-lion-st-albans 200
	// /pubs/u1 301 /pubs/u1/the-red-lion-st-albans
	// /pubs/u1/the-old-name 301 /pubs/u1/the-red-lion-st-albans
	// /pubs/u2 404
	// /places/st-albans 200
}
