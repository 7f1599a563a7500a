package places

import (
	"pubd/geo"
	"pubd/geo/topk"
)

// centreOf returns the median point of pubs, if half of those with points (of an odd number, the larger half) lie near
// it. values is working memory.
func centreOf(
	pubs []uint32, point func(pub uint32) geo.Point, values *[]topk.Item,
) (centre geo.Point, tight bool) {
	located := 0
	median := func(degrees func(at geo.Point) float64) float64 {
		*values = (*values)[:0]
		for _, pub := range pubs {
			if at := point(pub); isKnown(at) {
				*values = append(*values, topk.Item{Key: degrees(at), ID: pub})
			}
		}
		if located = len(*values); located == 0 {
			return 0
		}
		upper, lower := located/2, (located-1)/2
		topk.PartialSort(*values, lower, upper+1)
		return ((*values)[lower].Key + (*values)[upper].Key) / 2
	}
	centre.Lat = median(func(at geo.Point) float64 { return at.Lat })
	centre.Lng = median(func(at geo.Point) float64 { return at.Lng })
	circle, near := geo.NewCircle(centre, tightRadius), 0
	for _, pub := range pubs {
		if at := point(pub); isKnown(at) && circle.Contains(at.Vector()) {
			near++
		}
	}
	return centre, located > 0 && near >= (located+1)/2
}

func isKnown(at geo.Point) bool { return at.Lat == at.Lat }
