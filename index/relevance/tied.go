package relevance

import (
	"math"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/postings"
	"pubd/index/schema"
)

// AppendTied appends equally relevant pubs: by their distance from a point, unless that is nil, then by fair score. A
// distance from another point than the query's counts in metres.
func (r Ranker) AppendTied(dst []uint32, set postings.Set, from *geo.Circle, first, n int) []uint32 {
	if from == nil {
		return r.Segment.Orders[schema.SortFair].AppendWindow(dst, set, true, first, n, r.Tied)
	}
	if bits := set.Bitmap(); bits != nil && from == r.Circle {
		items, before := r.Segment.Points.WindowAmong(r.Around, from, bits, set.Len(), false, first, n)
		return r.AppendNearest(dst, items, from, first-before, n)
	}
	items := r.Memory.items[:0]
	for _, pub := range r.Pool.List(set) {
		items = append(items, topk.Item{Key: from.ChordSquared(r.Segment.Points.Vector(pub)), ID: pub})
	}
	r.Memory.items = items
	return r.AppendNearest(dst, items, from, first, n)
}

// AppendNearest appends pubs, given with their squared chords from a point, as AppendTied does.
func (r Ranker) AppendNearest(dst []uint32, items []topk.Item, from *geo.Circle, first, n int) []uint32 {
	order, end := &r.Segment.Orders[schema.SortFair], first+n
	topk.PartialSort(items, first, end)
	// Only pubs as far as those of the page need their true distance.
	nearest, farthest, nearer := items[first].Key, items[end-1].Key, 0
	inMetres := from != r.Circle
	if inMetres {
		const metre = 0.001 / float64(geo.EarthRadius) // what rounding may move the ends together
		nearest, farthest = nearest-metre*(2*math.Sqrt(nearest)+metre), farthest+metre*(2*math.Sqrt(farthest)+metre)
	}
	nearest, farthest = nearest-geo.Tolerance(nearest), farthest+geo.Tolerance(farthest)
	near := items[:0]
	for _, item := range items {
		if item.Key < nearest {
			nearer++
		} else if item.Key <= farthest {
			near = append(near, item)
		}
	}
	r.Segment.Points.Measure(from, near)
	if inMetres {
		for i := range near {
			near[i].Key = math.RoundToEven(1000*near[i].Key) / 1000
		}
	}
	topk.PartialSort(near, 0, len(near))
	first, end = first-nearer, end-nearer
	for at, next := 0, 0; at < end; at = next {
		for next = at + 1; next < len(near) && near[next].Key == near[at].Key; next++ {
		}
		switch low, high := max(at, first), min(next, end); {
		case low >= high:
		case next-at == 1:
			dst = append(dst, near[at].ID)
		default:
			equal := r.Pool.Collector()
			for _, item := range near[at:next] {
				equal.Add(item.ID)
			}
			dst = order.AppendWindow(dst, r.Pool.Collected(), true, low-at, high-low, r.Tied)
		}
	}
	return dst
}
