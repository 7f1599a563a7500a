package texts_test

import (
	"fmt"
	"log"

	"pubd/httpapi/web/texts"
)

func ExampleIn() {
	for _, tag := range texts.Languages {
		table, err := texts.In(tag, "")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(table.Count("pubs", 1), "|", table.Count("pubs", 3), "|", table.Text("rated", "rating", table.Decimal(7.5)))
	}
	// Output:
	// 1 pub | 3 pubs | Rated 7.5 of 10
	// 1 Pub | 3 Pubs | 7,5 von 10 Punkten
	// 1 pub | 3 pubs | Noté 7,5 sur 10
	// 1 pub | 3 pubs | Puntuación: 7,5 de 10
	// 1 hospoda | 3 hospody | Hodnocení 7,5 z 10
}
