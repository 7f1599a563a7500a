package schema_test

import (
	"fmt"

	"pubd/index/schema"
)

func Example() {
	pub := schema.Pub{UID: "u1", Name: "The Blue Bell", Ratings: schema.Rated(map[schema.Metric]float64{schema.Beer: 8.5})}
	for _, column := range []int{schema.ColumnName, schema.Beer.Column(), schema.ColumnLocation} {
		c := &schema.Columns[column]
		fmt.Println(c.Name, c.Value(&pub))
	}
	// Output:
	// name The Blue Bell
	// beer 8.5
	// location <nil>
}
