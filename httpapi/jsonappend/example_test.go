package jsonappend_test

import (
	"fmt"

	"pubd/httpapi/jsonappend"
)

func Example() {
	body := jsonappend.List([]byte(`{"spans":`), [][2]int{{0, 3}, {8, 12}}, func(dst []byte, span [2]int) []byte {
		return jsonappend.List(dst, span[:], jsonappend.Int)
	})
	fmt.Printf("%s}", jsonappend.Metres(append(body, `,"distance":`...), 1.25))
	// Output: {"spans":[[0,3],[8,12]],"distance":1.25}
}
