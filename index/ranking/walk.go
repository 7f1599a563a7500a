package ranking

import (
	"math/bits"
	"slices"

	"pubd/index/postings"
)

// A walk goes through an order, from the end that is nearer to the window, to find a window of hits.
type walk struct {
	backward bool
	skip, n  int // hits before the window, and in it
	steps    int // maximum number of steps; beyond it, going through the hits is cheaper
}

// newWalk returns the walk to a window of hits, and whether it is expected to be cheaper than going through the hits.
// rated means that all hits are rated.
func (o *Order) newWalk(count int, rated bool, first, n int) (w walk, ok bool) {
	fromEnd := count - first - n
	all := o.size
	if rated {
		all -= o.unrated
	}
	w = walk{backward: first > fromEnd, skip: min(first, fromEnd), n: n, steps: 2*count + o.size/32}
	return w, (w.skip+n)*all/count <= w.steps
}

// walk appends a window of hits by going through the order, which must not be the identity, until it has found them.
// If going through the hits would have been cheaper, it appends nothing and returns false.
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

// appendGroups appends the hits of groups of equal keys, the last group first. It skips groups without hits.
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

// appendGroupsBackward appends the hits of groups, the first group first, each from its end.
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

// appendRun appends the hits of a run of places in the direction of the walk, until it runs out of steps.
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

// appendRated is appendForward for hits that are all rated: it skips the places of unrated pubs.
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

// finish puts the window into its final order.
func (w *walk) finish(dst []uint32, start int) []uint32 {
	if w.backward {
		slices.Reverse(dst[start:])
	}
	return dst
}

// AppendWhere is AppendWindow for the count pubs for which has returns true. If going through the order does not find
// them cheaply, it appends nothing and returns false.
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

// runs yields the ranges of places that make up an order, in its direction or backward.
type runs struct {
	order                *Order
	descending, backward bool
	at                   uint32 // where the remaining keys end, or begin
	missing              bool   // whether the pubs without a key remain
}

func (o *Order) runs(descending, backward bool) runs {
	r := runs{order: o, descending: descending, backward: backward, missing: true}
	if descending && !backward {
		r.at = uint32(o.present)
	}
	return r
}

// next returns the next range low <= place < high. A backward walk goes through it backward.
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
