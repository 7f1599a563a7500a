package text_test

import (
	"fmt"

	"pubd/index/text"
)

func Example() {
	fmt.Printf("%s\n", text.AppendFolded(nil, []byte("The King’s Café & Bar")))
	terms := text.NewDictionary([][]byte{[]byte("anchor"), []byte("anchorage"), []byte("bell")}, true)
	fmt.Println(terms.PrefixRange([]byte("anch")))
	var fuzzy text.FuzzyMatcher
	prepared := text.NewFuzzyIndex(nil, &terms)
	fmt.Println(fuzzy.Append(nil, &prepared, text.FuzzyQuery{Word: []byte("ancohr"), Edits: 1}))
	// Output:
	// the kings cafe and bar
	// {0 2}
	// [{0 1}]
}
