package ranking

import (
	"math"
	"math/bits"
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
)

// Order is a permutation of all pubs: ascending by a key, missing keys last, ties by ordinal. The descending order is
// derived from it: the groups of equal keys from last to first, then the pubs without a key. A place is a position in
// the ascending order. It is immutable.
type Order struct {
	ordinals []uint32 // by place; empty if the place of each pub is its ordinal
	// numbers are by ordinal: that of the group, from 0 on, or the number of groups for a pub without a key. starts are
	// the first places of the groups, and the end of the last one. An order in which places are ordinals needs neither.
	numbers Numbers
	starts  []uint32
	heads   postings.Bitmap  // of the places at which a group of equal keys begins
	rated   postings.Counted // the places of rated pubs
	present int              // number of pubs with a key
	size    int
}

// Missing is the key of a pub without a key.
const Missing = math.MaxUint32

// NewOrder returns the order of pubs by their keys, which are numbers from 0 on, or Missing. It is a counting sort,
// which takes linear time.
func NewOrder(keys []uint32, rated postings.Bitmap) Order {
	o := newOrder(keys, rated)
	if o.identity() {
		o.numbers, o.starts = Numbers{}, nil
	}
	return o
}

// newOrder is NewOrder with numbers and starts in any case.
func newOrder(keys []uint32, rated postings.Bitmap) Order {
	o := Order{heads: postings.NewBitmap(len(keys)), size: len(keys)}
	ratedPlaces := postings.NewBitmap(len(keys))
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
	o.starts = slices.Clone(next[:count+1])
	o.ordinals = make([]uint32, len(keys))
	numbers := make([]uint32, len(keys))
	for key := range count {
		if next[key] < next[key+1] {
			o.heads.Add(next[key])
		}
	}
	for ordinal, key := range keys {
		numbers[ordinal] = min(key, uint32(count))
		place := next[numbers[ordinal]]
		next[numbers[ordinal]]++
		o.ordinals[place] = uint32(ordinal)
		if rated.Has(uint32(ordinal)) {
			ratedPlaces.Add(place)
		}
	}
	o.rated = postings.NewCounted(ratedPlaces)
	if slices.IsSorted(o.ordinals) {
		o.ordinals = nil
	}
	o.numbers = NewNumbers(numbers, uint32(count))
	return o
}

func (o *Order) identity() bool { return len(o.ordinals) == 0 }

// Ordinal returns the pub at a place.
func (o *Order) Ordinal(place uint32) uint32 {
	if o.identity() {
		return place
	}
	return o.ordinals[place]
}

// hasNumbers reports whether the order has numbers and starts.
func (o *Order) hasNumbers() bool { return len(o.starts) > 0 }

// Groups returns the number of groups of pubs with equal keys, which ascend from 0, of an order that has numbers.
func (o *Order) Groups() uint32 { return uint32(len(o.starts) - 1) }

// head returns the place at which the group of a place begins.
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

// end returns the place at which the group of a place ends.
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

// Code writes or reads the order of size pubs as sections whose names begin with name.
func (o *Order) Code(f indexfile.Codec, name string, size int) {
	indexfile.Array(f, name+".ordinals", &o.ordinals)
	starts := o.starts
	if f.Err() == nil {
		starts = indexfile.Take[uint32](f.Reader, name+".starts") // which say how wide the numbers are
	}
	count := size
	if len(starts) == 0 {
		count = 0
	}
	o.numbers.Code(f, name+".numbers", count, uint32(max(0, len(starts)-1)))
	indexfile.Array(f, name+".starts", &o.starts)
	indexfile.ArrayN(f, name+".heads", (*[]uint64)(&o.heads), (size+63)/64)
	o.rated.Code(f, name+".rated", size)
	present := []uint64{uint64(o.present)}
	indexfile.ArrayN(f, name+".present", &present, 1)
	f.Check(len(o.ordinals) == 0 || len(o.ordinals) == size, name+".ordinals", "its length differs from the number of pubs")
	f.Check(o.hasNumbers() || o.identity(), name+".starts", "it is empty")
	indexfile.CheckBelow(f.Reader, name+".ordinals", o.ordinals, size)
	postings.CheckBitmaps(f.Reader, name+".heads", o.heads, size)
	if f.Check(f.Err() != nil || present[0] <= uint64(size), name+".present", "more keys than pubs") {
		o.present = int(present[0])
		f.Check(o.present == 0 || o.heads.Has(0), name+".heads", "the first group does not begin at the first place")
		if o.hasNumbers() {
			indexfile.CheckOffsets(f.Reader, name+".starts", o.starts, o.present)
		}
	}
	o.size = size
}
