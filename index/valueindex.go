package index

import (
	"cmp"
	"maps"
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/spool"
	"pubd/index/text"
)

// valueIndex finds the pubs of a column by value. Values with the same folded form count as one value; values without
// words are missing.
type valueIndex struct {
	values text.Dictionary // folded
	// shown has the most frequent spelling of each value: that of value i is shown[starts[i]:starts[i+1]].
	shown  []byte
	starts []uint32
	byPub  ranking.Numbers // by ordinal, the number of the value, or that of values if it is missing
	pubs   postings.Lists  // by value
}

// newValueIndex returns the index of a facet of pubs.
func newValueIndex(pubs *Rows, facet Facet) valueIndex {
	type spelling struct {
		folded string
		number uint32 // of the folded value
		pubs   uint32
	}
	spellings := map[string]*spelling{}
	var buffer []byte
	byPub := make([]*spelling, pubs.Len())
	var pub Pub
	for i := range byPub {
		value := facet.Value(pubs.Get(i, &pub))
		found := spellings[value]
		if found == nil {
			buffer = AppendFolded(buffer[:0], []byte(value))
			found = &spelling{folded: string(buffer)}
			spellings[value] = found
		}
		found.pubs++
		byPub[i] = found
	}
	values := slices.SortedFunc(maps.Keys(spellings), func(a, b string) int {
		x, y := spellings[a], spellings[b]
		return cmp.Or(cmp.Compare(x.folded, y.folded), cmp.Compare(y.pubs, x.pubs), cmp.Compare(a, b))
	})
	v := valueIndex{starts: []uint32{0}}
	var terms [][]byte
	for _, value := range values {
		s := spellings[value]
		if s.folded == "" {
			continue
		}
		if len(terms) == 0 || string(terms[len(terms)-1]) != s.folded {
			terms = append(terms, []byte(s.folded))
			v.shown = append(v.shown, value...)
			v.starts = append(v.starts, spool.Uint32(len(v.shown)))
		}
		s.number = uint32(len(terms) - 1)
	}
	for _, s := range spellings {
		if s.folded == "" {
			s.number = uint32(len(terms))
		}
	}
	v.values = text.NewDictionary(terms, true)
	numbers := make([]uint32, len(byPub))
	starts := make([]uint32, len(terms)+2)
	for i, s := range byPub {
		numbers[i] = s.number
		starts[s.number+1]++
	}
	for i := range len(terms) + 1 {
		starts[i+1] += starts[i]
	}
	ids, next := make([]uint32, len(byPub)), slices.Clone(starts)
	for ordinal, number := range numbers {
		ids[next[number]] = uint32(ordinal)
		next[number]++
	}
	v.byPub = ranking.NewNumbers(numbers, uint32(len(terms)))
	lists := postings.NewBuilder(len(byPub), 0)
	for i := range terms {
		lists.Append(ids[starts[i]:starts[i+1]])
	}
	v.pubs = lists.Lists()
	return v
}

// has reports whether a number in byPub is that of a value.
func (v *valueIndex) has(number uint32) bool { return int(number) < v.values.Len() }

// text returns the most frequent spelling of a value, in the memory of the snapshot.
func (v *valueIndex) text(number uint32) []byte { return v.shown[v.starts[number]:v.starts[number+1]] }

func (v *valueIndex) write(w *indexfile.Writer, name string) {
	v.values.Write(w, name+".values")
	w.Add(name+".shown", v.shown)
	indexfile.Put(w, name+".shown.starts", v.starts)
	v.byPub.Write(w, name+".numbers")
	v.pubs.Write(w, name+".pubs")
}

func readValueIndex(r *indexfile.Reader, name string, size int) valueIndex {
	v := valueIndex{values: text.ReadDictionary(r, name+".values"), shown: indexfile.Take[byte](r, name+".shown")}
	v.starts = indexfile.TakeN[uint32](r, name+".shown.starts", v.values.Len()+1)
	v.byPub = ranking.ReadNumbers(r, name+".numbers", size, uint32(v.values.Len()))
	v.pubs = postings.ReadLists(r, name+".pubs", v.values.Len(), size)
	indexfile.CheckOffsets(r, name+".shown.starts", v.starts, len(v.shown))
	return v
}
