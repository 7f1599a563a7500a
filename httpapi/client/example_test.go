package client_test

import (
	"context"
	"fmt"
	"log"

	"pubd/httpapi/client"
)

func ExampleClient_Lookup() {
	pub, err := sample().Lookup(context.Background(), "28cnk9")
	if err != nil {
		log.Fatal(err)
	}
	if pub.Beer != nil {
		fmt.Printf("%s: beer %.2f, number %d\n", pub.Name, *pub.Beer, *pub.Rankings.Beer)
	}
	// Output: Red Lion Inn: beer 8.44, number 89
}

func ExampleClient_LookupMany() {
	answer, err := sample().LookupMany(context.Background(), []string{"6xkb84", "28cnk9", "nobody"})
	if err != nil {
		log.Fatal(err)
	}
	for _, pub := range answer.Results {
		fmt.Println(pub.Name)
	}
	fmt.Println("missing:", answer.Missing)
	// Output:
	// The Glaziers Arms
	// Red Lion Inn
	// missing: [nobody]
}

// A circle is a point and a distance.
func ExampleClient_Search_circle() {
	answer, err := sample().Search(context.Background(), client.Query{Search: client.Every,
		Center: &client.Point{Lat: 51.5136, Lng: -0.1319}, Distance: new(client.Kilometres(1)), Amount: 1})
	if err != nil {
		log.Fatal(err)
	}
	nearest := answer.Results[0]
	fmt.Printf("%s, %.3f km, the nearest of %d\n", nearest.Name, *nearest.Distance, answer.TotalResults)
	// Output: The Glaziers Arms, 0.068 km, the nearest of 15
}
