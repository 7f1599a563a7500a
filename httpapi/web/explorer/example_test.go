package explorer_test

import (
	"fmt"
	"log"

	"pubd/httpapi/web/explorer"
)

func ExampleNew() {
	webPages, err := explorer.New(explorer.Settings{Key: "demo"})
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range webPages.Files("", nil) {
		if file.Path == "/" || file.Path == "/docs" || file.Path == "/explorer/settings.json" {
			fmt.Println(file.Path, file.MediaType)
		}
	}
	// Unordered output:
	// /docs text/html; charset=utf-8
	// /explorer/settings.json application/json; charset=utf-8
	// / text/html; charset=utf-8
}
