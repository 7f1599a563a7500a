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
	values []float64 // by number of the group: distinct, ascending, and NaN for the pubs without one
	ranks  []uint32  // by number of the group, 1 plus the number of rated pubs with a greater value, and 0
	// suffixes are bitmaps of the pubs with the greatest numbers, one after the other. With them, a minimum that half of a
	// million pubs have takes a fiftieth of the time.
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
	ranks := make([]uint32, len(distinct)+1)
	for i, value := range values {
		keys[i] = Missing
		if !isPresent(value) {
			continue
		}
		key, _ := slices.BinarySearch(distinct, value)
		keys[i] = uint32(key)
		if rated.Has(uint32(i)) {
			ranks[key]++
		}
	}
	next := uint32(1)
	for i, count := range slices.Backward(ranks[:len(distinct)]) {
		ranks[i] = next
		next += count
	}
	o := Numeric{Order: newOrder(keys, rated), values: append(distinct, math.NaN()), ranks: ranks}
	o.prepareSuffixes()
	return o
}

// Value returns the number of a pub; NaN if it has none.
func (o *Numeric) Value(ordinal uint32) float64 { return o.values[o.numbers.At(ordinal)] }

// Rank returns the rank of a rated pub among the rated ones, 1 for the greatest number; equal numbers share the better
// rank. It is 0 if the pub has no number.
func (o *Numeric) Rank(ordinal uint32) uint32 { return o.ranks[o.numbers.At(ordinal)] }

// Between returns the groups, from low on and below high, of the pubs whose number is from least to most.
func (o *Numeric) Between(least, most float64) (low, high uint32) {
	values := o.values[:o.Groups()]
	from, _ := slices.BinarySearch(values, least)
	to, found := slices.BinarySearch(values, most)
	if found {
		to++
	}
	return uint32(from), uint32(max(from, to))
}

// EachGroup calls do with each distinct number, ascending, and how many pubs have it.
func (o *Numeric) EachGroup(do func(value float64, pubs int)) {
	for i, value := range o.values[:o.Groups()] {
		do(value, int(o.starts[i+1]-o.starts[i]))
	}
}

// ValueOf returns the number of a group.
func (o *Numeric) ValueOf(group uint32) float64 { return o.values[group] }

// CountGroups adds to counts, by group, how many of some pubs it has, and last how many have no number.
func (o *Numeric) CountGroups(counts, pubs []uint32) { o.numbers.Count(counts, pubs) }

// Group returns the group of a pub; false if it has no number.
func (o *Numeric) Group(ordinal uint32) (group uint32, ok bool) {
	group = o.numbers.At(ordinal)
	return group, group < o.Groups()
}

// EachRated calls do with the number of each rated pub that has one, ascending.
func (o *Numeric) EachRated(do func(value float64)) {
	for i, value := range o.values[:o.Groups()] {
		for range o.rated.Before(o.starts[i+1]) - o.rated.Before(o.starts[i]) {
			do(value)
		}
	}
}

// Code writes or reads the order of size pubs as sections whose names begin with name.
func (o *Numeric) Code(f indexfile.Codec, name string, size int) {
	o.Order.Code(f, name, size)
	indexfile.Array(f, name+".values", &o.values)
	indexfile.ArrayN(f, name+".ranks", &o.ranks, len(o.values))
	indexfile.Array(f, name+".suffixes", &o.suffixes)
	f.Check(len(o.values) > 0 && len(o.values) == len(o.starts), name+".values", "the number of values differs from that of groups")
	f.Check(o.heads.Count() == len(o.values)-1, name+".heads", "the number of groups differs from the number of values")
	f.Check(len(o.suffixes) == 0 || len(o.suffixes) == suffixes*len(o.heads), name+".suffixes", "its length is wrong")
	postings.CheckBitmaps(f.Reader, name+".suffixes", o.suffixes, size)
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

// Pubs returns the pubs that are in a group from low on and below end. If none is after it, it begins with the longest
// prepared suffix.
func (o *Numeric) Pubs(low, end uint32, pool *postings.Pool) postings.Set {
	collector := pool.Collector()
	from := o.starts[low]
	high := int(o.starts[end])
	count := high - int(from)
	if step := o.present / suffixes; high == o.present && step > 0 && count >= step && len(o.suffixes) > 0 {
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
