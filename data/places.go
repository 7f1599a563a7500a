package data

import (
	"math"
	"slices"
	"strings"
)

// A place is a location with pubs: a real town, a part of one, or a made-up village. Its centre is in millionths of a
// degree, and the reach of its pubs in metres.
type place struct {
	name     string
	lat, lng int64
	reach    int64
	country  country
	// area is the town for a part of it or a village, and the region for a town; postcode is the beginning of
	// postcodes.
	area, postcode string
}

// micro converts degrees to millionths. It rounds the product, so that no processor
// fuses it with an addition.
func micro(degrees float64) int64 { return int64(math.Round(degrees * 1e6)) }

// lngStretch is 1000/cos(latitude) for the whole degrees from 49 to 61. It is a table
// because cosines may differ in the last bit between machines.
var lngStretch = [...]int64{1524, 1556, 1589, 1624, 1662, 1701, 1743, 1788, 1836, 1887, 1942, 2000, 2063}

// moved returns the point that is so many metres farther north and east.
func moved(lat, lng, north, east int64) (int64, int64) {
	stretch := lngStretch[min(max(lat/1e6-49, 0), int64(len(lngStretch)-1))]
	return lat + north*8993/1000, lng + east*8993/1000*stretch/1000
}

// A gazetteer has all places and the lottery that distributes the pubs. It is the same
// for every seed, so that two directories differ only in their pubs.
type gazetteer struct {
	places  []place
	lottery lottery
}

func newGazetteer() *gazetteer {
	g := &gazetteer{}
	for row := range strings.Lines(read("places.csv")) {
		r := strings.Split(strings.TrimSuffix(row, "\n"), ",")
		if r[0] == "name" {
			continue // the header
		}
		g.places = append(g.places, place{
			name: r[0], lat: micro(number(r[1])), lng: micro(number(r[2])), reach: int64(number(r[3])),
			country: country(slices.Index(countries, r[5])), area: r[6], postcode: r[7],
		})
		g.lottery.add(uint64(number(r[4])))
	}
	return g
}
