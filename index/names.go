package index

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/spool"
	"pubd/index/text"
)

// names are the distinct folded names.
type names struct {
	folded text.Dictionary
	starts []uint32         // the pubs of name i are the ordinals starts[i] to starts[i+1]-1
	firsts postings.Counted // the first pubs of names
}

func newNames(folded text.Dictionary, starts []uint32) names {
	last := len(starts) - 1
	return names{folded, starts, postings.CountedOf(starts[:last], int(starts[last]))}
}

// nameKey is what sorts a pub.
type nameKey struct {
	start  uint64 // of the folded name in an arena
	length uint32
	pub    uint32
}

// numberPubs sorts pubs into the default order, which determines the ordinals, and returns their names and, by ordinal,
// the numbers of their rows.
func numberPubs(pubs *Rows) (sorted *Rows, n names, rows []uint32) {
	all, arena := spool.New[nameKey](pubs.space), spool.New[byte](pubs.space)
	defer all.Release()
	defer arena.Release()
	var folded []byte
	for i := range pubs.Len() {
		folded = AppendFolded(folded[:0], indexfile.BytesOf(pubs.text(i, textName)))
		all.Append(nameKey{uint64(arena.Len()), uint32(len(folded)), uint32(i)})
		arena.Append(folded...)
	}
	keys, texts := all.Values(), arena.Values()
	name := func(k nameKey) []byte { return texts[k.start : k.start+uint64(k.length)] }
	slices.SortFunc(keys, func(a, b nameKey) int {
		if order := bytes.Compare(name(a), name(b)); order != 0 {
			return order
		}
		return cmp.Or(strings.Compare(pubs.text(int(a.pub), textName), pubs.text(int(b.pub), textName)),
			strings.Compare(pubs.text(int(a.pub), textUID), pubs.text(int(b.pub), textUID)))
	})
	var starts []uint32
	var terms [][]byte
	for i, k := range keys {
		if i == 0 || !bytes.Equal(name(k), name(keys[i-1])) {
			terms = append(terms, name(k))
			starts = append(starts, uint32(i))
		}
	}
	rows = make([]uint32, len(keys))
	for i, k := range keys {
		rows[i] = k.pub
	}
	return pubs.inOrder(slices.Values(rows)), newNames(text.NewDictionary(terms, false), append(starts, uint32(len(keys)))), rows
}

// called returns the range of the pubs that have a folded name; it is empty for nil.
func (n *names) called(folded []byte) (low, high uint32) {
	if folded == nil {
		return 0, 0
	}
	number, ok := n.folded.Find(folded)
	if !ok {
		return 0, 0
	}
	return n.starts[number], n.starts[number+1]
}

// number returns the number of the folded name of a pub.
func (n *names) number(ordinal uint32) int { return n.firsts.UpTo(ordinal) - 1 }

// around returns the range of the pubs that have the same folded name as a pub.
func (n *names) around(ordinal uint32) (low, high uint32) {
	number := n.number(ordinal)
	return n.starts[number], n.starts[number+1]
}

// code writes or reads the names of a number of pubs.
func (n *names) code(f indexfile.Codec, size int) {
	n.folded.Code(f, "names")
	indexfile.ArrayN(f, "names.starts", &n.starts, n.folded.Len()+1)
	if indexfile.CheckOffsets(f.Reader, "names.starts", n.starts, size) &&
		indexfile.CheckBelow(f.Reader, "names.starts", n.starts[:len(n.starts)-1], size) {
		*n = newNames(n.folded, n.starts)
	}
}
