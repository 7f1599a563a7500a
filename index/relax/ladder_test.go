package relax_test

import (
	"strings"
	"testing"

	"pubd/geo"
	"pubd/index"
	"pubd/index/relax"
)

// pubs are the pubs to find: name, location, address, postcode and area.
var pubs = [][5]string{
	{"The Anchor", "Leeds", "12 High Road", "LS1 4AB", "Yorkshire"},
	{"Blue Bell", "York"},
	{"Red Lion", "Oxford"},
	{"Admiral Nelson", "Hull"},
	{"Great Western", "Bath"},
	{"Wheatsheaf", "Ely"},
	{"Crown", "Leeds"},
	{"Crows Nest", "Hull"},
}

func snapshot(t *testing.T) *index.Snapshot {
	t.Helper()
	var d index.Directory
	for i, p := range pubs {
		d.Pubs = append(d.Pubs, index.Pub{UID: p[0], Name: p[0], Location: p[1], Address: p[2], Postcode: p[3], Area: p[4],
			Latitude: 53 + float64(i*i)/10, Longitude: -1})
	}
	s, err := index.InMemory(d, index.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ladder has a query per line. Its label is the number of the attempt that answers it, and what that attempt allows
// but earlier ones do not.
var ladder = []struct {
	attempt, search string
	step            relax.Step
	words           string // that matched, if relaxed
	corrected, pubs string
	place           string
}{
	{attempt: "0 strict", search: "anchor leeds", pubs: "The Anchor"},
	{attempt: "0 strict, the and and dropped", search: "the and anch", pubs: "The Anchor"},
	{attempt: "0 strict, a code", search: "anchor ls1", pubs: "The Anchor"},
	{attempt: "0 strict, the beginning of an area", search: "anchor yorks", pubs: "The Anchor"},
	{attempt: "asked for", search: "pubs in leeds", step: relax.Place, pubs: "Crown, The Anchor", place: "leeds"},
	{attempt: "1 words of a field joined", search: "bluebell york", step: relax.Words, words: "bluebell york", pubs: "Blue Bell"},
	{attempt: "1 words of the query joined", search: "wheat sheaf ely", step: relax.Words, words: "wheat sheaf ely", pubs: "Wheatsheaf"},
	{attempt: "1 the beginning of a joined word", search: "blueb", step: relax.Words, words: "blueb", pubs: "Blue Bell"},
	{attempt: "1 joined with its the", search: "theanchor", step: relax.Words, words: "theanchor", pubs: "The Anchor"},
	{attempt: "1 without the the that it begins with", search: "thelion oxford", step: relax.Words, words: "thelion oxford", pubs: "Red Lion"},
	{attempt: "1 abbreviated", search: "adm nelson", step: relax.Words, words: "adm nelson", pubs: "Admiral Nelson"},
	{attempt: "1 in an address", search: "anchor high rd", step: relax.Words, words: "anchor high rd", pubs: "The Anchor"},
	{attempt: "1 the core", search: "the anchor inn at leeds", step: relax.Words, words: "anchor leeds", pubs: "The Anchor"},
	{attempt: "2 in a place, one edit", search: "lino oxford", step: relax.Place, words: "lino", corrected: "lion", pubs: "Red Lion", place: "oxford"},
	{attempt: "2 in a place, inside a word", search: "heatshea ely", step: relax.Place, words: "heatshea", pubs: "Wheatsheaf", place: "ely"},
	{attempt: "2 in a place, two edits in 6", search: "anhcro leeds", step: relax.Place, words: "anhcro", corrected: "anchor", pubs: "The Anchor", place: "leeds"},
	{attempt: "2 in a place, a known word corrected", search: "crown hull", step: relax.Place, words: "crown", corrected: "crows", pubs: "Crows Nest", place: "hull"},
	{attempt: "3 inside a word", search: "heatshea", step: relax.Infix, words: "heatshea", pubs: "Wheatsheaf"},
	{attempt: "4 two edits in 8, the first wrong", search: "vheetsheaf", step: relax.Typo, words: "vheetsheaf", corrected: "wheatsheaf", pubs: "Wheatsheaf"},
	{attempt: "4 a beginning of the last word", search: "wheatzh", step: relax.Typo, words: "wheatzh", corrected: "wheatsheaf", pubs: "Wheatsheaf"},
	{attempt: "5 two edits in 6, beside a known word", search: "anhcro the high", step: relax.Typo, words: "anhcro high", corrected: "anchor high", pubs: "The Anchor"},
	{attempt: "5 one edit in 3", search: "rad lion", step: relax.Typo, words: "rad lion", corrected: "red lion", pubs: "Red Lion"},
	{attempt: "5 no known word", search: "anhcro"},
	{attempt: "6 a known word corrected", search: "crown nest", step: relax.Typo, words: "crown nest", corrected: "crows nest", pubs: "Crows Nest"},
	{attempt: "7 choices with the place", search: "anchor qzxjkvwq leeds", step: relax.Partial, words: "anchor leeds", pubs: "The Anchor"},
	{attempt: "7 choices correct, too", search: "anchr qzxjkvwq leeds", step: relax.Partial, words: "anchr leeds", corrected: "anchor leeds", pubs: "The Anchor"},
	{attempt: "7 choices of a place alone", search: "qzxjkvwq leeds"},
	{attempt: "8 all of the place", search: "qzxjkvwq in leeds", step: relax.Place, pubs: "Crown, The Anchor", place: "leeds"},
	{attempt: "9 choices without the place", search: "wheatsheaf hull", step: relax.Partial, words: "wheatsheaf", pubs: "Wheatsheaf"},
	{attempt: "9 choices without the place and an unknown word", search: "wheatsheaf qzxjkvwq hull", step: relax.Partial, words: "wheatsheaf", pubs: "Wheatsheaf"},
	{attempt: "9 no choice of an unknown word without the place", search: "whaetsheaf hull"},
	{attempt: "nothing", search: "qzxjkvwq"},
}

func TestLadder(t *testing.T) {
	s := snapshot(t)
	var w index.Workspace
	for _, c := range ladder {
		a := s.Search(&index.Query{Text: []byte(c.search)}, &w)
		step, words, corrected, found, place := a.Step, joined(a.Words), joined(a.Corrected), names(s, a.Pubs), joined(a.Place)
		if step != c.step || words != c.words || corrected != c.corrected || found != c.pubs || place != c.place {
			t.Errorf("%s: %q: got %v %q %q %q %q, want %v %q %q %q %q", c.attempt, c.search, step, words, corrected, found, place, c.step, c.words, c.corrected, c.pubs, c.place)
		}
	}
}

// In a distance search, no word counts as a place, and an unlikely correction does not need a known word.
func TestLadderInCircle(t *testing.T) {
	s := snapshot(t)
	var w index.Workspace
	circle := geo.NewCircle(geo.Point{Lat: 53, Lng: -1}, 5)
	for _, c := range []struct {
		search string
		step   relax.Step
		words  string
		pubs   string
	}{
		{"anhcro", relax.Typo, "anhcro", "The Anchor"},
		{"anchor hull", relax.Partial, "anchor", "The Anchor"},
		{"anchor qzxjkvwq hull", relax.Partial, "anchor", "The Anchor"},
		{"wheatsheaf", relax.NotRelaxed, "", ""},
	} {
		a := s.Search(&index.Query{Text: []byte(c.search), Circle: &circle}, &w)
		if words, found := joined(a.Words), names(s, a.Pubs); a.Step != c.step || words != c.words || found != c.pubs {
			t.Errorf("%q: got %v %q %q, want %v %q %q", c.search, a.Step, words, found, c.step, c.words, c.pubs)
		}
	}
}

func TestQueriesOfManyWordsAreNotRelaxed(t *testing.T) {
	s := snapshot(t)
	var w index.Workspace
	for words, want := range map[int]relax.Step{relax.MaxWords: relax.Words, relax.MaxWords + 1: relax.NotRelaxed} {
		text := "the anchor" + strings.Repeat(" pub", words-1)
		if a := s.Search(&index.Query{Text: []byte(text)}, &w); a.Step != want {
			t.Errorf("%d words: got %v, want %v", words, a.Step, want)
		}
	}
}

func joined(words [][]byte) string {
	var all []string
	for _, word := range words {
		all = append(all, string(word))
	}
	return strings.Join(all, " ")
}

func names(s *index.Snapshot, pubs []uint32) string {
	var all []string
	for _, pub := range pubs {
		all = append(all, s.Pub(pub).Name)
	}
	return strings.Join(all, ", ")
}
