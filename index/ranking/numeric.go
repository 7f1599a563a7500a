package ranking

import (
	"math"
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
)

// Numeric is an order of pubs by a number. It also has the number of each pub, and the ranks of rated pubs.
type Numeric struct {
	Order
	starts []uint32         // the group of value i has the places starts[i] to starts[i+1]-1
	values []float64        // distinct, ascending
	ranks  []uint32         // by value, 1 plus the number of rated pubs with a greater one
	groups postings.Counted // heads
	// suffixes are bitmaps of the pubs with the greatest numbers, one after the other.
	suffixes []uint64
}

// NewNumeric returns the order of pubs by their values; NaN means no value.
func NewNumeric(values []float64, rated postings.Bitmap) Numeric {
	distinct := make([]float64, 0, len(values))
	for _, value := range values {
		if isPresent(value) {
			distinct = append(distinct, value)
		}
	}
	slices.Sort(distinct)
	distinct = slices.Clone(slices.Compact(distinct))
	keys := make([]uint32, len(values))
	counts := make([]uint32, len(distinct))
	ranks := make([]uint32, len(distinct))
	for i, value := range values {
		keys[i] = Missing
		if !isPresent(value) {
			continue
		}
		key, _ := slices.BinarySearch(distinct, value)
		keys[i] = uint32(key)
		counts[key]++
		if rated.Has(uint32(i)) {
			ranks[key]++
		}
	}
	starts := make([]uint32, len(distinct)+1)
	for i, count := range counts {
		starts[i+1] = starts[i] + count
	}
	next := uint32(1)
	for i, count := range slices.Backward(ranks) {
		ranks[i] = next
		next += count
	}
	o := Numeric{Order: NewOrder(keys, rated), starts: starts, values: distinct, ranks: ranks}
	o.groups = postings.NewCounted(o.heads)
	o.prepareSuffixes()
	return o
}

// group returns the number of the value at a place, which must have one.
func (o *Numeric) group(place uint32) int { return o.groups.UpTo(place) - 1 }

// Value returns the number of a pub; NaN if it has none.
func (o *Numeric) Value(ordinal uint32) float64 {
	place := o.Place(ordinal)
	if int(place) >= o.present {
		return math.NaN()
	}
	return o.values[o.group(place)]
}

// Rank returns the rank of a pub among the rated ones, 1 for the greatest number; equal numbers share the better rank.
// It is 0 if the pub is not rated or has no number.
func (o *Numeric) Rank(ordinal uint32) uint32 {
	place := o.Place(ordinal)
	if int(place) >= o.present || !o.rated.Has(place) {
		return 0
	}
	return o.ranks[o.group(place)]
}

// AtLeast returns the places low <= place < high of the pubs whose number is at least a minimum.
func (o *Numeric) AtLeast(minimum float64) (low, high uint32) {
	i, _ := slices.BinarySearch(o.values, minimum)
	return o.starts[i], uint32(o.present)
}

// EachRated calls do with the number of each rated pub that has one, ascending.
func (o *Numeric) EachRated(do func(value float64)) {
	for i, value := range o.values {
		for range o.rated.CountRange(o.starts[i], o.starts[i+1]) {
			do(value)
		}
	}
}

// Write writes the arrays as sections whose names begin with name.
func (o *Numeric) Write(w *indexfile.Writer, name string) {
	o.Order.Write(w, name)
	indexfile.Put(w, name+".starts", o.starts)
	indexfile.Put(w, name+".values", o.values)
	indexfile.Put(w, name+".ranks", o.ranks)
	indexfile.Put(w, name+".suffixes", o.suffixes)
}

// ReadNumeric reads the order of size pubs from the sections whose names begin with name.
func ReadNumeric(r *indexfile.Reader, name string, size int) Numeric {
	o := Numeric{Order: ReadOrder(r, name, size), values: indexfile.Take[float64](r, name+".values")}
	o.starts = indexfile.TakeN[uint32](r, name+".starts", len(o.values)+1)
	o.ranks = indexfile.TakeN[uint32](r, name+".ranks", len(o.values))
	indexfile.CheckOffsets(r, name+".starts", o.starts, o.present)
	o.groups = postings.NewCounted(o.heads)
	r.Check(o.groups.Len() == len(o.values), name+".heads", "the number of groups differs from the number of values")
	o.suffixes = indexfile.Take[uint64](r, name+".suffixes")
	r.Check(len(o.suffixes) == 0 || len(o.suffixes) == suffixes*len(o.heads), name+".suffixes", "its length is wrong")
	postings.CheckBitmaps(r, name+".suffixes", o.suffixes, size)
	return o
}

// suffixes is the number of prepared bitmaps of the pubs with the greatest numbers, which grow in equal steps.
const suffixes = 16

// prepareSuffixes prepares them.
func (o *Numeric) prepareSuffixes() {
	step := o.present / suffixes
	if step == 0 {
		return
	}
	bits := postings.NewBitmap(o.size)
	for part := range suffixes {
		high := o.present - part*step
		for place := high - step; place < high; place++ {
			bits.Add(o.Ordinal(uint32(place)))
		}
		o.suffixes = append(o.suffixes, bits...)
	}
}

// Suffix returns the pubs with a number from a place on. It begins with the longest prepared suffix.
func (o *Numeric) Suffix(from uint32, pool *postings.Pool) postings.Set {
	collector := pool.Collector()
	high := o.present
	count := high - int(from)
	if step := o.present / suffixes; step > 0 && count >= step && len(o.suffixes) > 0 {
		part := min(count/step, suffixes)
		words := len(o.heads)
		collector.AddSet(postings.OfBitmap(postings.Bitmap(o.suffixes[(part-1)*words:part*words]), part*step))
		high -= part * step
	}
	if o.identity() {
		for place := int(from); place < high; place++ {
			collector.Add(uint32(place))
		}
	} else {
		collector.AddAll(o.ordinals[from:high])
	}
	return pool.CollectedN(count)
}
