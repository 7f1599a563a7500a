package index

import (
	"bytes"
	"math"
	"runtime"
	"slices"

	"pubd/geo/topk"
	"pubd/index/postings"
	"pubd/index/schema"
	"pubd/index/segment"
)

// Count is the number of pubs that have a value of a facet.
type Count struct {
	Value []byte // the most frequent spelling
	Pubs  int
}

// MaxCounts is the maximum number of values in a result.
const MaxCounts = 50

// countMemory is the working memory of counting.
type countMemory struct {
	items    []topk.Item
	byNumber []uint32
	results  [schema.FacetCount][]Count
	counts   [][]Count
	spreads  []Spread
	text     []byte
}

// zeroed returns some numbers that are 0, and must be so again before the next call.
func (m *countMemory) zeroed(count int) []uint32 {
	if len(m.byNumber) < count {
		m.byNumber = make([]uint32, count)
	}
	return m.byNumber[:count]
}

// count returns, for each facet that the query asks for, the number of pubs of a set by value. The counts of all pubs are
// prepared. Otherwise it goes through the pubs, once a facet, or through the sets of the values where that takes less.
func (s search) count(found postings.Set) [][]Count {
	memory, all := &s.w.counts, found.Len() == s.snapshot.Len()
	memory.counts = memory.counts[:0]
	var pubs []uint32 // of the set, once they are needed
	for _, facet := range s.query.Counts {
		v, text, results, items := &s.segment.Facets[facet], []byte(nil), memory.results[facet][:0], memory.items[:0]
		if s.query.Searched.Facet == facet && s.query.Searched.Text != nil {
			memory.text = append(append(memory.text[:0], ' '), s.query.Searched.Text...)
			text = memory.text
		}
		switch {
		case all && text == nil:
			results = append(results, s.snapshot.most[facet]...)
		case all:
			items = appendAll(v, items, text)
		case facet == schema.Features || found.Bitmap() != nil && v.Pubs.Len()*s.snapshot.Len() < 64*wordsPerPub*found.Len(): // a pub may have several features
			items = s.appendCommon(items, v, found, text)
		default:
			if pubs == nil {
				pubs = s.w.sets.List(found)
			}
			items = countPubs(v, items, pubs, text, memory.zeroed(v.Terms.Len()+1))
		}
		results = appendMost(v, results, items)
		memory.items, memory.results[facet] = items, results
		memory.counts = append(memory.counts, results)
	}
	return memory.counts
}

// wordsPerPub is how many words of two bitmaps are compared in the time in which a pub is counted.
const wordsPerPub = 4

// appendCommon appends an item for each value that a pub of a set has, and that begins with a text: its ID is the number of
// the value, its key the negated count. It goes through the sets of the values.
func (s search) appendCommon(dst []topk.Item, v *segment.Values, found postings.Set, text []byte) []topk.Item {
	bits := found.Bitmap()
	if bits == nil {
		collector := s.w.sets.Collector()
		collector.AddSet(found)
		defer collector.Clear()
		bits = collector.Bitmap()
	}
	for number := range uint32(v.Pubs.Len()) {
		if !begins(v, number, text) {
			continue
		}
		if count := bits.CountCommon(v.Pubs.At(number)); count > 0 {
			dst = append(dst, topk.Item{Key: -float64(count), ID: number})
		}
	}
	return dst
}

// countPubs does the same by going through the pubs, and leaves out some values that are not among the most frequent.
// counts are numbers for the values and for pubs without one; they are 0, and become so again.
func countPubs(v *segment.Values, dst []topk.Item, pubs []uint32, text []byte, counts []uint32) []topk.Item {
	v.ByPub.Count(counts, pubs)
	missing := len(counts) - 1
	counts[missing] = 0
	if len(pubs) < missing/4 {
		dst = slices.Grow(dst, len(pubs)+1)[:len(pubs)+1]
		n := 0
		for _, pub := range pubs { // without a branch to mispredict
			number := v.ByPub.At(pub)
			dst[n] = topk.Item{Key: -float64(counts[number]), ID: number}
			n += topk.One(counts[number] > 0)
			counts[number] = 0
		}
		if dst = dst[:n]; text != nil {
			dst = slices.DeleteFunc(dst, func(item topk.Item) bool { return !begins(v, item.ID, text) })
		}
		return dst
	}
	least := uint32(1)
	for number := 0; number < missing; number++ {
		for number+4 < len(counts) && counts[number]|counts[number+1]|counts[number+2]|counts[number+3] < least {
			number += 4 // as most values are rarer
		}
		count := counts[number]
		if count < least || !begins(v, uint32(number), text) {
			continue
		}
		if dst = append(dst, topk.Item{Key: -float64(count), ID: uint32(number)}); len(dst) == 4*MaxCounts {
			topk.PartialSort(dst, 0, MaxCounts)
			dst = dst[:MaxCounts]
			least = uint32(-dst[MaxCounts-1].Key) + 1 // as later values with the same count come after
		}
	}
	clear(counts)
	return dst
}

