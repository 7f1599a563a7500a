package match

import (
	"cmp"
	"math/bits"
	"slices"
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/reading"
	"pubd/index/terms"
	"pubd/index/text"
)

const (
	// maxPartialHits is the maximum number of pubs of an answer that leaves out a known word that is not a word of
	// places: a broader guess would help no one.
	maxPartialHits = 50
	// A word is common if more than one pub in commonShare has it in its name.
	commonShare = 32
)

// choiceWord is a word of those to choose from.
type choiceWord struct {
	terms.Candidate
	telling postings.Set // pubs that have it in their names, if that tells which pub is meant
	weight  int
}

// A choice has a bit for each word that is kept.
type choice uint8

func (c choice) keeps(i int) bool { return c>>i&1 == 1 }

// A candidate is a choice that finds a pub.
type candidate struct {
	choice
	weight int
	most   int // maximum number of pubs; 0 means any number
}

// words returns the number of words that are kept.
func (c choice) words() int { return bits.OnesCount8(uint8(c)) }

// choices is the working memory of choices.
type choices struct {
	words      []choiceWord
	counts     [1 << reading.MaxWords]int32 // by choice, the number of pubs that match it and pass the filter
	candidates []candidate
}

// prepareChoices returns the choices of words of a part that find pubs that pass, in the order in which they are
// tried: the heavier first, then those with more words, then those without the earliest word at which they differ.
func (m matcher) prepareChoices(part terms.Part, in scope) []candidate {
	p := &m.w.partials
	p.candidates = p.candidates[:0]
	if len(part.Positions) < 2 || len(part.Positions) > reading.MaxWords {
		return nil
	}
	p.words = m.appendChoiceWords(p.words[:0], part, in.inCircle)
	if !slices.ContainsFunc(p.words, func(word choiceWord) bool { return word.telling.Len() > 0 }) {
		return nil // as a choice finds pubs that one of its words tells
	}
	passing := in.filter.Passing()
	if in.bounded {
		m.w.scratch().Release()
		passing = m.w.scratch().Both(passing, m.areaOf(in))
	}
	m.countChoices(passing)
	for c := choice(1); int(c) < 1<<len(p.words)-1; c++ {
		if most := m.mostOf(c); p.counts[c] > 0 && (most == 0 || int(p.counts[c]) <= most) {
			p.candidates = append(p.candidates, candidate{c, m.weightOf(c), most})
		}
	}
	slices.SortFunc(p.candidates, func(a, b candidate) int {
		if order := cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.words(), a.words())); order != 0 {
			return order
		}
		differ := a.choice ^ b.choice
		if a.choice&(differ&-differ) == 0 {
			return -1
		}
		return 1
	})
	return p.candidates
}

// choose tries the choices of the words of a part.
func (m matcher) choose(part terms.Part, in scope) (goOn bool) {
	var chosen [reading.MaxWords]uint8
	for _, c := range m.prepareChoices(part, in) {
		kept := chosen[:0]
		for i, position := range part.Positions {
			if c.keeps(i) {
				kept = append(kept, position)
			}
		}
		a := m.begin(Partial, terms.Typo, terms.Part{Positions: kept, Ends: part.Ends && c.keeps(len(part.Positions)-1)})
		a.most = c.most
		if !m.offer(m.within(in, m.pubsOf(c.choice), a)) {
			return false
		}
	}
	return true
}

// appendChoiceWords appends the words of a part.
func (m matcher) appendChoiceWords(dst []choiceWord, part terms.Part, inCircle bool) []choiceWord {
	for i, position := range part.Positions {
		c := choiceWord{Candidate: m.words.Candidate(position, part.IsLast(i), inCircle)}
		isCommon := c.Named.Len() > maxPartialHits && c.Named.Len()*commonShare > m.x.Terms.Len()
		isLong := utf8.RuneCount(m.Texts[position]) >= reading.MinTelling
		if !c.OfPlaces && !isCommon && isLong && !m.Classes[position].Is(text.Usual|text.PlaceNoun) {
			c.telling = c.Named
		}
		if c.weight = m.weight(c.Pubs); !c.IsKnown {
			c.weight = max(1, c.weight/2)
		}
		dst = append(dst, c)
	}
	return dst
}

