package relax

import (
	"bytes"
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

// scope is the fields in which a word is looked for.
type scope uint8

const (
	anywhere scope = iota
	inName
	inPlace // location, area and codes
	scopeCount
)

// form is a word, or its beginning if prefix is set, among joined words.
type form struct {
	text   []byte
	prefix bool
}

// readings are what a word matches without correction: ranges of the words of all fields, and forms of joined words.
// They are valid until the next call of read.
type readings struct {
	wide   []text.Range
	joined []form
}

const (
	// MinJoinedPrefix is the minimum length, in characters, of a last word that may be a prefix of a joined one.
	MinJoinedPrefix = 4
	// minWithThe is the minimum length, in characters, of a word that may be "the" and another word written together.
	minWithThe = 6
	// MinInfix is the minimum length, in characters, of a word that may match inside another.
	MinInfix = 3
)

// read returns the readings of a word.
func (l Ladder) read(word []byte, last bool) (r readings) {
	w := l.w
	r.wide, r.joined = l.appendWritten(w.wide[:0], word, last), w.joined[:0]
	if other := Abbreviation(word); other != "" {
		w.other = append(w.other[:0], other...)
		r.wide = l.appendWritten(r.wide, w.other, false)
	}
	r.joined = append(r.joined, joinedForm(word, last))
	if rest, cut := CutThe(word); cut {
		r.wide = l.appendWritten(r.wide, rest, last)
		r.joined = append(r.joined, joinedForm(rest, last))
	}
	w.wide, w.joined = r.wide, r.joined
	return r
}

func joinedForm(word []byte, last bool) form {
	return form{word, last && utf8.RuneCount(word) >= MinJoinedPrefix}
}

// CutThe returns the rest of a word that may be "the" and another word written together.
func CutThe(word []byte) (rest []byte, cut bool) {
	rest, cut = bytes.CutPrefix(word, the)
	return rest, cut && utf8.RuneCount(word) >= minWithThe
}

var the = []byte("the")

// appendWritten appends the range of the terms that equal a word or, if it is a last word, begin with it, unless it is
// empty.
func (l Ladder) appendWritten(dst []text.Range, word []byte, last bool) []text.Range {
	var r text.Range
	if last {
		r = l.strict.Begun.PrefixRange(word)
	} else if number, ok := l.terms.Find(word); ok {
		r = text.Range{Low: number, High: number + 1}
	}
	if r.Low < r.High {
		dst = append(dst, r)
	}
	return dst
}

// appendTerms appends sets whose union is the pubs that have one of some terms of all fields in a scope.
func (l Ladder) appendTerms(dst []postings.Set, s scope, terms []text.Range) []postings.Set {
	for _, r := range terms {
		switch s {
		case anywhere:
			dst = l.rest.AppendShared(l.strict.Begun.AppendRange(dst, r), l.terms, r)
		case inName:
			dst = l.strict.Named.AppendShared(dst, l.terms, r)
		case inPlace:
			dst = l.strict.Local.AppendShared(dst, l.terms, r)
		}
	}
	return dst
}

// appendJoined appends sets whose union is the pubs that have one of some joined words in a scope.
func (l Ladder) appendJoined(dst []postings.Set, s scope, forms []form) []postings.Set {
	for _, f := range forms {
		if s != inPlace {
			dst = appendForm(dst, &l.joinedNames, f)
		}
		if s != inName {
			dst = appendForm(dst, &l.joinedLocal, f)
		}
		if s == anywhere {
			dst = l.appendCodes(appendForm(dst, &l.joinedCodes, f), f)
		}
	}
	return dst
}

// appendCodes appends the sets of the codes that are words of a postcode written together.
func (l Ladder) appendCodes(dst []postings.Set, f form) []postings.Set {
	var r text.Range
	if f.prefix {
		r = l.strict.Begun.PrefixRange(f.text)
	} else if number, ok := l.terms.Find(f.text); ok {
		r = text.Range{Low: number, High: number + 1}
	}
	for term := r.Low; term < r.High; term++ {
		if l.codesJoined.Has(term) {
			dst = append(dst, l.strict.Codes.At(term))
		}
	}
	return dst
}

func appendForm(dst []postings.Set, v *text.Vocabulary, f form) []postings.Set {
	if f.prefix {
		return v.AppendRange(dst, v.PrefixRange(f.text))
	}
	if found := v.Exact(f.text); found.Len() > 0 {
		dst = append(dst, found)
	}
	return dst
}

// union returns the pubs that have one of the readings in a scope, in the memory of a pool.
func (l Ladder) union(s scope, r readings, pool *postings.Pool) postings.Set {
	l.w.pending = l.appendJoined(l.appendTerms(l.w.pending[:0], s, r.wide), s, r.joined)
	return pool.Union(l.w.pending)
}

// postings returns the pubs that match a word, given by its position, in a mode and a scope. The set is valid as long
// as the ladder.
func (l Ladder) postings(m mode, s scope, position uint8, last bool) postings.Set {
	end := 0
	if last {
		end = 1
	}
	found := &l.w.cache[m][s][end][position]
	if l.w.cached[m][s][end]&(1<<position) == 0 {
		*found = l.find(m, s, position, last)
		l.w.cached[m][s][end] |= 1 << position
	}
	return *found
}

// isKnown reports whether any pub has a word uncorrected, which may be abbreviated, spelt out or joined.
func (l Ladder) isKnown(position uint8, last bool) bool {
	return l.postings(known, anywhere, position, last).Len() > 0
}

// find returns the pubs that match a word as a known one, and those that a mode adds.
func (l Ladder) find(m mode, s scope, position uint8, last bool) postings.Set {
	if m == known {
		r := l.read(l.w.words[position], last)
		pending := l.appendJoined(l.appendTerms(l.w.pending[:0], s, r.wide), s, r.joined)
		if s == inPlace {
			if codes := l.strict.CodesOf(l.w.words[position]); codes.Len() > 0 {
				pending = append(pending, codes)
			}
		}
		l.w.pending = pending
		return l.w.sets.Union(pending)
	}
	asKnown, terms := l.postings(known, s, position, last), l.added(m, position, last)
	l.w.pending = append(l.w.pending[:0], asKnown)
	l.w.pending = l.appendTerms(l.w.pending, s, terms)
	return l.w.sets.Union(l.w.pending)
}

// added returns the ranges of the terms that a word may match in a mode, but not as a known one. They are valid until
// the next call.
func (l Ladder) added(m mode, position uint8, last bool) []text.Range {
	word := l.w.words[position]
	switch {
	case m == infix && utf8.RuneCount(word) >= MinInfix:
		l.w.terms = l.fuzzy.Trigrams.AppendContaining(l.w.terms[:0], l.terms, word)
		l.w.containing = l.w.containing[:0]
		for _, term := range l.w.terms {
			l.w.containing = append(l.w.containing, text.Range{Low: term, High: term + 1})
		}
		return l.w.containing
	case m >= typo:
		return l.corrections(m, position, last)
	}
	return nil
}

// beyond returns the pubs of an area that match a word in a mode, but not as a known one, in name, location or area.
func (l Ladder) beyond(m mode, in within, position uint8, last bool) postings.Set {
	l.w.pending = l.w.pending[:0]
	for _, r := range l.added(m, position, last) {
		l.w.pending = l.strict.Begun.AppendRange(l.w.pending, r)
	}
	found := l.w.attempt.Union(l.w.pending)
	if !in.bounded || found.Len() == 0 {
		return found
	}
	l.w.operands = append(l.operandsOf(in), found)
	return l.w.attempt.Intersect(l.w.operands)
}

// isLast reports whether the word at an index of positions is matched as a last word.
func isLast(positions []uint8, i int, ends bool) bool { return ends && i == len(positions)-1 }

// operandsOf begins an intersection with the area, if there is one.
func (l Ladder) operandsOf(in within) []postings.Set {
	l.w.operands = l.w.operands[:0]
	if in.bounded {
		l.w.operands = append(l.w.operands, in.area)
	}
	return l.w.operands
}

// all returns the pubs of an area that match all words at some positions.
func (l Ladder) all(m mode, in within, positions []uint8, ends bool) postings.Set {
	operands := l.operandsOf(in)
	for i, position := range positions {
		found := l.postings(m, anywhere, position, isLast(positions, i, ends))
		if found.Len() == 0 {
			return postings.Set{}
		}
		operands = append(operands, found)
	}
	l.w.operands = operands
	return l.w.attempt.Intersect(operands)
}

// named returns the pubs of a set, which match all words at some positions, that match one in the name, or all in
// location, area and codes.
func (l Ladder) named(m mode, set postings.Set, positions []uint8, ends bool) postings.Set {
	pool := &l.w.attempt
	variants := l.w.variants[:0]
	for i, position := range positions {
		found := pool.Both(set, l.postings(m, inName, position, isLast(positions, i, ends)))
		if found.Len() == set.Len() {
			return set
		}
		if found.Len() > 0 {
			variants = append(variants, found)
		}
	}
	local := set
	for i, position := range positions {
		if local = pool.Both(local, l.postings(m, inPlace, position, isLast(positions, i, ends))); local.Len() == 0 {
			break
		}
	}
	if local.Len() > 0 {
		variants = append(variants, local)
	}
	l.w.variants = variants
	return pool.Union(variants)
}

// knownRuns returns the pubs of an area that match the words at some positions as known words do, either separately or
// with one run of two or three written together.
func (l Ladder) knownRuns(in within, positions []uint8, ends bool) postings.Set {
	pool := &l.w.attempt
	variants := l.w.variants[:0]
	if found := l.all(known, in, positions, ends); found.Len() > 0 {
		variants = append(variants, found)
	}
	for size := 2; size <= min(text.MaxJoined, len(positions)); size++ {
		for at := range len(positions) - size + 1 {
			run := l.runOf(positions[at:at+size], ends && at+size == len(positions))
			if run.Len() == 0 {
				continue
			}
			operands := append(l.operandsOf(in), run)
			for i, position := range positions {
				if i >= at && i < at+size {
					continue
				}
				found := l.postings(known, anywhere, position, isLast(positions, i, ends))
				if found.Len() == 0 {
					operands = operands[:0]
					break
				}
				operands = append(operands, found)
			}
			l.w.operands = operands
			if len(operands) == 0 {
				continue
			}
			if found := pool.Intersect(operands); found.Len() > 0 {
				variants = append(variants, found)
			}
		}
	}
	l.w.variants = variants
	return pool.Union(variants)
}

// runOf returns the pubs that have the words at some positions written together.
func (l Ladder) runOf(positions []uint8, last bool) postings.Set {
	w := l.w
	w.run = w.run[:0]
	for _, position := range positions {
		w.run = append(w.run, w.words[position]...)
	}
	return l.union(anywhere, l.read(w.run, last), &w.attempt)
}
