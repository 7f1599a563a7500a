package index

import (
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"pubd/index/relevance"
)

// byRelevance ranks by tier, then by corrections, by the number of other words of the name, and by fair score; with a
// point, by points for distance and faults, then by tier, by distance and by fair score. If the pubs of a place, or any
// pubs, answer, what is wished of them comes first, and without a point they rank by points from the middle of the place
// after their tier. Pubs that were added to a few come after those.
func (s search) byRelevance(m matches, p page, first, n int) page {
	r := s.ranker()
	if s.query.All {
		p.pubs = r.AppendTied(p.pubs, m.set, s.query.Circle, first, n)
		return p
	}
	if s.mayKeep(m, first+n) {
		p.pubs = s.appendFrequent(p.pubs, m, first, n)
		return p
	}
	answered := m.set
	if m.more != nil {
		answered = m.how.Pubs
	}
	p.pubs, first, n = r.Append(p.pubs, answered, m.how, first, n)
	if m.more != nil {
		p.pubs, _, _ = r.Append(p.pubs, m.more.Pubs, m.more, first, n)
	}
	return p
}

// ranker returns what ranks by relevance.
func (s search) ranker() relevance.Ranker {
	return relevance.Ranker{
		Segment: s.segment, Circle: s.query.Circle, Near: s.query.Near, At: &s.query.At,
		Pool: &s.w.sets, Tied: &s.w.rank, Around: &s.w.near, Open: &s.w.open, Memory: &s.w.relevance,
	}
}

// frequent keeps the most relevant pubs of texts that many pubs match, such as "inn": people ask for few of them, often,
// and to judge thousands of names takes most of the time of a search. It is safe for concurrent use, and takes at most
// 60 KB and the texts: a text replaces another one with the same slot.
type frequent [64]atomic.Pointer[mostRelevant]

type mostRelevant struct {
	text string
	pubs []uint32 // in order
}

const (
	frequentFrom = 1000 // from which on a text is kept; to judge fewer names takes less than 20 µs
	keptRelevant = 200  // pubs of a text
)

// mayKeep reports whether the order of matches depends on the query's text alone, and is worth keeping up to an end.
func (s search) mayKeep(m matches, end int) bool {
	return m.set.Len() >= frequentFrom && end <= keptRelevant && m.more == nil && m.how.Step == NotRelaxed &&
		s.query.Circle == nil && !s.query.Open && !s.filter.rated && s.filter.isOpen() && len(m.how.Denied().Words) == 0
}

// appendFrequent appends the pubs at ranks first to first+n-1 of matches that may be kept.
func (s search) appendFrequent(dst []uint32, m matches, first, n int) []uint32 {
	s.w.matching.text = m.how.Words.AppendTo(s.w.matching.text[:0])
	text := s.w.matching.text
	slot := &s.snapshot.frequent[xxhash.Sum64(text)%uint64(len(s.snapshot.frequent))]
	kept := slot.Load()
	if kept == nil || kept.text != string(text) {
		pubs, _, _ := s.ranker().Append(make([]uint32, 0, keptRelevant), m.set, m.how, 0, keptRelevant)
		kept = &mostRelevant{string(text), pubs}
		slot.Store(kept)
	}
	return append(dst, kept.pubs[first:first+n]...)
}
