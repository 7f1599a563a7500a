package survey

import (
	"fmt"
	"math"

	"pubd/geo"
)

// near is the maximum distance of two rows of the same pub, in metres.
const near = 50.0

// A strip is a name between two parallels, 110 m from each other: all that is near a pub is in its strip or in one of
// those beside it.
type strip struct {
	name uint32
	row  int
}

// findTwins finds pubs with the same folded name as an earlier pub within 50 m, or as an earlier one with the same
// location if neither has coordinates, where 0°, 0° counts as none. Pubs are compared only with those that are not
// duplicates themselves.
func (f *finder) findTwins() {
	type home struct{ name, location uint32 }
	firsts := map[strip][]int{}
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
		row := int(math.Floor(f.points[i].Lat * 1000))
		first, metres := -1, 0.0
		for beside := row - 1; beside <= row+1; beside++ {
			for _, candidate := range firsts[strip{name, beside}] {
				apart := 1000 * float64(geo.Distance(f.points[i].Vector(), f.points[candidate].Vector()))
				if apart <= near && (first < 0 || apart < metres || apart == metres && candidate < first) {
					first, metres = candidate, apart
				}
			}
		}
		switch {
		case first < 0:
			firsts[strip{name, row}] = append(firsts[strip{name, row}], i)
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
