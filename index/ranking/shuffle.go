package ranking

import "pubd/index/postings"

// shuffle is a permutation of the numbers below size that computes each in constant time: a Feistel network over the
// next power of 4, repeated until the result is below size (Black and Rogaway, Ciphers with Arbitrary Finite Domains,
// 2002). It is not cryptographically secure.
type shuffle struct {
	size uint64
	half uint // bits
	seed uint64
}

func newShuffle(size int, seed uint64) shuffle {
	s := shuffle{size: uint64(size), half: 1, seed: seed}
	for 1<<(2*s.half) < s.size {
		s.half++
	}
	return s
}

// at returns the number at a position below size.
func (s shuffle) at(place int) int {
	number := uint64(place)
	for {
		mask := uint64(1)<<s.half - 1
		left, right := number>>s.half, number&mask
		for round := range uint64(4) {
			left, right = right, left^mixed(right, s.seed+round)&mask
		}
		if number = left<<s.half | right; number < s.size {
			return int(number)
		}
	}
}

// mixed scrambles two numbers (the finalizer of SplitMix64).
func mixed(x, y uint64) uint64 {
	z := x + (y+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// AppendShuffled appends the hits of ranks first to first+n-1 in the shuffle of a seed.
func AppendShuffled(dst []uint32, hits postings.Set, seed uint64, first, n int, w *Workspace) []uint32 {
	order := newShuffle(hits.Len(), seed)
	if bits := hits.Bitmap(); hits.IDs() == nil && n*len(bits) < 2*hits.Len() { // cheaper than a list of all hits
		for place := first; place < first+n; place++ {
			dst = bits.AppendSome(dst, order.at(place), 1)
		}
		return dst
	}
	ids := w.Pool.List(hits)
	for place := first; place < first+n; place++ {
		dst = append(dst, ids[order.at(place)])
	}
	return dst
}
