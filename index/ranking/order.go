package ranking

import (
	"math"
	"math/bits"
	"slices"

	"pubd/geo/topk"
	"pubd/index/indexfile"
	"pubd/index/postings"
)

// Order is a permutation of all pubs: ascending by a key, missing keys last, ties by ordinal. The descending order is derived from it:
// the groups of equal keys from last to first, then those without a key. A place is one in the ascending order. It is immutable.
type Order struct {
	ordinals []uint32        // by place; empty where each pub is at the place of its ordinal
	places   []uint32        // by ordinal; empty likewise
	heads    postings.Bitmap // of the places at which a group of equal keys begins
	rated    postings.Bitmap // of the places of rated pubs
	present  int             // how many pubs have a key
	unrated  int             // how many pubs are not rated
	size     int
}

// Missing is the key of a pub that has none.
const Missing = math.MaxUint32

// NewOrder returns the order of pubs by their keys, numbers from 0 on or Missing, by counting: it takes time linear in the pubs.
func NewOrder(keys []uint32, rated postings.Bitmap) Order {
	o := Order{heads: postings.NewBitmap(len(keys)), rated: postings.NewBitmap(len(keys)), size: len(keys)}
	count := 0 // of keys
	for _, key := range keys {
		if key != Missing {
			count = max(count, int(key)+1)
			o.present++
		}
	}
	next := make([]uint32, count+2) // by key, the next free place
	for _, key := range keys {
		next[min(int(key), count)+1]++
	}
	for key := range count + 1 {
		next[key+1] += next[key]
	}
	o.ordinals, o.places = make([]uint32, len(keys)), make([]uint32, len(keys))
	for key := range count {
		if next[key] < next[key+1] {
			o.heads.Add(next[key])
		}
	}
	for ordinal, key := range keys {
		place := next[min(int(key), count)]
		next[min(int(key), count)]++
		o.places[ordinal], o.ordinals[place] = place, uint32(ordinal)
		if rated.Has(uint32(ordinal)) {
			o.rated.Add(place)
		}
	}
	o.unrated = o.size - o.rated.Count()
	if slices.IsSorted(o.ordinals) {
		o.ordinals, o.places = nil, nil
	}
	return o
}

func (o *Order) identity() bool { return len(o.ordinals) == 0 }

// Ordinal is the pub at a place.
func (o *Order) Ordinal(place uint32) uint32 {
	if o.identity() {
		return place
	}
	return o.ordinals[place]
}

// Place is where a pub is.
func (o *Order) Place(ordinal uint32) uint32 {
	if o.identity() {
		return ordinal
	}
	return o.places[ordinal]
}

// DescendingRank is a number by which pubs are in descending order: those of equal keys have the same.
func (o *Order) DescendingRank(ordinal uint32) int {
	place := o.Place(ordinal)
	if int(place) >= o.present {
		return o.size
	}
	return o.present - 1 - int(o.head(place))
}

// head is the place at which the group of a place begins.
func (o *Order) head(place uint32) uint32 {
	i := int(place / 64)
	word := o.heads[i] << (63 - place%64)
	if word != 0 {
		return place - uint32(bits.LeadingZeros64(word))
	}
	for i--; i > 0 && o.heads[i] == 0; i-- {
	}
	if i < 0 {
		return 0
	}
	return uint32(i*64 + 63 - bits.LeadingZeros64(o.heads[i]|1))
}

// end is the place at which the group of a place ends.
func (o *Order) end(place uint32) uint32 {
	if int(place)+1 >= o.present {
		return uint32(o.present)
	}
	place++
	i := int(place / 64)
	if word := o.heads[i] >> (place % 64); word != 0 {
		return place + uint32(bits.TrailingZeros64(word))
	}
	for i++; i < len(o.heads) && o.heads[i] == 0; i++ {
	}
	if i >= len(o.heads) {
		return uint32(o.present)
	}
	return uint32(i*64 + bits.TrailingZeros64(o.heads[i]))
}

// AppendAll appends n pubs after the first ones of all, or of the rated ones. There are so many.
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

// AppendWindow appends the hits at ranks first to first+n-1 when all are put in order, of hits that are all rated where rated
// is set. There are so many. Its cost follows the number of hits or, where they are many, how rare they are, never how deep the window lies.
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
	for _, hit := range w.Pool.List(hits) {
		collector.Add(o.Place(hit))
	}
	if !descending {
		return o.resolve(collector.DrainSome(dst, first, n), start)
	}
	dst = o.appendPlaces(dst, collector.Bitmap(), descending, first, n)
	collector.Clear()
	return o.resolve(dst, start)
}

// Up to one hit in fewHits pubs are sorted by their places rather than put into a bitmap of all places.
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

