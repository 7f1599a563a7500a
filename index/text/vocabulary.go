package text

import (
	"bytes"
	"cmp"
	"iter"
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/spool"
)

// Vocabulary has the terms of one or more fields, in ascending order, each with the set of the pubs that have it, and
// prepared unions for prefixes. It is immutable and safe for concurrent use.
type Vocabulary struct {
	Terms Dictionary
	pubs  postings.Sparse
	// longer has the terms that are the beginning of others, if terms are hashed, and ends, of each, the number after the
	// last term that begins with it.
	longer postings.Counted
	ends   []uint32
	// Union i is that of the terms low[i] to high[i]-1. They are ordered by low, then by high.
	low, high []uint32
	unions    postings.Lists
	memory    []interface{ Release() } // of what is built
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
	// Hashed makes exact terms and their prefix ranges fast to look up.
	Hashed bool
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

// LeastUnion returns the minimum total size of the sets of a range of terms whose union is prepared.
func (o VocabularyOptions) LeastUnion() int {
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
// the texts, in any order, possibly repeated.
func NewVocabulary(terms iter.Seq2[[]byte, []uint32], options VocabularyOptions, expand func(dst, texts []uint32) []uint32) *Vocabulary {
	space := options.Space
	arena, starts, sizes := spool.New[byte](space), spool.New[uint32](space), spool.New[uint32](space)
	pubs := postings.NewSparseBuilder(space, options.Pubs, options.rarity(0))
	unions := postings.NewBuilderIn(space, options.Pubs, options.rarity(unionRarity))
	starts.Append(0)
	sorter := newSorter(options.Pubs)
	var ids []uint32
	for term, texts := range terms {
		if ids = sorter.sort(expand(ids[:0], texts)); len(ids) > 0 {
			pubs.Append(uint32(sizes.Len()), ids)
		}
		arena.Append(term...)
		starts.Append(spool.Uint32(arena.Len()))
		sizes.Append(uint32(len(ids)))
	}
	v := &Vocabulary{Terms: Dictionary{arena: arena.Values(), starts: starts.Values()}, pubs: pubs.Sets(sizes.Len()), memory: []interface{ Release() }{arena, starts, pubs, unions}}
	if options.Hashed {
		v.Terms.hash()
		v.longer, v.ends = prefixEnds(&v.Terms)
	}
	least := options.LeastUnion()
	var ranges []Range
	eachPrefix(&v.Terms, func(r Range, prefix int) {
		if prefix < options.MinPrefix {
			return
		}
		total := 0
		for i := r.Low; i < r.High && total < least; i++ {
			total += int(sizes.Values()[i])
		}
		if total >= least {
			ranges = append(ranges, r)
		}
	})
	sizes.Release()
	slices.SortFunc(ranges, compareRanges)
	for _, r := range ranges {
		v.low, v.high = append(v.low, r.Low), append(v.high, r.High)
		unions.Append(v.unite(sorter, r))
	}
	v.unions = unions.Lists()
	return v
}

// Release frees the memory of a vocabulary that NewVocabulary made.
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

// unite returns the sorted pubs of a range.
func (v *Vocabulary) unite(sorter *sorter, r Range) []uint32 {
	for i := r.Low; i < r.High; i++ {
		sorter.collector.AddSet(v.pubs.At(i))
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

// prefixEnds returns the terms that are the beginning of others and, for each, the number after the last of those.
func prefixEnds(terms *Dictionary) (longer postings.Counted, ends []uint32) {
	var numbers []uint32
	var open []int // the terms that the last one begins with, as indexes of numbers
	for i := range uint32(terms.Len()) {
		for len(open) > 0 && !bytes.HasPrefix(terms.At(i), terms.At(numbers[open[len(open)-1]])) {
			ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
		if int(i)+1 < terms.Len() && bytes.HasPrefix(terms.At(i+1), terms.At(i)) {
			open = append(open, len(numbers))
			numbers, ends = append(numbers, i), append(ends, uint32(terms.Len()))
		}
	}
	return postings.CountedOf(numbers, terms.Len()), ends
}

// Postings returns the pubs that have a term by its number.
func (v *Vocabulary) Postings(term uint32) postings.Set { return v.pubs.At(term) }

// Exact returns the pubs that have a term.
func (v *Vocabulary) Exact(term []byte) postings.Set {
	if number, ok := v.Terms.Find(term); ok {
		return v.pubs.At(number)
	}
	return postings.Set{}
}

// PrefixRange returns the terms that begin with a prefix.
func (v *Vocabulary) PrefixRange(prefix []byte) Range {
	if len(v.Terms.slots) > 0 {
		if number, ok := v.Terms.Find(prefix); ok {
			if v.longer.Has(number) {
				return Range{number, v.ends[v.longer.UpTo(number)-1]}
			}
			return Range{number, number + 1}
		}
	}
	return v.Terms.PrefixRange(prefix)
}

// AppendRange appends sets whose union is the pubs that have a term of the range of a prefix: the prepared union, or
// the set of each term.
func (v *Vocabulary) AppendRange(dst []postings.Set, r Range) []postings.Set {
	if r.High-r.Low > 1 {
		for at := postings.LowerBound(v.low, r.Low); at < len(v.low) && v.low[at] == r.Low; at++ {
			if v.high[at] == r.High {
				return append(dst, v.unions.At(uint32(at)))
			}
		}
	}
	for i := r.Low; i < r.High; i++ {
		if set := v.pubs.At(i); set.Len() > 0 {
			dst = append(dst, set)
		}
	}
	return dst
}

// AppendShared appends sets whose union is the pubs that have, in v, a term of a range of another dictionary, which
// must include all terms of v.
func (v *Vocabulary) AppendShared(dst []postings.Set, other *Dictionary, r Range) []postings.Set {
	if r.High-r.Low == 1 {
		if set := v.Exact(other.At(r.Low)); set.Len() > 0 {
			dst = append(dst, set)
		}
		return dst
	}
	own := Range{v.Terms.lowerBound(other.At(r.Low)), uint32(v.Terms.Len())}
	if int(r.High) < other.Len() {
		own.High = v.Terms.lowerBound(other.At(r.High))
	}
	return v.AppendRange(dst, own)
}

// Code writes or reads the vocabulary of a number of pubs as sections whose names begin with name.
func (v *Vocabulary) Code(f indexfile.Codec, name string, pubs int) {
	v.Terms.Code(f, name+".terms")
	v.pubs.Code(f, name+".postings", v.Terms.Len(), pubs)
	hashed := 0
	if len(v.Terms.slots) > 0 {
		hashed = v.Terms.Len()
	}
	v.longer.Code(f, name+".ends.of", hashed)
	indexfile.ArrayN(f, name+".ends", &v.ends, v.longer.Len())
	indexfile.CheckBelow(f.Reader, name+".ends", v.ends, v.Terms.Len()+1)
	indexfile.Array(f, name+".unions.low", &v.low)
	indexfile.ArrayN(f, name+".unions.high", &v.high, len(v.low))
	v.unions.Code(f, name+".unions", len(v.low), pubs)
}
