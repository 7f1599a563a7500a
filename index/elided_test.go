package index

import (
	"fmt"
	"testing"

	"pubd/bench/testkit"
)

// Words after elided ones are found in every field, but by no other pub of the same folded name.
func TestElidedWords(t *testing.T) {
	pubs := []Pub{
		{UID: "name", Name: "L'Étoile"}, {UID: "together", Name: "LÉtoile"}, {UID: "later", Name: "Bar de l’Étoile d´Or"},
		{UID: "other", Name: "Bell", AltNames: "Au Coq;Chez l`Étoile"}, {UID: "place", Name: "Angel", Location: "L'Isle", Area: "Val d'Oise"},
		{UID: "address", Name: "Crown", Address: "1 Rue de l'Orme"}, {UID: "category", Name: "Swan", Category: "Bar à l'Ancienne"},
	}
	s := testkit.Must(InMemory(Directory{Pubs: pubs}, BuildOptions{}))(t)
	var w Workspace
	for _, c := range []struct {
		search string
		strict bool
		want   string
	}{
		{"etoile", true, "[later other name]"}, {"etoi", true, "[later other name]"}, {"letoile", true, "[later other name together]"},
		{"bell etoile", true, "[other]"}, {"isle oise", true, "[place]"}, {"oise isle", true, "[place]"}, {"angel isle", true, "[place]"},
		{"orme", true, "[]"}, {"crown orme", false, "[address]"}, {"swan ancienne", false, "[category]"},
	} {
		var found []string
		for _, pub := range s.Search(&Query{Text: []byte(c.search), Strict: c.strict, Amount: 10}, &w).Pubs {
			found = append(found, s.Pub(pub).UID)
		}
		testkit.Equal(t, c.search, fmt.Sprint(found), c.want)
	}
}
