package index

import (
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

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
		kept = &mostRelevant{string(text), s.appendRelevant(make([]uint32, 0, keptRelevant), m.set, m.how, 0, keptRelevant)}
		slot.Store(kept)
	}
	return append(dst, kept.pubs[first:first+n]...)
}
