package features_test

import (
	"bytes"
	"fmt"

	"pubd/index/features"
)

func ExampleVocabulary_Find() {
	v, err := features.BuiltIn().With([]byte("boat: moorings, by boat\n"), "ours.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Find(bytes.Fields([]byte("beer garden near york"))))
	fmt.Println(v.Find(bytes.Fields([]byte("by boat"))))
	// Output:
	// garden 2
	// boat 2
}
