package ranking

import (
	"math"
	"math/bits"

	"pubd/geo/topk"
	"pubd/index/postings"
)

// AppendAll appends the pubs of ranks first to first+n-1 among all, or among the rated ones. The caller ensures that
// there are as many.
func (o *Order) AppendAll(dst []uint32, rated, descending bool, first, n int) []uint32 {
	start := len(dst)
	switch {
	case rated:
		dst = o.appendPlaces(dst, o.rated, descending, first, n)
	case !descending || o.present == 0:
		for place := first; place < first+n; place++ {
			dst = append(dst, uint32(place))
		}
	default:
		place, end := uint32(0), uint32(0)
		for i := range n {
			at := first + i
			if place == end || i == 0 {
				if at < o.present {
					mirror := uint32(o.present - 1 - at)
					low, high := o.head(mirror), o.end(mirror)
					place, end = low+uint32(at)-(uint32(o.present)-high), high
				} else {
					place, end = uint32(at), math.MaxUint32
				}
			}
			dst = append(dst, place)
			place++
		}
	}
	return o.resolve(dst, start)
}

// resolve turns the places from start on into ordinals.
func (o *Order) resolve(dst []uint32, start int) []uint32 {
	if !o.identity() {
		for i, place := range dst[start:] {
			dst[start+i] = o.ordinals[place]
		}
	}
	return dst
}

// AppendWindow appends the hits of ranks first to first+n-1; rated means that all hits are rated. The caller ensures
// that there are as many. The cost depends on the number of hits or, if there are many, on their density, but not on
// first.
func (o *Order) AppendWindow(dst []uint32, hits postings.Set, rated, descending bool, first, n int, w *Workspace) []uint32 {
	if o.identity() && !descending {
		if ids := hits.IDs(); ids != nil {
			return append(dst, ids[first:first+n]...)
		}
		return hits.Bitmap().AppendSome(dst, first, n)
	}
	if o.identity() && hits.Bitmap() != nil { // of places, too
		return o.appendPlaces(dst, hits.Bitmap(), descending, first, n)
	}
	if hits.Bitmap() != nil {
		if page, ok := o.walk(dst, hits.Bitmap(), hits.Len(), rated, descending, first, n); ok {
			return page
		}
	}
	start := len(dst)
	if hits.Len() <= o.size/fewHits {
		return o.resolve(o.appendSorted(dst, hits, descending, first, n, w), start)
	}
	collector := w.Pool.Collector()
	o.addPlaces(collector, w.Pool.List(hits))
	if !descending {
		return o.resolve(collector.DrainSome(dst, first, n), start)
	}
	dst = o.appendPlaces(dst, collector.Bitmap(), descending, first, n)
	collector.Clear()
	return o.resolve(dst, start)
}

// addPlaces adds the places of hits. They are scattered in memory: a loop that does nothing else but read them has many
// reads under way at a time.
func (o *Order) addPlaces(collector *postings.Collector, hits []uint32) {
	if o.identity() {
		collector.AddAll(hits)
		return
	}
	var places [64]uint32
	for len(hits) > 0 {
		n := min(len(places), len(hits))
		for i, hit := range hits[:n] {
			places[i] = o.places[hit]
		}
		collector.AddAll(places[:n])
		hits = hits[n:]
	}
}

// Up to one hit in fewHits pubs, hits are sorted by their places rather than put into a bitmap of all places.
const fewHits = 2048

// appendSorted appends the places of a window of few hits.
func (o *Order) appendSorted(dst []uint32, hits postings.Set, descending bool, first, n int, w *Workspace) []uint32 {
	w.items = w.items[:0]
	for _, hit := range w.Pool.List(hits) {
		place := o.Place(hit)
		key := 0.0
		switch {
		case !descending:
		case int(place) < o.present:
			key = -float64(o.head(place))
		default:
			key = 1
		}
		w.items = append(w.items, topk.Item{Key: key, ID: place})
	}
	topk.PartialSort(w.items, first, first+n)
	for _, item := range w.items[first : first+n] {
		dst = append(dst, item.ID)
	}
	return dst
}

// appendPlaces skips the first places of a bitmap, in the given direction, and appends the following n. The caller
// ensures that there are as many.
func (o *Order) appendPlaces(dst []uint32, chosen postings.Bitmap, descending bool, first, n int) []uint32 {
	if n == 0 {
		return dst
	}
	if !descending {
		return chosen.AppendSome(dst, first, n)
	}
	// high is the end of the remaining places. Skipped places are passed in whole words.
	high := uint32(o.present)
	if high%64 != 0 {
		if count := chosen.CountRange(high/64*64, high); count <= first {
			first -= count
			high = high / 64 * 64
		}
	}
	if high%64 == 0 {
		i := int(high / 64)
		for i > 0 {
			count := bits.OnesCount64(chosen[i-1])
			if count > first {
				break
			}
			first -= count
			i--
		}
		high = uint32(i) * 64
	}
	if high > 0 && int(high) < o.present && !o.heads.Has(high) { // inside a group, whose beginning comes first
		end := o.end(high)
		first += chosen.CountRange(high, end)
		high = end
	}
	for n > 0 && high > 0 {
		place, ok := chosen.LastBelow(high)
		if !ok {
			break
		}
		low := o.head(place)
		count := chosen.CountRange(low, high)
		if take := min(count-first, n); take > 0 {
			dst = chosen.AppendRange(dst, low, first, take)
			n -= take
			first = 0
		} else {
			first -= count
		}
		high = low
	}
	if n > 0 {
		dst = chosen.AppendRange(dst, uint32(o.present), first, n)
	}
	return dst
}
