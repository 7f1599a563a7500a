package index

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"pubd/index/indexfile"
	"pubd/index/postings"
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

// numberPubs sorts pubs into the default order, which determines the ordinals, and returns their names and, by ordinal,
// the numbers of their rows.
func numberPubs(pubs *Rows) (sorted *Rows, n names, rows []uint32) {
	all := text.NewTexts(pubs.space)
	defer all.Release()
	rows = make([]uint32, pubs.Len())
	var folded []byte
	for i := range rows {
		folded = AppendFolded(folded[:0], indexfile.BytesOf(pubs.text(i, textName)))
		all.Add(folded)
		rows[i] = uint32(i)
	}
	slices.SortFunc(rows, func(a, b uint32) int {
		if order := bytes.Compare(all.At(a), all.At(b)); order != 0 {
			return order
		}
		return cmp.Or(strings.Compare(pubs.text(int(a), textName), pubs.text(int(b), textName)),
			strings.Compare(pubs.text(int(a), textUID), pubs.text(int(b), textUID)))
	})
	var starts []uint32
	var terms [][]byte
	for i, row := range rows {
		if name := all.At(row); i == 0 || !bytes.Equal(name, terms[len(terms)-1]) {
			terms, starts = append(terms, name), append(starts, uint32(i))
		}
	}
	return pubs.inOrder(rows), newNames(text.NewDictionary(terms, false), append(starts, uint32(len(rows)))), rows
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
