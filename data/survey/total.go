package survey

import (
	"fmt"
	"math"
	"slices"

	"pubd/index"
)

// findTotals finds totals that differ from the mean of their ratings by more than half a point, and by more than ten
// times the median difference: a total may be weighted. Pubs that lack a rating which others have are skipped: their
// total may predate its removal.
func (f *finder) findTotals() {
	type gap struct {
		pub       int
		mean, off float64
	}
	var gaps []gap
	rated := map[int]bool{} // the metrics that any pub has
	for i := range f.pubs {
		for metric, rating := range f.pubs[i].Ratings.Parts() {
			if !math.IsNaN(rating) {
				rated[metric] = true
			}
		}
	}
	for i := range f.pubs {
		ratings := &f.pubs[i].Ratings
		sum, count := 0.0, 0
		for _, rating := range ratings.Parts() {
			if !math.IsNaN(rating) {
				sum += rating
				count++
			}
		}
		if total := ratings[index.Total]; count > 0 && count == len(rated) && !math.IsNaN(total) {
			mean := sum / float64(count)
			gaps = append(gaps, gap{i, mean, math.Abs(total - mean)})
		}
	}
	if len(gaps) == 0 {
		return
	}
	offs := make([]float64, len(gaps))
	for i, gap := range gaps {
		offs[i] = gap.off
	}
	slices.Sort(offs)
	limit := max(0.5, 10*offs[len(offs)/2])
	for _, gap := range gaps {
		if gap.off > limit {
			f.add(Total, gap.pub, fmt.Sprintf("total %.2f, the mean of the ratings is %.2f", f.pubs[gap.pub].Ratings[index.Total], gap.mean))
		}
	}
}
