package places

import (
	"slices"

	"pubd/geo"
)

// centreOf returns the median point of pubs, if half of those with points (of an odd number, the larger half) lie near
// it. values is working memory.
func centreOf(pubs []uint32, point func(pub uint32) geo.Point, values *[]float64) (centre geo.Point, tight bool) {
	lats := (*values)[:0]
	for _, pub := range pubs {
		if at := point(pub); isKnown(at) {
			lats = append(lats, at.Lat)
		}
	}
	n := len(lats)
	if n == 0 {
		return centre, false
	}
	centre.Lat = median(lats)
	lngs := lats[:0]
	for _, pub := range pubs {
		if at := point(pub); isKnown(at) {
			lngs = append(lngs, at.Lng)
		}
	}
	*values = lngs
	centre.Lng = median(lngs)
	if n == 1 {
		return centre, true
	}
	circle, near := geo.NewCircle(centre, tightRadius), 0
	for _, pub := range pubs {
		if at := point(pub); !isKnown(at) || !circle.Contains(at.Vector()) {
			continue
		}
		if near++; near >= (n+1)/2 {
			return centre, true
		}
	}
	return centre, false
}

func isKnown(at geo.Point) bool { return at.Lat == at.Lat }

// median returns the middle one of values, or the mean of the middle two, in linear time unless their order is adverse.
// It reorders the values.
func median(values []float64) float64 {
	middle := len(values) / 2
	upper := selectRank(values, middle)
	if len(values)%2 == 1 {
		return upper
	}
	return (slices.Max(values[:middle]) + upper) / 2
}

// selectRank puts the value of a rank into its place, with no greater ones before and no smaller ones after it, and
// returns it (Hoare, Algorithm 65: Find, 1961).
func selectRank(values []float64, rank int) float64 {
	low, high := 0, len(values)-1
	for range 64 { // then the order is adverse, and sorting limits the cost
		if high-low <= 16 {
			break
		}
		a, b, c := values[low], values[(low+high)/2], values[high]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case rank <= j:
			high = j
		case rank >= i:
			low = i
		default:
			return values[rank]
		}
	}
	slices.Sort(values[low : high+1])
	return values[rank]
}
