package index

import (
	"maps"
	"slices"

	"pubd/geo"
)

// indexTitles inverts whole names, as words without the and and, and the words of names.
func (s *Snapshot) indexTitles(words inversion, expand func(dst []uint32, texts []uint32) []uint32) {
	titles, named := inversion{}, inversion{}
	length := 0
	var parts phrase
	var title []byte
	for i := range uint32(s.names.len()) {
		parts = withoutFiller(parts[:0].appendWords(s.names.at(int(i))))
		title = parts.appendTo(title[:0])
		if titles[string(title)] == nil {
			length += len(title)
		}
		titles[string(title)] = append(titles[string(title)], i)
	}
	s.titles = newDictionary(len(titles), length)
	s.titleStart, s.byTitle = make([]uint32, 1, len(titles)+1), make([]uint32, 0, len(s.pubs))
	for _, title := range slices.Sorted(maps.Keys(titles)) {
		s.titles.add([]byte(title))
		s.byTitle = expand(s.byTitle, titles[title])
		s.titleStart = append(s.titleStart, uint32(len(s.byTitle)))
	}
	for term, texts := range words {
		names := texts[:lowerBound(texts, uint32(s.names.len()))]
		if len(names) > 0 {
			named[term] = names
		}
	}
	s.named = newVocabulary(named, len(s.pubs), namedRarity, expand)
}

// namedRarity has the words of names take less memory than the words that are searched: fewer of their sets have bits.
const namedRarity = 32

// relevant gives the hits at places first to first+n-1 by relevance: those whose whole name was asked for, those whose
// name begins so, those with all words in the name, and the rest; each tier by fair score. What was relaxed comes with
// fewer corrections first.
func (f finder) relevant(hits set, first, n int) []uint32 {
	order := &f.s.orders[SortFair][1]
	if f.q.All {
		return order.window(hits, f.q.Rated, first, n, &f.arena)
	}
	hits = f.kept(hits)
	exact, begins := f.titled()
	if f.Step != NotRelaxed {
		return f.corrected(hits, exact, begins, first, n)
	}
	f.sets = f.sets[:0]
	for i, word := range f.words {
		f.sets = append(f.sets, f.looked(f.s.named, word, i == len(f.words)-1))
	}
	named := f.kept(f.common(f.sets))
	tiers := [...]set{f.within(exact, hits), f.within(begins, hits), f.within(named, hits), hits}
	f.page = f.page[:0]
	var before set // the tiers so far, each of which holds those before it
	for _, tier := range tiers {
		rest := tier.len() - before.len() - first
		if rest <= 0 {
			first -= tier.len() - before.len()
			before = tier
			continue
		}
		f.page = append(f.page, order.window(f.less(tier, before), f.q.Rated, first, min(rest, n), &f.arena)...)
		n -= min(rest, n)
		if first, before = 0, tier; n == 0 {
			break
		}
	}
	return f.page
}

// titled gives the pubs whose whole name is what matched, and those whose name begins so.
func (f finder) titled() (exact, begins set) {
	words := f.words
	if f.Step != NotRelaxed {
		words = f.Words
	}
	f.title = words.appendTo(f.title[:0])
	low, high := f.s.titles.beginningWith(f.title)
	for _, pub := range f.s.titled(low, high) {
		f.work.add(pub)
	}
	begins = f.gathered()
	if low < high && len(f.s.titles.at(low)) == len(f.title) {
		exact.ids = f.s.titled(low, low+1)
	}
	return exact, begins
}

// titled gives the pubs whose titles are numbered from low to high; ascending where that is one title.
func (s *Snapshot) titled(low, high int) []uint32 {
	return s.byTitle[s.titleStart[low]:s.titleStart[high]]
}

// kept copies a set that the next call of common would overwrite.
func (f finder) kept(s set) set {
	if s.bits == nil || &s.bits[0] != &f.shared[0] {
		return s
	}
	f.work.addSet(s)
	return set{bits: f.lend(), count: s.count}
}

// within gives the members of a set that are hits.
func (f finder) within(s, hits set) set {
	if s.len() == 0 {
		return set{}
	}
	f.sets = append(f.sets[:0], s, hits)
	return f.kept(f.common(f.sets))
}

// less gives the members of a set without those of a part of it.
func (f finder) less(s, part set) set {
	if part.len() == 0 {
		return s
	}
	f.work.addSet(s)
	if part.bits != nil {
		for i, word := range part.bits {
			f.work.words[i] &^= word
		}
	} else {
		for _, id := range part.ids {
			f.work.words[id/64] &^= 1 << (id % 64)
		}
	}
	return f.gatheredOf(s.len() - part.len())
}

// corrected gives a page of what was relaxed, hit by hit: they are seldom many.
func (f finder) corrected(hits, exact, begins set, first, n int) []uint32 {
	var strict, close, named [MaxRelaxedWords]set
	words := f.Words
	misspelt := f.Step == Typo || f.Step == Partial
	for i, word := range words {
		last := i == len(words)-1
		strict[i] = f.looked(f.s.words, word, last)
		named[i] = f.looked(f.s.named, word, last)
		if misspelt && allowedEdits(word) > 1 {
			f.begin()
			f.misspelling.each(f.s.words.terms, f.s.letters, word, 1, last, func(r termRange) { f.s.words.addRange(r, &f.arena) })
			close[i] = f.union()
		}
	}
	fair := &f.s.orders[SortFair][1]
	f.hits = f.hits[:0]
	for _, pub := range f.list(hits) {
		tier, corrections := 2, 0
		for i, word := range words {
			switch {
			case f.holds(named[i], pub):
			case f.holds(strict[i], pub):
				tier = 3
			case misspelt && allowedEdits(word) > 1 && !f.holds(close[i], pub):
				corrections += 2
			default:
				corrections++
			}
		}
		switch {
		case f.holds(exact, pub):
			tier = 0
		case f.holds(begins, pub):
			tier = 1
		}
		rank := float64(tier*2*MaxRelaxedWords + corrections)
		f.hits = append(f.hits, geo.Hit{Separation: rank*float64(1<<32) + float64(fair.places[pub]), Ordinal: pub})
	}
	return f.scoredPage(nil, first, n)
}

// looked gives the pubs with a word of a vocabulary that a query word matches strictly.
func (f finder) looked(v *vocabulary, word []byte, last bool) set {
	if !last {
		return v.exactly(word)
	}
	f.begin()
	v.addRange(v.beginningWith(word), &f.arena)
	return f.union()
}
