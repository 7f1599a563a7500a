package ranking

import (
	"math/bits"

	"pubd/geo/topk"
	"pubd/index/postings"
)

// AppendAll appends the pubs of ranks first to first+n-1 among all, or among the rated ones. The caller ensures that
// there are as many.
func (o *Order) AppendAll(dst []uint32, rated, descending bool, first, n int) []uint32 {
	start, present := len(dst), o.before(uint32(o.present), rated)
	for rank, end := first, first+n; rank < end; {
		ascending, count := rank, end-rank
		if descending && rank < present {
			place := o.placeOf(present-1-rank, rated)
			low, high := o.before(o.head(place), rated), o.before(o.end(place), rated)
			ascending = low + rank - (present - high)
			count = min(count, high-ascending)
		}
		for i := range count {
			dst = append(dst, o.placeOf(ascending+i, rated))
		}
		rank += count
	}
	return o.resolve(dst, start)
}

// before returns the number of pubs, or of rated pubs, before a place.
func (o *Order) before(place uint32, rated bool) int {
	if rated {
		return o.rated.Before(place)
	}
	return int(place)
}

// placeOf returns the place of a pub by its ascending rank among all, or among the rated ones.
func (o *Order) placeOf(rank int, rated bool) uint32 {
	if rated {
		return o.rated.At(rank)
	}
	return uint32(rank)
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

// AppendWindow appends the hits of ranks first to first+n-1. The caller ensures that there are as many. The cost
// depends on the number of hits or, if there are many, on their density, but not on first.
func (o *Order) AppendWindow(dst []uint32, hits postings.Set, descending bool, first, n int, w *Workspace) []uint32 {
	if o.identity() {
		ids := hits.IDs()
		switch {
		case descending && ids == nil:
			ids = o.last(hits.Bitmap(), first+n, w)
			fallthrough
		case descending:
			return o.appendBackward(dst, ids, first, n)
		case ids != nil:
			return append(dst, ids[first:first+n]...)
		}
		return hits.Bitmap().AppendSome(dst, first, n)
	}
	if bits := hits.Bitmap(); bits != nil {
		if page, ok := o.walk(dst, bits, hits.Len(), descending, first, n); ok {
			return page
		}
	}
	if hits.Len() <= fewToSort {
		return o.appendSorted(dst, hits, descending, first, n, w)
	}
	return o.appendCounted(dst, w.Pool.List(hits), descending, first, n, w)
}

// last returns the hits, in an order in which places are ordinals, that have the last keys, and those without: at least
// a number of them, or all.
func (o *Order) last(hits postings.Bitmap, atLeast int, w *Workspace) []uint32 {
	first := len(hits)
	for count := 0; first > 0 && count < atLeast; {
		if first--; first*64+63 < o.present {
			count += bits.OnesCount64(hits[first])
		}
	}
	if first > 0 {
		first = int(o.head(uint32(first*64))) / 64
	}
	w.keys = hits[first:].AppendTo(w.keys[:0], uint32(first*64))
	return w.keys
}

// appendBackward appends a window of ascending hits in the descending order, in which places are ordinals: those of the
// last key first, those without a key last.
func (o *Order) appendBackward(dst, hits []uint32, first, n int) []uint32 {
	end := len(dst) + n
	present := postings.LowerBound(hits, uint32(o.present))
	for high := present; high > 0 && len(dst) < end; {
		low := high - 1
		for head := o.head(hits[low]); low > 0 && hits[low-1] >= head; {
			low--
		}
		from := min(low+first, high)
		first -= from - low
		dst = append(dst, hits[from:min(high, from+end-len(dst))]...)
		high = low
	}
	return append(dst, hits[present+first:][:end-len(dst)]...)
}

// fewToSort is the number of hits up to which all are sorted rather than counted by key.
const fewToSort = 128

// appendSorted appends a window of few hits.
func (o *Order) appendSorted(dst []uint32, hits postings.Set, descending bool, first, n int, w *Workspace) []uint32 {
	w.items = w.items[:0]
	for _, hit := range w.Pool.List(hits) {
		w.items = append(w.items, topk.Item{Key: float64(o.key(hit, descending)), ID: hit})
	}
	topk.PartialSort(w.items, first, first+n)
	for _, item := range w.items[first : first+n] {
		dst = append(dst, item.ID)
	}
	return dst
}

// key returns the number of groups that come before that of a pub in a direction, in an order that has numbers.
func (o *Order) key(ordinal uint32, descending bool) uint32 {
	number, groups := o.numbers.At(ordinal), o.Groups()
	if descending {
		return min(groups-1-number, groups) // that of pubs without a key, groups, remains: without a branch to mispredict
	}
	return number
}

// maxCounted is the number of ranges of keys of which hits are counted.
const maxCounted = 256

// appendCounted appends a window of many hits: it counts those in ranges of keys, and sorts those of the ranges that
// the window is in. It takes some 5 ns per hit.
func (o *Order) appendCounted(dst, hits []uint32, descending bool, first, n int, w *Workspace) []uint32 {
	shift := uint(max(0, bits.Len32(o.Groups())-bits.Len32(maxCounted-1))) % 32
	var counts [maxCounted]uint32
	w.keys = w.keys[:0]
	for _, hit := range hits {
		key := o.key(hit, descending)
		w.keys = append(w.keys, key)
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
	if shift > 0 || low < high { // otherwise, all keys are equal
		topk.PartialSort(w.items, first-before, first-before+n)
	}
	for _, item := range w.items[first-before : first-before+n] {
		dst = append(dst, item.ID)
	}
	return dst
}
