package list_test

import (
	"fmt"

	"pubd/cmd/pubd/lists/list"
)

// A table below a title, with semicolons.
func ExampleOpen() {
	text := []byte("Pubs of Suffolk;\nname;town\nThe Bell;Diss\nThe Bear;Eye\n")
	known := func(name string) bool { return name == "name" || name == "town" }
	l, err := list.Open("pubs.txt", text, list.Options{Known: known})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Form, l.Found, l.Columns)
	for row := range l.Rows() {
		fmt.Println(row.Line, row.Cells)
	}
	// Output:
	// csv [semicolons header in line 2] [name town]
	// 3 [The Bell Diss]
	// 4 [The Bear Eye]
}
