package index

import (
	"fmt"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// Words after elided ones are found in addresses and categories, too, where relaxed searches look.
func TestElidedWords(t *testing.T) {
	pubs := []schema.Pub{
		{UID: "address", Name: "Crown", Address: "1 Rue de l'Orme"}, {UID: "elsewhere", Name: "Crown", Address: "1 Rue du Pin"},
		{UID: "category", Name: "Swan", Category: "Bar à l'Ancienne"}, {UID: "kind", Name: "Swan", Category: "Bar"},
	}
	s := inMemory(t, corpus.Directory{Pubs: pubs})
	var w Workspace
	for _, c := range []struct {
		search string
		strict bool
		want   string
	}{
		{"orme", true, "[] strict"}, {"crown orme", false, "[address] words"}, {"swan ancienne", false, "[category] words"},
	} {
		var found []string
		result := s.Search(&Query{Text: []byte(c.search), Strict: c.strict, Amount: 10}, &w)
		for _, pub := range result.Pubs {
			found = append(found, s.Pub(pub).UID)
		}
		testkit.Equal(t, c.search, fmt.Sprint(found, result.Step), c.want)
	}
}
