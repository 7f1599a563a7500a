package data_test

import (
	"fmt"
	"strings"

	"pubd/data"
)

// The same number of pubs and the same seed give the same directory.
func ExampleGenerate() {
	var directory strings.Builder
	if err := data.Generate(&directory, data.SamplePubs, data.SampleSeed, nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(directory.String() == string(data.Sample()), strings.Count(directory.String(), "\n")-1, "pubs")
	// Output: true 2000 pubs
}
