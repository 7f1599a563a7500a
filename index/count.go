package index

import "pubd/geo"

// A Count is how many pubs have a value of a column.
type Count struct {
	Value string // in its most frequent spelling
	Pubs  int
}

// remember keeps all that was found, to be counted.
func (f finder) remember() {
	f.work.addSet(f.found)
	for _, hit := range f.hits {
		f.work.add(hit.Ordinal)
	}
	f.result = f.lend()
}

// Count appends how many of the pubs that a counted query found have each value of a column: those that most have
// first, equal ones by their folded form, at most most. It costs a step for each pub of the snapshot that has a
// value few pubs have, and one for 64 that have another.
func (s *Snapshot) Count(dst []Count, a *Answer, column Column, most int) []Count {
	v := s.columns[column]
	a.hits = a.hits[:0]
	for number := range uint32(v.pubs.len()) {
		if count := a.result.countOf(v.pubs.at(number)); count > 0 {
			a.hits = append(a.hits, geo.Hit{Separation: -float64(count), Ordinal: number})
		}
	}
	if len(a.hits) == 0 {
		return dst
	}
	most = min(most, len(a.hits))
	geo.Arrange(a.hits, 0, most)
	for _, hit := range a.hits[:most] {
		dst = append(dst, Count{v.shown[hit.Ordinal], int(-hit.Separation)})
	}
	return dst
}
