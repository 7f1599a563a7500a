package data

import (
	"math/bits"
	"math/rand/v2"
	"sort"
)

// dice is a stream of random numbers that depends only on its seeds. It uses the
// generator itself and not rand.Rand, whose methods may change their output.
type dice struct{ source *rand.PCG }

func newDice(seed, stream uint64) dice { return dice{rand.NewPCG(seed, stream)} }

// below returns a number from 0 to n-1; n is far below 2^32, so the bias is negligible.
func (d dice) below(n uint64) uint64 {
	high, _ := bits.Mul64(d.source.Uint64(), n)
	return high
}

// chance returns true with a probability of perMille/1000.
func (d dice) chance(perMille uint64) bool { return d.below(1000) < perMille }

func (d dice) pick(list []string) string { return list[d.below(uint64(len(list)))] }

// swing returns a bell-shaped number from -reach to reach.
func (d dice) swing(reach int64) int64 {
	four := d.source.Uint64()
	sum := int64(four&0xffff+four>>16&0xffff+four>>32&0xffff+four>>48) - 131070
	return sum * reach / 131070
}

// A lottery draws indexes with probabilities proportional to their shares.
type lottery struct{ upto []uint64 }

func (l *lottery) add(share uint64) {
	total := share
	if n := len(l.upto); n > 0 {
		total += l.upto[n-1]
	}
	l.upto = append(l.upto, total)
}

// draw draws an index in O(log n). At least one share must be above zero.
func (l *lottery) draw(d dice) int {
	ticket := d.below(l.upto[len(l.upto)-1])
	return sort.Search(len(l.upto), func(i int) bool { return ticket < l.upto[i] })
}
