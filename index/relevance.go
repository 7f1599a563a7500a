package index

import (
	"math"
	"slices"

	"pubd/geo/topk"
	"pubd/index/postings"
	"pubd/index/relax"
	"pubd/index/text"
)

// The tiers of relevance: the query is the whole name, or its beginning, or all words are in the name, or some are in other fields.
const (
	tierWhole = iota
	tierBegins
	tierNamed
	tierElsewhere
	tierCount
)

// relevance is the working memory of ranking by relevance.
type relevance struct {
	asked   postings.Bitmap     // terms of names that the query has
	levels  []uint16            // by pub of a set
	ofLevel [maxLevel + 1]int32 // how many pubs of a set
	counts  []uint8             // by term of names
	byText  bool                // whether names are compared as texts, without counts
}

const (
	// maxMissing is the number of missing words, in halves, beyond which names rank alike.
	maxMissing = 31
	// maxCorrections is the maximum number of corrections of a query.
	maxCorrections = 2 * MaxRelaxedWords
	maxLevel       = tierCount*(maxCorrections+1)*(maxMissing+1) - 1
)

// byRelevance ranks by tier, then by corrections, by the number of words of the name that the query lacks, by distance if the query has a point,
// and by fair score.
func (s search) byRelevance(m match, p page, first, n int) page {
	switch {
	case s.query.All:
		p.pubs = s.appendTied(p.pubs, m.set, first, n)
	case m.relaxed != nil:
		p.pubs = s.appendRelaxed(p.pubs, &m, first, n)
	default:
		p.pubs = s.appendTiers(p.pubs, &m, first, n)
	}
	return p
}

// appendTiers appends pubs that match without relaxing, tier by tier, up to the end of the page.
func (s search) appendTiers(dst []uint32, m *match, first, n int) []uint32 {
	pool, set := &s.w.sets, m.set
	whole, begins := s.titled(m.words)
	tiers := [tierCount]postings.Set{s.both(whole, set, pool), s.both(begins, set, pool), s.both(s.namedPostings(m.words), set, pool), set}
	asked := appendAsked(s.w.relevance.asked, &s.snapshot.named, m.words)
	s.w.relevance.asked = asked
	var before postings.Set // the tiers so far, each of which holds those before it
	for tier, pubs := range tiers {
		rest := pubs.Len() - before.Len()
		if first >= rest {
			first, before = first-rest, pubs
			continue
		}
		take := min(rest-first, n)
		if own := pool.Difference(pubs, before); tier == tierWhole {
			dst = s.appendTied(dst, own, first, take)
		} else {
			dst = s.appendByMissing(dst, own, asked, first, take)
		}
		if n -= take; n == 0 {
			break
		}
		first, before = 0, pubs
	}
	return dst
}

// appendByMissing appends pubs by the number of words of their names that the query lacks.
func (s search) appendByMissing(dst []uint32, set postings.Set, asked postings.Bitmap, first, n int) []uint32 {
	pubs := s.w.sets.List(set)
	levels := s.missing(pubs, func(name int) int { return s.snapshot.nameWords.missing(name, asked) })
	return s.appendByLevel(dst, pubs, levels, first, n)
}

// missing returns, by pub, the number of words of its name that the query lacks, and counts the pubs in ofLevel. The pubs are in ascending order;
// ofName returns that number for a name, and is called once for adjacent pubs with the same name.
func (s search) missing(pubs []uint32, ofName func(name int) int) []uint16 {
	names, r := &s.snapshot.names, &s.w.relevance
	levels := slices.Grow(r.levels[:0], len(pubs))[:len(pubs)]
	clear(r.ofLevel[:])
	for i := 0; i < len(pubs); {
		name, first := names.number(pubs[i]), i
		missing := uint16(min(maxMissing, ofName(name)))
		for high := names.starts[name+1]; i < len(pubs) && pubs[i] < high; i++ {
			levels[i] = missing
		}
		r.ofLevel[missing] += int32(i - first)
	}
	r.levels = levels
	return levels
}

// appendRelaxed appends pubs that were found by relaxing, judging them one by one, because there are rarely many.
func (s search) appendRelaxed(dst []uint32, m *match, first, n int) []uint32 {
	words := s.snapshot.relax.Explain(m.relaxed, &s.w.relax)
	whole, begins := s.titled(m.words)
	if m.relaxed.Corrected != nil {
		more, alsoBegins := s.titled(m.relaxed.Corrected)
		s.w.match.pending = append(s.w.match.pending[:0], whole, more)
		whole = s.w.sets.Union(s.w.match.pending)
		s.w.match.pending = append(s.w.match.pending[:0], begins, alsoBegins)
		begins = s.w.sets.Union(s.w.match.pending)
	}
	s.prepareLacks(m.relaxed)
	pubs := s.w.sets.List(m.set)
	levels := s.missing(pubs, s.lacks)
	r := &s.w.relevance
	clear(r.ofLevel[:])
	for i, pub := range pubs {
		tier, corrections := judge(words, pub)
		switch {
		case whole.Has(pub):
			tier = tierWhole
		case begins.Has(pub):
			tier = tierBegins
		}
		levels[i] += uint16((tier*(maxCorrections+1) + corrections) * (maxMissing + 1))
		r.ofLevel[levels[i]]++
	}
	return s.appendByLevel(dst, pubs, levels, first, n)
}

