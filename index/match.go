package index

import (
	"unicode/utf8"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/postings"
	"pubd/index/text"
)

// matchMode is how the words of a query may match those of a pub.
type matchMode uint8

const (
	matchExact matchMode = iota
	matchInfix
	matchFuzzy
	matchJoined
	cachedModes = matchJoined
)

// matchText finds the pubs that the query's text matches and that pass the filter, relaxing the query when there are none.
func (s search) matchText() match {
	m := &s.w.match
	m.folded = AppendFolded(m.folded[:0], s.query.Text)
	m.words = m.words[:0].AppendWords(m.folded).WithoutFiller()
	m.cached = [cachedModes][2]uint8{}
	if len(m.words) == 0 {
		return match{}
	}
	m.query = m.query[:0]
	for i := range m.words {
		m.query = append(m.query, uint16(i))
	}
	found := s.filtered(s.matching(matchExact, m.query, &s.w.sets), &s.w.sets)
	if found.len() == 0 && !s.query.Strict && len(m.words) <= MaxRelaxedWords {
		return s.relax()
	}
	found.words = m.words
	return found
}

// filtered returns those of the pubs that words match that pass the filter, measured where they are ordered by distance.
func (s search) filtered(pubs postings.Set, pool *postings.Pool) match {
	if pubs.Len() > 0 {
		pubs = s.apply(pubs, pool)
	}
	switch {
	case pubs.Len() == 0:
		return match{}
	case s.filter.circle != nil && s.query.Sort == SortDistance:
		return match{items: s.measure(pubs), measured: true}
	case s.filter.circle != nil:
		pubs = s.within(pubs, pool)
	case s.filter.rated:
		pubs = s.both(pubs, s.snapshot.rated, pool)
	}
	return match{set: pubs}
}

// both returns the pubs that two sets have.
func (s search) both(a, b postings.Set, pool *postings.Pool) postings.Set {
	s.w.match.operands = append(s.w.match.operands[:0], a, b)
	return pool.Intersect(s.w.match.operands)
}

// matching returns the pubs that match every word of a choice in a mode, the last one as a last word, whatever the filter. A choice is a
// list of places in the query, ascending.
func (s search) matching(mode matchMode, choice []uint16, pool *postings.Pool) postings.Set {
	if mode == matchJoined {
		return s.matchingJoined(choice, pool)
	}
	operands := s.w.match.operands[:0]
	for i, place := range choice {
		found := s.wordPostings(mode, place, i == len(choice)-1)
		if found.Len() == 0 {
			return postings.Set{}
		}
		operands = append(operands, found)
	}
	s.w.match.operands = operands
	return pool.Intersect(operands)
}

// wordPostings returns the pubs with a word that a word of the query matches. They last until the end of the search.
func (s search) wordPostings(mode matchMode, place uint16, last bool) postings.Set {
	if int(place) >= MaxRelaxedWords {
		return s.findWord(mode, s.w.match.words[place], last)
	}
	m, end := &s.w.match, 0
	if last {
		end = 1
	}
	found := &m.cache[mode][end][place]
	if m.cached[mode][end]&(1<<place) == 0 {
		*found = s.findWord(mode, m.words[place], last)
		m.cached[mode][end] |= 1 << place
	}
	return *found
}

func (s search) findWord(mode matchMode, word []byte, last bool) postings.Set {
	switch {
	case mode == matchInfix && utf8.RuneCount(word) >= 3:
		m := &s.w.match
		m.terms = s.snapshot.trigrams.AppendContaining(m.terms[:0], &s.snapshot.words.Terms, word)
		m.pending = m.pending[:0]
		for _, term := range m.terms {
			m.pending = append(m.pending, s.snapshot.words.Postings(term))
		}
		return s.w.sets.Union(m.pending)
	case mode == matchFuzzy && text.AllowedEdits(word) > 0:
		return s.fuzzyPostings(word, text.AllowedEdits(word), last)
	default:
		return s.termPostings(&s.snapshot.words, word, last, &s.w.sets)
	}
}

// fuzzyPostings returns the pubs with a word within some edits of one, or, of a last word, with a word that begins so.
func (s search) fuzzyPostings(word []byte, edits int, last bool) postings.Set {
	m := &s.w.match
	m.ranges = m.fuzzy.AppendMatches(m.ranges[:0], &s.snapshot.words.Terms, s.snapshot.letters, word, edits, last)
	m.pending = m.pending[:0]
	for _, r := range m.ranges {
		m.pending = s.snapshot.words.AppendRange(m.pending, r)
	}
	return s.w.sets.Union(m.pending)
}

// termPostings returns the pubs with a word of a vocabulary that equals a word, or, of a last word, that begins with it.
func (s search) termPostings(v *text.Vocabulary, word []byte, last bool, pool *postings.Pool) postings.Set {
	if !last {
		return v.Exact(word)
	}
	m := &s.w.match
	m.pending = v.AppendRange(m.pending[:0], v.PrefixRange(word))
	return pool.Union(m.pending)
}

