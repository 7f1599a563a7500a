package relax

import (
	"bytes"
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

// readings are the terms that a word matches without correction: ranges of the words of all fields, and of joined words. They are valid until the
// next call of read.
type readings struct{ wide, joined []text.Range }

const (
	// MinJoinedPrefix is the minimum length, in characters, of a last word that may be a prefix of a joined one.
	MinJoinedPrefix = 4
	// minWithThe is the minimum length, in characters, of a word that may be "the" and another word written together.
	minWithThe = 6
	// MinInfix is the minimum length, in characters, of a word that may match inside another.
	MinInfix = 3
)

// read returns the readings of a word in a mode.
func (l Ladder) read(mode mode, word []byte, last bool) (r readings) {
	w := l.w
	r.wide, r.joined = appendWritten(w.wide[:0], &l.wide, word, last), w.joined[:0]
	if mode != wider && mode != joined {
		if other := Abbreviation(word); other != "" {
			w.other = append(w.other[:0], other...)
			r.wide = appendWritten(r.wide, &l.wide, w.other, false)
		}
	}
	if mode != wider && mode != spelt {
		r.joined = appendWritten(r.joined, &l.joined, word, last && utf8.RuneCount(word) >= MinJoinedPrefix)
		if rest, cut := CutThe(word); cut {
			r.wide = appendWritten(r.wide, &l.wide, rest, last)
			r.joined = appendWritten(r.joined, &l.joined, rest, last && utf8.RuneCount(rest) >= MinJoinedPrefix)
		}
	}
	w.wide, w.joined = r.wide, r.joined
	return r
}

// CutThe returns the rest of a word that may be "the" and another word written together.
func CutThe(word []byte) (rest []byte, cut bool) {
	rest, cut = bytes.CutPrefix(word, the)
	return rest, cut && utf8.RuneCount(word) >= minWithThe
}

var the = []byte("the")

// appendWritten appends the range of the terms that equal a word or, if it is a last word, begin with it, unless it is empty.
func appendWritten(dst []text.Range, v *text.Vocabulary, word []byte, last bool) []text.Range {
	var r text.Range
	if last {
		r = v.PrefixRange(word)
	} else if number, ok := v.Terms.Find(word); ok {
		r = text.Range{Low: number, High: number + 1}
	}
	if r.Low < r.High {
		dst = append(dst, r)
	}
	return dst
}

// union returns the pubs that have one of the readings, in the memory of a pool.
func (l Ladder) union(r readings, pool *postings.Pool) postings.Set {
	pending := l.w.pending[:0]
	for _, terms := range r.wide {
		pending = l.wide.AppendRange(pending, terms)
	}
	for _, terms := range r.joined {
		pending = l.joined.AppendRange(pending, terms)
	}
	l.w.pending = pending
	return pool.Union(pending)
}

// postings returns the pubs that match a word, given by its place, in a mode. The set is valid as long as the ladder.
func (l Ladder) postings(mode mode, place uint8, last bool) postings.Set {
	end := 0
	if last {
		end = 1
	}
	found := &l.w.cache[mode][end][place]
	if l.w.cached[mode][end]&(1<<place) == 0 {
		*found = l.find(mode, place, last)
		l.w.cached[mode][end] |= 1 << place
	}
	return *found
}

// isKnown reports whether any pub has a word uncorrected, which may be abbreviated, spelt out or joined.
func (l Ladder) isKnown(place uint8, last bool) bool { return l.postings(known, place, last).Len() > 0 }

func (l Ladder) find(mode mode, place uint8, last bool) postings.Set {
	word := l.w.words[place]
	switch mode {
	case infix:
		if utf8.RuneCount(word) < MinInfix {
			return l.postings(known, place, last)
		}
		r := l.read(known, word, last)
		l.w.terms = l.fuzzy.Trigrams.AppendContaining(l.w.terms[:0], &l.wide.Terms, word)
		pending := l.w.pending[:0]
		for _, term := range l.w.terms {
			pending = append(pending, l.wide.Postings(term))
		}
		for _, terms := range r.wide { // an abbreviation contains other text
			pending = l.wide.AppendRange(pending, terms)
		}
		for _, terms := range r.joined {
			pending = l.joined.AppendRange(pending, terms)
		}
		l.w.pending = pending
		return l.w.sets.Union(pending)
	case typo, far:
		if l.isKnown(place, last) {
			return l.postings(known, place, last)
		}
		return l.union(readings{wide: l.corrections(mode, place, last)}, &l.w.sets)
	case loose:
		pending := l.w.pending[:0]
		for _, terms := range l.corrections(mode, place, last) {
			pending = l.wide.AppendRange(pending, terms)
		}
		l.w.pending = pending
		corrected := l.w.sets.Union(pending)
		standing := l.postings(known, place, last)
		switch {
		case corrected.Len() == 0:
			return standing
		case standing.Len() == 0:
			return corrected
		}
		l.w.pending = append(l.w.pending[:0], corrected, standing)
		return l.w.sets.Union(l.w.pending)
	}
	return l.union(l.read(mode, word, last), &l.w.sets)
}

// matching returns the pubs that match all words at the given places, the last one as a last word, regardless of the filter.
func (l Ladder) matching(mode mode, runs bool, places []uint8) postings.Set {
	if runs {
		return l.matchingRuns(mode, places)
	}
	return l.intersect(mode, places)
}

// intersect returns the pubs that match all words at the given places, the last one as a last word.
func (l Ladder) intersect(mode mode, places []uint8) postings.Set {
	l.w.operands = l.w.operands[:0]
	for i, place := range places {
		found := l.postings(mode, place, i == len(places)-1)
		if found.Len() == 0 {
			return postings.Set{}
		}
		l.w.operands = append(l.w.operands, found)
	}
	return l.w.attempt.Intersect(l.w.operands)
}

// matchingRuns returns the pubs that match the words at the given places, either separately or with one run of two or three written together.
func (l Ladder) matchingRuns(mode mode, places []uint8) postings.Set {
	pool := &l.w.attempt
	variants := append(l.w.variants[:0], l.intersect(mode, places))
	for size := 2; size <= min(text.MaxJoined, len(places)); size++ {
		for at := range len(places) - size + 1 {
			run := l.run(mode, places[at:at+size], at+size == len(places))
			if run.Len() == 0 {
				continue
			}
			operands := append(l.w.operands[:0], run)
			for i, place := range places {
				if i >= at && i < at+size {
					continue
				}
				found := l.postings(mode, place, i == len(places)-1)
				if found.Len() == 0 {
					operands = operands[:0]
					break
				}
				operands = append(operands, found)
			}
			l.w.operands = operands
			if len(operands) > 0 {
				variants = append(variants, pool.Intersect(operands))
			}
		}
	}
	l.w.variants = variants
	return pool.Union(variants)
}

// run returns the pubs that have the words at the given places written together.
func (l Ladder) run(mode mode, places []uint8, last bool) postings.Set {
	w := l.w
	w.run = w.run[:0]
	for _, place := range places {
		w.run = append(w.run, w.words[place]...)
	}
	return l.union(l.read(mode, w.run, last), &w.attempt)
}
