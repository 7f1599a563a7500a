package text

import (
	"cmp"
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
)

// MaxCompletions is the maximum number of completions.
const MaxCompletions = 20

// Completions finds the terms that begin with a prefix, ordered by their number of pubs.
type Completions struct {
	Terms Dictionary
	// Pubs is the number of pubs by term.
	Pubs []uint32
	// low and high are the ranges that are too long to go through, in the order of those of a vocabulary. The first
	// MaxCompletions terms of range i are best[i*MaxCompletions:][:MaxCompletions].
	low, high, best []uint32
}

// longRange is the number of terms from which on a range is too long to go through.
const longRange = 64

// NewCompletions prepares the completions of a dictionary; pubs is the number of pubs by term.
func NewCompletions(terms Dictionary, pubs []uint32) Completions {
	c := Completions{Terms: terms, Pubs: pubs}
	var ranges []Range
	prepare := func(r Range, _ int) {
		if r.High-r.Low > longRange {
			ranges = append(ranges, r)
		}
	}
	prepare(Range{0, uint32(terms.Len())}, 0)
	eachPrefix(&terms, prepare)
	slices.SortFunc(ranges, compareRanges)
	for _, r := range slices.Compact(ranges) {
		c.low, c.high = append(c.low, r.Low), append(c.high, r.High)
		c.best = c.appendFirst(c.best, r)
	}
	return c
}

// appendFirst appends the first MaxCompletions terms of a range.
func (c *Completions) appendFirst(dst []uint32, r Range) []uint32 {
	start := len(dst)
	for term := r.Low; term < r.High; term++ {
		if len(dst) == start+MaxCompletions && c.compare(term, dst[len(dst)-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(dst[start:], term, c.compare)
		dst = slices.Insert(dst, start+at, term)
		dst = dst[:min(len(dst), start+MaxCompletions)]
	}
	return dst
}

// compare orders terms by their number of pubs, largest first, then by text.
func (c *Completions) compare(a, b uint32) int {
	return cmp.Or(cmp.Compare(c.Pubs[b], c.Pubs[a]), cmp.Compare(a, b))
}

// Append appends the first MaxCompletions terms that begin with a prefix.
func (c *Completions) Append(dst []uint32, prefix []byte) []uint32 {
	r := c.Terms.PrefixRange(prefix)
	if r.High-r.Low > longRange {
		for at := postings.LowerBound(c.low, r.Low); at < len(c.low) && c.low[at] == r.Low; at++ {
			if c.high[at] == r.High {
				return append(dst, c.best[at*MaxCompletions:(at+1)*MaxCompletions]...)
			}
		}
	}
	return c.appendFirst(dst, r)
}

// Code writes or reads the completions of Terms as sections whose names begin with name.
func (c *Completions) Code(f indexfile.Codec, name string) {
	indexfile.ArrayN(f, name+".pubs", &c.Pubs, c.Terms.Len())
	indexfile.Array(f, name+".low", &c.low)
	indexfile.ArrayN(f, name+".high", &c.high, len(c.low))
	indexfile.ArrayN(f, name+".best", &c.best, len(c.low)*MaxCompletions)
	indexfile.CheckBelow(f.Reader, name+".best", c.best, c.Terms.Len())
}
