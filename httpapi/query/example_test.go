package query_test

import (
	"fmt"

	"pubd/httpapi/params"
	"pubd/httpapi/query"
)

// A query string becomes an operation with its parameters, or an error that names the first wrong one.
func Example() {
	var p query.Params
	for _, query := range []string{"search=red+lion&lat=51.5&lng=-0.1&distance=2", "search=red+lion&amount=500"} {
		if f := p.Parse(params.Search, []byte(query), nil, 1000, nil); f.IsSet() {
			fmt.Println(f.Parameter, f.Rule)
			continue
		}
		fmt.Printf("%v of %q within %v km, by %v\n", p.Operation, p.Query.Text, p.Radius, p.Query.Sort)
	}
	// Output:
	// distance of "red lion" within 2 km, by distance
	// amount must be an integer from 1 to 100
}
