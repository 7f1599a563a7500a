package relax

import (
	"math/bits"
	"unicode/utf8"

	"pubd/index/postings"
)

const (
	// maxPartialHits is the maximum number of pubs of an answer that leaves out a known word that is not a word of places: a broader guess
	// would help no one.
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

// choicesMemory is the working memory of choices.
type choicesMemory struct {
	words  []choiceWord
	counts [1 << MaxWords]int32 // by choice, the number of pubs that match it and pass the filter
}

// tryChoices tries choices of words of the core, heaviest first: either those that keep every known word of places, or the others.
func (l Ladder) tryChoices(a attempt) Answer {
	w, m := l.w, &l.w.choices
	if len(w.core) < 2 {
		return Answer{}
	}
	if !w.counted {
		m.words = l.appendChoiceWords(m.words[:0])
		l.countChoices()
		w.counted = true
	}
	best := choice(0)
	for c := choice(1); int(c) < 1<<len(m.words)-1; c++ {
		if m.counts[c] == 0 {
			continue
		}
		keepsPlaces, most := l.judge(c)
		if keepsPlaces == (a.with == someOfCore) && (most == 0 || int(m.counts[c]) <= most) && (best == 0 || l.comesBefore(c, best)) {
			best = c
		}
	}
	if best == 0 {
		return Answer{}
	}
	w.chosen = w.chosen[:0]
	for i, place := range w.core {
		if best.keeps(i) {
			w.chosen = append(w.chosen, place)
		}
	}
	return l.answer(a, w.chosen, l.choose(best), best.keeps(len(w.core)-1))
}

// appendChoiceWords appends the words of the core.
func (l Ladder) appendChoiceWords(dst []choiceWord) []choiceWord {
	w := l.w
	for i, place := range w.core {
		last := i == len(w.core)-1
		word := w.words[place]
		c := choiceWord{pubs: l.postings(typo, place, last), known: l.isKnown(place, last)}
		r := readings{}
		if c.known {
			r = l.read(known, word, last)
		} else {
			r.wide = l.corrections(typo, place, last)
		}
		c.place = !l.InCircle && l.isOfPlaces(r.wide)
		named := l.in(&l.named, r.wide, &w.sets)
		if named.Len() == 0 {
			named = l.union(readings{joined: r.joined}, &w.sets)
		}
		common := named.Len() > maxPartialHits && named.Len()*commonShare > l.pubs
		if !c.place && !common && utf8.RuneCount(word) >= minTelling && !isSlight(word) {
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

// judge reports whether a choice keeps every known word of places, and returns the maximum number of pubs that it may find: 0 means any number, and
// a negative number that the choice must not be made.
func (l Ladder) judge(c choice) (keepsPlaces bool, most int) {
	keepsPlaces = true
	knownKept, nameKept := true, true // no unknown word is kept, no known word but those of places is left out
	for i := range l.w.choices.words {
		word := &l.w.choices.words[i]
		switch {
		case c.keeps(i):
			knownKept = knownKept && word.known
		case word.known && word.place:
			keepsPlaces = false
		case word.known:
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

// comesBefore reports whether a choice is tried before another: first the heavier one, then the one with more words, then the one without the
// earliest word at which they differ.
func (l Ladder) comesBefore(a, b choice) bool {
	if x, y := l.weight(a), l.weight(b); x != y {
		return x > y
	}
	if x, y := bits.OnesCount8(uint8(a)), bits.OnesCount8(uint8(b)); x != y {
		return x > y
	}
	differ := a ^ b
	return a&(differ&-differ) == 0
}

func (l Ladder) weight(c choice) (weight int) {
	for i := range l.w.choices.words {
		if c.keeps(i) {
			weight += l.w.choices.words[i].weight
		}
	}
	return weight
}

// countChoices counts the pubs of all choices in one pass through the sets of the words, 64 pubs at a time.
func (l Ladder) countChoices() {
	m := &l.w.choices
	clear(m.counts[:])
	passing := cursor{set: l.Filter.Passing()}
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

// choose returns the pubs of a choice that pass the filter.
func (l Ladder) choose(c choice) postings.Set {
	w, m := l.w, &l.w.choices
	w.attempt.Release()
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
	return l.Filter.Keep(w.attempt.Intersect(operands), &w.attempt)
}
