package address_test

import (
	"fmt"
	"slices"

	"pubd/cmd/pubd/lists/address"
)

func ExampleLearn() {
	pubs := []address.Address{
		{Text: "Egremont Street, Glemsford, SUDBURY, Suffolk", Postcode: "CO10 7SA"},
		{Text: "61-65 Melford Road, SUDBURY, Suffolk", Postcode: "CO10 1JS"},
		{Text: "12 Bull Lane", Postcode: "CO10 0QD"},
		{Text: "North Street, Sudbury", Postcode: "CO10 1RF"},
	}
	towns := address.Learn(slices.Values(pubs))
	for _, pub := range pubs {
		town, _ := towns.Of(pub)
		fmt.Printf("%s: %q\n", pub.Text, town)
	}
	// Output:
	// Egremont Street, Glemsford, SUDBURY, Suffolk: "Sudbury"
	// 61-65 Melford Road, SUDBURY, Suffolk: "Sudbury"
	// 12 Bull Lane: ""
	// North Street, Sudbury: "Sudbury"
}
