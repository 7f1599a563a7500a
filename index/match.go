package index

import (
	"slices"
	"unicode/utf8"

	"pubd/geo"
)

// A manner is how the words of a query may match those of a pub.
type manner uint8

const (
	strictly manner = iota
	asInfix
	asTypo
	asJoined
	cachedManners = asJoined
)

// A matcher is the part of the working memory that belongs to the words of a query.
type matcher struct {
	words phrase
	// query and core are the places of all words, and of those that are not generic.
	query, core []uint16
	choices     []leaving
	// cache holds the sets of the first words, by manner, word and whether it is matched as a last word.
	cache [cachedManners][MaxRelaxedWords][2]struct {
		pubs  set
		known bool
	}
	misspelling misspelling
	sets        []set
	fragments   []byte
	// inside is how many pubs the circle has, rated ones where only these count; -1 until it is counted.
	inside   int
	relaxing bool
	// passing is all pubs that pass the filters, in memory of its own, once a relaxed query has collected them.
	passing     set
	collected   bool
	passingIDs  []uint32
	passingBits bitset
	// found is what was found; hits is instead where results are ordered by distance.
	found set
	hits  []geo.Hit
}

// A finder finds the pubs that one query matches. A choice of words is a list of places in the query, ascending.
type finder struct {
	*Answer
	s *Snapshot
	q *Query
}

// read folds the text and drops the words that say nothing while others remain.
func (f finder) read(text []byte) {
	f.folded = AppendFolded(f.folded[:0], text)
	f.words = f.words[:0].appendWords(f.folded)
	f.words = withoutFiller(f.words)
	f.cache = [len(f.cache)][MaxRelaxedWords][2]struct {
		pubs  set
		known bool
	}{}
	f.inside, f.relaxing, f.passing, f.collected = -1, false, set{}, false
}

// withoutFiller removes the words that say nothing, in place, unless none would remain.
func withoutFiller(words phrase) phrase {
	return without(words, func(word []byte) bool { return string(word) == "the" || string(word) == "and" })
}

// without removes the words that are droppable, in place, unless none would remain.
func without(words phrase, droppable func([]byte) bool) phrase {
	if !slices.ContainsFunc(words, func(word []byte) bool { return !droppable(word) }) {
		return words
	}
	return slices.DeleteFunc(words, droppable)
}

// match finds the pubs that match a choice in some manner and pass the filters, and gives their number.
func (f finder) match(how manner, choice []uint16) int {
	pubs := f.matching(how, choice)
	f.found, f.hits = set{}, f.hits[:0]
	if f.relaxing && pubs.len() > fewSifted {
		f.found = f.filter(pubs)
		return f.found.len()
	}
	if !f.isOpen() && pubs.len() > 0 {
		pubs = f.sift(pubs)
	}
	switch {
	case pubs.len() == 0:
		return 0
	case f.around && f.q.Sort == SortDistance:
		f.measureAround(pubs)
		return len(f.hits)
	case f.around:
		pubs = f.keepAround(pubs)
	case f.q.Rated:
		f.sets = append(f.sets[:0], pubs, f.s.rated)
		pubs = f.common(f.sets)
	}
	f.found = pubs
	return pubs.len()
}

// filter returns those of some pubs that pass the filters. What passes them is collected once for all attempts to relax a query.
func (f finder) filter(pubs set) set {
	if !f.collected {
		pubs = f.kept(pubs)
		f.collected, f.passing = true, f.collect()
		switch {
		case f.passing.ids == nil:
			if len(f.passingBits) != len(f.passing.bits) {
				f.passingBits = newBitset(len(f.s.pubs))
			}
			copy(f.passingBits, f.passing.bits)
			f.passing.bits = f.passingBits
		case f.passing.bits == nil:
			f.passingIDs = append(f.passingIDs[:0], f.passing.ids...)
			f.passing.ids = f.passingIDs
		}
	}
	switch {
	case f.passing.len() == 0:
		return set{}
	case f.passing.is(f.s.all):
		return pubs
	}
	f.sets = append(f.sets[:0], pubs, f.passing)
	return f.common(f.sets)
}

// matching gives the pubs that match every word of a choice in some manner, the last one as a last word, filters aside.
func (f finder) matching(how manner, choice []uint16) set {
	if how == asJoined {
		return f.matchingJoined(choice)
	}
	f.sets = f.sets[:0]
	for i, place := range choice {
		found := f.wordSet(how, place, i == len(choice)-1)
		if found.len() == 0 {
			return set{}
		}
		f.sets = append(f.sets, found)
	}
	return f.common(f.sets)
}

// wordSet gives the pubs with a word that a query word matches.
func (f finder) wordSet(how manner, place uint16, last bool) set {
	if int(place) >= MaxRelaxedWords {
		return f.findWord(how, f.words[place], last)
	}
	cached := &f.cache[how][place][0]
	if last {
		cached = &f.cache[how][place][1]
	}
	if !cached.known {
		cached.pubs, cached.known = f.findWord(how, f.words[place], last), true
	}
	return cached.pubs
}

