package text

import (
	"cmp"
	"iter"
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/spool"
)

// Layer has, for the terms of a dictionary, the sets of the pubs that have each in some fields, and prepared unions for
// prefixes. Several layers may share a dictionary. It is immutable and safe for concurrent use.
type Layer struct {
	pubs postings.Sparse
	// Union i is that of the sets with the ranks low[i] to high[i]-1. They are ordered by low, then by high.
	low, high []uint32
	unions    postings.Lists
	memory    []interface{ Release() } // of what is built
}

// Vocabulary is a layer with its dictionary.
type Vocabulary struct {
	Terms *Dictionary
	Layer
}

// VocabularyOptions are the parameters of a vocabulary.
type VocabularyOptions struct {
	// Space has the memory.
	Space *spool.Space
	// Pubs is the number of pubs.
	Pubs int
	// Rare is set if the vocabulary is rarely queried: it saves memory at the cost of some microseconds.
	Rare bool
	// MinPrefix is the minimum length of a searched prefix in bytes.
	MinPrefix int
	// Terms is the dictionary of the terms, if there is one.
	Terms *Dictionary
}

// minUnion is the least union of a vocabulary: smaller ones are united by the query that needs them.
const minUnion = 64

// In a rare vocabulary, minUnion is rareMinUnion, or one in rareShare pubs if that is more.
const (
	rareMinUnion = 512
	rareShare    = 128
)

// A set of a rare vocabulary has a bitmap only if that is shorter than its list. Unions are larger than sets, and few
// are intersected with each other: those of other vocabularies need one in unionRarity pubs.
const unionRarity = 128

// leastUnion returns the minimum total size of the sets of a range of terms whose union is prepared.
func (o VocabularyOptions) leastUnion() int {
	if o.Rare {
		return max(rareMinUnion, o.Pubs/rareShare)
	}
	return minUnion
}

// rarity is that of a postings.Builder of sets, given that of sets that are not rare.
func (o VocabularyOptions) rarity(common int) int {
	if o.Rare {
		return postings.ListCost
	}
	return common
}

// NewVocabulary turns ascending terms, each with its texts, into sets of pubs; expand appends the pubs that have one of
// the texts, in any order, possibly repeated. With a dictionary in the options, the terms are all of its terms.
func NewVocabulary(terms iter.Seq2[[]byte, []uint32], options VocabularyOptions, expand func(dst, texts []uint32) []uint32) *Vocabulary {
	space := options.Space
	sizes := spool.New[uint32](space)
	defer sizes.Release()
	pubs := postings.NewSparseBuilder(space, options.Pubs, options.rarity(0))
	unions := postings.NewBuilderIn(space, options.Pubs, options.rarity(unionRarity))
	v := &Vocabulary{Terms: options.Terms, Layer: Layer{memory: []interface{ Release() }{pubs, unions}}}
	arena, starts := spool.New[byte](space), spool.New[uint32](space)
	starts.Append(0)
	sorter := newSorter(options.Pubs)
	var ids []uint32
	for term, texts := range terms {
		if ids = sorter.sort(expand(ids[:0], texts)); len(ids) > 0 {
			pubs.Append(uint32(sizes.Len()), ids)
		}
		if options.Terms == nil {
			arena.Append(term...)
			starts.Append(spool.Uint32(arena.Len()))
		}
		sizes.Append(uint32(len(ids)))
	}
	if v.Terms == nil {
		v.Terms = &Dictionary{arena: arena.Values(), starts: starts.Values()}
	}
	v.memory = append(v.memory, arena, starts)
	v.pubs = pubs.Sets(sizes.Len())
	least := options.leastUnion()
	var ranges []Range // of ranks: the prefixes of a shared dictionary have many in common
	eachPrefix(v.Terms, func(r Range, prefix int) {
		first, end := v.pubs.Ranks(r.Low, r.High)
		if prefix < options.MinPrefix || end-first < 2 {
			return
		}
		total := 0
		for i := r.Low; i < r.High && total < least; i++ {
			total += int(sizes.Values()[i])
		}
		if total >= least {
			ranges = append(ranges, Range{first, end})
		}
	})
	slices.SortFunc(ranges, compareRanges)
	for _, r := range slices.Compact(ranges) {
		v.low, v.high = append(v.low, r.Low), append(v.high, r.High)
		unions.Append(v.unite(sorter, r))
	}
	v.unions = unions.Lists()
	return v
}

// Release frees the memory of a vocabulary that NewVocabulary made, and of its dictionary if that was made with it.
func (v *Vocabulary) Release() {
	for _, memory := range v.memory {
		memory.Release()
	}
	*v = Vocabulary{}
}

