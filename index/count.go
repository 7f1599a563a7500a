package index

import (
	"bytes"
	"runtime"
	"slices"

	"pubd/geo/topk"
	"pubd/index/postings"
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
	results  [FacetCount][]Count
	counts   [][]Count
	spreads  []Spread
}

// zeroed returns some numbers that are 0, and must be so again before the next call.
func (m *countMemory) zeroed(count int) []uint32 {
	if len(m.byNumber) < count {
		m.byNumber = make([]uint32, count)
	}
	return m.byNumber[:count]
}

// count returns, for each facet that the query asks for, the number of pubs of a set by value. For many pubs it
// intersects the sets of the values, for few it goes through the pubs; the counts of all pubs are prepared.
func (s search) count(found postings.Set) [][]Count {
	memory := &s.w.counts
	memory.counts = memory.counts[:0]
	for _, facet := range s.query.Counts {
		v, text, results := &s.snapshot.facets[facet], []byte(nil), memory.results[facet][:0]
		if s.query.Searched.Facet == facet {
			text = s.query.Searched.Text
		}
		items := memory.items[:0]
		switch {
		case found.Len() == s.snapshot.Len() && text == nil:
			results = append(results, s.snapshot.most[facet]...)
		case found.Len() == s.snapshot.Len():
			items = v.appendAll(items)
		case facet == Features && found.Bitmap() == nil: // a pub may have several
			collector := s.w.sets.Collector()
			collector.AddSet(found)
			items = v.appendCounts(items, collector.Bitmap())
			collector.Clear()
		case facet != Features && (found.Bitmap() == nil || found.Len() < s.snapshot.Len()/8):
			items = s.countPubs(items, v, found)
		default:
			items = v.appendCounts(items, found.Bitmap())
		}
		results = v.appendMost(results, v.keepBeginning(items, text))
		memory.items, memory.results[facet] = items, results
		memory.counts = append(memory.counts, results)
	}
	return memory.counts
}

// appendCounts appends an item for each value that a pub of a set has: its ID is the number of the value, its key the
// negated count.
func (v *valueIndex) appendCounts(dst []topk.Item, found postings.Bitmap) []topk.Item {
	for number := range uint32(v.pubs.Len()) {
		if count := found.CountCommon(v.pubs.At(number)); count > 0 {
			dst = append(dst, topk.Item{Key: -float64(count), ID: number})
		}
	}
	return dst
}

// countPubs does the same as appendCounts by going through the pubs.
func (s search) countPubs(dst []topk.Item, v *valueIndex, found postings.Set) []topk.Item {
	memory := &s.w.counts
	byNumber := memory.zeroed(v.pubs.Len())
	for _, pub := range s.w.sets.List(found) {
		number := v.byPub.At(pub)
		if !v.has(number) {
			continue
		}
		if byNumber[number] == 0 {
			dst = append(dst, topk.Item{ID: number})
		}
		byNumber[number]++
	}
	for i := range dst {
		number := dst[i].ID
		dst[i].Key = -float64(byNumber[number])
		byNumber[number] = 0
	}
	return dst
}

// appendMost appends the counted values with the most pubs; ties are in the order of their folded forms.
func (v *valueIndex) appendMost(dst []Count, counted []topk.Item) []Count {
	most := min(MaxCounts, len(counted))
	topk.PartialSort(counted, 0, most)
	for _, item := range counted[:most] {
		dst = append(dst, Count{v.text(item.ID), int(-item.Key)})
	}
	return dst
}

// appendAll does the same as appendCounts for all pubs.
func (v *valueIndex) appendAll(dst []topk.Item) []topk.Item {
	for number := range uint32(v.pubs.Len()) {
		dst = append(dst, topk.Item{Key: -float64(v.pubs.Count(number)), ID: number})
	}
	return dst
}

// keepBeginning keeps, in place, the counted values that have the folded text at the beginning of a word; all if it is
// nil, none if it is empty. It examines each value.
func (v *valueIndex) keepBeginning(counted []topk.Item, text []byte) []topk.Item {
	if text == nil {
		return counted
	}
	inner := append([]byte(" "), text...)
	return slices.DeleteFunc(counted, func(item topk.Item) bool {
		value := v.values.At(item.ID)
		return len(text) == 0 || !bytes.HasPrefix(value, text) && !bytes.Contains(value, inner)
	})
}

// CountAll returns the number of pubs in the snapshot for each value of a facet, as a search for all pubs would.
func (s *Snapshot) CountAll(facet Facet) []Count {
	counts := slices.Clone(s.most[facet])
	for i := range counts {
		counts[i].Value = slices.Clone(counts[i].Value)
	}
	runtime.KeepAlive(s)
	return counts
}
