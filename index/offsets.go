package index

import (
	"pubd/index/indexfile"
	"pubd/index/spool"
)

// offsets are many ascending numbers of 64 bits, of which the lower halves are stored, and every 1,024th whole. Any
// 1,024 neighbours are within 4 GiB.
type offsets struct {
	lower []uint32
	whole []uint64
}

// offsetsPerWhole is how many numbers share a whole one, a power of 2.
const offsetsPerWhole = 1 << 10

// append appends a number. It panics with a [spool.Full] if neighbours are too far apart.
func (o *offsets) append(number uint64) {
	if len(o.lower)%offsetsPerWhole == 0 {
		o.whole = append(o.whole, number)
	}
	spool.Uint32(int(number - o.whole[len(o.whole)-1]))
	o.lower = append(o.lower, uint32(number))
}

// at returns a number.
func (o *offsets) at(i uint32) uint64 {
	base := o.whole[i/offsetsPerWhole]
	return base + uint64(o.lower[i]-uint32(base))
}

// code writes or reads a number of offsets that, without some lowest bits, which are flags, ascend from 0 to last.
func (o *offsets) code(f indexfile.Codec, name string, count int, last uint64, flags int) {
	indexfile.ArrayN(f, name, &o.lower, count)
	indexfile.ArrayN(f, name+".whole", &o.whole, (count+offsetsPerWhole-1)/offsetsPerWhole)
	if f.Err() != nil || count == 0 {
		return
	}
	rising := o.at(0)>>flags == 0 && o.at(uint32(count-1))>>flags == last
	before := uint64(0)
	for i := uint32(0); rising && int(i) < count; i++ {
		next := o.at(i) >> flags
		rising, before = before <= next, next
	}
	f.Check(rising, name, "its offsets do not ascend from 0 to the end of what they refer to")
}
