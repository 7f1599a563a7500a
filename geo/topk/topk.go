// Package topk partially sorts keyed items. [PartialSort] puts the items of a range of ranks into place, with smaller
// ones before and larger ones after them: a page of results needs no more, and n ranks of m items cost O(m + n·log n).
// Equal keys are ordered by ID, so that the result does not depend on the order of the input.
//
// It works in the caller's slice and does not allocate. It is a quicksort of only the parts with wanted ranks: the
// partition is branch-free, as a branch would be mispredicted half of the time, and takes its pivots from positions
// that depend only on the length, without random numbers. Equal items and NaN, which only a corrupt file has, are left
// to slices.SortFunc. The standard library has no partial sort.
package topk

import (
	"cmp"
	"math"
	"slices"
)

// Item is an ID and its sort key. Items are ordered by key, then by ID.
type Item struct {
	Key float64
	ID  uint32
}

func (i Item) before(other Item) bool {
	return i.Key < other.Key || i.Key == other.Key && i.ID < other.ID
}

// Negate reverses the order of keys; equal keys are still ordered by ascending ID.
func Negate(items []Item) {
	for i := range items {
		items[i].Key = -items[i].Key
	}
}

// PartialSort sorts the items of ranks from to end into place, with smaller ones before and larger ones after
// them. If all items differ and no key is NaN, it costs O(len(items) + n·log n) for n ranks. It does not allocate.
func PartialSort(items []Item, from, end int) {
	for len(items) > 12 {
		if from <= 0 && end >= len(items) && len(items) <= maxBucketSort && bucketSort(items) {
			break
		}
		middle := partition(items)
		switch {
		case middle == 0 || middle == len(items): // equal items or NaN, which a corrupt file may contain
			slices.SortFunc(items, func(a, b Item) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.ID, b.ID)) })
			return
		case end <= middle:
			items = items[:middle]
		case from >= middle:
			items, from, end = items[middle:], from-middle, end-middle
		default:
			PartialSort(items[:middle], from, middle)
			items, from, end = items[middle:], 0, end-middle
		}
	}
	insertionSort(items)
}

// insertionSort sorts few or almost sorted items.
func insertionSort(items []Item) {
	for i := 1; i < len(items); i++ {
		item := items[i]
		j := i
		for ; j > 0 && item.before(items[j-1]); j-- {
			items[j] = items[j-1]
		}
		items[j] = item
	}
}

const maxBucketSort = 256

// bucketSort distributes at most maxBucketSort items over as many buckets, so that most end up close to their place.
// It does nothing and returns false if too many would share a bucket. It suits evenly distributed keys, such as the
// squared chords of points scattered over the ground, which grow with the area of a circle.
func bucketSort(items []Item) bool {
	const crowded = 12
	low, high := items[0].Key, items[0].Key
	for i := range items {
		low, high = min(low, items[i].Key), max(high, items[i].Key)
	}
	scale := float64(len(items)-1) / (high - low)
	if !(scale < math.MaxFloat64) {
		return false
	}
	var ends [maxBucketSort]uint16
	var buckets [maxBucketSort]uint8
	for i := range items {
		bucket := uint8((items[i].Key - low) * scale)
		buckets[i] = bucket
		ends[bucket]++
	}
	end, most := uint16(0), uint16(0)
	for i := range ends[:len(items)] {
		most = max(most, ends[i])
		end += ends[i]
		ends[i] = end
	}
	if most > crowded {
		return false
	}
	var sorted [maxBucketSort]Item
	for i, item := range items {
		bucket := buckets[i]
		ends[bucket]--
		sorted[ends[bucket]%maxBucketSort] = item
	}
	copy(items, sorted[:len(items)])
	return true
}

// partition splits at least three items, all different, into two non-empty parts, where each item of the first is less
// than each of the second. The pivot is the median of one item from each third, at a position derived from the length,
// so that no regular order is slow. The loop is branch-free.
func partition(items []Item) int {
	third := len(items) / 3
	at := int(uint32(len(items))*2654435769>>8) % third
	a, pivot, c := items[at], items[third+at], items[2*third+at]
	if pivot.before(a) {
		a, pivot = pivot, a
	}
	if c.before(pivot) {
		pivot = c
		if c.before(a) {
			pivot = a
		}
	}
	n := 0
	for i, item := range items {
		items[i] = items[n]
		items[n] = item
		n += One(item.Key < pivot.Key) | One(item.Key == pivot.Key)&One(item.ID < pivot.ID)
	}
	return n
}

// One returns 1 for true and 0 for false. It compiles without a branch, which every other item, or point of a partly
// covered block, would mispredict.
func One(condition bool) int {
	if condition {
		return 1
	}
	return 0
}
