package index

import (
	"math"

	"pubd/index/postings"
	"pubd/index/schema"
)

// Range is the numbers of a column from Least to Most, both included.
type Range struct {
	Number      schema.Number
	Least, Most float64
}

// Spread is how the numbers of a column are spread over pubs: over Count that have one, their mean, and the least and
// the greatest; without any, these are NaN.
type Spread struct {
	Count                 int
	Least, Greatest, Mean float64
}

// spreads returns, for each number that the query asks for, how it is spread over pubs. It counts them by distinct
// number, unless there are more of those; the counts of all pubs are known.
func (s search) spreads(found postings.Set) []Spread {
	const scale = 1 << 32 // more than there are pubs: no sum is infinite, and a power of two is exact
	memory := &s.w.counts
	memory.spreads = memory.spreads[:0]
	var pubs []uint32
	if len(s.query.Spreads) > 0 && found.Len() < s.snapshot.Len() {
		pubs = s.w.sets.List(found)
	}
	for _, n := range s.query.Spreads {
		order, spread, sum := s.segment.OrderOf(n), Spread{Least: math.NaN(), Greatest: math.NaN(), Mean: math.NaN()}, 0.0
		add := func(value float64, pubs int) {
			if spread.Count == 0 {
				spread.Least, spread.Greatest = value, value
			}
			spread.Least, spread.Greatest = min(spread.Least, value), max(spread.Greatest, value)
			spread.Count += pubs
			sum += value / scale * float64(pubs)
		}
		switch groups := int(order.Groups()); {
		case found.Len() == s.snapshot.Len():
			order.EachGroup(add)
		case groups > len(pubs):
			for _, pub := range pubs {
				if value := order.Value(pub); schema.IsPresent(value) {
					add(value, 1)
				}
			}
		case groups > 0:
			byNumber := memory.zeroed(groups + 1) // the last is of pubs without one
			order.CountGroups(byNumber, pubs)
			for i, count := range byNumber[:groups] {
				if count > 0 {
					add(order.ValueOf(uint32(i)), int(count))
				}
			}
			clear(byNumber)
		}
		if spread.Count > 0 {
			spread.Mean = min(max(sum/float64(spread.Count)*scale, spread.Least), spread.Greatest)
		}
		memory.spreads = append(memory.spreads, spread)
	}
	return memory.spreads
}
