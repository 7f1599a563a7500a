package segment

import (
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
)

// LocalRanks has, for a metric and each location, the groups of its rated pubs in the order by the metric, ascending:
// those of location i are groups starts[i] to starts[i+1]-1.
type LocalRanks struct {
	starts []uint32
	groups ranking.Numbers
}

// newLocalRanks returns the groups of the rated pubs in an order by location.
func newLocalRanks(order *ranking.Numeric, rated postings.Bitmap, locations *Values) LocalRanks {
	l := LocalRanks{starts: []uint32{0}}
	var groups []uint32
	for location := range uint32(locations.Terms.Len()) {
		set := locations.Pubs.At(location)
		pubs := set.IDs()
		if pubs == nil {
			pubs = set.Bitmap().AppendTo(nil, 0)
		}
		for _, pub := range pubs {
			if group, ok := order.Group(pub); ok && rated.Has(pub) {
				groups = append(groups, group)
			}
		}
		slices.Sort(groups[l.starts[location]:])
		l.starts = append(l.starts, uint32(len(groups)))
	}
	l.groups = ranking.NewNumbers(groups, order.Groups())
	return l
}

// Rank returns the rank in a location of a group, 1 for the greatest, and the number of groups there.
func (l *LocalRanks) Rank(location, group uint32) (rank, among uint32) {
	low, high := l.starts[location], l.starts[location+1]
	return high - l.groups.Search(low, high, group+1) + 1, high - low
}

// code writes or reads the groups of an order that has a number of them.
func (l *LocalRanks) code(f indexfile.Codec, name string, locations int, groups uint32) {
	indexfile.ArrayN(f, name+".starts", &l.starts, locations+1)
	count := 0
	if len(l.starts) > 0 {
		count = int(l.starts[locations])
	}
	indexfile.CheckOffsets(f.Reader, name+".starts", l.starts, count)
	l.groups.Code(f, name+".groups", count, groups)
}
