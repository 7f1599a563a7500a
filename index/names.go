package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
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

// numberPubs sorts pubs into the default order, which determines the ordinals, and returns their names.
func numberPubs(pubs []Pub) names {
	type key struct {
		beginning uint64 // the first 8 bytes of the folded name, which has no NUL
		pub       uint32
	}
	keys := make([]key, len(pubs))
	ends := make([]uint64, len(pubs)+1)
	var arena []byte
	for i := range pubs {
		arena = AppendFolded(arena, []byte(pubs[i].Name))
		ends[i+1] = uint64(len(arena))
		var beginning [8]byte
		copy(beginning[:], arena[ends[i]:])
		keys[i] = key{binary.BigEndian.Uint64(beginning[:]), uint32(i)}
	}
	folded := func(pub uint32) []byte { return arena[ends[pub]:ends[pub+1]] }
	slices.SortFunc(keys, func(a, b key) int {
		if order := cmp.Compare(a.beginning, b.beginning); order != 0 {
			return order
		}
		if order := bytes.Compare(folded(a.pub), folded(b.pub)); order != 0 {
			return order
		}
		return cmp.Or(strings.Compare(pubs[a.pub].Name, pubs[b.pub].Name), strings.Compare(pubs[a.pub].UID, pubs[b.pub].UID))
	})
	var starts []uint32
	var terms [][]byte
	for i, k := range keys {
		if i == 0 || !bytes.Equal(folded(k.pub), folded(keys[i-1].pub)) {
			terms = append(terms, folded(k.pub))
			starts = append(starts, uint32(i))
		}
	}
	// In place, because pubs take the most memory: along each cycle of the permutation, each pub moves to the place of
	// the previous one.
	for i := range keys {
		first, at := pubs[i], uint32(i)
		for keys[at].pub != uint32(i) {
			from := keys[at].pub
			pubs[at], keys[at].pub = pubs[from], at
			at = from
		}
		pubs[at], keys[at].pub = first, at
	}
	return newNames(text.NewDictionary(terms, false), append(starts, uint32(len(keys))))
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

func (n *names) write(w *indexfile.Writer) {
	n.folded.Write(w, "names")
	indexfile.Put(w, "names.starts", n.starts)
}

func readNames(r *indexfile.Reader, size int) names {
	folded := text.ReadDictionary(r, "names")
	starts := indexfile.TakeN[uint32](r, "names.starts", folded.Len()+1)
	if !indexfile.CheckOffsets(r, "names.starts", starts, size) || !indexfile.CheckBelow(r, "names.starts", starts[:len(starts)-1], size) {
		return names{}
	}
	return newNames(folded, starts)
}
