package match

import (
	"slices"

	"pubd/index/features"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/reading"
	"pubd/index/terms"
	"pubd/index/text"
)

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

// Answer is what a query found, and how. It is valid until the workspace is used again.
type Answer struct {
	Pubs postings.Set
	Step Step
	// Words are the words that matched; none if all pubs of a place, or any pubs, answer. Corrected has the same words, in
	// which each one that no pub has is replaced by its correction; nil if no word was corrected.
	Words, Corrected text.Phrase
	// Place is the place of step Place, without words if any pub answers. Direction has the words of the part of it that
	// answers, Larger those of the place that it is near to, and Misspelt the words of the query that it was read from.
	Place                       places.Place
	Direction, Larger, Misspelt text.Phrase
	// Inside are the pubs in Place if it answers without words.
	Inside postings.Set
	// Unused are the words of the query that are in none of these and are neither generic nor filler.
	Unused text.Phrase
	// Features are those that the query wishes in words that are in none of these.
	Features []string
	// Asked is set if the place is asked for, so that pubs beside it come last. Ring is set if pubs near the place answer.
	Asked, Ring bool

	reading   *Reading
	mode      terms.Mode
	positions [terms.MaxPositions]uint8 // of Words in the query
	count     int                       // of positions
	ends      bool                      // the last of Words is matched as a last word
	most      int                       // maximum number of pubs; 0 means any number
	wished    uint64                    // bits of the positions of Features
}

// AsItStands returns the answer, without its pubs, of a query that is not relaxed.
func (r *Reading) AsItStands() *Answer {
	r.w.answers[0] = Answer{Words: r.Words, reading: r, ends: true}
	return &r.w.answers[0]
}

// said is the memory of what an answer says about itself.
type said struct {
	words, corrected, unused text.Phrase
	features                 []string
}

// complete adds to an answer what it says about itself; isFirst is set unless it adds to another one.
func (m matcher) complete(a Answer, memory *said, isFirst bool) Answer {
	a.reading = m.Reading
	if a.Words == nil {
		memory.words = append(memory.words[:0], m.at(a.positions[:a.count])...)
		a.Words = memory.words
	}
	if a.mode >= terms.Typo {
		memory.corrected = append(memory.corrected[:0], a.Words...)
		for i := range a.Words {
			if term, ok := m.words.Correction(a.Pubs, a.mode, a.positions[i], a.IsLast(i)); ok {
				memory.corrected[i], a.Corrected = m.x.Terms.Words.Terms.At(term), memory.corrected
			}
		}
	}
	if a.Step == NotRelaxed {
		return a
	}
	memory.unused, memory.features = memory.unused[:0], memory.features[:0]
	hasSt := a.Place.Words.Has([]byte("st"))
	isUsed := func(word []byte) bool {
		return hasSt && reading.IsSaint(word) || slices.ContainsFunc([]text.Phrase{a.Words, a.Misspelt, a.Direction, a.Place.Words, a.Larger},
			func(used text.Phrase) bool { return used.Has(word) })
	}
	for _, wish := range m.Features {
		if slices.ContainsFunc(m.Words[wish.Low:wish.High], isUsed) {
			continue
		}
		if a.wished |= 1<<wish.High - 1<<wish.Low; !slices.Contains(memory.features, wish.Feature) {
			memory.features = append(memory.features, wish.Feature)
		}
	}
	for i, word := range m.Words {
		if isFirst && a.wished>>i&1 == 0 && !m.Classes[i].Is(text.Usual) && !isUsed(word) {
			memory.unused = append(memory.unused, word)
		}
	}
	a.Unused, a.Features = memory.unused, memory.features
	return a
}

// IsLast reports whether word i is matched as a last word, that is, as a prefix, too.
func (a *Answer) IsLast(i int) bool { return a.ends && i == len(a.Words)-1 }

// JoinsRuns reports whether neighbouring words may be written together.
func (a *Answer) JoinsRuns() bool { return a.mode == terms.Known }

// Query returns the words of the query, and Core those that are neither generic nor filler, or all.
func (a *Answer) Query() text.Phrase { return a.reading.Words }

// Core returns the words of the query that are neither generic nor filler, or all.
func (a *Answer) Core() text.Phrase { return a.reading.CoreWords() }

// Time returns the time at which the query asks pubs to be open.
func (a *Answer) Time() features.Time { return a.reading.Time }

