// Package relax finds likely results if no pub matches a query as it stands, or too few do.
//
// [Index.Find] relaxes a query along a ladder of attempts, from the strictest to the loosest, each with the core of
// the query, which has no generic or filler words. The first that finds a pub answers:
//
//	   step     how a word may match
//	1  words    the core as if not relaxed; then in any field, abbreviated, spelt out or joined
//	2  place    1 and 3 to 6 with the rest of a query that begins or ends with a place: in it, then beside it
//	3  infix    or inside a word
//	4  typo     unknown words misspelt
//	5  typo     the same, with more edits; only in a circle or a place, or with a known word
//	6  typo     any word misspelt, except known words of places
//	7  partial  the choices of some words that keep every known word of places
//	8  place    all pubs in a place, if the query asks for it
//	9  partial  the other choices
//
// A word is known if any pub has it, regardless of the filter. From 3 on, one word must be in a name, or all in
// location, area and codes. A query for all pubs of a place is answered before; near a point, near.go has another
// order. An Index is immutable, a [Workspace] serves one goroutine. Sets are found once for each word; an attempt
// intersects them.
package relax

import (
	"unicode/utf8"

	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/text"
)

// MaxWords is the maximum number of words, without "the" and "and", of a query that is relaxed.
const MaxWords = 8

// Few is the number of pubs from which on nothing is added to an answer.
const Few = 5

// Step is how far a query was relaxed.
type Step uint8

// The steps, in the order in which they are first attempted.
const (
	NotRelaxed Step = iota
	Words
	Place
	Infix
	Typo
	Partial
	StepCount = 6
)

var stepNames = [StepCount]string{"strict", "words", "place", "infix", "typo", "partial"}

// String returns the step as answers write it, such as "infix".
func (s Step) String() string { return stepNames[s] }

// mode is how a word of a query may match the words of a pub, or its joined words.
type mode uint8

const (
	asItStands    mode = iota // as a query that is not relaxed
	known                     // in any field, joined, abbreviated or spelt out
	infix                     // or inside a word
	typo                      // as known or, if no pub has it, with the usual edits
	far                       // the same with more edits
	loose                     // as known or, except for words of places, with the usual edits
	looseInCircle             // the same, where no word is one of places
	modeCount
)

// Filter decides which matching pubs are results.
type Filter interface {
	// Keep returns the members of a set that pass, in the memory of a pool.
	Keep(pubs postings.Set, pool *postings.Pool) postings.Set
	// Passing returns all pubs that pass.
	Passing() postings.Set
}

// Query says how to relax a query.
type Query struct {
	Words text.Phrase
	// All has the pubs that may be results. With Near, Nearby and Close have those among them within the distances of
	// NearbyRadius and CloseRadius.
	All, Nearby, Close Filter
	// InCircle is set in a distance search: the circle is the place, and no word counts as a word of places.
	InCircle bool
	// Near is set if there is a point to be near to, which does not limit the results.
	Near bool
	// Unmatched is set if it is known that no pub in All matches the words as they stand.
	Unmatched bool
	// More adds to few results what the next attempt finds.
	More bool
}

// Answer is what a query found, and how. It is valid until the workspace is used again.
type Answer struct {
	Pubs postings.Set
	Step Step
	// Words are the words that matched. Corrected has the same words, in which each one that no pub has is replaced by
	// its correction; nil if no word was corrected. Place has the words of the place of step Place.
	Words, Corrected, Place text.Phrase

	mode      mode
	positions [MaxWords]uint8 // of Words in the query
	count     int             // of positions
	ends      bool            // the last of Words is matched as a last word
	most      int             // maximum number of pubs; 0 means any number
}

// IsLast reports whether word i is matched as a last word, that is, as a prefix, too.
func (a *Answer) IsLast(i int) bool { return a.ends && i == len(a.Words)-1 }

// Ladder relaxes one query. It uses the memory of its workspace.
type Ladder struct {
	*Index
	Query
	w *Workspace
}

// Find answers a query of 1 to MaxWords words. Without results, the answer has no pub. more is what is added to it.
func (x *Index) Find(q Query, w *Workspace) (found, more *Answer) {
	w.begin(x.pubs, q.Words)
	l := Ladder{x, q, w}
	n := 0
	l.answers(func(a Answer) bool {
		if n == 1 {
			if a.Pubs = l.others(a.Pubs, w.found[0].Pubs); a.Pubs.Len() == 0 {
				return true
			}
		}
		a.Pubs = w.sets.Keep(a.Pubs)
		w.found[n] = l.told(a, n)
		n++
		return n == 1 && q.More && a.Pubs.Len() < Few
	})
	return &w.found[0], &w.found[1]
}

// others returns the members of a set that another, small one does not have.
func (l Ladder) others(set, small postings.Set) postings.Set {
	return l.w.attempt.Filter(set, func(pub uint32) bool { return !small.Has(pub) })
}

// told adds to answer n what it says about itself.
func (l Ladder) told(a Answer, n int) Answer {
	w := l.w
	w.told[n] = append(w.told[n][:0], w.at(a.positions[:a.count])...)
	a.Words = w.told[n]
	if a.mode >= typo {
		if a.Corrected = l.corrected(w.corrected[n], &a); a.Corrected != nil {
			w.corrected[n] = a.Corrected
		}
	}
	return a
}

// within is where an attempt looks for pubs: those that pass a filter and, if bounded is set, are in an area. place,
// unless nil, is the place that the area belongs to.
type within struct {
	filter  Filter
	bounded bool
	area    postings.Set
	place   *places.Named
}

