package strict_test

import (
	"fmt"

	"pubd/index"
)

// A pub that merely stands in Red Lion Street is not found by its street unless the query says no more than the
// street.
func Example() {
	directory := index.Directory{Pubs: []index.Pub{{UID: "u1", Name: "The Red Lion", Address: "1 High Street"}}}
	for i, name := range []string{"The Bell", "The Crown", "The Swan"} {
		directory.Pubs = append(directory.Pubs, index.Pub{UID: name, Name: name, Address: fmt.Sprint(i, " Red Lion Street"), Latitude: 51, Longitude: 0})
	}
	s, err := index.InMemory(directory, index.BuildOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var w index.Workspace
	for _, search := range []string{"red lion", "red lion street", "bell red lion"} {
		fmt.Println(search+":", s.Search(&index.Query{Text: []byte(search), Strict: true, Amount: 10}, &w).Total)
	}
	// Output:
	// red lion: 1
	// red lion street: 3
	// bell red lion: 1
}