// appendAll does the same for all pubs.
func appendAll(v *segment.Values, dst []topk.Item, text []byte) []topk.Item {
	for number := range uint32(v.Pubs.Len()) {
		if begins(v, number, text) {
			dst = append(dst, topk.Item{Key: -float64(v.Pubs.Count(number)), ID: number})
		}
	}
	return dst
}

// appendMost appends the counted values with the most pubs; ties are in the order of their folded forms.
func appendMost(v *segment.Values, dst []Count, counted []topk.Item) []Count {
	counted = keepFrequent(counted)
	most := min(MaxCounts, len(counted))
	topk.PartialSort(counted, 0, most)
	for _, item := range counted[:most] {
		dst = append(dst, Count{v.Spelling(item.ID), int(-item.Key)})
	}
	return dst
}

// keepFrequent keeps, in place, few of the counted values, with all that are among the most frequent: at least as many pubs
// have them as have each of MaxCounts others.
func keepFrequent(counted []topk.Item) []topk.Item {
	if len(counted) <= 2*MaxCounts {
		return counted
	}
	const rare = 256
	var having [rare]int // values by count
	for i := range counted {
		having[min(uint(-counted[i].Key), rare-1)]++
	}
	least, values := rare-1, having[rare-1]
	for ; values < MaxCounts; values += having[least] {
		least--
	}
	n, last := 0, topk.Item{Key: -float64(least), ID: math.MaxUint32}
	for _, item := range counted { // with few mispredicted branches
		counted[n] = item
		if n += topk.One(item.Key < last.Key) | topk.One(item.Key == last.Key)&topk.One(item.ID <= last.ID); n == 4*MaxCounts {
			topk.PartialSort(counted[:n], 0, MaxCounts)
			n, last = MaxCounts, counted[MaxCounts-1]
		}
	}
	return counted[:n]
}

// begins reports whether a value has a text, which follows a space, at the beginning of a word. Any value has nil, none has
// the space alone.
func begins(v *segment.Values, number uint32, text []byte) bool {
	if text == nil {
		return true
	}
	value := v.Folded(number)
	return len(text) > 1 && (bytes.HasPrefix(value, text[1:]) || bytes.Contains(value, text))
}

// CountAll returns the number of pubs in the snapshot for each value of a facet, as a search for all pubs would.
func (s *Snapshot) CountAll(facet schema.Facet) []Count {
	counts := slices.Clone(s.most[facet])
	for i := range counts {
		counts[i].Value = slices.Clone(counts[i].Value)
	}
	runtime.KeepAlive(s)
	return counts
}

// ExtraFacets returns the names of the extra columns that are facets, in the order of the facets from ExtraFacet on.
func (s *Snapshot) ExtraFacets() []string { return s.segment.ExtraFacets }

// Facets returns the number of facets of the snapshot: all of lower numbers.
func (s *Snapshot) Facets() schema.Facet {
	return schema.ExtraFacet + schema.Facet(len(s.segment.ExtraFacets))
}

// IsNumber reports whether an extra column that is a facet, by its position among those, is one of numbers.
func (s *Snapshot) IsNumber(extra int) bool { return s.segment.IsNumber(extra) }

// Values returns the number of values of a facet. Values with the same folded form are one; those without words are
// missing.
func (s *Snapshot) Values(facet schema.Facet) int { return s.segment.Facets[facet].Terms.Len() }

// ValueAt returns a value of a facet by its number, in the order of the folded values: the folded value and its most
// frequent spelling, in the memory of the snapshot, and the number of its pubs.
func (s *Snapshot) ValueAt(facet schema.Facet, number int) (folded, spelling []byte, pubs int) {
	v := &s.segment.Facets[facet]
	return v.Folded(uint32(number)), v.Spelling(uint32(number)), v.Pubs.Count(uint32(number))
}

// FindValue returns the number of a value of a facet, as [Filter.Values] has it; of several, the first.
func (s *Snapshot) FindValue(facet schema.Facet, value []byte) (number int, ok bool) {
	found := s.segment.Facets[facet].Find(value)
	runtime.KeepAlive(s)
	return int(found.Low), found.Low < found.High
}