// A yield function takes an answer, and reports whether to try further.
type yield func(a Answer) bool

// offer passes on the pubs of an attempt that pass the filter, if there are any, and reports whether to try further.
func (l Ladder) offer(in within, pubs postings.Set, a Answer, yield yield) bool {
	if pubs.Len() == 0 {
		return true
	}
	if a.Pubs = in.filter.Keep(pubs, &l.w.attempt); a.Pubs.Len() == 0 || a.most > 0 && a.Pubs.Len() > a.most {
		return true
	}
	if in.place != nil {
		a.Step, a.Place = Place, in.place.Words
	}
	return yield(a)
}

// begin begins an attempt, which takes back the memory of the last one.
func (l Ladder) begin(step Step, m mode, positions []uint8, ends bool) Answer {
	l.w.attempt.Release()
	a := Answer{Step: step, mode: m, ends: ends, count: len(positions)}
	copy(a.positions[:], positions)
	return a
}

// answers yields the answers of all attempts, in order.
func (l Ladder) answers(yield yield) {
	if !l.InCircle && !l.wantedPlace(yield) {
		return
	}
	if l.Near {
		l.near(yield)
		return
	}
	if l.Unmatched || l.strictly(within{filter: l.All}, l.w.query, true, NotRelaxed, yield) {
		l.attempts(true, true, yield)
	}
}

// strictly tries the words at some positions as a query that is not relaxed.
func (l Ladder) strictly(in within, positions []uint8, ends bool, step Step, yield yield) bool {
	a := l.begin(step, asItStands, positions, ends)
	found := l.strict.Match(l.w.at(positions), ends, &l.w.strict, &l.w.attempt)
	if in.bounded && found.Len() > 0 {
		l.w.operands = append(l.operandsOf(in), found)
		found = l.w.attempt.Intersect(l.w.operands)
	}
	return l.offer(in, found, a, yield)
}

// attempts tries what follows a strict query: attempts 1 to 6 if early is set, then 7 to 9 if late is set.
func (l Ladder) attempts(early, late bool, yield yield) bool {
	in := within{filter: l.All}
	if early && !(l.words(in, l.w.core, true, yield) && (l.InCircle || l.inPlaces(yield)) && l.slips(in, l.w.core, true, l.InCircle, yield)) {
		return false
	}
	if !late {
		return true
	}
	c := l.prepareChoices(l.InCircle, l.All)
	if !l.choose(c, true, yield) {
		return false
	}
	if !l.InCircle && WantsPlace(l.w.words) && !l.allOfPlaces(yield) {
		return false
	}
	return l.choose(c, false, yield)
}

// words makes attempt 1. The whole query has been tried strictly before.
func (l Ladder) words(in within, positions []uint8, ends bool, yield yield) bool {
	if len(positions) < len(l.w.query) && !l.strictly(in, positions, ends, Words, yield) {
		return false
	}
	a := l.begin(Words, known, positions, ends)
	return l.offer(in, l.knownRuns(in, positions, ends), a, yield)
}

// slips makes attempts 3 to 6 after attempt 1. In a circle, no word is one of places. If all words are known, 4 and 5
// would find no other pubs than 1.
func (l Ladder) slips(in within, positions []uint8, ends, inCircle bool, yield yield) bool {
	last := loose
	if inCircle {
		last = looseInCircle
	}
	areKnown := l.areKnown(positions, ends)
	for _, attempt := range [...]struct {
		step Step
		mode mode
	}{{Infix, infix}, {Typo, typo}, {Typo, far}, {Typo, last}} {
		if areKnown && (attempt.mode == typo || attempt.mode == far) {
			continue
		}
		if attempt.mode == far && !in.bounded && !inCircle && !l.isSupported(positions, ends) {
			continue
		}
		if !l.slip(in, attempt.step, attempt.mode, positions, ends, yield) {
			return false
		}
	}
	return true
}

// slip makes one of the attempts 3 to 6 after attempt 1, which has been answered with what matches as known. Of a
// single word it looks only for what it adds, in name, location and area: elsewhere, the word does not suffice. Near a
// point it does not, because an attempt that finds a pub close by comes first with all its pubs.
func (l Ladder) slip(in within, step Step, m mode, positions []uint8, ends bool, yield yield) bool {
	a := l.begin(step, m, positions, ends)
	if len(positions) == 1 && !l.Near {
		return l.offer(in, l.beyond(m, in, positions[0], ends), a, yield)
	}
	found := l.all(m, in, positions, ends)
	if found.Len() > 0 {
		found = in.filter.Keep(found, &l.w.attempt)
	}
	if found.Len() > 0 {
		found = l.named(m, found, positions, ends)
	}
	return l.offer(in, found, a, yield)
}

// areKnown reports whether all words at some positions are known.
func (l Ladder) areKnown(positions []uint8, ends bool) bool {
	for i, position := range positions {
		if !l.isKnown(position, isLast(positions, i, ends)) {
			return false
		}
	}
	return true
}

// isSupported reports whether an attempt with more edits is plausible: a word is known and significant.
func (l Ladder) isSupported(positions []uint8, ends bool) bool {
	for i, position := range positions {
		if utf8.RuneCount(l.w.words[position]) >= minTelling && l.isKnown(position, isLast(positions, i, ends)) {
			return true
		}
	}
	return false
}

// minTelling is the minimum number of characters of a significant word.
const minTelling = 3
