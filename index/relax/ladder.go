// Package relax finds likely results if no pub has the words of a query.
//
// A query is relaxed along a ladder of attempts, from the strictest to the loosest; the first that finds a pub answers:
//
//	     with         step     how a word may match
//	1    the query    wider    strictly, in name, location, address, postcode or area
//	2    the query    joined   or written together with its neighbours, in a field or in the query
//	3    the core     words    as in 1, or abbreviated or spelt out
//	4    the core     words    as in 2 and 3
//	5,6  both         infix    as in 4, or inside a word
//	7,8  both         typo     as in 4; unknown words misspelt
//	9,10 both         typo     the same, with more edits; only in a circle, or with a known word
//	     some words   partial  the choices that keep every known word of places
//	11,12 both        typo     any word misspelt, except known words of places
//	     some words   partial  the other choices
//
// The core is the query without generic and filler words. A word is known if any pub of the snapshot has it, regardless of the filter. All sets
// of pubs are those of words, prefixes and ranges of a dictionary, found once for each word; an attempt intersects them.
package relax

import (
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

// MaxWords is the maximum number of words, without "the" and "and", of a query that is relaxed.
const MaxWords = 8

// Step is how far a query was relaxed.
type Step uint8

// The steps, in the order in which they are first attempted.
const (
	NotRelaxed Step = iota
	Wider
	Joined
	Words
	Infix
	Typo
	Partial
)

var stepNames = [...]string{"", "wider", "joined", "words", "infix", "typo", "partial"}

// String returns the step as answers write it, such as "infix".
func (s Step) String() string { return stepNames[s] }

// mode is how a word of a query may match the words of a pub, or its joined words.
type mode uint8

const (
	wider  mode = iota // strictly, in any field
	joined             // or joined
	spelt              // strictly, abbreviated or spelt out
	known              // joined, abbreviated or spelt out
	infix              // or inside a word
	typo               // as known or, if no pub has it, with the usual edits
	far                // the same with more edits
	loose              // as known or, except for words of places, with the usual edits
	modeCount
)

// part says which words of a query an attempt uses.
type part uint8

const (
	theQuery part = iota
	theCore
	both         // the query, then the core if it differs
	someOfCore   // choices of the core's words that keep every known word of places
	othersOfCore // the other choices
)

// ladder has the attempts in order.
var ladder = [...]attempt{
	{with: theQuery, step: Wider, mode: wider},
	{with: theQuery, step: Joined, mode: joined, runs: true},
	{with: theCore, step: Words, mode: spelt},
	{with: theCore, step: Words, mode: known, runs: true},
	{with: both, step: Infix, mode: infix},
	{with: both, step: Typo, mode: typo},
	{with: both, step: Typo, mode: far, when: Ladder.isSupported},
	{with: someOfCore, step: Partial, mode: typo},
	{with: both, step: Typo, mode: loose},
	{with: othersOfCore, step: Partial, mode: typo},
}

// An attempt matches words in a mode.
type attempt struct {
	with part
	step Step
	mode mode
	// runs lets two or three neighbouring words of the query be written together.
	runs bool
	// when, unless nil, is the condition for the attempt.
	when func(l Ladder, places []uint8) bool
}

// Filter decides which matching pubs are results.
type Filter interface {
	// Keep returns the members of a set that pass, in the memory of a pool.
	Keep(pubs postings.Set, pool *postings.Pool) postings.Set
	// Passing returns all pubs that pass.
	Passing() postings.Set
}

// Limits restrict the attempts.
type Limits struct {
	Filter Filter
	// InCircle is set in a distance search: the circle is the place, and no word counts as a word of places.
	InCircle bool
	// NoPartial disables attempts that leave words out.
	NoPartial bool
}

// Answer is the result of relaxing a query. If Step is NotRelaxed, no attempt found a pub. It is valid until the workspace is used again.
type Answer struct {
	Pubs postings.Set
	Step Step
	// Words are the words that matched. Corrected has the same words, in which each one that no pub has is replaced by its correction; nil if no
	// word was corrected.
	Words, Corrected text.Phrase
	// Misspelt is how each word may be misspelt.
	Misspelt [MaxWords]Misspelt

	mode mode
	runs bool
	ends bool // the last of Words is matched as a last word
}

// Ladder relaxes one query. It uses the memory of its workspace.
type Ladder struct {
	*Index
	w *Workspace
	Limits
}

// Ladder returns the ladder of the words of a query: 1 to MaxWords of them.
func (x *Index) Ladder(words text.Phrase, w *Workspace) Ladder {
	w.begin(x.pubs, words)
	return Ladder{Index: x, w: w}
}

// Find makes the attempts within limits, which may differ from call to call.
func (l Ladder) Find(limits Limits) Answer {
	l.Limits = limits
	w := l.w
	w.counted = false
	differ := len(w.core) < len(w.query)
	for _, a := range ladder {
		var found Answer
		switch a.with {
		case theQuery:
			found = l.try(a, w.query)
		case theCore:
			found = l.try(a, w.core)
		case both:
			if found = l.try(a, w.query); found.Step == NotRelaxed && differ {
				found = l.try(a, w.core)
			}
		case someOfCore, othersOfCore:
			if !l.NoPartial {
				found = l.tryChoices(a)
			}
		}
		if found.Step != NotRelaxed {
			if found.Step == Typo || found.Step == Partial {
				found.Corrected = l.corrected(&found)
			}
			return found
		}
	}
	return Answer{}
}

// try makes an attempt with the words at the given places, the last of which is matched as a last word.
func (l Ladder) try(a attempt, places []uint8) Answer {
	if a.when != nil && !a.when(l, places) {
		return Answer{}
	}
	l.w.attempt.Release()
	pubs := l.matching(a.mode, a.runs, places)
	if pubs.Len() == 0 {
		return Answer{}
	}
	if pubs = l.Filter.Keep(pubs, &l.w.attempt); pubs.Len() == 0 {
		return Answer{}
	}
	return l.answer(a, places, pubs, true)
}

// answer returns the answer of an attempt that found pubs.
func (l Ladder) answer(a attempt, places []uint8, pubs postings.Set, ends bool) Answer {
	words := l.w.matched[:0]
	for _, place := range places {
		words = append(words, l.w.words[place])
	}
	l.w.matched = words
	l.w.places = append(l.w.places[:0], places...)
	found := Answer{Pubs: pubs, Step: a.step, Words: words, mode: a.mode, runs: a.runs, ends: ends}
	for i, place := range places {
		found.Misspelt[i] = l.misspelt(a.mode, place, found.IsLast(i))
	}
	return found
}

// isSupported reports whether an attempt with more edits is plausible: in a circle, or with a known significant word.
func (l Ladder) isSupported(places []uint8) bool {
	if l.InCircle {
		return true
	}
	for i, place := range places {
		word := l.w.words[place]
		if utf8.RuneCount(word) >= minTelling && !isSlight(word) && l.isKnown(place, i == len(places)-1) {
			return true
		}
	}
	return false
}

// minTelling is the minimum number of characters of a significant word.
const minTelling = 3
