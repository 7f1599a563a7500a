package convert_test

import (
	"fmt"
	"os"

	"pubd/cmd/pubd/lists/convert"
)

// A table from a spreadsheet program, with its own names for the columns.
func ExampleConvert() {
	list := []byte("Pubs of Suffolk;;\ncode;Pub name;coordinates\n7;The Bell;51,5 -0,1\n")
	result, err := convert.Convert("list.csv", list, convert.Options{
		Map: []convert.Mapping{{Ours: "UID", Theirs: "code"}},
		Planned: func(plan convert.Plan) {
			fmt.Println(plan.Form, plan.Found)
			for _, step := range plan.Steps {
				fmt.Println(step.To, "from", step.From)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := result.Snapshot.WriteCSV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// csv [semicolons header in line 2]
	// UID from code
	// name from Pub name
	// latitude, longitude from coordinates
	// UID,name,latitude,longitude
	// 7,The Bell,51.5,-0.1
}
