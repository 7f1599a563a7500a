package convert_test

import (
	"fmt"

	"pubd/loader/convert"
)

// A table from a spreadsheet program, with its own names for the columns.
func ExampleConvert() {
	list := []byte("code;title;latitude;longitude\n7;The Bell;51,5;-0,1\n")
	result, err := convert.Convert("list.csv", list, convert.Options{From: "csv", Columns: map[string]string{"code": "UID", "title": "name"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", result.Snapshot)
	fmt.Println(result.Converted)
	// Output:
	// UID,name,latitude,longitude
	// 7,The Bell,51.5,-0.1
	// [semicolons between columns decimal commas in 2 numbers]
}
