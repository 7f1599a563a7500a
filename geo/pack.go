package geo

import "slices"

// A block is few enough points that testing them all is cheaper than one more level, a group few enough blocks.
// A circle that crosses a town touches some dozen groups.
const (
	blockSize = 32
	groupSize = 16 * blockSize
)

// pack holds points so that neighbours on the ground are neighbours in memory: blocks of blockSize points, groups of
// groupSize, only the last of each not full.
type pack struct {
	vectors  []Vector
	ordinals []uint32
	blocks   []bound
	groups   []bound
	whole    bound // of all points
	tree     rectangles
}

// newPack packs the points that chosen reports; points and vectors are by ordinal.
func newPack(points []Point, vectors []Vector, chosen func(ordinal uint32) bool) *pack {
	var hits []Hit
	for ordinal := range uint32(len(vectors)) {
		if chosen(ordinal) {
			hits = append(hits, Hit{Ordinal: ordinal})
		}
	}
	divide(hits, vectors)
	p := &pack{vectors: make([]Vector, len(hits)), ordinals: make([]uint32, len(hits))}
	for i, h := range hits {
		p.vectors[i], p.ordinals[i] = vectors[h.Ordinal], h.Ordinal
	}
	for start := 0; start < len(hits); start += blockSize {
		p.blocks = append(p.blocks, newBound(p.vectors[start:min(start+blockSize, len(hits))]))
	}
	for start := 0; start < len(hits); start += groupSize {
		end := min(start+groupSize, len(hits))
		p.tree.insert(uint32(len(p.groups)), points, p.ordinals[start:end])
		p.groups = append(p.groups, newBound(p.vectors[start:end]))
	}
	if len(hits) > 0 {
		p.whole = newBound(p.vectors)
	}
	return p
}

// divide orders hits, whose separations it overwrites, so that every aligned run of groupSize and in it of blockSize
// is compact: halves, a whole number of runs each, are cut across their longest edge.
func divide(hits []Hit, vectors []Vector) {
	for len(hits) > blockSize {
		var around box
		for _, h := range hits {
			around.add(vectors[h.Ordinal])
		}
		x, y, z := around.high.X-around.low.X, around.high.Y-around.low.Y, around.high.Z-around.low.Z
		for i := range hits {
			v := vectors[hits[i].Ordinal]
			switch {
			case x >= y && x >= z:
				hits[i].Separation = v.X
			case y >= z:
				hits[i].Separation = v.Y
			default:
				hits[i].Separation = v.Z
			}
		}
		size := groupSize
		if len(hits) <= groupSize {
			size = blockSize
		}
		runs := (len(hits) + size - 1) / size
		middle := (runs + 1) / 2 * size
		arrange(hits, middle, middle)
		divide(hits[:middle], vectors)
		hits = hits[middle:]
	}
}

// block is the positions of the points of block b.
func (p *pack) block(b int) (start, end int) {
	return b * blockSize, min((b+1)*blockSize, len(p.vectors))
}

// group is the positions of the points of group g, and its blocks.
func (p *pack) group(g int) (start, end, firstBlock, endBlock int) {
	const blocks = groupSize / blockSize
	return g * groupSize, min((g+1)*groupSize, len(p.vectors)), g * blocks, min((g+1)*blocks, len(p.blocks))
}

// count is the number of points in c.
func (p *pack) count(c *Circle) int {
	n := 0
	p.search(c, func(_, _ [2]float64, group uint32) bool {
		n += p.countGroup(c, int(group), Separation(c.center, p.groups[group].center))
		return true
	})
	return n
}

// countGroup is the number of points of group g in c, which has its centre at the separation s. It is runs written out:
// counting is most of what a page of a circle costs, and calls would make it half as slow again.
func (p *pack) countGroup(c *Circle, g int, s float64) int {
	start, end, block, endBlock := p.group(g)
	near, far := p.groups[g].reach(c.limit, c.swell)
	switch {
	case s <= near:
		return end - start
	case s > far:
		return 0
	}
	n := 0
	for ; block < endBlock; block++ {
		b := &p.blocks[block]
		s := Separation(c.center, b.center)
		near, far := b.reach(c.limit, c.swell)
		if s > far {
			continue
		}
		start, end := p.block(block)
		if s <= near {
			n += end - start
			continue
		}
		for _, v := range p.vectors[start:end] {
			n += bit(Separation(c.center, v) <= c.limit)
		}
	}
	return n
}

// runs calls visit with runs of positions that hold all points in c; whole tells that all points of a run are.
func (p *pack) runs(c *Circle, visit func(start, end int, whole bool)) {
	p.search(c, func(_, _ [2]float64, group uint32) bool {
		start, end, block, endBlock := p.group(int(group))
		s := Separation(c.center, p.groups[group].center)
		near, far := p.groups[group].reach(c.limit, c.swell)
		switch {
		case s <= near:
			visit(start, end, true)
			return true
		case s > far:
			return true
		}
		for ; block < endBlock; block++ {
			b := &p.blocks[block]
			s := Separation(c.center, b.center)
			near, far := b.reach(c.limit, c.swell)
			if s <= far {
				start, end := p.block(block)
				visit(start, end, s <= near)
			}
		}
		return true
	})
}

// members appends the ordinals of the points in c.
func (p *pack) members(dst []uint32, c *Circle) []uint32 {
	p.runs(c, func(start, end int, whole bool) {
		if whole {
			dst = append(dst, p.ordinals[start:end]...)
			return
		}
		for i, v := range p.vectors[start:end] {
			if Separation(c.center, v) <= c.limit {
				dst = append(dst, p.ordinals[start+i])
			}
		}
	})
	return dst
}

// among appends the points in c whose bits are set. It has no branch to mispredict, as keep has none.
func (p *pack) among(dst []Hit, c *Circle, chosen []uint64) []Hit {
	p.runs(c, func(start, end int, _ bool) {
		for ; start < end; start += blockSize {
			block := min(start+blockSize, end)
			vectors, ordinals := p.vectors[start:block], p.ordinals[start:block]
			var places [blockSize]uint8
			n := uint(0)
			for i, ordinal := range ordinals {
				places[n%blockSize] = uint8(i)
				n += uint(chosen[ordinal/64] >> (ordinal % 64) & 1)
			}
			kept := len(dst)
			dst = slices.Grow(dst, blockSize)
			room := (*[blockSize]Hit)(dst[kept : kept+blockSize])
			in := uint(0)
			for _, place := range places[:n] {
				s := Separation(c.center, vectors[place])
				room[in%blockSize] = Hit{s, ordinals[place]}
				in += uint(bit(s <= c.limit))
			}
			dst = dst[:kept+int(in)]
		}
	})
	return dst
}

// search calls visit for every group that may have a point in c, and for some others.
func (p *pack) search(c *Circle, visit func(_, _ [2]float64, group uint32) bool) {
	if c.radius > farRadius {
		for g := range p.groups {
			visit([2]float64{}, [2]float64{}, uint32(g))
		}
		return
	}
	p.tree.search(c, visit)
}

// bit is 1 for true. It compiles to no branch, which every other point of a crossed block would mispredict.
func bit(b bool) int {
	var n int
	if b {
		n = 1
	}
	return n
}
