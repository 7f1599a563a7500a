package geo

import (
	"math"

	"pubd/geo/topk"
)

// SelectFrom returns the hits of ranks first to first+n-1, sorted, or as many of them as there are; first and n must
// be at least 0. The hits are points of x with their squared chords from the centre of c. In descending order the
// largest chord comes first, and equal ones are still by ascending ordinal. It reorders hits, of which it returns a
// part, and does not allocate. It costs O(len(hits) + n·log n).
func (x *Index) SelectFrom(c *Circle, hits []topk.Item, descending bool, first, n int) []topk.Item {
	if first >= len(hits) || n == 0 {
		return nil
	}
	n = min(n, len(hits)-first)
	if descending {
		topk.Negate(hits)
	}
	return x.ranked(c, hits, descending, first, n)
}

// sortRanks sorts the hits of ranks from to end by their true distances; keys are negative for descending order. A hit
// elsewhere may belong to these ranks only if its key is within the tolerance of theirs. Equal keys are already in
// order, and may be very many: they are left where they are unless the borders have other near ties.
func (x *Index) sortRanks(c *Circle, hits []topk.Item, from, end int) {
	topk.PartialSort(hits, from, end)
	low, high := from, end
	first, last := hits[from].Key, hits[end-1].Key
	border := first - Tolerance(first)
	if mixed(hits, first) {
		for i := 0; i < low; {
			if hits[i].Key < border {
				i++
				continue
			}
			low--
			hits[i], hits[low] = hits[low], hits[i]
		}
	}
	border = last + Tolerance(last)
	if mixed(hits, last) {
		for i := high; i < len(hits); i++ {
			if hits[i].Key <= border {
				hits[i], hits[high] = hits[high], hits[i]
				high++
			}
		}
	}
	for rank, next := from, from; rank < end; rank = next {
		for next++; next < end && hits[next].Key-hits[next-1].Key <= Tolerance(hits[next].Key); next++ {
		}
		begin, stop := rank, next
		if rank == from {
			begin = low
		}
		if next == end {
			stop = high
		}
		if stop-begin > next-rank || hits[rank].Key != hits[next-1].Key {
			x.resolve(c, hits[begin:stop], rank-begin, next-begin)
		}
	}
}

// mixed reports whether a key differs from another by no more than rounding errors.
func mixed(hits []topk.Item, chord float64) bool {
	d := Tolerance(chord)
	for i := range hits {
		if s := hits[i].Key; s != chord && math.Abs(s-chord) <= d {
			return true
		}
	}
	return false
}

// Tolerance returns how much the squared chords of two points may differ that are equally far from a centre: much more
// than the rounding error, a thousandth of a millimetre on the ground.
func Tolerance(chord float64) float64 {
	const step = 1e-9 / float64(EarthRadius)
	return (2*math.Sqrt(math.Abs(chord)) + step) * step
}

// beside returns a point as far from the centre as p: at a pole, and from one, no longitude counts.
func (c *Circle) beside(p Point) Point {
	if math.Abs(p.Lat) == 90 || math.Abs(c.point.Lat) == 90 {
		p.Lng = c.point.Lng
	}
	return p
}

// TrueDistance returns the distance of a point from the centre by a formula without the rounding errors of chords: the
// haversine of the difference of the angles, which is the same for points left and right of the centre. It costs a tenth of
// a microsecond.
func (c *Circle) TrueDistance(p Point) Kilometres { return c.trueDistance(c.beside(p)) }

func (c *Circle) trueDistance(p Point) Kilometres {
	const radian = math.Pi / 180
	lat := math.Sin((p.Lat*radian - c.point.Lat*radian) / 2)
	lng := math.Sin((p.Lng - c.point.Lng) * radian / 2)
	h := float64(lat*lat) + float64(float64(math.Cos(c.point.Lat*radian)*math.Cos(p.Lat*radian))*float64(lng*lng))
	return 2 * EarthRadius * Kilometres(math.Atan2(math.Sqrt(h), math.Sqrt(max(0, 1-h))))
}

// resolve sorts the hits of ranks from to end, by the true distances of all hits.
func (x *Index) resolve(c *Circle, hits []topk.Item, from, end int) {
	descending := math.Signbit(hits[0].Key)
	x.Measure(c, hits)
	if descending {
		topk.Negate(hits)
	}
	topk.PartialSort(hits, from, end)
	for i := from; i < end; i++ {
		hits[i].Key = c.ChordSquared(x.vectors[hits[i].ID])
	}
	if descending {
		topk.Negate(hits[from:end])
	}
}

// Measure replaces the keys of hits by their true distances from the centre of c. Many neighbours at one point cost
// some nanoseconds each, others a tenth of a microsecond.
func (x *Index) Measure(c *Circle, hits []topk.Item) {
	last, key := Point{math.NaN(), math.NaN()}, 0.0
	for i := range hits {
		if p := c.beside(x.Point(hits[i].ID)); p != last {
			last, key = p, float64(c.trueDistance(p))
		}
		hits[i].Key = key
	}
}
