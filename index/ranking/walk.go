package ranking

import (
	"iter"
	"math/bits"

	"pubd/index/postings"
)

// steps returns how many of some places may be passed to find the first pubs of a window: beyond, it is cheaper to go
// through the count pubs that are looked for. It is 0 if that is to be expected.
func (o *Order) steps(places, count, end int) int {
	if steps := 2*count + o.size/32; end*places/count <= steps {
		return steps
	}
	return 0
}

// walk appends the hits of ranks first to first+n-1 by going through the order, which must not be the identity, up to
// the last of them. If going through the hits is cheaper, it appends nothing and returns false.
func (o *Order) walk(
	dst []uint32, hits postings.Bitmap, count int, descending bool, first, n int,
) (page []uint32, ok bool) {
	steps := o.steps(o.size, count, first+n)
	start, end, rest := len(dst), len(dst)+n, uint32(0)
	if descending {
		rest = uint32(o.present)
		for high := rest; high > 0 && len(dst) < end; {
			limit, place := high-min(high, uint32(max(0, steps))), high
			for place > limit && !hits.Has(o.ordinals[place-1]) {
				place--
			}
			if steps -= int(high - place); place == limit {
				break
			}
			low := o.head(place - 1)
			dst, first = appendHits(dst, end, o.ordinals[low:place], hits, first)
			steps -= int(place - low)
			high = low
		}
	}
	last := min(o.size, int(rest)+max(0, steps))
	if dst, _ = appendHits(dst, end, o.ordinals[rest:last], hits, first); len(dst) < end {
		return dst[:start], false
	}
	return dst, true
}

// appendHits appends hits among ordinals until dst has a length, except the first ones, of which it returns how many
// remain to be left out.
func appendHits(dst []uint32, length int, ordinals []uint32, hits postings.Bitmap, first int) ([]uint32, int) {
	for len(ordinals) > 0 && len(dst) < length {
		block := ordinals[:min(64, len(ordinals))]
		ordinals = ordinals[len(block):]
		found := uint64(0) // the bits of the hits of a block, found without a branch to mispredict
		for i, ordinal := range block {
			found |= (hits[ordinal/64] >> (ordinal % 64) & 1) << i
		}
		if count := bits.OnesCount64(found); first >= count {
			first -= count
			continue
		}
		for ; first > 0; first-- {
			found &= found - 1
		}
		for ; found != 0 && len(dst) < length; found &= found - 1 {
			dst = append(dst, block[bits.TrailingZeros64(found)])
		}
	}
	return dst, first
}

// AppendWhere appends the pubs of ranks first to first+n-1 among the count pubs for which has returns true; rated means
// that all of these are rated. It goes through the order up to the last of them. If going through the pubs is cheaper,
// it appends nothing and returns false.
func (o *Order) AppendWhere(
	dst []uint32, has func(ordinal uint32) bool, count int, rated, descending bool, first, n int,
) (page []uint32, ok bool) {
	places := o.size
	if rated {
		places = o.rated.Len()
	}
	start, steps := len(dst), o.steps(places, count, first+n)
	for low, high := range o.runs(descending) {
		for place := low; place < high; place++ {
			if rated && !o.rated.Has(place) {
				continue
			}
			if steps--; steps < 0 {
				return dst[:start], false
			}
			ordinal := o.Ordinal(place)
			if !has(ordinal) {
				continue
			}
			if first > 0 {
				first--
				continue
			}
			if dst = append(dst, ordinal); len(dst) == start+n {
				return dst, true
			}
		}
	}
	return dst[:start], false
}

// runs yields the ranges of places, low <= place < high, that make up the order in a direction.
func (o *Order) runs(descending bool) iter.Seq2[uint32, uint32] {
	return func(yield func(low, high uint32) bool) {
		rest := uint32(0)
		if descending {
			rest = uint32(o.present)
			for high := rest; high > 0; {
				low := o.head(high - 1)
				if !yield(low, high) {
					return
				}
				high = low
			}
		}
		yield(rest, uint32(o.size))
	}
}
