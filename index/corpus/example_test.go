package corpus_test

import (
	"fmt"

	"pubd/index/corpus"
	"pubd/index/schema"
)

func ExampleRows_Add() {
	rows := corpus.NewRows(0, "", 0)
	defer rows.Close()
	rows.Add(&schema.Pub{UID: "u1", Name: "The Blue Bell"}, 2)
	first, ok := rows.Add(&schema.Pub{UID: "u1", Name: "The Bell"}, 3)
	fmt.Println(rows.Len(), rows.Name(0), first, ok)
	// Output: 1 The Blue Bell 0 false
}
