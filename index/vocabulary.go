package index

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
)

// A vocabulary is the terms of one field, in ascending order, each with the set of the pubs that have it. It is
// immutable and safe for concurrent use.
type vocabulary struct {
	terms *dictionary
	pubs  sets
	// ends[i] is the number after the last term that begins with term i.
	ends []uint32
	// unions holds, by range of terms, the prepared sets of those that begin alike; unionOf finds them.
	unions  sets
	unionOf map[termRange]uint32
}

// A termRange is the terms low <= i < high.
type termRange struct{ low, high uint32 }

// minUnion is how many ids the sets of a range have in all before their union is prepared: fewer are united when a
// query asks.
const minUnion = 64

// newVocabulary freezes an inversion of texts into sets of pubs; expand appends the pubs that have one of some texts,
// in any order, repeated or not. size is the number of pubs, rarity that of the sets.
func newVocabulary(inverted inversion, size, rarity int, expand func(dst []uint32, texts []uint32) []uint32) *vocabulary {
	terms := slices.Sorted(maps.Keys(inverted))
	length := 0
	for _, term := range terms {
		length += len(term)
	}
	v := &vocabulary{terms: newDictionary(len(terms), length), unionOf: map[termRange]uint32{}}
	v.pubs.rarity, v.unions.rarity = rarity, rarity
	var a arena
	a.reset(size)
	var ids []uint32
	for _, term := range terms {
		v.terms.add([]byte(term))
		ids = expand(ids[:0], inverted[term])
		v.pubs.add(a.sorted(ids), size)
	}
	v.ends = make([]uint32, len(terms))
	v.findEnds()
	eachBranch(v.terms, func(r termRange) {
		total := 0
		for i := r.low; i < r.high; i++ {
			total += len(v.pubs.at(i).ids)
		}
		if total < minUnion {
			return
		}
		ids = ids[:0]
		for i := r.low; i < r.high; i++ {
			ids = append(ids, v.pubs.at(i).ids...)
		}
		v.unionOf[r] = uint32(v.unions.len())
		v.unions.add(a.sorted(ids), size)
	})
	return v
}

// eachBranch calls do with each range of two terms or more that are all the terms with some prefix, of terms in ascending
// order. Ranges come with inner ones first.
func eachBranch(terms *dictionary, do func(termRange)) {
	type open struct {
		low    uint32
		prefix int // bytes that the terms since low share
	}
	var stack []open
	var previous []byte
	for i := range uint32(terms.len() + 1) {
		var term []byte
		shared := 0
		if int(i) < terms.len() {
			term = terms.at(int(i))
			shared = commonPrefix(previous, term)
		}
		low := i - 1
		for len(stack) > 0 && stack[len(stack)-1].prefix > shared {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			low = top.low
			do(termRange{low, i})
		}
		if shared > 0 && (len(stack) == 0 || stack[len(stack)-1].prefix < shared) {
			stack = append(stack, open{low, shared})
		}
		previous = term
	}
}

// findEnds fills in ends.
func (v *vocabulary) findEnds() {
	for i := v.terms.len() - 1; i >= 0; i-- {
		end := uint32(i + 1)
		for int(end) < v.terms.len() && bytes.HasPrefix(v.terms.at(int(end)), v.terms.at(i)) {
			end = v.ends[end]
		}
		v.ends[i] = end
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

// beginningWith gives the terms that begin with a prefix.
func (v *vocabulary) beginningWith(prefix []byte) termRange {
	if number, ok := v.terms.find(prefix); ok {
		return termRange{uint32(number), v.ends[number]}
	}
	low, high := v.terms.beginningWith(prefix)
	return termRange{uint32(low), uint32(high)}
}

// exactly gives the pubs that have a term.
func (v *vocabulary) exactly(term []byte) set {
	if number, ok := v.terms.find(term); ok {
		return v.pubs.at(uint32(number))
	}
	return set{}
}

// addRange adds to a union the pubs that have a term of a range of terms that begin alike.
func (v *vocabulary) addRange(r termRange, a *arena) {
	if prepared, ok := v.unionOf[r]; ok {
		a.add(v.unions.at(prepared))
		return
	}
	for i := r.low; i < r.high; i++ {
		a.add(v.pubs.at(i))
	}
}

// sets keeps many sets of ordinals in one piece of memory.
type sets struct {
	// rarity is of how many pubs one must be in a set for it to have bits; 0 means defaultRarity.
	rarity int
	starts []uint32 // ids of set i are ids[starts[i]:starts[i+1]]
	ids    []uint32
	dense  map[uint32]bitset
}

// add adds a set of ascending ids out of size pubs.
func (s *sets) add(ids []uint32, size int) {
	if len(s.starts) == 0 {
		s.starts = append(s.starts, 0)
	}
	if len(ids) >= max(minDense, size/cmp.Or(s.rarity, defaultRarity)) {
		if s.dense == nil {
			s.dense = map[uint32]bitset{}
		}
		bits := newBitset(size)
		for _, id := range ids {
			bits.add(id)
		}
		s.dense[uint32(s.len())] = bits
	}
	s.ids = append(s.ids, ids...)
	s.starts = append(s.starts, uint32(len(s.ids)))
}

func (s *sets) len() int { return max(0, len(s.starts)-1) }

func (s *sets) at(i uint32) set {
	found := set{ids: s.ids[s.starts[i]:s.starts[i+1]]}
	if len(found.ids) >= minDense {
		found.bits = s.dense[i]
	}
	return found
}
