package index

import (
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
)

// localRanks has, for a metric and each location, the ranks of its pubs among all rated pubs, ascending: those of
// location i are ranks[starts[i]:starts[i+1]].
type localRanks struct{ starts, ranks []uint32 }

// newLocalRanks returns the ranks of the rated pubs in an order by location.
func newLocalRanks(order *ranking.Numeric, pubs int, rated postings.Bitmap, locations *valueIndex) localRanks {
	l := localRanks{starts: make([]uint32, locations.values.Len()+1)}
	ranks := make([]uint32, pubs)
	for ordinal := range ranks {
		location := locations.byPub.At(uint32(ordinal))
		if !locations.has(location) || !rated.Has(uint32(ordinal)) {
			continue
		}
		if ranks[ordinal] = order.Rank(uint32(ordinal)); ranks[ordinal] > 0 {
			l.starts[location+1]++
		}
	}
	for i := range len(l.starts) - 1 {
		l.starts[i+1] += l.starts[i]
	}
	l.ranks = make([]uint32, l.starts[len(l.starts)-1])
	next := slices.Clone(l.starts)
	for ordinal, rank := range ranks {
		if rank > 0 {
			location := locations.byPub.At(uint32(ordinal))
			l.ranks[next[location]] = rank
			next[location]++
		}
	}
	for i := range len(l.starts) - 1 {
		slices.Sort(l.ranks[l.starts[i]:l.starts[i+1]])
	}
	return l
}

// ranksOf returns the ranks of the pubs of a location.
func (l *localRanks) ranksOf(location uint32) []uint32 {
	return l.ranks[l.starts[location]:l.starts[location+1]]
}

func (l *localRanks) write(w *indexfile.Writer, name string) {
	indexfile.Put(w, name+".starts", l.starts)
	indexfile.Put(w, name+".ranks", l.ranks)
}

func readLocalRanks(r *indexfile.Reader, name string, locations int) localRanks {
	l := localRanks{indexfile.TakeN[uint32](r, name+".starts", locations+1), indexfile.Take[uint32](r, name+".ranks")}
	indexfile.CheckOffsets(r, name+".starts", l.starts, len(l.ranks))
	return l
}