// NewSets returns the sets of pubs of some terms, given by their ascending numbers, each with its texts. expand is as
// for NewVocabulary.
func NewSets(terms iter.Seq2[uint32, []uint32], options VocabularyOptions, expand func(dst, texts []uint32) []uint32) *postings.SparseBuilder {
	builder, sorter := postings.NewSparseBuilder(options.Space, options.Pubs, options.rarity(0)), newSorter(options.Pubs)
	var ids []uint32
	for term, texts := range terms {
		ids = sorter.sort(expand(ids[:0], texts))
		builder.Append(term, ids)
	}
	return builder
}

// unite returns the sorted pubs of a range of ranks.
func (l *Layer) unite(sorter *sorter, r Range) []uint32 {
	for rank := r.Low; rank < r.High; rank++ {
		sorter.collector.AddSet(l.pubs.Ranked(rank))
	}
	sorter.ids = sorter.collector.Drain(sorter.ids[:0])
	return sorter.ids
}

func compareRanges(a, b Range) int {
	return cmp.Or(cmp.Compare(a.Low, b.Low), cmp.Compare(a.High, b.High))
}

// sorter sorts ordinals and removes repeated ones.
type sorter struct {
	collector *postings.Collector
	ids       []uint32
}

func newSorter(size int) *sorter { return &sorter{collector: postings.NewCollector(size)} }

func (s *sorter) sort(ids []uint32) []uint32 {
	if ascend(ids) {
		return ids
	}
	if len(ids) < 256 {
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	s.collector.AddAll(ids)
	return s.collector.Drain(ids[:0])
}

// ascend reports whether ids ascend, each greater than the one before.
func ascend(ids []uint32) bool {
	for i := 1; i < len(ids); i++ {
		if ids[i-1] >= ids[i] {
			return false
		}
	}
	return true
}

// eachPrefix calls do with each range of at least two terms that are all the terms with a prefix, and with the length
// of their common prefix in bytes. Inner ranges come first.
func eachPrefix(terms *Dictionary, do func(r Range, prefix int)) {
	type open struct {
		low    uint32
		prefix int // number of bytes that the terms since low share
	}
	var stack []open
	var previous []byte
	for i := range uint32(terms.Len() + 1) {
		var term []byte
		shared := 0
		if int(i) < terms.Len() {
			term = terms.At(i)
			shared = commonPrefix(previous, term)
		}
		low := i - 1
		for len(stack) > 0 && stack[len(stack)-1].prefix > shared {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			low = top.low
			do(Range{low, i}, top.prefix)
		}
		if shared > 0 && (len(stack) == 0 || stack[len(stack)-1].prefix < shared) {
			stack = append(stack, open{low, shared})
		}
		previous = term
	}
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// At returns the pubs that have a term by its number.
func (l *Layer) At(term uint32) postings.Set { return l.pubs.At(term) }

// Has reports whether a pub has a term, by its number.
func (l *Layer) Has(term uint32) bool { return l.pubs.Has(term) }

// Exact returns the pubs that have a term.
func (v *Vocabulary) Exact(term []byte) postings.Set {
	if number, ok := v.Terms.Find(term); ok {
		return v.pubs.At(number)
	}
	return postings.Set{}
}

// AppendRange appends sets whose union is the pubs that have a term of a range: the prepared union, or the set of each
// term.
func (l *Layer) AppendRange(dst []postings.Set, r Range) []postings.Set {
	first, end := l.pubs.Ranks(r.Low, r.High)
	if end-first > 1 {
		for at := postings.LowerBound(l.low, first); at < len(l.low) && l.low[at] == first; at++ {
			if l.high[at] == end {
				return append(dst, l.unions.At(uint32(at)))
			}
		}
	}
	for rank := first; rank < end; rank++ {
		dst = append(dst, l.pubs.Ranked(rank))
	}
	return dst
}

// Code writes or reads the sets of a number of terms, of a number of pubs, as sections whose names begin with name.
func (l *Layer) Code(f indexfile.Codec, name string, terms, pubs int) {
	l.pubs.Code(f, name+".postings", terms, pubs)
	indexfile.Array(f, name+".unions.low", &l.low)
	indexfile.ArrayN(f, name+".unions.high", &l.high, len(l.low))
	l.unions.Code(f, name+".unions", len(l.low), pubs)
}

// Code writes or reads the vocabulary of a number of pubs, with its dictionary, as sections whose names begin with name.
func (v *Vocabulary) Code(f indexfile.Codec, name string, pubs int) {
	if v.Terms == nil {
		v.Terms = &Dictionary{}
	}
	v.Terms.Code(f, name+".terms")
	v.Layer.Code(f, name, v.Terms.Len(), pubs)
}
