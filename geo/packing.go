package geo

import "pubd/geo/topk"

// packing is a Packing with an R-tree over its groups.
type packing struct {
	Packing
	tree rectangles
}

func newPacking(flat Packing) packing { return packing{flat, newRectangles(flat.Rectangles)} }

// block returns the positions of the points of block b.
func (p *packing) block(b int) (start, end int) {
	return b * blockSize, min((b+1)*blockSize, len(p.Vectors))
}

// group returns the positions of the points of group g, and its blocks.
func (p *packing) group(g int) (start, end, firstBlock, endBlock int) {
	const blocks = groupSize / blockSize
	return g * groupSize, min((g+1)*groupSize, len(p.Vectors)), g * blocks, min((g+1)*blocks, len(p.Blocks))
}

// countGroup returns the number of points of group g in c; s is the squared chord between their centres. It is runs
// inlined by hand: counting dominates the cost of a distance search, and calls would make it 50 % slower.
func (p *packing) countGroup(c *Circle, g int, s float64) int {
	start, end, block, endBlock := p.group(g)
	near, far := p.Groups[g].distanceBounds(c.limit, c.width)
	switch {
	case s <= near:
		return end - start
	case s > far:
		return 0
	}
	n := 0
	for ; block < endBlock; block++ {
		b := &p.Blocks[block]
		s := ChordSquared(c.center, b.Center)
		near, far := b.distanceBounds(c.limit, c.width)
		if s > far {
			continue
		}
		start, end := p.block(block)
		if s <= near {
			n += end - start
			continue
		}
		for _, v := range p.Vectors[start:end] {
			n += topk.One(ChordSquared(c.center, v) <= c.limit)
		}
	}
	return n
}

// runs calls visit for runs of positions that together include all points in c; whole means that all points of the run
// are in c. It ends if visit returns false.
func (p *packing) runs(c *Circle, visit func(start, end int, whole bool) bool) {
	p.search(c, func(_, _ [2]float64, group uint32) bool {
		start, end, block, endBlock := p.group(int(group))
		s := ChordSquared(c.center, p.Groups[group].Center)
		near, far := p.Groups[group].distanceBounds(c.limit, c.width)
		switch {
		case s <= near:
			return visit(start, end, true)
		case s > far:
			return true
		}
		for ; block < endBlock; block++ {
			b := &p.Blocks[block]
			s := ChordSquared(c.center, b.Center)
			near, far := b.distanceBounds(c.limit, c.width)
			if s <= far {
				start, end := p.block(block)
				if !visit(start, end, s <= near) {
					return false
				}
			}
		}
		return true
	})
}

// search calls visit for every group that may have a point in c, and possibly for others, until it returns false.
func (p *packing) search(c *Circle, visit func(_, _ [2]float64, group uint32) bool) {
	if c.radius > farRadius {
		for g := 0; g < len(p.Groups) && visit([2]float64{}, [2]float64{}, uint32(g)); g++ {
		}
		return
	}
	p.tree.search(c, visit)
}
