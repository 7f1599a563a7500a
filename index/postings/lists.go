package postings

import (
	"pubd/index/indexfile"
	"pubd/index/spool"
)

// Lists is many sets of ordinals as arrays, for storage in a file. Dense sets have a bitmap in addition to their list,
// or instead of it if the list would be longer than half of the bitmap. It is immutable and safe for concurrent use.
type Lists struct {
	starts []uint32 // the ordinals of set i are ids[starts[i]:starts[i+1]]
	ids    []uint32
	dense  []uint32 // numbers of the sets with a bitmap, ascending
	counts []uint32 // of these sets, their sizes
	bits   []uint64 // of these sets, one bitmap after the other
	words  int      // of one bitmap
}

// Builder builds Lists.
type Builder struct {
	starts, ids, dense, counts *spool.Array[uint32]
	bits                       *spool.Array[uint64]
	size, rarity               int
}

// NewBuilder returns a builder of sets out of size ordinals. If rarity is not 0, a set has a bitmap if it has at least
// one in rarity ordinals.
func NewBuilder(size, rarity int) *Builder { return NewBuilderIn(nil, size, rarity) }

// NewBuilderIn returns a builder whose memory, and that of its lists, is in a space until it is released.
func NewBuilderIn(space *spool.Space, size, rarity int) *Builder {
	if rarity == 0 {
		rarity = defaultRarity
	}
	b := &Builder{starts: spool.New[uint32](space), ids: spool.New[uint32](space), dense: spool.New[uint32](space), counts: spool.New[uint32](space),
		bits: spool.New[uint64](space), size: size, rarity: rarity}
	b.starts.Append(0)
	return b
}

// Release frees the memory of the sets.
func (b *Builder) Release() {
	for _, array := range [...]*spool.Array[uint32]{b.starts, b.ids, b.dense, b.counts} {
		array.Release()
	}
	b.bits.Release()
}

// The bitmap of a set is shorter than its list if more than one in ListCost ordinals is a member. Sets out of up to
// bothBelow ordinals have both, because lists are faster to go through and take little memory there.
const (
	ListCost  = 32
	bothBelow = 1 << 18
)

// Append appends the set of ascending ids, which it copies.
func (b *Builder) Append(ids []uint32) {
	dense := len(ids) >= max(minDense, b.size/b.rarity)
	if dense {
		b.dense.Append(uint32(b.starts.Len() - 1))
		b.counts.Append(uint32(len(ids)))
		bits := Bitmap(b.bits.Extend(words(b.size)))
		for _, id := range ids {
			bits.Add(id)
		}
	}
	if !dense || len(ids) < b.size/(2*ListCost) || b.size < bothBelow {
		b.ids.Append(ids...)
	}
	b.starts.Append(spool.Uint32(b.ids.Len()))
}

// Lists returns the sets. Nothing must be appended any more.
func (b *Builder) Lists() Lists {
	return Lists{b.starts.Values(), b.ids.Values(), b.dense.Values(), b.counts.Values(), b.bits.Values(), words(b.size)}
}

// Len returns the number of sets.
func (l *Lists) Len() int { return len(l.starts) - 1 }

// At returns set i.
func (l *Lists) At(i uint32) Set {
	ids := l.ids[l.starts[i]:l.starts[i+1]]
	if len(ids) > 0 && len(ids) < minDense {
		return Of(ids)
	}
	at := LowerBound(l.dense, i)
	if at == len(l.dense) || l.dense[at] != i {
		return Of(ids)
	}
	s := Set{bits: l.bits[at*l.words : (at+1)*l.words : (at+1)*l.words], count: int(l.counts[at])}
	if len(ids) > 0 {
		s.ids = ids
	}
	return s
}

// Count returns the size of set i.
func (l *Lists) Count(i uint32) int { return l.At(i).Len() }

// Code writes or reads count sets, out of size ordinals, as sections whose names begin with name.
func (l *Lists) Code(f indexfile.Codec, name string, count, size int) {
	l.words = words(size)
	indexfile.ArrayN(f, name+".starts", &l.starts, count+1)
	indexfile.Array(f, name+".ids", &l.ids)
	indexfile.Array(f, name+".dense", &l.dense)
	indexfile.ArrayN(f, name+".counts", &l.counts, len(l.dense))
	indexfile.ArrayN(f, name+".bits", &l.bits, len(l.dense)*l.words)
	indexfile.CheckOffsets(f.Reader, name+".starts", l.starts, len(l.ids))
	indexfile.CheckBelow(f.Reader, name+".ids", l.ids, size)
	indexfile.CheckBelow(f.Reader, name+".counts", l.counts, size+1)
	CheckBitmaps(f.Reader, name+".bits", l.bits, size)
}

// CheckBitmaps records an error if one of several bitmaps, stored one after the other, has a member that is not below
// size.
func CheckBitmaps(r *indexfile.Reader, name string, bits []uint64, size int) {
	if size%64 == 0 || len(bits) == 0 {
		return
	}
	for end := words(size); end <= len(bits); end += words(size) {
		if !r.Check(bits[end-1]>>(size%64) == 0, name, "it has a member out of range") {
			return
		}
	}
}
