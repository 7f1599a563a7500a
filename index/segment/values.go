package segment

import (
	"bytes"
	"cmp"
	"slices"

	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/spool"
	"pubd/index/text"
)

// Values finds the pubs of a column by value. Values with the same folded form count as one value; values without
// words are missing. Those of an extra column that differ in signs are different ones: where several have a folded form, or
// it is empty, values has those of AppendValue instead.
type Values struct {
	Terms text.Dictionary // folded
	// shown has the most frequent spelling of each value: that of value i is shown[starts[i]:starts[i+1]].
	shown  []byte
	starts []uint32
	ByPub  ranking.Numbers // by ordinal, the number of the value, or that of values if it is missing; of features, none is read
	Pubs   postings.Lists  // by value
}

// NewValues returns the index of the values that each calls do with, for a row. appendKey is AppendFolded or
// AppendValue.
func NewValues(pubs *corpus.Rows, appendKey func(dst, written []byte) []byte, each func(row int, do func(value string))) Values {
	type spelling struct {
		folded string
		pubs   int
	}
	spellings := map[string]*spelling{}
	having := text.NewInverter(pubs.Space)
	ordinal := uint32(0)
	add := func(value string) {
		found := spellings[value]
		if found == nil {
			found = &spelling{folded: string(appendKey(nil, []byte(value)))}
			spellings[value] = found
		}
		if found.pubs++; found.folded != "" {
			having.Add(indexfile.BytesOf(found.folded), ordinal)
		}
	}
	for ; ordinal < uint32(pubs.Len()); ordinal++ {
		each(int(ordinal), add)
	}
	shown := map[string]string{} // by folded value
	for value, s := range spellings {
		most, known := shown[s.folded]
		if !known || cmp.Or(cmp.Compare(spellings[most].pubs, s.pubs), cmp.Compare(value, most)) < 0 {
			shown[s.folded] = value
		}
	}
	inverted := having.Inversion()
	defer inverted.Release()
	v := Values{starts: []uint32{0}}
	numbers := slices.Repeat([]uint32{uint32(inverted.Len())}, pubs.Len())
	lists := postings.NewBuilder(pubs.Len(), 0)
	var terms [][]byte
	for folded, ordinals := range inverted.All() {
		for _, ordinal := range ordinals {
			numbers[ordinal] = uint32(len(terms))
		}
		terms = append(terms, folded)
		v.shown = append(v.shown, shown[string(folded)]...)
		v.starts = append(v.starts, spool.Uint32(len(v.shown)))
		lists.Append(ordinals)
	}
	for i, term := range terms {
		end := bytes.IndexByte(term, 0)
		isOther := func(other int) bool {
			return other < 0 || other == len(terms) || !bytes.HasPrefix(terms[other], term[:end+1])
		}
		if end > 0 && isOther(i-1) && isOther(i+1) {
			terms[i] = term[:end]
		}
	}
	v.Terms = text.NewDictionary(terms, true)
	v.ByPub = ranking.NewNumbers(numbers, uint32(len(terms)))
	v.Pubs = lists.Lists()
	return v
}

// Find returns the values that a folded one, or one of AppendValue, stands for: those with any signs if it has others.
func (v *Values) Find(value []byte) text.Range {
	end := bytes.IndexByte(value, 0)
	for _, key := range [...][]byte{value, value[:max(end, 0)]} {
		if number, ok := v.Terms.Find(key); ok {
			return text.Range{Low: number, High: number + 1}
		}
	}
	if end < 0 {
		return text.Range{}
	}
	return v.Terms.PrefixRange(value[:end+1])
}

// Folded returns the folded text of a value or, if it has no words, its characters.
func (v *Values) Folded(number uint32) []byte {
	folded, _, _ := bytes.Cut(v.Terms.At(number), []byte{0})
	return folded
}

// Has reports whether a number in byPub is that of a value.
func (v *Values) Has(number uint32) bool { return int(number) < v.Terms.Len() }

// Spelling returns the most frequent spelling of a value, in the memory of the snapshot.
func (v *Values) Spelling(number uint32) []byte { return v.shown[v.starts[number]:v.starts[number+1]] }

// Code writes or reads the index of a number of pubs, each with at most one value if single is set, as sections whose
// names begin with name.
func (v *Values) Code(f indexfile.Codec, name string, single bool, size int) {
	v.Terms.Code(f, name+".values")
	count := v.Terms.Len()
	indexfile.Array(f, name+".shown", &v.shown)
	indexfile.ArrayN(f, name+".shown.starts", &v.starts, count+1)
	if single {
		v.ByPub.Code(f, name+".numbers", size, uint32(count))
	}
	v.Pubs.Code(f, name+".pubs", count, size)
	indexfile.CheckOffsets(f.Reader, name+".shown.starts", v.starts, len(v.shown))
}

// AppendNumbers appends the numbers of the values that exist, ascending.
func (v *Values) AppendNumbers(dst []uint32, values [][]byte) []uint32 {
	start := len(dst)
	for _, value := range values {
		for r := v.Find(value); r.Low < r.High; r.Low++ {
			dst = append(dst, r.Low)
		}
	}
	slices.Sort(dst[start:])
	return dst[:start+len(slices.Compact(dst[start:]))]
}
