package segment

import (
	"pubd/index/indexfile"
	"pubd/index/ranking"
)

// offsets are ascending numbers by index: that with which a block begins in 64 bits and, in fewer, how much greater each
// number of the block is. They take some 20 bits a number for the ends of short texts.
type offsets struct {
	bases []uint64
	most  []uint32 // one: the greatest of above
	above ranking.Numbers
}

const offsetsBlock = 16

func newOffsets(numbers []uint64) offsets {
	o := offsets{most: []uint32{0}}
	above := make([]uint32, len(numbers))
	for i, number := range numbers {
		if i%offsetsBlock == 0 {
			o.bases = append(o.bases, number)
		}
		above[i] = uint32(number - o.bases[i/offsetsBlock])
		o.most[0] = max(o.most[0], above[i])
	}
	o.above = ranking.NewNumbers(above, o.most[0])
	return o
}

// at returns a number by its index.
func (o *offsets) at(i uint32) uint64 { return o.bases[i/offsetsBlock] + uint64(o.above.At(i)) }

// code writes or reads a count of numbers, not 0, as sections whose names begin with name. What is read must begin with
// 0, and end reports whether its last number is right.
func (o *offsets) code(f indexfile.Codec, name string, count int, end func(last uint64) bool) {
	indexfile.ArrayN(f, name, &o.bases, (count+offsetsBlock-1)/offsetsBlock)
	indexfile.ArrayN(f, name+".most", &o.most, 1)
	if len(o.most) == 0 {
		return
	}
	o.above.Code(f, name+".above", count, o.most[0])
	if f.Err() != nil {
		return
	}
	ascend, before := o.at(0) == 0, uint64(0)
	for i := uint32(0); ascend && i < uint32(count); i++ {
		ascend, before = before <= o.at(i), o.at(i)
	}
	f.Check(ascend && end(before), name, "its offsets do not ascend from 0 to the end of the data")
}
