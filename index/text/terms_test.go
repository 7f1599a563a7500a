package text

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

// drawTerms draws distinct words in ascending order, many with common prefixes.
func drawTerms(t *rapid.T) []string {
	terms := rapid.SliceOfNDistinct(rapid.StringMatching(`[abé居]{1,7}`), 1, 40, rapid.ID).Draw(t, "terms")
	slices.Sort(terms)
	return terms
}

func asBytes(terms []string) (all [][]byte) {
	for _, term := range terms {
		all = append(all, []byte(term))
	}
	return all
}

func TestDictionaryFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		d := NewDictionary(asBytes(terms), rapid.Bool().Draw(t, "hashed"))
		text := rapid.OneOf(rapid.SampledFrom(terms), rapid.StringMatching(`[abé居]{0,4}`)).Draw(t, "text")
		number, ok := d.Find([]byte(text))
		if want := slices.Index(terms, text); ok != (want >= 0) || ok && int(number) != want {
			t.Fatalf("find(%q) in %q = %d, %v", text, terms, number, ok)
		}
		r := d.PrefixRange([]byte(text))
		for i, term := range terms {
			testkit.StopIf(t, (int(r.Low) <= i && i < int(r.High)) != strings.HasPrefix(term, text),
				"terms %d to %d of %q begin with %q", r.Low, r.High, terms, text)
		}
	})
}

func TestFuzzyMatcherAgreesWithDefinition(t *testing.T) {
	var m FuzzyMatcher
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		long := rapid.SliceOfNDistinct(rapid.StringMatching(`[abé居]{4,12}`), 1, 40, rapid.ID).Draw(t, "long terms")
		terms = slices.Compact(slices.Sorted(slices.Values(append(terms, long...))))
		d := NewDictionary(asBytes(terms), true)
		x := NewFuzzyIndex(nil, &d)
		word := rapid.OneOf(rapid.SampledFrom(terms), rapid.StringMatching(`[abé居]{1,12}`)).Draw(t, "word")
		letters := []rune(word)
		for range rapid.IntRange(0, 2).Draw(t, "swaps") {
			if at := rapid.IntRange(1, 12).Draw(t, "at"); at < len(letters) {
				letters[at-1], letters[at] = letters[at], letters[at-1]
			}
		}
		query := FuzzyQuery{Word: []byte(string(letters)), Edits: rapid.IntRange(1, 2).Draw(t, "edits"),
			AnyFirst: rapid.Bool().Draw(t, "any first"), Prefix: rapid.Bool().Draw(t, "prefix")}
		found := make([]bool, len(terms))
		low := uint32(0)
		for _, r := range m.Append(nil, &x, query) {
			testkit.StopIf(t, r.Low < low, "%q is repeated or out of order", terms[r.Low])
			low = r.High
			for i := r.Low; i < r.High; i++ {
				found[i] = true
			}
		}
		for i, term := range terms {
			b := []rune(term)
			edits := alignment(letters, b)
			for end := 1; query.Prefix && end <= len(b); end++ {
				edits = min(edits, alignment(letters, b[:end]))
			}
			if got := m.Distance(query.Word, []byte(term), query.Edits, query.Prefix); got != min(edits, query.Edits+1) {
				t.Fatalf("%q misspelt %+v: %d edits, want %d", term, query.Word, got, edits)
			}
			if want := edits <= query.Edits && (query.AnyFirst || letters[0] == b[0]); found[i] != want {
				t.Fatalf("%q of %q, %q misspelt %+v: %v, want %v", term, terms, query.Word, query, found[i], want)
			}
		}
	})
}

// alignment returns the optimal string alignment distance, by its definition.
func alignment(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], 1+d[i-2][j-2])
			}
		}
	}
	return d[len(a)][len(b)]
}
