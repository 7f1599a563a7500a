package survey

import (
	"fmt"
	"math"

	"pubd/cmd/pubd/lists/twin"
)

// findTwins finds pubs with a name like that of an earlier pub within 50 m, or with the same folded name as an earlier
// one with the same location if neither has coordinates, where 0°, 0° counts as none. Pubs are compared only with those
// that are not duplicates themselves.
func (f *finder) findTwins() {
	type home struct{ name, location string }
	var firsts twin.Finder
	homes := map[home]int{}
	for i := range f.pubs {
		switch at := (home{folded(f.pubs[i].Name), folded(f.pubs[i].Location)}); {
		case !math.IsNaN(f.points[i].Lat):
			first, metres, found := firsts.Twin(twin.Key(f.pubs[i].Name), f.points[i].Vector(), i)
			switch {
			case found && metres < 0.5:
				f.twin(i, first, "the same place")
			case found:
				f.twin(i, first, fmt.Sprintf("%.0f m away", metres))
			}
		case at.location == "":
		default:
			if first, ok := homes[at]; ok {
				f.twin(i, first, "the same location, and no coordinates")
			} else {
				homes[at] = i
			}
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
