package survey

import (
	"fmt"
	"math"

	"pubd/geo"
)

// near is the maximum distance of two rows of the same pub, in metres.
const near = 50.0

// A cube is a name in a part of space with sides of 2*near: of pubs with this name that are not near each other, it has
// only a few.
type cube struct{ name, x, y, z int32 }

// cubes returns the cubes that have all that is near a point, which are two by two by two, and the one that it is in.
func cubes(name uint32, v geo.Vector) (around [8]cube, own cube) {
	const side = 2 * near / 1000 / float64(geo.EarthRadius)
	at := func(value, offset float64) int32 { return int32(math.Floor(value/side + offset)) }
	low := cube{int32(name), at(v.X, -0.5), at(v.Y, -0.5), at(v.Z, -0.5)}
	for i := range around {
		step := int32(i)
		around[i] = cube{low.name, low.x + step&1, low.y + step>>1&1, low.z + step>>2}
	}
	return around, cube{low.name, at(v.X, 0), at(v.Y, 0), at(v.Z, 0)}
}

// findTwins finds pubs with the same folded name as an earlier pub within 50 m, or as an earlier one with the same
// location if neither has coordinates, where 0°, 0° counts as none. Pubs are compared only with those that are not
// duplicates themselves.
func (f *finder) findTwins() {
	type home struct{ name, location uint32 }
	firsts := map[cube][]int{}
	homes := map[home]int{}
	for i := range f.pubs {
		name := f.named[i]
		if f.names.pubs[name] < 2 {
			continue
		}
		if math.IsNaN(f.points[i].Lat) {
			if f.located[i] == none {
				continue
			}
			at := home{name, f.located[i]}
			if first, ok := homes[at]; ok {
				f.twin(i, first, "the same location, and no coordinates")
			} else {
				homes[at] = i
			}
			continue
		}
		vector := f.points[i].Vector()
		around, own := cubes(name, vector)
		first, metres := -1, 0.0
		for _, c := range around {
			for _, candidate := range firsts[c] {
				apart := 1000 * float64(geo.Distance(vector, f.points[candidate].Vector()))
				if apart <= near && (first < 0 || apart < metres || apart == metres && candidate < first) {
					first, metres = candidate, apart
				}
			}
		}
		switch {
		case first < 0:
			firsts[own] = append(firsts[own], i)
		case metres < 0.5:
			f.twin(i, first, "the same place")
		default:
			f.twin(i, first, fmt.Sprintf("%.0f m away", metres))
		}
	}
}

func (f *finder) twin(pub, first int, where string) {
	reason := "as UID "
	if line := f.line(first); line > 0 {
		reason = fmt.Sprintf("as on line %d, UID ", line)
	}
	uid := f.pubs[first].UID
	f.add(Duplicate, pub, reason+quoted(uid)+", "+where).Other = &Other{f.line(first), uid}
}
