package index

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"pubd/index/text"
)

// rungs are the attempts of the ladder in their order: a step, how the words match, and whether only the core is matched, the words that
// are not generic, which makes sense where it differs from the query.
var rungs = [...]struct {
	step Step
	mode matchMode
	core bool
}{
	{Joined, matchJoined, false},
	{Words, matchExact, true},
	{Words, matchJoined, true},
	{Infix, matchInfix, false},
	{Infix, matchInfix, true},
	{Typo, matchFuzzy, false},
	{Typo, matchFuzzy, true},
}

// relax makes the attempts of the ladder; the first that finds a pub answers.
func (s search) relax() match {
	m := &s.w.match
	s.w.attempt.Reset(s.snapshot.Len())
	generic := func(place uint16) bool { return text.IsGeneric(m.words[place]) }
	m.core = append(m.core[:0], m.query...)
	if slices.ContainsFunc(m.core, func(place uint16) bool { return !generic(place) }) {
		m.core = slices.DeleteFunc(m.core, generic)
	}
	for _, rung := range rungs {
		choice := m.query
		if rung.core {
			if choice = m.core; len(m.core) == len(m.query) {
				continue
			}
		}
		if found := s.attempt(rung.mode, choice); found.len() > 0 {
			return s.relaxed(found, rung.step, choice)
		}
	}
	return s.matchPartial()
}

// attempt matches a choice of words and filters what matches. What passes the filter is collected once for all attempts that find many.
func (s search) attempt(mode matchMode, choice []uint16) match {
	pool := &s.w.attempt
	pool.Release()
	pubs := s.matching(mode, choice, pool)
	if pubs.Len() <= fewPubs {
		return s.filtered(pubs, pool)
	}
	passing := &s.w.match.passing
	if !passing.known {
		*passing = memo{s.collect(), true}
	}
	switch {
	case passing.set.Len() == 0:
		return match{}
	case passing.set.Same(s.snapshot.all):
		return match{set: pubs}
	}
	return match{set: s.both(pubs, passing.set, pool)}
}

// relaxed is a match with how it was found.
func (s search) relaxed(m match, step Step, choice []uint16) match {
	words := s.w.words[:0]
	for _, place := range choice {
		words = append(words, s.w.match.words[place])
	}
	s.w.words = words
	m.step, m.words = step, words
	return m
}

// dropCandidate is a choice of one or two words to leave out.
type dropCandidate struct {
	out   [2]uint16
	size  int
	count int // of all pubs, those that the words left out match exactly
}

// matchPartial leaves out one word, then two.
func (s search) matchPartial() match {
	candidates := s.dropCandidates()
	for _, mode := range []matchMode{matchExact, matchFuzzy} {
		for _, c := range candidates {
			var left [MaxRelaxedWords]uint16
			n := 0
			for _, place := range s.w.match.query {
				if !slices.Contains(c.out[:c.size], place) {
					left[n] = place
					n++
				}
			}
			if !slices.ContainsFunc(left[:n], s.isMeaningful) {
				continue
			}
			if found := s.attempt(mode, left[:n]); found.len() > 0 && found.len() <= MaxPartialHits {
				return s.relaxed(found, Partial, left[:n])
			}
		}
	}
	return match{}
}

// isMeaningful reports whether a word says enough to be searched for alone.
func (s search) isMeaningful(place uint16) bool {
	word := s.w.match.words[place]
	return utf8.RuneCount(word) >= 3 && !text.IsGeneric(word)
}

// dropCandidates returns the choices in the order in which they are tried.
func (s search) dropCandidates() []dropCandidate {
	query, candidates := s.w.match.query, s.w.match.candidates[:0]
	for size := 1; size <= 2 && size < len(query); size++ {
		first := len(candidates)
		for i := range query {
			for j := i + 1; j < len(query) || size == 1 && j == i+1; j++ {
				c := dropCandidate{out: [2]uint16{uint16(i), uint16(j)}, size: size}
				s.w.attempt.Release()
				c.count = s.matching(matchExact, c.out[:size], &s.w.attempt).Len()
				candidates = append(candidates, c)
				if size == 1 {
					break
				}
			}
		}
		slices.SortStableFunc(candidates[first:], func(a, b dropCandidate) int { return cmp.Compare(b.count, a.count) })
	}
	s.w.match.candidates = candidates
	return candidates
}
