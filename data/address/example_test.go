package address_test

import (
	"fmt"
	"slices"

	"pubd/data/address"
)

func ExampleLearn() {
	pubs := []address.Address{
		{Name: "Angel Inn", Text: "Egremont Street, Glemsford, SUDBURY, Suffolk", Postcode: "CO10 7SA"},
		{Name: "Bay Horse", Text: "61-65 Melford Road, SUDBURY, Suffolk", Postcode: "CO10 1JS"},
		{Name: "The Bull", Text: "12 Bull Lane", Postcode: "CO10 0QD"},
		{Name: "White Horse", Text: "North Street, Sudbury", Postcode: "CO10 1RF"},
	}
	towns := address.Learn(slices.Values(pubs))
	for _, pub := range pubs {
		town, _ := towns.Of(pub)
		fmt.Printf("%s: %q\n", pub.Name, town)
	}
	// Output:
	// Angel Inn: "Sudbury"
	// Bay Horse: "Sudbury"
	// The Bull: ""
	// White Horse: "Sudbury"
}
