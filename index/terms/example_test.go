package terms_test

import (
	"fmt"

	"pubd/index/terms"
)

// A word may be spelt in several ways, and begin words written together.
func Example() {
	terms.EachSpelling([]byte("grey"), func(spelling []byte) { fmt.Printf("%s\n", spelling) })
	fmt.Println(terms.JoinedForm([]byte("blue"), true).Prefix)
	// Output:
	// grey
	// gray
	// true
}
