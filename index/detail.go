package index

// Ranks are one of each metric, from 1 for the highest, equal ones sharing the better; 0 where there is none. Those of a pub lie
// together, as an answer shows them all.
type ranks [MetricCount]uint32

// rankLocally ranks the pubs of each location, in their order among all.
func (s *Snapshot) rankLocally(metric Metric) {
	places := s.columns[Location].of
	last := make([]uint32, len(s.ranked)) // by location, the pub ranked last plus one
	for _, ordinal := range s.orders[SortBeer+Sort(metric)][1].rated {
		place, rank := places[ordinal], s.rankings[ordinal][metric]
		if place == missing || rank == 0 {
			continue
		}
		s.ranked[place][metric]++
		own := s.ranked[place][metric]
		if last[place] > 0 && s.rankings[last[place]-1][metric] == rank {
			own = s.localRankings[last[place]-1][metric]
		}
		s.localRankings[ordinal][metric], last[place] = own, ordinal+1
	}
}

// LocalRank is a pub's rank in a metric among the rated pubs of its location that have it, from 1 for the highest, equal
// ones sharing the better rank, and how many those are; 0 where the pub has none.
func (s *Snapshot) LocalRank(ordinal uint32, metric Metric) (rank, of uint32) {
	if rank = s.localRankings[ordinal][metric]; rank == 0 {
		return 0, 0
	}
	return rank, s.ranked[s.columns[Location].of[ordinal]][metric]
}

// Namesakes is how many other pubs have the folded name of one.
func (s *Snapshot) Namesakes(ordinal uint32) int { return int(s.turns[ordinal].namesakes) }