// appendPlaces appends n places after the first ones of a bitmap of places, in the order of a direction. There are so many.
func (o *Order) appendPlaces(dst []uint32, chosen postings.Bitmap, descending bool, first, n int) []uint32 {
	if n == 0 {
		return dst
	}
	if !descending {
		return chosen.AppendSome(dst, first, n)
	}
	// high is the end of what is still to come; whole words of what is skipped are passed by at once.
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
	if high > 0 && int(high) < o.present && !o.heads.Has(high) { // in the middle of a group, whose beginning comes before its rest
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

// A walk goes through an order from its nearer end for a window of count hits.
type walk struct {
	backward bool
	skip, n  int // hits to come before the window, and in it
	steps    int // that it may take until going through the hits is cheaper
}

// newWalk returns the walk for hits that are all rated or not, and whether it is expected to take fewer steps than it may.
func (o *Order) newWalk(count int, rated bool, first, n int) (w walk, ok bool) {
	fromEnd := count - first - n
	all := o.size
	if rated {
		all -= o.unrated
	}
	w = walk{backward: first > fromEnd, skip: min(first, fromEnd), n: n, steps: 2*count + o.size/32}
	return w, (w.skip+n)*all/count <= w.steps
}

// walk appends a window of count hits by going through the order, which is not the identity, until they are found. It appends nothing and returns false when going
// through the hits would have been cheaper.
func (o *Order) walk(dst []uint32, hits postings.Bitmap, count int, rated, descending bool, first, n int) ([]uint32, bool) {
	w, ok := o.newWalk(count, rated, first, n)
	if !ok {
		return dst, false
	}
	start, size, present := len(dst), uint32(o.size), uint32(o.present)
	switch {
	case !descending:
		dst = w.appendRun(dst, o, hits, rated, 0, size)
	case w.backward:
		dst = w.appendRun(dst, o, hits, rated, present, size)
		dst = w.appendGroupsBackward(dst, o, hits)
	default:
		dst = w.appendGroups(dst, o, hits)
		dst = w.appendRun(dst, o, hits, rated, present, size)
	}
	if w.n > 0 {
		return dst[:start], false
	}
	return w.finish(dst, start), true
}

// appendGroups appends the hits of groups of equal keys, the last group first. Only groups with a hit are looked for.
func (w *walk) appendGroups(dst []uint32, o *Order, hits postings.Bitmap) []uint32 {
	for high := uint32(o.present); high > 0 && w.n > 0; {
		limit := high - min(high, uint32(max(0, w.steps)))
		place := high
		for place > limit && !hits.Has(o.ordinals[place-1]) {
			place--
		}
		if w.steps -= int(high - place); place == limit {
			break
		}
		low := o.head(place - 1)
		dst = w.appendForward(dst, o, hits, low, place)
		w.steps -= int(place - low)
		high = low
	}
	return dst
}

// appendGroupsBackward appends the hits of groups from the first on, each from its end.
func (w *walk) appendGroupsBackward(dst []uint32, o *Order, hits postings.Bitmap) []uint32 {
	for low := uint32(0); int(low) < o.present && w.n > 0; {
		limit := min(uint32(o.present), low+uint32(max(0, w.steps)))
		place := low
		for place < limit && !hits.Has(o.ordinals[place]) {
			place++
		}
		if w.steps -= int(place - low); place == limit {
			break
		}
		high := o.end(place)
		dst = w.appendBackward(dst, o, hits, place, high)
		w.steps -= int(high - place)
		low = high
	}
	return dst
}

// appendRun appends the hits of a run of places in the direction of the walk, as far as it may go.
func (w *walk) appendRun(dst []uint32, o *Order, hits postings.Bitmap, rated bool, low, high uint32) []uint32 {
	if w.n == 0 || w.steps <= 0 || low == high {
		return dst
	}
	if w.backward {
		low = max(low, high-min(high, uint32(w.steps)))
		w.steps -= int(high - low)
		return w.appendBackward(dst, o, hits, low, high)
	}
	if rated {
		w.steps -= int(high - low)
		return w.appendRated(dst, o, hits, low, high)
	}
	high = min(high, low+uint32(w.steps))
	w.steps -= int(high - low)
	return w.appendForward(dst, o, hits, low, high)
}

// appendForward appends the hits of a run of places that are in the window.
func (w *walk) appendForward(dst []uint32, o *Order, hits postings.Bitmap, low, high uint32) []uint32 {
	skip, n := w.skip, w.n // in registers
	for _, ordinal := range o.ordinals[low:high] {
		if hits[ordinal/64]>>(ordinal%64)&1 == 0 {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		dst = append(dst, ordinal)
		if n--; n == 0 {
			break
		}
	}
	w.skip, w.n = skip, n
	return dst
}

// appendRated is appendForward for hits that are all rated: it passes by the places of others.
func (w *walk) appendRated(dst []uint32, o *Order, hits postings.Bitmap, low, high uint32) []uint32 {
	for i := low / 64; i <= (high-1)/64 && w.n > 0; i++ {
		word := o.rated[i]
		if i == low/64 {
			word &= ^uint64(0) << (low % 64)
		}
		if i == (high-1)/64 {
			word &= ^uint64(0) >> (63 - (high-1)%64)
		}
		for ; word != 0; word &= word - 1 {
			if ordinal := o.ordinals[i*64+uint32(bits.TrailingZeros64(word))]; hits.Has(ordinal) {
				if dst = w.append(dst, ordinal); w.n == 0 {
					break
				}
			}
		}
	}
	return dst
}

// appendBackward is appendForward from the end of the run.
func (w *walk) appendBackward(dst []uint32, o *Order, hits postings.Bitmap, low, high uint32) []uint32 {
	for ; low < high && w.n > 0; high-- {
		if ordinal := o.ordinals[high-1]; hits.Has(ordinal) {
			dst = w.append(dst, ordinal)
		}
	}
	return dst
}

// append appends a hit, unless it comes before the window.
func (w *walk) append(dst []uint32, hit uint32) []uint32 {
	if w.skip > 0 {
		w.skip--
		return dst
	}
	w.n--
	return append(dst, hit)
}

// finish puts a window that was found into its order.
func (w *walk) finish(dst []uint32, start int) []uint32 {
	if w.backward {
		slices.Reverse(dst[start:])
	}
	return dst
}

// AppendWhere is AppendWindow for the count pubs that has reports, where going through the order finds them cheaply; otherwise it appends
// nothing and returns false.
func (o *Order) AppendWhere(dst []uint32, has func(ordinal uint32) bool, count int, rated, descending bool, first, n int) ([]uint32, bool) {
	w, ok := o.newWalk(count, rated, first, n)
	if !ok {
		return dst, false
	}
	start := len(dst)
	runs := o.runs(descending, w.backward)
	for low, high, ok := runs.next(); ok; low, high, ok = runs.next() {
		for i := low; i < high; i++ {
			place := i
			if w.backward {
				place = high - 1 - (i - low)
			}
			if rated && !o.rated.Has(place) {
				continue
			}
			if w.steps--; w.steps < 0 {
				return dst[:start], false
			}
			if ordinal := o.Ordinal(place); has(ordinal) {
				if dst = w.append(dst, ordinal); w.n == 0 {
					return w.finish(dst, start), true
				}
			}
		}
	}
	return dst[:start], false
}

// runs are the ranges of places that make up an order, in its direction or backward.
type runs struct {
	order                *Order
	descending, backward bool
	at                   uint32 // where the present keys that are still to come end, or begin
	missing              bool   // whether the pubs without a key are still to come
}

func (o *Order) runs(descending, backward bool) runs {
	r := runs{order: o, descending: descending, backward: backward, missing: true}
	if descending && !backward {
		r.at = uint32(o.present)
	}
	return r
}

// next is the next range low <= place < high, which is to be gone through backward in a backward walk.
func (r *runs) next() (low, high uint32, ok bool) {
	o := r.order
	present := uint32(o.present)
	switch {
	case !r.descending:
		ok, r.missing = r.missing, false
		return 0, uint32(o.size), ok
	case r.backward && r.missing && o.present < o.size, !r.backward && r.at == 0 && r.missing:
		r.missing = false
		return present, uint32(o.size), true
	case r.backward && r.at < present:
		low, high = r.at, o.end(r.at)
		r.at = high
		return low, high, true
	case !r.backward && r.at > 0:
		low, high = o.head(r.at-1), r.at
		r.at = low
		return low, high, true
	}
	return 0, 0, false
}

// Write writes the arrays as sections of a name.
func (o *Order) Write(w *indexfile.Writer, name string) {
	indexfile.Put(w, name+".ordinals", o.ordinals)
	indexfile.Put(w, name+".places", o.places)
	indexfile.Put(w, name+".heads", o.heads)
	indexfile.Put(w, name+".rated", o.rated)
	indexfile.Put(w, name+".present", []uint64{uint64(o.present)})
}

// ReadOrder returns the order of size pubs of the sections of a name.
func ReadOrder(r *indexfile.Reader, name string, size int) Order {
	o := Order{size: size, ordinals: indexfile.Take[uint32](r, name+".ordinals")}
	r.Check(len(o.ordinals) == 0 || len(o.ordinals) == size, name+".ordinals", "they are not as many as there are pubs")
	o.places = indexfile.TakeN[uint32](r, name+".places", len(o.ordinals))
	words := (size + 63) / 64
	o.heads = indexfile.TakeN[uint64](r, name+".heads", words)
	o.rated = indexfile.TakeN[uint64](r, name+".rated", words)
	present := indexfile.TakeN[uint64](r, name+".present", 1)
	indexfile.CheckBelow(r, name+".ordinals", o.ordinals, size)
	indexfile.CheckBelow(r, name+".places", o.places, size)
	if r.Err() == nil && r.Check(present[0] <= uint64(size), name+".present", "more keys than pubs") {
		o.present, o.unrated = int(present[0]), size-o.rated.Count()
		r.Check(o.present == 0 || o.heads.Has(0), name+".heads", "the first group does not begin at the first place")
	}
	return o
}
