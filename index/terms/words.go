package terms

import (
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

// Workspace is the working memory of terms. The zero value is ready to use.
type Workspace struct {
	// Scratch lends sets that are only counted.
	Scratch postings.Pool

	cache    cache
	known    Terms
	Fuzzy    text.FuzzyMatcher
	terms    []uint32
	run      []byte
	pending  []postings.Set // operands of a union
	operands []postings.Set // operands of an intersection
	variants []postings.Set
}

// cache has the sets of a word of a query, each found once, by mode, whether it is matched as a last word, and
// position. It is valid if the bit of its position is set in the mask.
type cache struct {
	words    int // of the query
	hasTerms [modeCount][2]uint64
	terms    [][2]int // where they begin and end in ranges; those that the mode adds to the known ones
	ranges   []text.Range
	hasSet   [modeCount][fieldsCount][2]uint64
	sets     []postings.Set // by fields, too
}

// begin forgets what was found, and prepares for a number of words.
func (c *cache) begin(words int) {
	c.words, c.ranges = words, c.ranges[:0]
	c.hasTerms, c.hasSet = [modeCount][2]uint64{}, [modeCount][fieldsCount][2]uint64{}
	if size := int(modeCount) * 2 * words; len(c.terms) < size {
		c.terms, c.sets = make([][2]int, size), make([]postings.Set, size*int(fieldsCount))
	}
}

// at returns where the terms of a word are; where its sets are if multiplied by fieldsCount.
func (c *cache) at(mode Mode, end int, position uint8) int {
	return (int(mode)*2+end)*c.words + int(position)
}

func indexOf(last bool) int {
	if last {
		return 1
	}
	return 0
}

// Words matches the words of a query, given by their positions. Its sets are in the memory of a pool, and valid as long
// as Words.
type Words struct {
	index *Index
	texts text.Phrase
	w     *Workspace
	pool  *postings.Pool
}

// MaxPositions is the number of words from the first on that have a position.
const MaxPositions = 64

// Part is some words of a query, by their positions; with Ends, the last one is matched as a last word.
type Part struct {
	Positions []uint8
	Ends      bool
}

// IsLast reports whether the word at an index of the positions is matched as a last word.
func (p Part) IsLast(i int) bool { return p.Ends && i == len(p.Positions)-1 }

// Match returns Words of some texts. It ends what was found of others in the workspace.
func (x *Index) Match(texts text.Phrase, w *Workspace, pool *postings.Pool) Words {
	w.cache.begin(min(len(texts), MaxPositions))
	return Words{x, texts, w, pool}
}

// Added returns the ranges of the terms that a word matches in a mode, but not as a known one.
func (q *Words) Added(mode Mode, position uint8, last bool) []text.Range {
	c, end := &q.w.cache, indexOf(last)
	if c.hasTerms[mode][end]&(1<<position) == 0 {
		begin := len(c.ranges)
		c.ranges = q.appendAdded(c.ranges, mode, position, last)
		c.terms[c.at(mode, end, position)] = [2]int{begin, len(c.ranges)}
		c.hasTerms[mode][end] |= 1 << position
	}
	ends := c.terms[c.at(mode, end, position)]
	return c.ranges[ends[0]:ends[1]]
}

func (q *Words) appendAdded(dst []text.Range, mode Mode, position uint8, last bool) []text.Range {
	const minInfix = 3 // characters of a word that may match inside another
	word := q.texts[position]
	if mode == Infix && utf8.RuneCount(word) >= minInfix {
		q.w.terms = q.index.fuzzy.Trigrams.AppendContaining(q.w.terms[:0], q.index.Words.Terms, word)
		for _, term := range q.w.terms {
			dst = append(dst, text.Range{Low: term, High: term + 1})
		}
		return dst
	}
	if query := q.fuzzyQuery(mode, position, last); query.Edits > 0 {
		return q.w.Fuzzy.Append(dst, &q.index.fuzzy, query)
	}
	return dst
}

// fuzzyQuery returns how a word may be misspelt in a mode; without edits if it may not. A word with a digit is not.
func (q *Words) fuzzyQuery(mode Mode, position uint8, last bool) (none text.FuzzyQuery) {
	const minTypo, minLoose, minTwo, minAnyFirst, minPrefix = 3, 4, 8, 4, 4
	word := q.texts[position]
	size := utf8.RuneCount(word)
	switch {
	case mode < Typo || size < minTypo || mode > Typo && size < minLoose || text.HasDigit(word):
		return none
	case mode == Typo && q.IsKnown(position, last), mode == Loose && q.isOfPlaces(q.index.Known(word, last, q.w).Ranges):
		return none
	}
	edits := 1
	if size >= minTwo {
		edits = 2
	}
	return text.FuzzyQuery{
		Word: word, Edits: edits, AnyFirst: mode == Typo && size >= minAnyFirst, Prefix: last && size >= minPrefix,
	}
}

// isOfPlaces reports whether terms count as words of places: at least half as many pubs have one in location or area as
// in the name.
func (q *Words) isOfPlaces(terms []text.Range) bool {
	places := q.count(&q.index.Local, terms)
	return places > 0 && 2*places >= q.count(&q.index.Named, terms)
}

// count returns the number of pubs that have one of some terms in a layer.
func (q *Words) count(l *text.Layer, terms []text.Range) int {
	q.w.Scratch.Release()
	q.w.pending = q.w.pending[:0]
	for _, r := range terms {
		q.w.pending = l.AppendRange(q.w.pending, r)
	}
	return q.w.Scratch.Union(q.w.pending).Len()
}

// Matching returns the pubs that match a word in a mode and some fields.
func (q *Words) Matching(mode Mode, in Fields, position uint8, last bool) postings.Set {
	c, end := &q.w.cache, indexOf(last)
	pubs := &c.sets[c.at(mode, end, position)*int(fieldsCount)+int(in)]
	if c.hasSet[mode][in][end]&(1<<position) == 0 {
		*pubs = q.find(mode, in, position, last)
		c.hasSet[mode][in][end] |= 1 << position
	}
	return *pubs
}

// IsKnown reports whether any pub has a word uncorrected, as one of the same words, or joined.
func (q *Words) IsKnown(position uint8, last bool) bool {
	return q.Matching(Known, Anywhere, position, last).Len() > 0
}

// find returns the pubs that match a word as a known one, and those that a mode adds.
func (q *Words) find(mode Mode, in Fields, position uint8, last bool) postings.Set {
	x, w := q.index, q.w
	if mode == Known {
		word := q.texts[position]
		t := x.Known(word, last, w)
		w.pending = x.appendHaving(w.pending[:0], in, t)
		if in == InPlace {
			w.pending = append(w.pending, x.CodesOf(word))
		}
		return q.pool.Union(w.pending)
	}
	asKnown, terms := q.Matching(Known, in, position, last), q.Added(mode, position, last)
	w.pending = x.appendTerms(append(w.pending[:0], asKnown), in, terms)
	return q.pool.Union(w.pending)
}

// All returns the pubs that match all words of a part: as Known, also with one run of two or three written together.
func (q *Words) All(mode Mode, part Part) postings.Set {
	if mode == Known {
		return q.asKnown(part)
	}
	return q.apart(mode, part)
}

// apart returns the pubs that match all words of a part separately.
func (q *Words) apart(mode Mode, part Part) postings.Set {
	operands := q.w.operands[:0]
	for i, position := range part.Positions {
		pubs := q.Matching(mode, Anywhere, position, part.IsLast(i))
		if pubs.Len() == 0 {
			return postings.Set{}
		}
		operands = append(operands, pubs)
	}
	q.w.operands = operands
	return q.pool.Intersect(operands)
}

// asKnown returns the pubs that match the words of a part as known words do, either separately or with one run of two or
// three written together.
func (q *Words) asKnown(part Part) postings.Set {
	positions := part.Positions
	variants := append(q.w.variants[:0], q.apart(Known, part))
	for size := 2; size <= min(text.MaxJoined, len(positions)); size++ {
		for at := range len(positions) - size + 1 {
			run := q.run(positions[at:at+size], part.IsLast(at+size-1))
			if run.Len() == 0 {
				continue
			}
			operands := append(q.w.operands[:0], run)
			for i, position := range positions {
				if i < at || i >= at+size {
					operands = append(operands, q.Matching(Known, Anywhere, position, part.IsLast(i)))
				}
			}
			q.w.operands = operands
			variants = append(variants, q.pool.Intersect(operands))
		}
	}
	q.w.variants = variants
	return q.pool.Union(variants)
}

// run returns the pubs that have the words at some positions written together.
func (q *Words) run(positions []uint8, last bool) postings.Set {
	w := q.w
	w.run = w.run[:0]
	for _, position := range positions {
		w.run = append(w.run, q.texts[position]...)
	}
	return q.index.Having(Anywhere, q.index.Known(w.run, last, w), w, q.pool)
}

// Telling returns the pubs of a set, which match all words of a part, that match one in the name, or all in location,
// area and codes. It is in the memory of a pool.
func (q *Words) Telling(mode Mode, set postings.Set, part Part, pool *postings.Pool) postings.Set {
	variants := q.w.variants[:0]
	for i, position := range part.Positions {
		named := pool.Both(set, q.Matching(mode, InName, position, part.IsLast(i)))
		if named.Len() == set.Len() {
			return set
		}
		variants = append(variants, named)
	}
	local := set
	for i, position := range part.Positions {
		if local = pool.Both(local, q.Matching(mode, InPlace, position, part.IsLast(i))); local.Len() == 0 {
			break
		}
	}
	variants = append(variants, local)
	q.w.variants = variants
	return pool.Union(variants)
}

// Adds reports whether any word of a part matches more in a mode than as a known one, and each matches anything.
func (q *Words) Adds(mode Mode, part Part) (any bool) {
	for i, position := range part.Positions {
		last := part.IsLast(i)
		if len(q.Added(mode, position, last)) > 0 {
			any = true
		} else if !q.IsKnown(position, last) {
			return false
		}
	}
	return any
}

// A Candidate is a word that a query may do without: the pubs that match it as it is or, if no pub has it, misspelt, and
// the pubs that have it in their names.
type Candidate struct {
	Pubs, Named postings.Set
	IsKnown     bool
	OfPlaces    bool // it counts as a word of places
}

// Candidate returns what decides whether a word is left out. In a circle, no word is one of places.
func (q *Words) Candidate(position uint8, last, inCircle bool) Candidate {
	c := Candidate{Pubs: q.Matching(Typo, Anywhere, position, last), IsKnown: q.IsKnown(position, last)}
	terms := q.index.Known(q.texts[position], last, q.w)
	if !c.IsKnown {
		terms.Ranges = q.Added(Typo, position, last)
	}
	c.OfPlaces = !inCircle && q.isOfPlaces(terms.Ranges)
	if c.Named = q.index.Having(InName, Terms{Ranges: terms.Ranges}, q.w, q.pool); c.Named.Len() == 0 {
		c.Named = q.index.Having(InName, Terms{Joined: terms.Joined}, q.w, q.pool)
	}
	return c
}

// Correction returns the term to which a word may be corrected in a mode that most of some pubs have; of equally frequent
// ones, the one with the fewest edits, then the first. It reports false if they have none, or if one has the word as it is.
func (q *Words) Correction(of postings.Set, mode Mode, position uint8, last bool) (term uint32, ok bool) {
	q.w.Scratch.Release()
	if q.w.Scratch.Both(of, q.Matching(Known, Anywhere, position, last)).Len() > 0 {
		return 0, false
	}
	ranges, query := q.Added(mode, position, last), q.fuzzyQuery(mode, position, last)
	distance := func(term uint32) int {
		return q.w.Fuzzy.Distance(query.Word, q.index.Words.Terms.At(term), query.Edits, query.Prefix)
	}
	most, fewest := 0, -1 // fewest is not known before there are equals
	for _, r := range ranges {
		for other := r.Low; other < r.High; other++ {
			q.w.Scratch.Release()
			having := q.w.Scratch.Either(q.index.Words.At(other), q.index.rest.At(other))
			if having.Len() < max(most, 1) {
				continue
			}
			count := q.w.Scratch.Both(of, having).Len()
			if count == 0 || count < most {
				continue
			}
			if count > most {
				most, term, fewest = count, other, -1
				continue
			}
			if fewest < 0 {
				fewest = distance(term)
			}
			if edits := distance(other); edits < fewest || edits == fewest && other < term {
				term, fewest = other, edits
			}
		}
	}
	return term, most > 0
}
