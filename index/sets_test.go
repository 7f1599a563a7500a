package index

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawIDs draws a set out of size pubs.
func drawIDs(t *rapid.T, size int, label string) []uint32 {
	ids := rapid.SliceOfDistinct(rapid.Uint32Range(0, uint32(size-1)), rapid.ID).Draw(t, label)
	slices.Sort(ids)
	return ids
}

// asSet gives the ids as a set, with bits or without.
func asSet(ids []uint32, size int, withBits bool) set {
	s := set{ids: ids}
	if withBits {
		s.bits = newBitset(size)
		for _, id := range ids {
			s.bits.add(id)
		}
	}
	return s
}

func TestSetAlgebra(t *testing.T) {
	var a arena
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 63, 64, 65, 500, 1_000_000}).Draw(t, "size")
		a.reset(size)
		var all []set
		count := map[uint32]int{}
		for range rapid.IntRange(1, 5).Draw(t, "sets") {
			ids := drawIDs(t, size, "ids")
			for _, id := range ids {
				count[id]++
			}
			all = append(all, asSet(ids, size, rapid.Bool().Draw(t, "bits")))
		}
		a.begin()
		for _, s := range all {
			a.add(s)
		}
		if got, want := a.union().ids, slices.Sorted(maps.Keys(count)); !slices.Equal(got, want) {
			t.Fatalf("union of %v is %v, want %v", all, got, want)
		}
		maps.DeleteFunc(count, func(_ uint32, n int) bool { return n < len(all) })
		if got, want := a.list(a.common(slices.Clone(all))), slices.Sorted(maps.Keys(count)); !slices.Equal(got, want) {
			t.Fatalf("common ids of %v are %v, want %v", all, got, want)
		}
	})
}

func TestOrderWindow(t *testing.T) {
	var a arena
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.OneOf(rapid.Uint32Range(0, 5), rapid.Just[uint32](missing)), 1, 300).Draw(t, "keys")
		a.reset(len(keys))
		hits := drawIDs(t, len(keys), "hits")
		first := rapid.IntRange(0, len(hits)).Draw(t, "first")
		n := rapid.IntRange(0, len(hits)-first).Draw(t, "n")
		for direction, orders := 0, newOrders(keys, newBitset(len(keys))); direction < 2; direction++ {
			want := slices.Clone(hits)
			slices.SortStableFunc(want, func(x, y uint32) int {
				switch a, b := keys[x], keys[y]; {
				case a == b:
					return 0
				case a == missing || b != missing && (a > b) == (direction == 0):
					return 1
				}
				return -1
			})
			if n == 0 {
				continue
			}
			found := asSet(hits, len(keys), rapid.Bool().Draw(t, "bits"))
			if found.bits != nil && rapid.Bool().Draw(t, "bits only") {
				found = set{bits: found.bits, count: len(hits)}
			}
			if got := orders[direction].window(found, false, first, n, &a); !slices.Equal(got, want[first:first+n]) {
				t.Fatalf("keys %v, direction %d: window %d+%d of %v is %v, want %v", keys, direction, first, n, hits, got, want[first:first+n])
			}
		}
	})
}

// drawTerms draws distinct words in ascending order, many of which begin alike.
func drawTerms(t *rapid.T) []string {
	terms := rapid.SliceOfNDistinct(rapid.StringMatching(`[abé居]{1,7}`), 1, 40, rapid.ID).Draw(t, "terms")
	slices.Sort(terms)
	return terms
}

func newTestDictionary(terms []string) *dictionary {
	d := newDictionary(len(terms), 0)
	for _, term := range terms {
		d.add([]byte(term))
	}
	return d
}

func TestDictionaryFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		d := newTestDictionary(terms)
		text := rapid.OneOf(rapid.SampledFrom(terms), rapid.StringMatching(`[abé居]{0,4}`)).Draw(t, "text")
		number, ok := d.find([]byte(text))
		if want := slices.Index(terms, text); ok != (want >= 0) || ok && number != want {
			t.Fatalf("find(%q) in %q = %d, %v", text, terms, number, ok)
		}
		low, high := d.beginningWith([]byte(text))
		for i, term := range terms {
			if (low <= i && i < high) != strings.HasPrefix(term, text) {
				t.Fatalf("terms %d to %d of %q begin with %q", low, high, terms, text)
			}
		}
	})
}

func TestVocabularyUnions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 2000
		inverted := inversion{}
		for _, term := range drawTerms(t) {
			inverted[term] = drawIDs(t, size, "pubs")
		}
		v := newVocabulary(inverted, size, defaultRarity, func(dst, texts []uint32) []uint32 { return append(dst, texts...) })
		prefix := rapid.StringMatching(`[abé居]{1,3}`).Draw(t, "prefix")
		want := map[uint32]bool{}
		for term, pubs := range inverted {
			if strings.HasPrefix(term, prefix) {
				for _, pub := range pubs {
					want[pub] = true
				}
			}
		}
		var a arena
		a.reset(size)
		a.begin()
		v.addRange(v.beginningWith([]byte(prefix)), &a)
		if got := a.union().ids; !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("%v: pubs of %q: %v, want %v", inverted, prefix, got, slices.Sorted(maps.Keys(want)))
		}
	})
}

func TestMisspellingsAreThoseWithinTheEdits(t *testing.T) {
	var m misspelling
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		d := newTestDictionary(terms)
		word := rapid.OneOf(rapid.SampledFrom(terms), rapid.StringMatching(`[abé居]{1,9}`)).Draw(t, "word")
		edits := rapid.IntRange(1, 2).Draw(t, "edits")
		beginning := rapid.Bool().Draw(t, "beginning")
		found := make([]bool, len(terms))
		m.each(d, newLetterIndex(d), []byte(word), edits, beginning, func(r termRange) {
			for i := r.low; i < r.high; i++ {
				if found[i] {
					t.Fatalf("%q comes twice", terms[i])
				}
				found[i] = true
			}
		})
		for i, term := range terms {
			a, b := []rune(word), []rune(term)
			want := alignment(a, b) <= edits
			for end := 1; beginning && end <= len(b); end++ {
				want = want || alignment(a, b[:end]) <= edits
			}
			if want = want && a[0] == b[0]; found[i] != want {
				t.Fatalf("%q of %q within %d edits of %q, beginning %v: %v, want %v", term, terms, edits, word, beginning, found[i], want)
			}
		}
	})
}

func TestInfixIndexFindsAllTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		d := newTestDictionary(terms)
		text := rapid.StringMatching(`[abé居]{3,4}`).Draw(t, "text")
		found := make([]bool, len(terms))
		newInfixIndex(d).each(d, []byte(text), func(term uint32) { found[term] = true })
		for i, term := range terms {
			if want := bytes.Contains([]byte(term), []byte(text)); found[i] != want {
				t.Fatalf("%q in %q: %v, want %v", text, term, found[i], want)
			}
		}
	})
}
