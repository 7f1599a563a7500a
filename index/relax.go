package index

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// find finds the pubs that the query's text matches and that pass the filters, relaxing the query when there are none.
func (f finder) find() {
	f.found, f.hits = set{}, f.hits[:0]
	f.read(f.q.Text)
	if len(f.words) == 0 {
		return
	}
	f.query = f.query[:0]
	for i := range f.words {
		f.query = append(f.query, uint16(i))
	}
	if f.match(strictly, f.query) == 0 && !f.q.Strict && len(f.words) <= MaxRelaxedWords {
		f.relax()
	}
}

// relax makes the attempts of the ladder in their order; the first that finds a pub answers.
func (f finder) relax() {
	f.relaxing = true
	f.core = append(f.core[:0], f.query...)
	if slices.ContainsFunc(f.core, func(place uint16) bool { return !f.generic(place) }) {
		f.core = slices.DeleteFunc(f.core, f.generic)
	}
	differs := len(f.core) < len(f.query)
	attempts := []struct {
		step  Step
		how   manner
		query []uint16
		only  bool // makes sense only where the core differs
	}{
		{Joined, asJoined, f.query, false},
		{Words, strictly, f.core, true},
		{Words, asJoined, f.core, true},
		{Infix, asInfix, f.query, false},
		{Infix, asInfix, f.core, true},
		{Typo, asTypo, f.query, false},
		{Typo, asTypo, f.core, true},
	}
	for _, attempt := range attempts {
		if attempt.only && !differs {
			continue
		}
		if f.attempt(attempt.how, attempt.query, len(f.s.pubs)) {
			f.relaxed(attempt.step, attempt.query)
			return
		}
	}
	f.partial()
}

// attempt matches a choice of words and tells whether pubs were found, and no more than are allowed. If not, it gives
// memory back.
func (f finder) attempt(how manner, choice []uint16, allowed int) bool {
	for i, place := range choice { // what is kept for later attempts must not be given back
		if how != asJoined {
			f.wordSet(how, place, i == len(choice)-1)
		}
	}
	ids, lent, fragments := len(f.ids), f.lent, len(f.fragments)
	if n := f.match(how, choice); n > 0 && n <= allowed {
		return true
	}
	f.ids, f.lent, f.fragments = f.ids[:ids], lent, f.fragments[:fragments]
	f.found, f.hits = set{}, f.hits[:0]
	return false
}

func (f finder) relaxed(step Step, choice []uint16) {
	f.Step, f.Words = step, f.Words[:0]
	for _, place := range choice {
		f.Words = append(f.Words, f.words[place])
	}
}

// generic tells words that many pubs have and that people add or leave out.
func (f finder) generic(place uint16) bool {
	switch string(f.words[place]) {
	case "inn", "pub", "ph", "public", "house", "hotel", "tavern", "bar", "club", "ale", "restaurant", "ltd", "ye", "olde":
		return true
	}
	return false
}

// A leaving is a choice of one or two words to leave out.
type leaving struct {
	out   [2]uint16
	size  int
	count int // of all pubs, those that the words left out match strictly
}

// partial leaves out one word, then two.
func (f finder) partial() {
	leavings := f.leavings()
	for _, how := range []manner{strictly, asTypo} {
		for _, l := range leavings {
			var left [MaxRelaxedWords]uint16
			n := 0
			for _, place := range f.query {
				if !slices.Contains(l.out[:l.size], place) {
					left[n] = place
					n++
				}
			}
			if !slices.ContainsFunc(left[:n], f.meaningful) {
				continue
			}
			if f.attempt(how, left[:n], MaxPartialHits) {
				f.relaxed(Partial, left[:n])
				return
			}
		}
	}
}

// meaningful tells whether a word says enough to be searched for alone.
func (f finder) meaningful(place uint16) bool {
	return utf8.RuneCount(f.words[place]) >= 3 && !f.generic(place)
}

// leavings gives the choices in the order in which they are tried.
func (f finder) leavings() []leaving {
	f.choices = f.choices[:0]
	for size := 1; size <= 2 && size < len(f.query); size++ {
		first := len(f.choices)
		for i := range f.query {
			for j := i + 1; j < len(f.query) || size == 1 && j == i+1; j++ {
				l := leaving{out: [2]uint16{uint16(i), uint16(j)}, size: size}
				for place := range l.out[:size] {
					f.wordSet(strictly, l.out[place], place == size-1)
				}
				start := len(f.ids)
				l.count = f.matching(strictly, l.out[:size]).len()
				f.ids = f.ids[:start]
				f.choices = append(f.choices, l)
				if size == 1 {
					break
				}
			}
		}
		slices.SortStableFunc(f.choices[first:], func(a, b leaving) int { return cmp.Compare(b.count, a.count) })
	}
	return f.choices
}
