package postings

import (
	"pubd/index/indexfile"
	"pubd/index/spool"
)

// Sparse is a set of ordinals for some of many numbers; the others have the empty set. It is immutable and safe for
// concurrent use.
type Sparse struct {
	has   Counted // the numbers with a set
	lists Lists
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

// Ranks returns the ranks, from 0, of the numbers from low to high-1 that have a set: first <= rank < end.
func (s *Sparse) Ranks(low, high uint32) (first, end uint32) {
	return uint32(s.has.Before(low)), uint32(s.has.Before(high))
}

// Ranked returns the set of a number by its rank.
func (s *Sparse) Ranked(rank uint32) Set { return s.lists.At(rank) }

// SparseBuilder builds a Sparse.
type SparseBuilder struct {
	has   *spool.Array[uint64]
	lists *Builder
}

// NewSparseBuilder returns a builder of sets. The parameters are those of NewBuilderIn.
func NewSparseBuilder(space *spool.Space, size, rarity int) *SparseBuilder {
	return &SparseBuilder{spool.New[uint64](space), NewBuilderIn(space, size, rarity)}
}

// Release frees the memory of the sets.
func (b *SparseBuilder) Release() {
	b.has.Release()
	b.lists.Release()
}

// Append appends the set of ascending ids, which it copies, for a number greater than those before.
func (b *SparseBuilder) Append(number uint32, ids []uint32) {
	b.extend(int(number) + 1)
	Bitmap(b.has.Values()).Add(number)
	b.lists.Append(ids)
}

// extend makes room for the numbers below count.
func (b *SparseBuilder) extend(count int) { b.has.Extend(max(0, words(count)-b.has.Len())) }

// Sets returns the sets for numbers below count. Nothing must be appended any more.
func (b *SparseBuilder) Sets(count int) Sparse {
	b.extend(count)
	return Sparse{NewCounted(b.has.Values()), b.lists.Lists()}
}

// Code writes or reads sets, out of size ordinals, for numbers below count as sections whose names begin with name.
func (s *Sparse) Code(f indexfile.Codec, name string, count, size int) {
	s.has.Code(f, name+".of", count)
	s.lists.Code(f, name, s.has.Len(), size)
}