// weight returns the weight of a word that some pubs match, in bits.
func (m matcher) weight(pubs postings.Set) int {
	if pubs.Len() == 0 {
		return 0
	}
	return bits.Len(uint(m.x.Terms.Len() / pubs.Len()))
}

// mostOf returns the maximum number of pubs that a choice may find, which is limited if a known word is left out that is
// none of places; 0 means any number.
func (m matcher) mostOf(c choice) int {
	for i := range m.w.partials.words {
		if word := &m.w.partials.words[i]; !c.keeps(i) && word.IsKnown && !word.OfPlaces {
			return maxPartialHits
		}
	}
	return 0
}

func (m matcher) weightOf(c choice) (weight int) {
	for i := range m.w.partials.words {
		if c.keeps(i) {
			weight += m.w.partials.words[i].weight
		}
	}
	return weight
}

// countChoices counts the pubs of a set in all choices in one pass through the sets of the words, 64 pubs at a time.
func (m matcher) countChoices(set postings.Set) {
	p := &m.w.partials
	clear(p.counts[:])
	passing := cursor{set: set}
	var having, telling [reading.MaxWords]cursor // of the words that any pub has
	var bit [reading.MaxWords]choice
	n := 0
	for i := range p.words {
		if p.words[i].Pubs.Len() > 0 {
			having[n], telling[n], bit[n] = cursor{set: p.words[i].Pubs}, cursor{set: p.words[i].telling}, 1<<i
			n++
		}
	}
	for block := range uint32(m.x.Terms.Len()+63) / 64 {
		pass := passing.at(block)
		if pass == 0 {
			continue
		}
		var here wordBlock
		for i := range n {
			if has := having[i].at(block) & pass; has != 0 {
				here.has[here.n], here.tells[here.n], here.bit[here.n] = has, telling[i].at(block)&pass, bit[i]
				here.n++
			}
		}
		here.count(&p.counts, 0, 0, ^uint64(0), 0)
	}
}

// wordBlock has, for a block of 64 pubs and each word, the pubs that match it, and those that have it in their names.
type wordBlock struct {
	has, tells [reading.MaxWords]uint64
	bit        [reading.MaxWords]choice
	n          int
}

// count counts the pubs of the choices that add some of the words from a given one on to a choice.
func (b *wordBlock) count(counts *[1 << reading.MaxWords]int32, from int, kept choice, all, telling uint64) {
	for i := from; i < b.n; i++ {
		if both := all & b.has[i]; both != 0 {
			any, more := telling|b.tells[i], kept|b.bit[i]
			counts[more] += int32(bits.OnesCount64(both & any))
			b.count(counts, i+1, more, both, any)
		}
	}
}

// cursor goes through a set, 64 pubs at a time.
type cursor struct {
	set  postings.Set
	next int // of a list
}

// at returns the pubs of a block, as bits. Blocks ascend from call to call.
func (c *cursor) at(block uint32) (found uint64) {
	if bitmap := c.set.Bitmap(); bitmap != nil {
		return bitmap[block]
	}
	ids := c.set.IDs()
	for c.next < len(ids) && ids[c.next]/64 < block {
		c.next++
	}
	for c.next < len(ids) && ids[c.next]/64 == block {
		found |= 1 << (ids[c.next] % 64)
		c.next++
	}
	return found
}

// pubsOf returns the pubs of a choice.
func (m matcher) pubsOf(c choice) postings.Set {
	w, p := m.w, &m.w.partials
	operands, telling := w.operands[:0], w.pending[:0]
	for i := range p.words {
		if c.keeps(i) {
			operands = append(operands, p.words[i].Pubs)
			if p.words[i].telling.Len() > 0 {
				telling = append(telling, p.words[i].telling)
			}
		}
	}
	w.pending = telling
	operands = append(operands, w.attempt.Union(telling))
	w.operands = operands
	return w.attempt.Intersect(operands)
}
