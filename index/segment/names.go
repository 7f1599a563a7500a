package segment

import (
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/text"
)

// Names are the distinct folded names.
type Names struct {
	Folded text.Dictionary
	Starts []uint32         // the pubs of name i are the ordinals starts[i] to starts[i+1]-1
	firsts postings.Counted // the first pubs of names
}

func NewNames(folded text.Dictionary, starts []uint32) Names {
	last := len(starts) - 1
	return Names{folded, starts, postings.CountedOf(starts[:last], int(starts[last]))}
}

// Called returns the range of the pubs that have a folded name; it is empty for nil.
func (n *Names) Called(folded []byte) (low, high uint32) {
	if folded == nil {
		return 0, 0
	}
	number, ok := n.Folded.Find(folded)
	if !ok {
		return 0, 0
	}
	return n.Starts[number], n.Starts[number+1]
}

// Number returns the number of the folded name of a pub.
func (n *Names) Number(ordinal uint32) int { return n.firsts.UpTo(ordinal) - 1 }

// Around returns the range of the pubs that have the same folded name as a pub.
func (n *Names) Around(ordinal uint32) (low, high uint32) {
	number := n.Number(ordinal)
	return n.Starts[number], n.Starts[number+1]
}

// Code writes or reads the names of a number of pubs.
func (n *Names) Code(f indexfile.Codec, size int) {
	n.Folded.Code(f, "names")
	indexfile.ArrayN(f, "names.starts", &n.Starts, n.Folded.Len()+1)
	if indexfile.CheckOffsets(f.Reader, "names.starts", n.Starts, size) &&
		indexfile.CheckBelow(f.Reader, "names.starts", n.Starts[:len(n.Starts)-1], size) {
		*n = NewNames(n.Folded, n.Starts)
	}
}
