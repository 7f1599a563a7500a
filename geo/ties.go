package geo

import (
	"math"

	"pubd/geo/topk"
)

// SelectFrom returns the hits of ranks first to first+n-1, sorted, or as many of them as there are; first and n must
// be at least 0. The hits are points of x with their squared chords from the centre of c. In descending order the
// largest chord comes first, and equal ones are still by ascending ordinal. It reorders hits, of which it returns a
// part, and does not allocate. It costs O(len(hits) + n·log n), or O(len(hits)·log(len(hits))) if many hits are tied
// except for rounding.
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

// sortRanks sorts the hits of ranks from to end by their true distances; keys are negative for descending order. It
// includes hits outside these ranks that may be tied with some inside, except those with equal keys, which are already
// in order and may be very many.
func (x *Index) sortRanks(c *Circle, hits []topk.Item, from, end int) {
	topk.PartialSort(hits, from, end)
	low, high := from, end
	first, last := hits[from].Key, hits[end-1].Key
	for grown, rounds := true, 0; grown; rounds++ {
		if rounds == maxRounds {
			low, high = expandTies(hits, low, high)
			break
		}
		grown = false
		equal, border := low > 0 && mixed(hits[low:high], first), first-tolerance(first)
		for i := 0; i < low; {
			if s := hits[i].Key; s < border || s == first && !equal {
				i++
				continue
			}
			low--
			hits[i], hits[low] = hits[low], hits[i]
			first, grown = min(first, hits[low].Key), true
		}
		equal, border = high < len(hits) && mixed(hits[low:high], last), last+tolerance(last)
		for i := high; i < len(hits); i++ {
			if s := hits[i].Key; s <= border && (s != last || equal) {
				hits[i], hits[high] = hits[high], hits[i]
				last, grown = max(last, hits[high].Key), true
				high++
			}
		}
	}
	if high-low > end-from {
		topk.PartialSort(hits[low:high], 0, high-low)
	}
	widest := max(tolerance(hits[low].Key), tolerance(hits[high-1].Key))
	for low < high {
		next := low + 1
		for next < high && hits[next].Key-hits[next-1].Key <= widest &&
			hits[next].Key-hits[next-1].Key <= tolerance(hits[next].Key) {
			next++
		}
		if hits[low].Key != hits[next-1].Key {
			x.resolve(c, hits[low:next])
		}
		low = next
	}
}

// maxRounds is the number of passes over all hits before expandTies sorts them instead. Each pass extends a chain of
// near ties by the tolerance, and a chain can be as long as the number of hits.
const maxRounds = 4

// expandTies sorts hits and extends a range of them by those that may be tied with some inside.
func expandTies(hits []topk.Item, low, high int) (from, end int) {
	topk.PartialSort(hits, 0, len(hits))
	for low > 0 && hits[low].Key-hits[low-1].Key <= tolerance(hits[low].Key) {
		low--
	}
	for high < len(hits) && hits[high].Key-hits[high-1].Key <= tolerance(hits[high-1].Key) {
		high++
	}
	return low, high
}

// mixed reports whether a key differs from another by no more than rounding errors.
func mixed(hits []topk.Item, chord float64) bool {
	d := tolerance(chord)
	for i := range hits {
		if s := hits[i].Key; s != chord && math.Abs(s-chord) <= d {
			return true
		}
	}
	return false
}

// Tolerance returns how much the squared chords of two points may differ that are equally far from a centre.
func Tolerance(chord float64) float64 { return tolerance(chord) }

// tolerance returns much more than the rounding error of a squared chord: a thousandth of a millimetre on the ground.
func tolerance(chord float64) float64 {
	const step = 1e-9 / float64(EarthRadius)
	return (2*math.Sqrt(math.Abs(chord)) + step) * step
}

// TrueDistance returns the distance of a point from the centre of c by a formula without the rounding errors of
// chords: the haversine of the difference of the angles, which is the same for points left and right of the centre.
func (x *Index) TrueDistance(c *Circle, ordinal uint32) Kilometres {
	const radian = math.Pi / 180
	p := x.Point(ordinal)
	lat := math.Sin((p.Lat*radian - c.point.Lat*radian) / 2)
	lng := math.Sin((p.Lng - c.point.Lng) * radian / 2)
	h := float64(lat*lat) + float64(float64(math.Cos(c.point.Lat*radian)*math.Cos(p.Lat*radian))*float64(lng*lng))
	return 2 * EarthRadius * Kilometres(math.Atan2(math.Sqrt(h), math.Sqrt(max(0, 1-h))))
}

// resolve sorts hits whose squared chords differ only by rounding errors by their true distances.
func (x *Index) resolve(c *Circle, hits []topk.Item) {
	sign := math.Copysign(1, hits[len(hits)-1].Key)
	for i := range hits {
		hits[i].Key = sign * float64(x.TrueDistance(c, hits[i].ID))
	}
	topk.PartialSort(hits, 0, len(hits))
	for i := range hits {
		hits[i].Key = sign * c.ChordSquared(x.vectors[hits[i].ID])
	}
}
