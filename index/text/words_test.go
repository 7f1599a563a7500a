package text

import (
	"fmt"
	"testing"

	"pubd/bench/testkit"
)

func TestClassOf(t *testing.T) {
	for word, want := range map[string]Class{
		"pub": Kind | Generic | Plain, "pubs": Kind | PluralKind | Generic | Plain, "kneipen": Kind | PluralKind | Generic, "ale": Generic | Plain,
		"restaurant": Generic, "in": Where | Filler | EnglishFiller, "em": Where | Filler, "best": Best | Filler | EnglishFiller, "me": Here | Filler | EnglishFiller, "ohne": Denial, "km": Unit, "beste": Filler,
		"station": PlaceNoun, "garden": Wish, "lion": 0,
	} {
		if got := ClassOf([]byte(word)); got != want {
			t.Errorf("%s: got %b, want %b", word, got, want)
		}
	}
}

func TestSame(t *testing.T) {
	for word, want := range map[string]string{"st": "[street]", "4th": "[iv 4 fourth]", "ste": "[sainte]", "lion": "[]"} {
		if got := Same([]byte(word)); fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %s", word, got, want)
		}
	}
}

func TestUnknownList(t *testing.T) {
	defer func() {
		testkit.FailIf(t, recover() == nil, "a list that no class is for is read")
	}()
	readWordLists("sorts: lager\n")
}