// prepareLacks prepares lacks for a relaxed query.
func (s search) prepareLacks(a *relax.Answer) {
	r, h := &s.w.relevance, &s.w.highlight
	h.prepare(&matched{a.Words, a}, s.w.match.words)
	// Counts are by term. In partial answers, a word that was left out counts as asked for in its own spelling only. A run may begin with the or
	// and, which nameWords leaves out.
	r.byText = a.Step == relax.Partial || h.mayJoin([]byte("the")) || h.mayJoin([]byte("and"))
	terms := s.snapshot.named.Terms.Len()
	r.counts = slices.Grow(r.counts[:0], terms)[:terms]
	clear(r.counts)
}

// lacks returns the number of words of a name that a relaxed query lacks, in halves. It finds the count of each term once.
func (s search) lacks(name int) (halves int) {
	r, h := &s.w.relevance, &s.w.highlight
	if r.byText {
		return h.missing(s.snapshot.names.folded.At(uint32(name)))
	}
	for _, word := range s.snapshot.nameWords.of(name) {
		count := &r.counts[word/2]
		if *count == unknown {
			*count = h.count(s.snapshot.named.Terms.At(word / 2))
		}
		if *count == dependent {
			return h.missing(s.snapshot.names.folded.At(uint32(name)))
		}
		halves += int(*count - counted)
	}
	return halves
}

// judge returns the tier of a pub by its words alone, and the number of corrections that it needs.
func judge(words []relax.Explained, pub uint32) (tier, corrections int) {
	tier = tierNamed
	for i := range words {
		word := &words[i]
		switch {
		case word.Named.Has(pub):
		case word.Wide.Has(pub):
			tier = tierElsewhere
		}
		switch {
		case word.Standing.Has(pub):
		case word.Edits > 1 && !word.Close.Has(pub):
			corrections += 2
		default:
			corrections++
		}
	}
	return tier, corrections
}

// appendByLevel appends pubs, in ascending order, by their levels, from 0 to maxLevel, which ofLevel counts.
func (s search) appendByLevel(dst, pubs []uint32, levels []uint16, first, n int) []uint32 {
	r, pool := &s.w.relevance, &s.w.sets
	for level := range r.ofLevel {
		count := int(r.ofLevel[level])
		if first >= count {
			first -= count
			continue
		}
		collector := pool.Collector()
		for i, of := range levels {
			if of == uint16(level) {
				collector.Add(pubs[i])
			}
		}
		take := min(count-first, n)
		dst = s.appendTied(dst, pool.CollectedN(count), first, take)
		if n -= take; n == 0 {
			break
		}
		first = 0
	}
	return dst
}

// appendTied appends equally relevant pubs: by distance if the query has a point, then by fair score.
func (s search) appendTied(dst []uint32, set postings.Set, first, n int) []uint32 {
	order := &s.snapshot.byFair.Order
	if !s.query.Near {
		return order.AppendWindow(dst, set, s.filter.rated, true, first, n, &s.w.rank)
	}
	end := first + n
	items, limit, farthest := s.w.items[:0], 4*end, math.Inf(1) // farthest is the last of the nearest so far, once there are as many as end
	for _, pub := range s.w.sets.List(set) {
		chord := s.query.Circle.ChordSquared(s.snapshot.points.Vector(pub))
		if chord > farthest {
			continue
		}
		items = append(items, topk.Item{Key: chord, ID: pub})
		if len(items) == limit {
			topk.PartialSort(items, end-1, end)
			farthest = items[end-1].Key
			items = slices.DeleteFunc(items, func(i topk.Item) bool { return i.Key > farthest })
			limit = max(4*end, 2*len(items))
		}
	}
	s.w.items = items
	topk.PartialSort(items, first, end)
	// Only pubs as far as those of the page need their rank by fair score.
	nearest, nearer := items[first].Key, 0
	farthest = items[end-1].Key
	tied := items[:0]
	for _, item := range items {
		switch {
		case item.Key < nearest:
			nearer++
		case item.Key <= farthest:
			tied = append(tied, topk.Item{Key: item.Key, ID: order.DescendingPlace(item.ID)})
		}
	}
	topk.PartialSort(tied, first-nearer, end-nearer)
	for _, item := range tied[first-nearer : end-nearer] {
		dst = append(dst, order.AtDescendingPlace(item.ID))
	}
	return dst
}

// namedPostings returns the pubs with all words in the name.
func (s search) namedPostings(words [][]byte) postings.Set {
	sets := s.w.match.named[:0]
	for i, word := range words {
		sets = append(sets, s.termPostings(&s.snapshot.named, word, i == len(words)-1, &s.w.sets))
	}
	s.w.match.named = sets
	return s.w.sets.Intersect(sets)
}

// titled returns the pubs whose whole name is the words, and those whose name begins with them.
func (s search) titled(words text.Phrase) (whole, begins postings.Set) {
	m := &s.w.match
	m.title = words.AppendTo(m.title[:0])
	r := s.snapshot.titles.Terms.PrefixRange(m.title)
	collector := s.w.sets.Collector()
	collector.AddAll(s.snapshot.titles.in(r))
	begins = s.w.sets.Collected()
	if r.Low < r.High && len(s.snapshot.titles.Terms.At(r.Low)) == len(m.title) {
		whole = postings.Of(s.snapshot.titles.in(text.Range{Low: r.Low, High: r.Low + 1}))
	}
	return whole, begins
}