// Denied returns what the query does not want.
func (a *Answer) Denied() *reading.Denied { return &a.reading.Denied }

// Best reports whether a place or any pub answers a query for the best: fair scores rank.
func (a *Answer) Best() bool {
	return a.Step != NotRelaxed && len(a.Words) == 0 && a.reading.Says.Is(text.Best)
}

// Here reports whether the query means the place where the person is, and names no other.
func (a *Answer) Here() bool {
	return a.Step != NotRelaxed && a.reading.IsHere && len(a.Place.Words) == 0
}

// AppendMatched appends the terms that word i matches, in any order.
func (a *Answer) AppendMatched(dst []text.Range, i int) []text.Range {
	r := a.reading
	if a.Step == NotRelaxed {
		dst = r.x.Terms.AppendWritten(dst, a.Words[i], a.IsLast(i))
	} else {
		dst = append(dst, r.x.Terms.Known(a.Words[i], a.IsLast(i), &r.w.reading.Terms).Ranges...)
	}
	return append(dst, a.Added(i)...)
}

// Added returns the terms that word i may be besides its spellings: those around it, or its corrections.
func (a *Answer) Added(i int) []text.Range {
	if a.mode <= terms.Known {
		return nil
	}
	return a.reading.words.Added(a.mode, a.positions[i], a.IsLast(i))
}

// Standing returns the pubs that have word i as it stands, or as one of the same words, in any field, in the memory of a
// pool.
func (a *Answer) Standing(i int, pool *postings.Pool) postings.Set {
	x, word, having := a.reading.x.Terms, a.Words[i], postings.Set{}
	if a.count > 0 { // found already
		having = a.reading.words.Matching(terms.Known, terms.Anywhere, a.positions[i], a.IsLast(i))
	} else {
		memory := &a.reading.w.reading.Terms
		having = x.Having(terms.Anywhere, x.Known(word, a.IsLast(i), memory), memory, pool)
	}
	return pool.Either(having, x.PlacedIn(word))
}

// granting returns the pubs that have a word, whole, in their names or their category, in the memory of a pool.
func (r *Reading) granting(word []byte, pool *postings.Pool) postings.Set {
	return pool.Union(r.x.Terms.Granting(word, &r.w.reading.Terms))
}

// Wishes calls do with the pubs that have each word of the query, whole, in their names or their category that says how
// pubs should be: a wish, or a kind of which not all pubs are, unless it is one of the place or the features. The sets are
// in the memory of a pool.
func (a *Answer) Wishes(pool *postings.Pool, do func(pubs postings.Set)) {
	for i, word := range a.reading.Words {
		class := a.reading.Classes[i]
		isKind := class.Is(text.Generic) && !class.Is(text.Plain)
		if a.Place.Words.Has(word) || a.wished>>i&1 == 1 || !isKind && !class.Is(text.Wish) {
			continue
		}
		do(a.reading.granting(word, pool))
	}
}

// Unwanted returns the pubs that have what the query denies: that are in the place, or have the words in their names or
// their category, in the memory of a pool.
func (a *Answer) Unwanted(pool *postings.Pool) postings.Set {
	r, d := a.reading, a.Denied()
	if len(d.Place.Words) > 0 {
		return r.x.Places.Inside(&d.Place, &r.w.reading.Places, pool)
	}
	having := r.granting(d.Words[0], pool)
	for _, word := range d.Words[1:] {
		having = pool.Both(having, r.granting(word, pool))
	}
	return having
}

// InPlace returns the pubs in the place that the query or its core is, as a phrase or by each word, in the memory of a
// pool; none if another place was found.
func (a *Answer) InPlace(pool *postings.Pool) postings.Set {
	if len(a.Words) == 0 || a.Step == Place {
		return postings.Set{}
	}
	r, w := a.reading, a.reading.w
	pending := w.pending[:0]
	for _, words := range [...]text.Phrase{r.Words, a.Core()} {
		if phrase, ok := r.x.Places.Phrase(words, &w.reading.Places); ok && (len(pending) == 0 || len(words) < len(r.Words)) {
			pending = append(pending, r.x.Places.Having(phrase))
		}
	}
	operands := w.operands[:0]
	for _, word := range r.Words {
		operands = append(operands, r.x.Terms.PlacedIn(word))
	}
	w.operands = operands
	if placed := pool.Intersect(operands); placed.Len() > 0 {
		pending = append(pending, placed)
	}
	w.pending = pending
	return pool.Union(pending)
}
