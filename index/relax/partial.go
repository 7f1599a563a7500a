package relax

import (
	"cmp"
	"math/bits"
	"slices"
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

const (
	// maxPartialHits is the maximum number of pubs of an answer that leaves out a known word that is not a word of
	// places: a broader guess would help no one.
	maxPartialHits = 50
	// A word is common if more than one pub in commonShare has it in its name.
	commonShare = 32
)

// choiceWord is a word of the core, for choices.
type choiceWord struct {
	pubs    postings.Set // pubs that match it
	telling postings.Set // the pubs among them that have it in their names
	weight  int
	known   bool
	place   bool
}

// A choice has a bit for each word of the core that is kept.
type choice uint8

func (c choice) keeps(i int) bool { return c>>i&1 == 1 }

// A candidate is a choice that finds a pub.
type candidate struct {
	choice
	weight      int
	keepsPlaces bool // it keeps every known word of places
}

// words returns the number of words that are kept.
func (c choice) words() int { return bits.OnesCount8(uint8(c)) }

// choices is the working memory of choices.
type choices struct {
	words      []choiceWord
	counts     [1 << MaxWords]int32 // by choice, the number of pubs that match it and pass the filter
	candidates []candidate
}

// prepareChoices returns the choices of words of the core that find pubs that pass a filter, in the order in which
// they are tried: the heavier first, then those with more words, then those without the earliest word at which they
// differ. In a circle, no word is one of places.
func (l Ladder) prepareChoices(inCircle bool, filter Filter) []candidate {
	w, m := l.w, &l.w.partials
	m.candidates = m.candidates[:0]
	if len(w.core) < 2 {
		return nil
	}
	m.words = l.appendChoiceWords(m.words[:0], inCircle)
	l.countChoices(filter)
	for c := choice(1); int(c) < 1<<len(m.words)-1; c++ {
		if m.counts[c] == 0 {
			continue
		}
		if keepsPlaces, most := l.judge(c); most == 0 || int(m.counts[c]) <= most {
			m.candidates = append(m.candidates, candidate{c, l.weight(c), keepsPlaces})
		}
	}
	slices.SortFunc(m.candidates, func(a, b candidate) int {
		if order := cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.words(), a.words())); order != 0 {
			return order
		}
		differ := a.choice ^ b.choice
		if a.choice&(differ&-differ) == 0 {
			return -1
		}
		return 1
	})
	return m.candidates
}

// choose tries candidates: those that keep every known word of places, or the others.
func (l Ladder) choose(candidates []candidate, keepsPlaces bool, yield yield) bool {
	w := l.w
	var chosen [MaxWords]uint8
	for _, c := range candidates {
		if c.keepsPlaces != keepsPlaces {
			continue
		}
		positions := chosen[:0]
		for i, position := range w.core {
			if c.keeps(i) {
				positions = append(positions, position)
			}
		}
		a := l.begin(Partial, typo, positions, c.keeps(len(w.core)-1))
		if !l.offer(within{filter: l.All}, l.pubsOf(c.choice), a, yield) {
			return false
		}
	}
	return true
}

// isInPlace reports whether a word is one of a place that the query names.
func (l Ladder) isInPlace(word []byte) bool {
	for _, n := range l.places() {
		if slices.ContainsFunc(n.Words, func(other []byte) bool { return string(other) == string(word) }) {
			return true
		}
	}
	return false
}

// appendChoiceWords appends the words of the core.
func (l Ladder) appendChoiceWords(dst []choiceWord, inCircle bool) []choiceWord {
	w := l.w
	for i, position := range w.core {
		last := i == len(w.core)-1
		word := w.words[position]
		c := choiceWord{pubs: l.postings(typo, anywhere, position, last), known: l.isKnown(position, last)}
		r := readings{}
		if c.known {
			r = l.read(word, last)
		} else {
			r.wide = l.corrections(typo, position, last)
		}
		c.place = !inCircle && (l.isInPlace(word) || l.isOfPlaces(r.wide))
		named := l.union(inName, readings{wide: r.wide}, &w.sets)
		if named.Len() == 0 {
			named = l.union(inName, readings{joined: r.joined}, &w.sets)
		}
		common := named.Len() > maxPartialHits && named.Len()*commonShare > l.pubs
		if !c.place && !common && utf8.RuneCount(word) >= minTelling && !text.IsUsual(word) {
			c.telling = named
		}
		if n := c.pubs.Len(); n > 0 {
			if c.weight = bits.Len(uint(l.pubs / n)); !c.known {
				c.weight = max(1, c.weight/2)
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// judge reports whether a choice keeps every known word of places, and returns the maximum number of pubs that it may
// find: 0 means any number, and a negative number that the choice must not be made.
func (l Ladder) judge(c choice) (keepsPlaces bool, most int) {
	keepsPlaces = true
	knownKept, nameKept := true, true // no unknown word is kept, no known word but those of places is left out
	for i := range l.w.partials.words {
		word := &l.w.partials.words[i]
		switch {
		case c.keeps(i):
			knownKept = knownKept && word.known
		case word.known && word.place:
			keepsPlaces = false
		case word.known && !word.place:
			nameKept = false
		}
	}
	switch {
	case !keepsPlaces && !(knownKept && nameKept):
		return false, -1
	case nameKept:
		return keepsPlaces, 0
	}
	return keepsPlaces, maxPartialHits
}

func (l Ladder) weight(c choice) (weight int) {
	for i := range l.w.partials.words {
		if c.keeps(i) {
			weight += l.w.partials.words[i].weight
		}
	}
	return weight
}

// countChoices counts the pubs of all choices that pass a filter in one pass through the sets of the words, 64 pubs at
// a time.
func (l Ladder) countChoices(filter Filter) {
	m := &l.w.partials
	clear(m.counts[:])
	passing := cursor{set: filter.Passing()}
	var words, telling [MaxWords]cursor
	for i := range m.words {
		words[i], telling[i] = cursor{set: m.words[i].pubs}, cursor{set: m.words[i].telling}
	}
	for block := range uint32(l.pubs+63) / 64 {
		pass := passing.at(block)
		if pass == 0 {
			continue
		}
		var here wordBlock
		for i := range m.words {
			if has := words[i].at(block) & pass; has != 0 {
				here.has[here.n], here.tells[here.n], here.bit[here.n] = has, telling[i].at(block)&pass, 1<<i
				here.n++
			}
		}
		here.count(&m.counts, 0, 0, ^uint64(0), 0)
	}
}

// wordBlock has, for a block of 64 pubs and each word, the pubs that match it, and those that have it in their names.
type wordBlock struct {
	has, tells [MaxWords]uint64
	bit        [MaxWords]choice
	n          int
}

// count counts the pubs of the choices that add some of the words from a given one on to a choice.
func (b *wordBlock) count(counts *[1 << MaxWords]int32, from int, kept choice, all, told uint64) {
	for i := from; i < b.n; i++ {
		if both := all & b.has[i]; both != 0 {
			any, more := told|b.tells[i], kept|b.bit[i]
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
func (l Ladder) pubsOf(c choice) postings.Set {
	w, m := l.w, &l.w.partials
	operands, told := w.operands[:0], w.pending[:0]
	for i := range m.words {
		if c.keeps(i) {
			operands = append(operands, m.words[i].pubs)
			if m.words[i].telling.Len() > 0 {
				told = append(told, m.words[i].telling)
			}
		}
	}
	w.pending = told
	operands = append(operands, w.attempt.Union(told))
	w.operands = operands
	return w.attempt.Intersect(operands)
}
