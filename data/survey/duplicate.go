package survey

import (
	"fmt"
	"math"

	"pubd/geo"
)

// near is the maximum distance of two rows of the same pub, in metres.
const near = 50.0

// spot is a name in a cube of the unit sphere.
type spot struct {
	name uint32
	cube [3]int32
}

// edge is the edge of a cube on the unit sphere: everything near a position is in its own cube or in those beyond the
// nearer face on each axis.
const edge = 2 * near / 1000 / float64(geo.EarthRadius)

// cubes returns the eight cubes that may contain what is near a position, its own first.
func cubes(v geo.Vector) (found [8][3]int32) {
	for axis, at := range [3]float64{v.X / edge, v.Y / edge, v.Z / edge} {
		own := int32(math.Floor(at))
		beyond := own + 1
		if at-math.Floor(at) < 0.5 {
			beyond = own - 1
		}
		for i := range found {
			found[i][axis] = own
			if i>>axis&1 == 1 {
				found[i][axis] = beyond
			}
		}
	}
	return found
}

// findTwins finds pubs with the same folded name as an earlier pub within 50 m, or as an earlier one with the same
// location if neither has coordinates, where 0°, 0° counts as none. Pubs are compared only with those that are not
// duplicates themselves, of which few fit into a cube.
func (f *finder) findTwins() {
	type home struct{ name, location uint32 }
	firsts := map[spot][]int32{}
	homes := map[home]int{}
	for i := range f.pubs {
		f.work.step()
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
		v := f.points[i].Vector()
		cubes := cubes(v)
		first, metres := -1, 0.0
		for _, cube := range cubes {
			for _, candidate := range firsts[spot{name, cube}] {
				apart := 1000 * float64(geo.Distance(v, f.points[candidate].Vector()))
				if apart <= near && (first < 0 || apart < metres || apart == metres && int(candidate) < first) {
					first, metres = int(candidate), apart
				}
			}
		}
		switch {
		case first < 0:
			at := spot{name, cubes[0]}
			firsts[at] = append(firsts[at], int32(i))
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
	f.found = append(f.found, found{Duplicate, reason + quoted(f.pubs[first].UID) + ", " + where, int32(pub), int32(first)})
}