// matchingJoined returns the pubs that match when one run of two or three words of the choice may be written together,
// and each word may be two or three neighbouring words of a field written together.
func (s search) matchingJoined(choice []uint16, pool *postings.Pool) postings.Set {
	var fragments [text.MaxJoined][MaxRelaxedWords]postings.Set // by size less one and place in the choice
	for size := 1; size <= min(text.MaxJoined, len(choice)); size++ {
		for at := 0; at+size <= len(choice); at++ {
			fragments[size-1][at] = s.fragmentPostings(choice[at:at+size], at+size == len(choice), pool)
		}
	}
	var variants [text.MaxJoined * MaxRelaxedWords]postings.Set
	count := 0
	for size := 1; size <= min(text.MaxJoined, len(choice)); size++ {
		for at := 0; at+size <= len(choice); at++ {
			operands := s.w.match.operands[:0]
			for i := 0; i < len(choice); i++ {
				if i == at {
					operands = append(operands, fragments[size-1][at])
					i += size - 1
				} else {
					operands = append(operands, fragments[0][i])
				}
			}
			s.w.match.operands = operands
			if variants[count] = pool.Intersect(operands); variants[count].Len() > 0 {
				count++
			}
			if size == 1 {
				break
			}
		}
	}
	s.w.match.pending = append(s.w.match.pending[:0], variants[:count]...)
	return pool.Union(s.w.match.pending)
}

// fragmentPostings returns the pubs with a word, or with neighbouring words, that some words of the query match when written
// together.
func (s search) fragmentPostings(choice []uint16, last bool, pool *postings.Pool) postings.Set {
	m := &s.w.match
	m.fragment = m.fragment[:0]
	for _, place := range choice {
		m.fragment = append(m.fragment, m.words[place]...)
	}
	m.pending = m.pending[:0]
	if last {
		m.pending = s.snapshot.words.AppendRange(m.pending, s.snapshot.words.PrefixRange(m.fragment))
	} else if exact := s.snapshot.words.Exact(m.fragment); exact.Len() > 0 {
		m.pending = append(m.pending, exact)
	}
	if last && utf8.RuneCount(m.fragment) >= minJoinedPrefix {
		m.pending = s.snapshot.joined.AppendRange(m.pending, s.snapshot.joined.PrefixRange(m.fragment))
	} else if exact := s.snapshot.joined.Exact(m.fragment); exact.Len() > 0 {
		m.pending = append(m.pending, exact)
	}
	return pool.Union(m.pending)
}

// randomAccessCost is about how many times as long it takes to look up the place of a pub, as places are scattered in memory, as
// to go through those of the pubs of a circle, which are next to one another.
const randomAccessCost = 2

// circleHasMore reports whether the circle has more pubs than it pays to go through instead of some others.
func (s search) circleHasMore(others int) bool {
	inside := &s.w.match.inside
	if *inside < 0 {
		*inside = s.snapshot.points.Count(s.filter.circle, s.filter.rated)
	}
	return *inside >= randomAccessCost*others
}

// measure returns those of the pubs that are in the circle and rated, where that is asked for, as items.
func (s search) measure(pubs postings.Set) []topk.Item {
	circle, low, high := s.filter.circle, s.filter.low, s.filter.high
	items := s.w.items[:0]
	pool := &s.w.sets
	switch {
	case s.circleHasMore(pubs.Len()):
		items = s.appendMeasured(items, pool.List(pubs))
	case pubs.Bitmap() != nil && low == high:
		items = s.snapshot.points.AppendHitsIn(items, circle, s.filter.rated, pubs.Bitmap())
	default:
		collector := pool.Collector()
		collector.AddSet(pubs)
		collector.RemoveRange(low, high)
		items = s.snapshot.points.AppendHitsIn(items, circle, s.filter.rated, collector.Bitmap())
		collector.Clear()
	}
	s.w.items = items
	return items
}

// appendMeasured appends the items of those pubs that are in the circle, and that it does not leave out.
func (s search) appendMeasured(dst []topk.Item, pubs []uint32) []topk.Item {
	circle, low, high := s.filter.circle, s.filter.low, s.filter.high
	for _, pub := range pubs {
		if s.filter.rated && !s.snapshot.rated.Has(pub) || pub >= low && pub < high {
			continue
		}
		if chord := circle.ChordSquared(s.snapshot.points.Vector(pub)); circle.Holds(chord) {
			dst = append(dst, topk.Item{Key: chord, ID: pub})
		}
	}
	return dst
}

// within returns those of the pubs that are in the circle and rated, where that is asked for.
func (s search) within(pubs postings.Set, pool *postings.Pool) postings.Set {
	circle, low, high := s.filter.circle, s.filter.low, s.filter.high
	if pubs.Bitmap() == nil || s.circleHasMore(pubs.Len()) {
		if s.filter.rated {
			pubs = s.both(pubs, s.snapshot.rated, pool)
		}
		return pool.Filter(pubs, func(pub uint32) bool {
			return (pub < low || pub >= high) && circle.Contains(s.snapshot.points.Vector(pub))
		})
	}
	s.w.match.ordinals = s.snapshot.points.AppendWithin(s.w.match.ordinals[:0], circle, s.filter.rated)
	collector := pool.Collector()
	bits := pubs.Bitmap()
	for _, pub := range s.w.match.ordinals {
		if bits.Has(pub) {
			collector.Add(pub)
		}
	}
	collector.RemoveRange(low, high)
	return pool.Collected()
}

// isAround reports whether a pub is in a circle, and rated where that is asked for, whatever the marker.
func (s search) isAround(pub uint32, circle *geo.Circle) bool {
	return (!s.filter.rated || s.snapshot.rated.Has(pub)) && circle.Contains(s.snapshot.points.Vector(pub))
}
