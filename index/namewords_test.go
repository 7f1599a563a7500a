package index

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pubd/index/text"
)

// Counting missing words by their numbers gives the same result as comparing texts.
func TestMissingWordsAgreeWithTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		s, err := InMemory(drawDirectory(rng.IntN), BuildOptions{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			asked := make([]string, 1+rng.IntN(3))
			for i := range asked {
				asked[i] = pick(rng.IntN, drawnWords...)
			}
			last := []rune(asked[len(asked)-1])
			asked[len(asked)-1] = string(last[:1+rng.IntN(len(last))])
			words := text.Phrase(nil).AppendWords(AppendFolded(nil, []byte(strings.Join(asked, " ")))).WithoutFiller()
			if len(words) == 0 {
				continue
			}
			var h highlighter
			h.prepare(&matched{words: words}, words)
			numbers := appendAsked(nil, &s.named, words)
			for name := range s.names.folded.Len() {
				folded := s.names.folded.At(uint32(name))
				if got, want := s.nameWords.missing(name, numbers), h.missing(folded); got != want {
					t.Fatalf("%q lacks %d halves of %q, want %d", asked, got, folded, want)
				}
			}
		}
	}
}
