package index

import (
	"bytes"
	"runtime"
	"slices"

	"pubd/geo/topk"
	"pubd/index/postings"
	"pubd/index/ranking"
)

// Count is how many pubs have a value of a column.
type Count struct {
	Value []byte // in its most frequent spelling
	Pubs  int
}

// MaxCounts is how many values are counted at most.
const MaxCounts = 50

// countMemory is the working memory of counting.
type countMemory struct {
	items    []topk.Item
	byNumber []uint32 // 0 between two searches
	results  [ColumnCount][]Count
}

// count returns how many of the pubs that match have each value of the columns that the query asks for. Of many pubs it counts the sets of
// the values, of few the pubs themselves; of all pubs it was prepared.
func (s search) count(m match) (counts [ColumnCount][]Count) {
	found := m.set
	if m.measured {
		collector := s.w.sets.Collector()
		for _, item := range m.items {
			collector.Add(item.ID)
		}
		found = s.w.sets.Collected()
	}
	memory := &s.w.counts
	for column, asked := range s.query.Counts {
		if !asked {
			continue
		}
		v := &s.snapshot.columns[column]
		results := memory.results[column][:0]
		text := s.query.Counted[column]
		switch {
		case text != nil && found.Len() == s.snapshot.Len():
			memory.items = v.appendAll(memory.items[:0])
			results = v.appendMost(results, v.keepBeginning(memory.items, text))
		case found.Len() == s.snapshot.Len():
			results = append(results, s.snapshot.most[column]...)
		case found.Bitmap() == nil || found.Len() < s.snapshot.Len()/8:
			memory.items = s.countPubs(memory.items[:0], v, found)
			results = v.appendMost(results, v.keepBeginning(memory.items, text))
		default:
			memory.items = v.appendCounts(memory.items[:0], found.Bitmap())
			results = v.appendMost(results, v.keepBeginning(memory.items, text))
		}
		memory.results[column], counts[column] = results, results
	}
	return counts
}

// appendCounts appends, for each value that a pub of a set has, its number with the negated count as key.
func (v *valueIndex) appendCounts(dst []topk.Item, found postings.Bitmap) []topk.Item {
	for number := range uint32(v.pubs.Len()) {
		if count := found.CountCommon(v.pubs.At(number)); count > 0 {
			dst = append(dst, topk.Item{Key: -float64(count), ID: number})
		}
	}
	return dst
}

// countPubs is appendCounts by going through the pubs.
func (s search) countPubs(dst []topk.Item, v *valueIndex, found postings.Set) []topk.Item {
	memory := &s.w.counts
	if len(memory.byNumber) < v.pubs.Len() {
		memory.byNumber = make([]uint32, v.pubs.Len())
	}
	byNumber := memory.byNumber
	for _, pub := range s.w.sets.List(found) {
		number := v.of[pub]
		if number == ranking.Missing {
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

// appendMost appends the first of some counted values: those that most pubs have, equal ones by their folded form.
func (v *valueIndex) appendMost(dst []Count, counted []topk.Item) []Count {
	most := min(MaxCounts, len(counted))
	if most == 0 {
		return dst
	}
	topk.PartialSort(counted, 0, most)
	for _, item := range counted[:most] {
		dst = append(dst, Count{v.text(item.ID), int(-item.Key)})
	}
	return dst
}

// mostFrequent returns the counts of all pubs.
func (v *valueIndex) mostFrequent() []Count {
	return v.appendMost(nil, v.appendAll(nil))
}

// appendAll is appendCounts of all pubs.
func (v *valueIndex) appendAll(dst []topk.Item) []topk.Item {
	for number := range uint32(v.pubs.Len()) {
		dst = append(dst, topk.Item{Key: -float64(v.pubs.Count(number)), ID: number})
	}
	return dst
}

// keepBeginning keeps, of some counted values, in place, those of which a word, and what follows it, begins with a folded text; all if it is nil. It looks
// at each value.
func (v *valueIndex) keepBeginning(counted []topk.Item, text []byte) []topk.Item {
	if text == nil {
		return counted
	}
	return slices.DeleteFunc(counted, func(item topk.Item) bool { return !beginsWord(v.values.At(item.ID), text) })
}

// beginsWord reports whether a text of words, separated by spaces, has another from the beginning of one of them on. The empty text is in none.
func beginsWord(words, text []byte) bool {
	for len(text) > 0 {
		at := bytes.Index(words, text)
		if at < 0 {
			return false
		}
		if at == 0 || words[at-1] == ' ' {
			return true
		}
		words = words[at+1:]
		if next := bytes.IndexByte(words, ' '); next >= 0 {
			words = words[next+1:]
		} else {
			return false
		}
	}
	return false
}

// CountAll returns how many of all pubs have each value of a column, as a search counts them.
func (s *Snapshot) CountAll(column Column) []Count {
	counts := slices.Clone(s.most[column])
	for i := range counts {
		counts[i].Value = slices.Clone(counts[i].Value)
	}
	runtime.KeepAlive(s)
	return counts
}
