package index

import "slices"

// A localRanking has the ranks of the pubs of each location in a metric, ascending: those of the value i of the column are
// ranks[start[i]:start[i+1]].
type localRanking struct{ start, ranks []uint32 }

// rankLocally prepares the ranks within locations from those among all.
func (s *Snapshot) rankLocally(metric Metric) (l localRanking) {
	places := s.columns[Location]
	l.start = make([]uint32, 1, places.values.len()+1)
	for place := range uint32(places.values.len()) {
		first := len(l.ranks)
		for _, pub := range places.pubs.at(place).ids {
			if rank := s.rankings[metric][pub]; rank > 0 {
				l.ranks = append(l.ranks, rank)
			}
		}
		slices.Sort(l.ranks[first:])
		l.start = append(l.start, uint32(len(l.ranks)))
	}
	l.ranks = slices.Clone(l.ranks) // without room to grow
	return l
}

// LocalRank is a pub's rank in a metric among the rated pubs of its location that have it, from 1 for the highest, equal
// ones sharing the better rank, and how many those are; 0 where the pub has none.
func (s *Snapshot) LocalRank(ordinal uint32, metric Metric) (rank, of uint32) {
	place := s.columns[Location].of[ordinal]
	own := s.rankings[metric][ordinal]
	if place == missing || own == 0 {
		return 0, 0
	}
	l := &s.localRankings[metric]
	ranks := l.ranks[l.start[place]:l.start[place+1]]
	before, _ := slices.BinarySearch(ranks, own)
	return uint32(before) + 1, uint32(len(ranks))
}

// Namesakes is how many other pubs have the folded name of one.
func (s *Snapshot) Namesakes(ordinal uint32) int {
	low, high := s.sameName(ordinal)
	return int(high-low) - 1
}

// sameName gives the range of the pubs with the folded name of one.
func (s *Snapshot) sameName(ordinal uint32) (low, high uint32) {
	number := lowerBound(s.nameStart, ordinal+1) - 1
	return s.nameStart[number], s.nameStart[number+1]
}
