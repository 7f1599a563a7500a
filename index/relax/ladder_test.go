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
			Latitude: 53 + float64(i)/10, Longitude: -1})
	}
	s, err := index.InMemory(d, index.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ladder has a query per line. Its label is the number of the attempt that answers it, and what that attempt allows but earlier ones do not.
var ladder = []struct {
	attempt, search string
	step            relax.Step
	words           string // that matched, if relaxed
	corrected, pubs string
}{
	{"0 strict", "anchor leeds", relax.NotRelaxed, "", "", "The Anchor"},
	{"0 strict, the and and dropped", "the and anch", relax.NotRelaxed, "", "", "The Anchor"},
	{"1 the postcode", "anchor ls1", relax.Wider, "anchor ls1", "", "The Anchor"},
	{"1 the area, a beginning", "anchor yorks", relax.Wider, "anchor yorks", "", "The Anchor"},
	{"2 words of a field joined", "bluebell york", relax.Joined, "bluebell york", "", "Blue Bell"},
	{"2 words of the query joined", "wheat sheaf ely", relax.Joined, "wheat sheaf ely", "", "Wheatsheaf"},
	{"2 the beginning of a joined word", "blueb", relax.Joined, "blueb", "", "Blue Bell"},
	{"2 joined with its the", "theanchor", relax.Joined, "theanchor", "", "The Anchor"},
	{"2 without the the that it begins with", "thelion oxford", relax.Joined, "thelion oxford", "", "Red Lion"},
	{"3 abbreviated", "adm nelson", relax.Words, "adm nelson", "", "Admiral Nelson"},
	{"3 in an address", "anchor high rd", relax.Words, "anchor high rd", "", "The Anchor"},
	{"3 the core", "the anchor inn at leeds", relax.Words, "anchor leeds", "", "The Anchor"},
	{"4 the core, joined", "bluebell pub york", relax.Words, "bluebell york", "", "Blue Bell"},
	{"5 inside a word", "heatshea", relax.Infix, "heatshea", "", "Wheatsheaf"},
	{"6 inside a word, the core", "heatshea pub ely", relax.Infix, "heatshea ely", "", "Wheatsheaf"},
	{"7 one edit in 4 characters", "lino oxford", relax.Typo, "lino oxford", "lion oxford", "Red Lion"},
	{"7 two edits in 8, the first wrong", "vheetsheaf ely", relax.Typo, "vheetsheaf ely", "wheatsheaf ely", "Wheatsheaf"},
	{"7 a beginning of the last word", "ely wheatzh", relax.Typo, "ely wheatzh", "ely wheatsheaf", "Wheatsheaf"},
	{"8 the same, the core", "lino pub oxford", relax.Typo, "lino oxford", "lion oxford", "Red Lion"},
	{"9 two edits in 6, beside a known word", "anhcro leeds", relax.Typo, "anhcro leeds", "anchor leeds", "The Anchor"},
	{"9 one edit in 3", "rad lion", relax.Typo, "rad lion", "red lion", "Red Lion"},
	{"9 no known word", "anhcro", relax.NotRelaxed, "", "", ""},
	{"10 the same, the core", "anhcro pub leeds", relax.Typo, "anhcro leeds", "anchor leeds", "The Anchor"},
	{"choices with the place", "anchor qzxjkvwq leeds", relax.Partial, "anchor leeds", "", "The Anchor"},
	{"choices correct, too", "anchr qzxjkvwq leeds", relax.Partial, "anchr leeds", "anchor leeds", "The Anchor"},
	{"choices of a place alone", "qzxjkvwq leeds", relax.NotRelaxed, "", "", ""},
	{"11 a known word corrected", "crown hull", relax.Typo, "crown hull", "crows hull", "Crows Nest"},
	{"12 the same, the core", "crown pub hull", relax.Typo, "crown hull", "crows hull", "Crows Nest"},
	{"choices without the place", "wheatsheaf hull", relax.Partial, "wheatsheaf", "", "Wheatsheaf"},
	{"choices without the place and an unknown word", "wheatsheaf qzxjkvwq hull", relax.Partial, "wheatsheaf", "", "Wheatsheaf"},
	{"no choice of an unknown word without the place", "whaetsheaf hull", relax.NotRelaxed, "", "", ""},
	{"nothing", "qzxjkvwq", relax.NotRelaxed, "", "", ""},
}

func TestLadder(t *testing.T) {
	s := snapshot(t)
	var w index.Workspace
	for _, c := range ladder {
		a := s.Search(&index.Query{Text: []byte(c.search)}, &w)
		step, words, corrected, found := a.Step, joined(a.Words), joined(a.Corrected), names(s, a.Pubs)
		if step != c.step || words != c.words || corrected != c.corrected || found != c.pubs {
			t.Errorf("%s: %q: got %v %q %q %q, want %v %q %q %q", c.attempt, c.search, step, words, corrected, found, c.step, c.words, c.corrected, c.pubs)
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
