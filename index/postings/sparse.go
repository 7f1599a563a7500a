package postings

import (
	"pubd/index/indexfile"
	"pubd/index/spool"
)

// Sparse is a set of ordinals for some of many numbers; the others have the empty set. It is immutable and safe for
// concurrent use.
type Sparse struct {
	has     Counted
	numbers []uint32 // those with a set, ascending
	lists   Lists
}

// At returns the set of a number.
func (s *Sparse) At(number uint32) Set {
	if !s.has.Has(number) {
		return Set{}
	}
	return s.lists.At(uint32(s.has.UpTo(number) - 1))
}

// Has reports whether a number has a set.
func (s *Sparse) Has(number uint32) bool { return s.has.Has(number) }

// SparseBuilder builds a Sparse.
type SparseBuilder struct {
	count   int
	numbers *spool.Array[uint32]
	lists   *Builder
}

// NewSparseBuilder returns a builder of sets for numbers below count. The other parameters are those of NewBuilderIn.
func NewSparseBuilder(space *spool.Space, count, size, rarity int) *SparseBuilder {
	return &SparseBuilder{count, spool.New[uint32](space), NewBuilderIn(space, size, rarity)}
}

// Release frees the memory of the sets.
func (b *SparseBuilder) Release() {
	b.numbers.Release()
	b.lists.Release()
}

// Append appends the set of ascending ids, which it copies, for a number greater than those before.
func (b *SparseBuilder) Append(number uint32, ids []uint32) {
	b.numbers.Append(number)
	b.lists.Append(ids)
}

// Sets returns the sets. Nothing must be appended any more.
func (b *SparseBuilder) Sets() Sparse {
	return Sparse{CountedOf(b.numbers.Values(), b.count), b.numbers.Values(), b.lists.Lists()}
}

// Write writes the arrays as sections whose names begin with name.
func (s *Sparse) Write(w *indexfile.Writer, name string) {
	indexfile.Put(w, name+".numbers", s.numbers)
	s.lists.Write(w, name)
}

// ReadSparse reads sets, out of size ordinals, for numbers below count from the sections whose names begin with name.
func ReadSparse(r *indexfile.Reader, name string, count, size int) (s Sparse) {
	s.numbers = indexfile.Take[uint32](r, name+".numbers")
	s.lists = ReadLists(r, name, len(s.numbers), size)
	if !indexfile.CheckBelow(r, name+".numbers", s.numbers, count) {
		return s
	}
	s.has = CountedOf(s.numbers, count)
	r.Check(s.has.Len() == len(s.numbers), name+".numbers", "it has a number twice")
	return s
}
