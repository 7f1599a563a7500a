package merge_test

import (
	"fmt"
	"os"

	"pubd/cmd/pubd/lists/merge"
)

// Of two lists, the first that has a pub is taken; a row without a UID gets one.
func ExampleDraft() {
	columns := []string{"UID", "name", "latitude", "longitude"}
	d := merge.New(columns, nil, []string{"a.csv", "b.csv"})
	for list, cells := range [][]string{{"", "Red Lion", "52.37", "1.11"}, {"7", "The Red Lion", "52.37", "1.11"}} {
		isRepeated, wrong := d.Add(merge.Origin{List: list, Line: 2}, cells, make([]bool, len(columns)), true)
		fmt.Println(isRepeated, wrong)
	}
	if err := d.Finish(merge.TownsOfList, nil).Snapshot.WriteCSV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// false <nil>
	// true <nil>
	// UID,name,latitude,longitude
	// auto-77c66a0011d0d100,Red Lion,52.37,1.11
}
