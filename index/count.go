package index

import "pubd/geo"

// A Count is how many pubs have a value of a column.
type Count struct {
	Value string // in its most frequent spelling
	Pubs  int
}

// remember keeps all that was found, to be counted.
func (f finder) remember() {
	f.result = f.found
	if len(f.hits) > 0 {
		for _, hit := range f.hits {
			f.work.add(hit.Ordinal)
		}
		f.result = f.gathered()
	}
	f.result = f.kept(f.result)
}

// Count appends how many of the pubs that a counted query found have each value of a column: those that most have
// first, equal ones by their folded form, at most MaxCounts. Of many pubs it counts the sets of the values, of few the pubs
// themselves; of all pubs it knows.
func (s *Snapshot) Count(dst []Count, a *Answer, column Column) []Count {
	v := s.columns[column]
	found := a.result
	switch {
	case found.len() == len(s.pubs):
		return append(dst, v.most...)
	case found.bits == nil || found.len() < len(s.pubs)/8:
		s.countPubs(v, a)
	default:
		a.hits = a.hits[:0]
		for number := range uint32(v.pubs.len()) {
			if count := found.bits.countOf(v.pubs.at(number)); count > 0 {
				a.hits = append(a.hits, geo.Hit{Separation: -float64(count), Ordinal: number})
			}
		}
	}
	return v.appendMost(dst, a.hits)
}

// appendMost appends the first of some counted values, each as a hit with its number and its negated count.
func (v *valueIndex) appendMost(dst []Count, hits []geo.Hit) []Count {
	most := min(MaxCounts, len(hits))
	if most == 0 {
		return dst
	}
	geo.Arrange(hits, 0, most)
	for _, hit := range hits[:most] {
		dst = append(dst, Count{v.shown[hit.Ordinal], int(-hit.Separation)})
	}
	return dst
}

// MaxCounts is how many values are counted at most.
const MaxCounts = 50

// countPubs counts the values of the pubs that were found, as hits.
func (s *Snapshot) countPubs(v *valueIndex, a *Answer) {
	if len(a.counts) < v.pubs.len() {
		a.counts = make([]uint32, v.pubs.len())
	}
	a.hits = a.hits[:0]
	for _, pub := range a.list(a.result) {
		number := v.of[pub]
		if number == missing {
			continue
		}
		if a.counts[number] == 0 {
			a.hits = append(a.hits, geo.Hit{Ordinal: number})
		}
		a.counts[number]++
	}
	for i := range a.hits {
		number := a.hits[i].Ordinal
		a.hits[i].Separation = -float64(a.counts[number])
		a.counts[number] = 0
	}
}

// countMost prepares the counts of all pubs.
func (v *valueIndex) countMost() {
	var hits []geo.Hit
	for number := range uint32(v.pubs.len()) {
		hits = append(hits, geo.Hit{Separation: -float64(len(v.pubs.at(number).ids)), Ordinal: number})
	}
	v.most = v.appendMost(nil, hits)
}

// CountAll gives how many of all pubs have each value of a column, as Count does. It must not be changed.
func (s *Snapshot) CountAll(column Column) []Count { return s.columns[column].most }
