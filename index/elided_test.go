package index

import (
	"fmt"
	"testing"

	"pubd/bench/testkit"
)

// Words after elided ones are found in addresses and categories, too, where relaxed searches look.
func TestElidedWords(t *testing.T) {
	pubs := []Pub{
		{UID: "address", Name: "Crown", Address: "1 Rue de l'Orme"}, {UID: "category", Name: "Swan", Category: "Bar à l'Ancienne"},
	}
	s := inMemory(t, Directory{Pubs: pubs})
	var w Workspace
	for _, c := range []struct {
		search string
		strict bool
		want   string
	}{
		{"orme", true, "[]"}, {"crown orme", false, "[address]"}, {"swan ancienne", false, "[category]"},
	} {
		var found []string
		for _, pub := range s.Search(&Query{Text: []byte(c.search), Strict: c.strict, Amount: 10}, &w).Pubs {
			found = append(found, s.Pub(pub).UID)
		}
		testkit.Equal(t, c.search, fmt.Sprint(found), c.want)
	}
}
