package index

import (
	"cmp"
	"maps"
	"slices"
)

// Column is a member of a pub whose values many pubs share. Its value indexes [Filter.Values].
type Column uint8

// The columns, in the order in which faults are reported.
const (
	Trading Column = iota
	Category
	Location
	ColumnCount = 3
)

var columnNames = [ColumnCount]string{"trading", "common_category", "location"}

// String is the name of the column as answers and snapshot files write it, such as "common_category".
func (c Column) String() string { return columnNames[c] }

func (c Column) of(pub *Pub) string {
	switch c {
	case Trading:
		return pub.Trading
	case Category:
		return pub.Category
	default:
		return pub.Location
	}
}

// A valueIndex finds the pubs of a column by value. Values that fold alike are one; those without words are none.
type valueIndex struct {
	values *dictionary // folded, ascending
	shown  []string    // by value, its most frequent spelling
	of     []uint32    // by ordinal, the number of the value, or missing
	pubs   sets        // by value
	most   []Count     // of all pubs
}

func newValueIndex(pubs []Pub, column Column) *valueIndex {
	spellings := map[string]map[string]int{} // by folded value
	folded := map[string]string{}
	for i := range pubs {
		value := column.of(&pubs[i])
		if _, known := folded[value]; !known {
			folded[value] = string(AppendFolded(nil, []byte(value)))
		}
		if f := folded[value]; f != "" {
			if spellings[f] == nil {
				spellings[f] = map[string]int{}
			}
			spellings[f][value]++
		}
	}
	v := &valueIndex{values: newDictionary(len(spellings), 0), of: make([]uint32, len(pubs))}
	numbers := map[string]uint32{}
	for _, f := range slices.Sorted(maps.Keys(spellings)) {
		numbers[f] = uint32(v.values.len())
		v.values.add([]byte(f))
		of := spellings[f]
		v.shown = append(v.shown, slices.MinFunc(slices.Collect(maps.Keys(of)), func(a, b string) int {
			return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
		}))
	}
	ids := make([][]uint32, v.values.len())
	for i := range pubs {
		v.of[i] = missing
		if number, ok := numbers[folded[column.of(&pubs[i])]]; ok {
			v.of[i] = number
			ids[number] = append(ids[number], uint32(i))
		}
	}
	for _, of := range ids {
		v.pubs.add(of, len(pubs))
	}
	v.countMost()
	return v
}
