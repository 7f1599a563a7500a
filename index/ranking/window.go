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
	if o.identity() {
		return o.appendIdentity(dst, hits, descending, first, n, w)
	}
	if hits.Bitmap() != nil {
		if page, ok := o.walk(dst, hits.Bitmap(), hits.Len(), rated, descending, first, n); ok {
			return page
		}
	}
	if hits.Len() <= fewToSort {
		return o.appendSorted(dst, hits, descending, first, n, w)
	}
	return o.appendCounted(dst, w.Pool.List(hits), descending, first, n, w)
}

// fewToSort is the number of hits up to which all are sorted rather than counted by key.
const fewToSort = 128

// appendIdentity is AppendWindow for an order in which places are ordinals.
func (o *Order) appendIdentity(dst []uint32, hits postings.Set, descending bool, first, n int, w *Workspace) []uint32 {
	ids := hits.IDs()
	switch {
	case !descending && ids != nil:
		return append(dst, ids[first:first+n]...)
	case ids == nil:
		return o.appendPlaces(dst, hits.Bitmap(), descending, first, n)
	case len(ids) <= o.size/fewOfPlaces:
		return o.appendSorted(dst, hits, descending, first, n, w)
	}
	collector := w.Pool.Collector()
	collector.AddAll(ids)
	dst = o.appendPlaces(dst, collector.Bitmap(), descending, first, n)
	collector.Clear()
	return dst
}

// Up to one hit in fewOfPlaces pubs, hits are sorted rather than put into a bitmap of all places.
const fewOfPlaces = 2048

// appendSorted appends a window of few hits.
func (o *Order) appendSorted(dst []uint32, hits postings.Set, descending bool, first, n int, w *Workspace) []uint32 {
	w.items = w.items[:0]
	for _, hit := range w.Pool.List(hits) {
		w.items = append(w.items, topk.Item{Key: o.sortKey(hit, descending), ID: hit})
	}
	topk.PartialSort(w.items, first, first+n)
	for _, item := range w.items[first : first+n] {
		dst = append(dst, item.ID)
	}
	return dst
}

// sortKey returns what orders the pubs in a direction; equal ones are ordered by ordinal.
func (o *Order) sortKey(ordinal uint32, descending bool) float64 {
	if !o.identity() {
		return float64(o.key(ordinal, descending))
	}
	switch head := float64(o.head(ordinal)); {
	case !descending:
		return head
	case int(ordinal) < o.present:
		return -head
	}
	return 1
}

// key returns the number of groups that come before that of a pub in a direction, in an order that has numbers.
func (o *Order) key(ordinal uint32, descending bool) uint32 {
	number, groups := o.numbers.At(ordinal), o.groups()
	if descending && number < groups {
		return groups - 1 - number
	}
	return number
}

// maxCounted is the number of ranges of keys of which hits are counted.
const maxCounted = 256

// appendCounted appends a window of many hits: it counts those in ranges of keys, and sorts those of the ranges that
// the window is in. It takes some 5 ns per hit.
func (o *Order) appendCounted(dst, hits []uint32, descending bool, first, n int, w *Workspace) []uint32 {
	shift := uint(max(0, bits.Len32(o.groups())-bits.Len32(maxCounted-1))) % 32
	var counts [maxCounted]uint32
	w.keys = o.numbers.appendTo(w.keys[:0], hits)
	groups := o.groups()
	for i, key := range w.keys {
		if descending && key < groups {
			key = groups - 1 - key
			w.keys[i] = key
		}
		counts[key>>shift%maxCounted]++
	}
	low, before := uint32(0), 0
	for ; before+int(counts[low]) <= first; low++ {
		before += int(counts[low])
	}
	high := low
	for end := before + int(counts[low]); end < first+n; end += int(counts[high]) {
		high++
	}
	w.items = w.items[:0]
	for i, key := range w.keys {
		if at := key >> shift; at-low <= high-low {
			w.items = append(w.items, topk.Item{Key: float64(key), ID: hits[i]})
		}
	}
	topk.PartialSort(w.items, first-before, first-before+n)
	for _, item := range w.items[first-before : first-before+n] {
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
