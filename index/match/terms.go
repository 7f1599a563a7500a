package match

import (
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

// mode is how a word of a query may match the words of a pub.
type mode uint8

const (
	asItStands mode = iota // as a query that is not relaxed
	known                  // in any field, as one of the same words, or joined
	infix                  // or inside a word
	typo                   // as known or, if no pub has it, misspelt
	loose                  // as known or, except for words of places, misspelt
	looser                 // the same, words of places, too
	modeCount
)

// layer is the fields in which a word is looked for.
type layer uint8

const (
	anywhere layer = iota
	inName
	inPlace // location, area and codes
	layerCount
)

const (
	// MinJoinedPrefix is the minimum length, in characters, of a last word that may begin a joined one.
	MinJoinedPrefix = 4
	// minInfix is the minimum length, in characters, of a word that may match inside another.
	minInfix = 3
)

// Terms is the terms that a word of a query may be.
type Terms struct {
	// Ranges are of the words of the dictionary.
	Ranges []text.Range
	// Joined are texts of words written together.
	Joined []Form
}

// Form is a text or, if Prefix is set, its beginning.
type Form struct {
	Text   []byte
	Prefix bool
}

// EachSpelling calls do with a word and what counts as the same.
func EachSpelling(word []byte, do func(spelling []byte)) {
	do(word)
	for _, other := range text.Same(word) {
		do([]byte(other))
	}
}

// appendKnown appends what a word matches without correction.
func (x *Index) appendKnown(t Terms, word []byte, last bool) Terms {
	t.Ranges = x.appendWritten(t.Ranges, word, last)
	for _, other := range text.Same(word) {
		t.Ranges = x.appendWritten(t.Ranges, []byte(other), false)
	}
	t.Joined = append(t.Joined, JoinedForm(word, last))
	return t
}

// JoinedForm returns what a word, perhaps the last one, may be as words written together.
func JoinedForm(word []byte, last bool) Form {
	return Form{word, last && utf8.RuneCount(word) >= MinJoinedPrefix}
}

// appendWritten appends the range of the terms that equal a word or, if it is a last word, begin with it, unless it is
// empty.
func (x *Index) appendWritten(dst []text.Range, word []byte, last bool) []text.Range {
	if last {
		if r := x.Words.Terms.PrefixRange(word); r.Low < r.High {
			dst = append(dst, r)
		}
	} else if number, ok := x.Words.Terms.Find(word); ok {
		dst = append(dst, text.Range{Low: number, High: number + 1})
	}
	return dst
}

// wordMemory is what is found once for a word of a query, by mode, whether it is matched as a last word, and position. It
// is valid if the bit of its position is set in the mask.
type wordMemory struct {
	words    int // of the query
	hasTerms [modeCount][2]uint64
	terms    [][2]int // where they begin and end in ranges; those that the mode adds to the known ones
	ranges   []text.Range
	hasSet   [modeCount][layerCount][2]uint64
	sets     []postings.Set // by layer, too
}

// begin forgets what was found, and prepares for a number of words.
func (m *wordMemory) begin(words int) {
	m.words, m.ranges = words, m.ranges[:0]
	m.hasTerms, m.hasSet = [modeCount][2]uint64{}, [modeCount][layerCount][2]uint64{}
	if size := int(modeCount) * 2 * words; len(m.terms) < size {
		m.terms, m.sets = make([][2]int, size), make([]postings.Set, size*int(layerCount))
	}
}

// at returns where the terms of a word are; where its sets are if multiplied by layerCount.
func (m *wordMemory) at(mode mode, end int, position uint8) int {
	return (int(mode)*2+end)*m.words + int(position)
}

func indexOf(last bool) int {
	if last {
		return 1
	}
	return 0
}

// known returns what a word matches without correction. It is valid until the next call.
func (x *Index) known(word []byte, last bool, w *Workspace) Terms {
	w.known = x.appendKnown(Terms{w.known.Ranges[:0], w.known.Joined[:0]}, word, last)
	return w.known
}

// added returns the ranges of the terms that a word matches in a mode, but not as a known one.
func (m matcher) added(mode mode, position uint8, last bool) []text.Range {
	w, end := &m.w.words, indexOf(last)
	if w.hasTerms[mode][end]&(1<<position) == 0 {
		begin := len(w.ranges)
		w.ranges = m.appendAdded(w.ranges, mode, position, last)
		w.terms[w.at(mode, end, position)] = [2]int{begin, len(w.ranges)}
		w.hasTerms[mode][end] |= 1 << position
	}
	found := w.terms[w.at(mode, end, position)]
	return w.ranges[found[0]:found[1]]
}

func (m matcher) appendAdded(dst []text.Range, mode mode, position uint8, last bool) []text.Range {
	word := m.texts[position]
	if mode == infix && utf8.RuneCount(word) >= minInfix {
		m.w.terms = m.fuzzy.Trigrams.AppendContaining(m.w.terms[:0], m.Words.Terms, word)
		for _, term := range m.w.terms {
			dst = append(dst, text.Range{Low: term, High: term + 1})
		}
		return dst
	}
	if query := m.fuzzyQuery(mode, position, last); query.Edits > 0 {
		return m.w.fuzzy.Append(dst, &m.fuzzy, query)
	}
	return dst
}

// fuzzyQuery returns how a word may be misspelt in a mode; without edits if it may not. A word with a digit is not.
func (m matcher) fuzzyQuery(mode mode, position uint8, last bool) (none text.FuzzyQuery) {
	const minTypo, minLoose, minTwo, minAnyFirst, minPrefix = 3, 4, 8, 4, 4
	word := m.texts[position]
	size := utf8.RuneCount(word)
	switch {
	case mode < typo || size < minTypo || mode > typo && size < minLoose || text.HasDigit(word):
		return none
	case mode == typo && m.isKnown(position, last), mode == loose && m.isOfPlaces(m.known(word, last, m.w).Ranges):
		return none
	}
	edits := 1
	if size >= minTwo {
		edits = 2
	}
	return text.FuzzyQuery{
		Word: word, Edits: edits, AnyFirst: mode == typo && size >= minAnyFirst, Prefix: last && size >= minPrefix,
	}
}

// isOfPlaces reports whether terms count as words of places: at least half as many pubs have one in location or area as
// in the name.
func (m matcher) isOfPlaces(terms []text.Range) bool {
	places := m.count(&m.Local, terms)
	return places > 0 && 2*places >= m.count(&m.Named, terms)
}

// count returns the number of pubs that have one of some terms in a layer.
func (m matcher) count(l *text.Layer, terms []text.Range) int {
	m.w.scratch.Release()
	m.w.pending = m.w.pending[:0]
	for _, r := range terms {
		m.w.pending = l.AppendRange(m.w.pending, r)
	}
	return m.w.scratch.Union(m.w.pending).Len()
}

// appendTerms appends sets whose union is the pubs that have one of some terms in a layer.
func (x *Index) appendTerms(dst []postings.Set, l layer, terms []text.Range) []postings.Set {
	for _, r := range terms {
		switch l {
		case anywhere:
			dst = x.rest.AppendRange(x.Words.AppendRange(dst, r), r)
		case inName:
			dst = x.Named.AppendRange(dst, r)
		case inPlace:
			dst = x.Local.AppendRange(dst, r)
		}
	}
	return dst
}

// appendJoined appends sets whose union is the pubs that have one of some joined words in a layer.
func (x *Index) appendJoined(dst []postings.Set, l layer, forms []Form) []postings.Set {
	for _, f := range forms {
		if l != inPlace {
			dst = appendForm(dst, &x.joinedNames, f)
		}
		if l != inName {
			dst = appendForm(dst, &x.joinedLocal, f)
		}
		if l == anywhere {
			dst = appendForm(dst, &x.joinedCodes, f)
		}
	}
	return dst
}

func appendForm(dst []postings.Set, v *text.Vocabulary, f Form) []postings.Set {
	if f.Prefix {
		return v.AppendRange(dst, v.Terms.PrefixRange(f.Text))
	}
	if found := v.Exact(f.Text); found.Len() > 0 {
		dst = append(dst, found)
	}
	return dst
}

// appendHaving appends sets whose union is the pubs that have one of some terms in a layer.
func (x *Index) appendHaving(dst []postings.Set, l layer, t Terms) []postings.Set {
	return x.appendJoined(x.appendTerms(dst, l, t.Ranges), l, t.Joined)
}

// having returns the pubs that have one of some terms in a layer, in the memory of a pool.
func (m matcher) having(l layer, t Terms, pool *postings.Pool) postings.Set {
	m.w.pending = m.appendHaving(m.w.pending[:0], l, t)
	return pool.Union(m.w.pending)
}

// matching returns the pubs that match a word, given by its position, in a mode and a layer. The set is valid as long as
// the matcher.
func (m matcher) matching(mode mode, l layer, position uint8, last bool) postings.Set {
	w, end := &m.w.words, indexOf(last)
	found := &w.sets[w.at(mode, end, position)*int(layerCount)+int(l)]
	if w.hasSet[mode][l][end]&(1<<position) == 0 {
		*found = m.find(mode, l, position, last)
		w.hasSet[mode][l][end] |= 1 << position
	}
	return *found
}

// isKnown reports whether any pub has a word uncorrected, as one of the same words, or joined.
func (m matcher) isKnown(position uint8, last bool) bool {
	return m.matching(known, anywhere, position, last).Len() > 0
}

// find returns the pubs that match a word as a known one, and those that a mode adds.
func (m matcher) find(mode mode, l layer, position uint8, last bool) postings.Set {
	w := m.w
	if mode == known {
		word := m.texts[position]
		t := m.known(word, last, w)
		w.pending = m.appendHaving(w.pending[:0], l, t)
		if l == inPlace {
			w.pending = append(w.pending, m.CodesOf(word))
		}
		return w.sets.Union(w.pending)
	}
	asKnown, terms := m.matching(known, l, position, last), m.added(mode, position, last)
	w.pending = m.appendTerms(append(w.pending[:0], asKnown), l, terms)
	return w.sets.Union(w.pending)
}

// isLast reports whether the word at an index of positions is matched as a last word.
func isLast(positions []uint8, i int, ends bool) bool { return ends && i == len(positions)-1 }

// all returns the pubs that match all words at some positions.
func (m matcher) all(mode mode, positions []uint8, ends bool) postings.Set {
	operands := m.w.operands[:0]
	for i, position := range positions {
		found := m.matching(mode, anywhere, position, isLast(positions, i, ends))
		if found.Len() == 0 {
			return postings.Set{}
		}
		operands = append(operands, found)
	}
	m.w.operands = operands
	return m.w.sets.Intersect(operands)
}

// suffices returns the pubs of a set, which match all words at some positions, that match one in the name, or all in
// location, area and codes.
func (m matcher) suffices(mode mode, set postings.Set, positions []uint8, ends bool) postings.Set {
	pool := &m.w.attempt
	variants := m.w.variants[:0]
	for i, position := range positions {
		found := pool.Both(set, m.matching(mode, inName, position, isLast(positions, i, ends)))
		if found.Len() == set.Len() {
			return set
		}
		variants = append(variants, found)
	}
	local := set
	for i, position := range positions {
		if local = pool.Both(local, m.matching(mode, inPlace, position, isLast(positions, i, ends))); local.Len() == 0 {
			break
		}
	}
	variants = append(variants, local)
	m.w.variants = variants
	return pool.Union(variants)
}

// asKnown returns the pubs that match the words at some positions as known words do, either separately or with one run
// of two or three written together.
func (m matcher) asKnown(positions []uint8, ends bool) postings.Set {
	pool := &m.w.sets
	variants := append(m.w.variants[:0], m.all(known, positions, ends))
	for size := 2; size <= min(text.MaxJoined, len(positions)); size++ {
		for at := range len(positions) - size + 1 {
			run := m.run(positions[at:at+size], ends && at+size == len(positions))
			if run.Len() == 0 {
				continue
			}
			operands := append(m.w.operands[:0], run)
			for i, position := range positions {
				if i < at || i >= at+size {
					operands = append(operands, m.matching(known, anywhere, position, isLast(positions, i, ends)))
				}
			}
			m.w.operands = operands
			variants = append(variants, pool.Intersect(operands))
		}
	}
	m.w.variants = variants
	return pool.Union(variants)
}

// run returns the pubs that have the words at some positions written together.
func (m matcher) run(positions []uint8, last bool) postings.Set {
	w := m.w
	w.run = w.run[:0]
	for _, position := range positions {
		w.run = append(w.run, m.texts[position]...)
	}
	return m.having(anywhere, m.known(w.run, last, w), &w.sets)
}
