package ranking

import (
	"math/bits"
	"slices"

	"pubd/index/postings"
)

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

// next returns the next range low <= place < high, which is to be gone through backward in a backward walk.
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
