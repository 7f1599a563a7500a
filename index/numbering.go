package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/segment"
	"pubd/index/spool"
	"pubd/index/text"
)

// numberPubs sorts pubs into the default order, which determines the ordinals, and returns their names and, by ordinal,
// the numbers of their rows.
func numberPubs(pubs *corpus.Rows, workers int) (sorted *corpus.Rows, n segment.Names, rows []uint32) {
	all := text.NewTexts(pubs.Space)
	defer all.Release()
	array := spool.New[nameKey](pubs.Space)
	defer array.Release()
	keys := array.Extend(pubs.Len())
	var folded []byte
	for i := range keys {
		folded = text.AppendFolded(folded[:0], indexfile.BytesOf(pubs.Name(i)))
		all.Add(folded)
		var beginning [8]byte
		copy(beginning[:], folded)
		keys[i] = nameKey{beginning: binary.BigEndian.Uint64(beginning[:]), row: uint32(i)}
	}
	sortInHalves(pubs.Space, keys, workers, func(a, b nameKey) int {
		if order := cmp.Compare(a.beginning, b.beginning); order != 0 {
			return order
		}
		if order := bytes.Compare(all.At(a.row), all.At(b.row)); order != 0 {
			return order
		}
		return cmp.Or(strings.Compare(pubs.Name(int(a.row)), pubs.Name(int(b.row))),
			strings.Compare(pubs.UID(int(a.row)), pubs.UID(int(b.row))))
	})
	rows = make([]uint32, len(keys))
	var starts []uint32
	var terms [][]byte
	for i, key := range keys {
		rows[i] = key.row
		if name := all.At(key.row); i == 0 || !bytes.Equal(name, terms[len(terms)-1]) {
			terms, starts = append(terms, name), append(starts, uint32(i))
		}
	}
	return pubs.InOrder(rows, workers), segment.NewNames(text.NewDictionary(terms, false), append(starts, uint32(len(rows)))), rows
}

// nameKey is a row with the beginning of its folded name, as a number in the order of the texts.
type nameKey struct {
	beginning uint64
	row, _    uint32
}

// sortInHalves sorts distinct keys, with several workers both halves at the same time.
func sortInHalves(space *spool.Space, keys []nameKey, workers int, compare func(a, b nameKey) int) {
	half := spool.New[nameKey](space)
	defer half.Release()
	half.Append(keys[:len(keys)/2]...)
	low, high := half.Values(), keys[len(keys)/2:]
	sorted := spool.Beside(workers, func() { slices.SortFunc(low, compare) })
	slices.SortFunc(high, compare)
	sorted()
	for at := 0; len(low) > 0; at++ {
		if len(high) == 0 || compare(low[0], high[0]) < 0 {
			keys[at], low = low[0], low[1:]
		} else {
			keys[at], high = high[0], high[1:]
		}
	}
}
