package index

import (
	"cmp"
	"slices"
)

// MaxSuggestions is how many suggestions there are at most.
const MaxSuggestions = 20

// A Suggestion is a name or a location that completes a text.
type Suggestion struct {
	Text     string // in its most frequent spelling
	Location bool   // and no name
	Pubs     int    // that have it
}

// completions finds the texts, in ascending order, that begin with another, those that most pubs have first.
type completions struct {
	terms *dictionary
	pubs  []uint32 // by term, how many have it
	shown func(term uint32) string
	// best holds the first MaxSuggestions of ranges that are too long to go through.
	best map[termRange][]uint32
}

// longRange is how many terms are too many to go through.
const longRange = 64

func newCompletions(terms *dictionary, pubs []uint32, shown func(term uint32) string) *completions {
	c := &completions{terms, pubs, shown, map[termRange][]uint32{}}
	prepare := func(r termRange) {
		if r.high-r.low > longRange {
			c.best[r] = c.first(nil, r)
		}
	}
	prepare(termRange{0, uint32(terms.len())})
	eachBranch(terms, prepare)
	return c
}

// first appends the first MaxSuggestions terms of a range.
func (c *completions) first(dst []uint32, r termRange) []uint32 {
	start := len(dst)
	for term := r.low; term < r.high; term++ {
		at, _ := slices.BinarySearchFunc(dst[start:], term, c.compare)
		if at < MaxSuggestions {
			dst = slices.Insert(dst, start+at, term)
			dst = dst[:min(len(dst), start+MaxSuggestions)]
		}
	}
	return dst
}

// compare orders terms by how many pubs have them, then by their texts.
func (c *completions) compare(a, b uint32) int {
	return cmp.Or(cmp.Compare(c.pubs[b], c.pubs[a]), cmp.Compare(a, b))
}

// beginningWith appends the first terms that begin with a prefix.
func (c *completions) beginningWith(dst []uint32, prefix []byte) []uint32 {
	low, high := c.terms.beginningWith(prefix)
	r := termRange{uint32(low), uint32(high)}
	if best, ok := c.best[r]; ok {
		return append(dst, best...)
	}
	return c.first(dst, r)
}

// completeTexts prepares suggestions. Names are completed without the and and.
func (s *Snapshot) completeTexts() {
	titles, frequent := make([]uint32, s.titles.len()), make([]uint32, s.titles.len())
	for i := range titles {
		titles[i] = s.titleStart[i+1] - s.titleStart[i]
		frequent[i] = s.frequentlyNamed(s.titled(i, i+1))
	}
	places := s.columns[Location]
	counts := make([]uint32, places.values.len())
	for i := range counts {
		counts[i] = uint32(len(places.pubs.at(uint32(i)).ids))
	}
	s.called = newCompletions(s.titles, titles, func(title uint32) string { return s.pubs[frequent[title]].Name })
	s.places = newCompletions(places.values, counts, func(value uint32) string { return places.shown[value] })
}

// frequentlyNamed is a pub with the name that most of some pubs have, the first of equally frequent ones.
func (s *Snapshot) frequentlyNamed(pubs []uint32) (pub uint32) {
	most := 0
	for i := 0; i < len(pubs); {
		end := i + 1
		for end < len(pubs) && s.pubs[pubs[end]].Name == s.pubs[pubs[i]].Name {
			end++
		}
		if end-i > most {
			most, pub = end-i, pubs[i]
		}
		i = end
	}
	return pub
}

// Suggest appends names and locations that begin with a text, those that most pubs have first, names before locations
// that as many have; at most most, and no more than MaxSuggestions. The Answer lends memory.
func (s *Snapshot) Suggest(dst []Suggestion, a *Answer, text []byte, most int) []Suggestion {
	a.folded = AppendFolded(a.folded[:0], text)
	if len(a.folded) == 0 {
		return dst
	}
	a.words = withoutFiller(a.words[:0].appendWords(a.folded))
	a.title = a.words.appendTo(a.title[:0])
	a.ids = s.called.beginningWith(a.ids[:0], a.title)
	names := len(a.ids)
	a.ids = s.places.beginningWith(a.ids, a.folded)
	i, j := 0, names
	for most = min(most, MaxSuggestions); most > 0 && (i < names || j < len(a.ids)); most-- {
		if j == len(a.ids) || i < names && s.called.pubs[a.ids[i]] >= s.places.pubs[a.ids[j]] {
			dst = append(dst, Suggestion{s.called.shown(a.ids[i]), false, int(s.called.pubs[a.ids[i]])})
			i++
		} else {
			dst = append(dst, Suggestion{s.places.shown(a.ids[j]), true, int(s.places.pubs[a.ids[j]])})
			j++
		}
	}
	return dst
}
