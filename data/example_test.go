package data_test

import (
	"bytes"
	"fmt"
	"strings"

	"pubd/data"
)

// The same number of pubs and the same seed give the same directory.
func ExampleGenerate() {
	var directory strings.Builder
	if err := data.Generate(&directory, data.SamplePubs, data.SampleSeed, func(int) {}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(directory.String() == string(data.Sample()), bytes.Count(data.Sample(), []byte("\n"))-1, "pubs")
	// Output: true 2000 pubs
}