func (f finder) findWord(how manner, word []byte, last bool) set {
	words := f.s.words
	edits := 0
	if how == asTypo {
		edits = allowedEdits(word)
	}
	f.begin()
	switch {
	case how == asInfix && utf8.RuneCount(word) >= 3:
		f.s.infixes.each(words.terms, word, func(term uint32) { f.add(words.pubs.at(term)) })
	case edits > 0:
		f.misspelling.each(words.terms, f.s.letters, word, edits, last, func(r termRange) { words.addRange(r, &f.arena) })
	default:
		return f.looked(words, word, last)
	}
	return f.union()
}

// matchingJoined gives the pubs that match when one run of two or three words of the choice may be written together,
// and each word may be two or three neighbouring words of a field written together.
func (f finder) matchingJoined(choice []uint16) set {
	var fragments [maxJoined][MaxRelaxedWords]set // by size less one and place in the choice
	for size := 1; size <= min(maxJoined, len(choice)); size++ {
		for at := 0; at+size <= len(choice); at++ {
			fragments[size-1][at] = f.joinedSet(choice[at:at+size], at+size == len(choice))
		}
	}
	var variants [maxJoined * MaxRelaxedWords][]uint32
	count := 0
	for size := 1; size <= min(maxJoined, len(choice)); size++ {
		for at := 0; at+size <= len(choice); at++ {
			f.sets = f.sets[:0]
			for i := 0; i < len(choice); i++ {
				if i == at {
					f.sets = append(f.sets, fragments[size-1][at])
					i += size - 1
				} else {
					f.sets = append(f.sets, fragments[0][i])
				}
			}
			variants[count] = f.list(f.common(f.sets))
			count++
			if size == 1 {
				break
			}
		}
	}
	f.begin()
	for _, found := range variants[:count] {
		f.add(set{ids: found})
	}
	return f.union()
}

// joinedSet gives the pubs with a word, or with neighbouring words, that some words of the query match when written
// together.
func (f finder) joinedSet(choice []uint16, last bool) set {
	start := len(f.fragments)
	for _, place := range choice {
		f.fragments = append(f.fragments, f.words[place]...)
	}
	fragment := f.fragments[start:len(f.fragments):len(f.fragments)]
	f.begin()
	if last {
		f.s.words.addRange(f.s.words.beginningWith(fragment), &f.arena)
	} else {
		f.add(f.s.words.exactly(fragment))
	}
	if last && utf8.RuneCount(fragment) >= 4 {
		f.s.joined.addRange(f.s.joined.beginningWith(fragment), &f.arena)
	} else {
		f.add(f.s.joined.exactly(fragment))
	}
	return f.union()
}

// scattered is about how many times as long it takes to look up the place of a pub, as places lie scattered in memory, as
// to go through those of the pubs of a circle, which lie next to one another.
const scattered = 2

// manyAround tells whether the circle has more pubs than it pays to go through instead of some others.
func (f finder) manyAround(others int) bool {
	if f.inside < 0 {
		f.inside = f.s.points.Count(f.q.Circle, f.q.Rated)
	}
	return f.inside >= scattered*others
}

// measureAround takes as hits those of the pubs that are in the circle and pass the other filters.
func (f finder) measureAround(pubs set) {
	points, circle := f.s.points, f.q.Circle
	low, high := f.low, f.high
	switch {
	case f.manyAround(pubs.len()):
		for _, pub := range f.list(pubs) {
			if f.q.Rated && !f.s.rated.bits.has(pub) || pub >= low && pub < high {
				continue
			}
			if separation := circle.Separation(points.Vector(pub)); circle.Holds(separation) {
				f.hits = append(f.hits, geo.Hit{Separation: separation, Ordinal: pub})
			}
		}
	case pubs.bits != nil && low == high:
		f.hits = points.Among(f.hits, circle, f.q.Rated, pubs.bits)
	default:
		f.work.addSet(pubs)
		f.work.words.remove(low, high)
		f.hits = points.Among(f.hits, circle, f.q.Rated, f.work.words)
		f.work.clear()
	}
}

// keepAround gives those of the pubs that are in the circle and pass the other filters.
func (f finder) keepAround(pubs set) set {
	low, high := f.low, f.high
	start := len(f.ids)
	if pubs.bits == nil || f.manyAround(pubs.len()) {
		if f.q.Rated {
			f.sets = append(f.sets[:0], pubs, f.s.rated)
			pubs = f.common(f.sets)
		}
		ids := f.list(pubs)
		start = len(f.ids)
		for _, pub := range ids {
			if (pub < low || pub >= high) && f.q.Circle.Contains(f.s.points.Vector(pub)) {
				f.ids = append(f.ids, pub)
			}
		}
		return set{ids: f.ids[start:len(f.ids):len(f.ids)]}
	}
	f.ids = f.s.points.Members(f.ids, f.q.Circle, f.q.Rated)
	f.ids = appendCommon(f.ids[:start], f.ids[start:], pubs)
	f.ids = f.ids[:start+len(f.sorted(f.ids[start:]))]
	ids := f.ids[start:len(f.ids):len(f.ids)]
	first, end := lowerBound(ids, low), lowerBound(ids, high)
	return set{ids: slices.Delete(ids, first, end)}
}

// namesakes gives the range of the pubs that have a folded name; a nil one is nobody's.
func (s *Snapshot) namesakes(folded []byte) (low, high uint32) {
	if folded == nil {
		return 0, 0
	}
	number, ok := s.names.find(folded)
	if !ok {
		return 0, 0
	}
	return s.nameStart[number], s.nameStart[number+1]
}
