package data

import (
	"cmp"
	"math"
	"slices"
)

// A place is a location with pubs, with its centre in millionths of a degree and the
// reach of its pubs in metres.
type place struct {
	name     string
	lat, lng int64
	reach    int64
	share    uint64
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

func stretch(lat int64) int64 { return lngStretch[min(max(lat/1e6-49, 0), int64(len(lngStretch)-1))] }

// moved returns the point that is so many metres farther north and east.
func moved(lat, lng, north, east int64) (int64, int64) {
	return lat + north*8993/1000, lng + east*8993/1000*stretch(lat)/1000
}

// apart returns how many metres b is north and east of a.
func apart(a, b place) (north, east int64) {
	return (b.lat - a.lat) * 1000 / 8993, (b.lng - a.lng) * 1000 / stretch(a.lat) * 1000 / 8993
}

// A gazetteer has all places and the lottery that distributes the pubs. It is the same
// for every seed, so that two directories differ only in their pubs.
type gazetteer struct {
	places  []place
	lottery lottery
}

func newGazetteer(w words) *gazetteer {
	g := &gazetteer{}
	towns, districts := readTowns(), readDistricts()
	d := newDice(1577, 1830)
	middles := make([]place, len(towns))
	for i, t := range towns {
		middles[i] = place{
			name: t.name, lat: micro(t.lat), lng: micro(t.lng), country: t.country,
			reach: 450 + 110*root(t.people),
			share: uint64(10 * (min(t.people, 300) + max(t.people-300, 0)*2/5)),
		}
		middles[i].area = regionOf(t.country, middles[i].lat, middles[i].lng)
		middles[i].postcode = postcodeOf(t.name, t.country, 0)
		if known := districts[t.name]; known != nil {
			g.addDistricts(middles[i], known, d)
		} else {
			g.addQuarters(middles[i], t.people, w, d)
		}
	}
	g.addVillages(middles, w, d)
	for _, p := range g.places {
		g.lottery.add(p.share)
	}
	return g
}

// addDistricts adds the districts of a town. An eighth of its pubs keep the name of the town.
func (g *gazetteer) addDistricts(town place, known []district, d dice) {
	middle := town
	middle.share /= 8
	middle.reach = 1800
	g.places = append(g.places, middle)
	each := (town.share - middle.share) / uint64(len(known))
	for i, k := range known {
		g.places = append(g.places, place{
			name: k.name, lat: micro(k.lat), lng: micro(k.lng), country: town.country,
			reach: 1500, share: each/2 + d.below(each),
			area: town.name, postcode: postcodeOf(town.name, town.country, i+1),
		})
	}
}

// addQuarters adds quarters of a town. Half of its pubs keep the name of the town.
func (g *gazetteer) addQuarters(town place, people int64, w words, d dice) {
	count := min(people/14, 8)
	middle := town
	if count > 0 {
		middle.share /= 2
	}
	g.places = append(g.places, middle)
	quarters, sides := w["quarters"], w["sides"]
	first := d.below(uint64(len(quarters)))
	for i := range uint64(count) {
		quarter := middle
		quarter.area, quarter.postcode = town.name, postcodeOf(town.name, town.country, int(i)+1)
		quarter.name = quarters[(first+i*7)%uint64(len(quarters))]
		if d.chance(450) {
			quarter.name = sides[(first+i)%uint64(len(sides))] + town.name
		}
		step := 500 + 90*root(people)
		quarter.lat, quarter.lng = moved(town.lat, town.lng, d.swing(2*step), d.swing(2*step))
		quarter.reach = 900
		quarter.share = (town.share - middle.share) / uint64(count)
		g.places = append(g.places, quarter)
	}
}

// neighbours is the number of nearest towns to which a town has roads.
const neighbours = 5

// addVillages puts villages on the roads between neighbouring towns, which keeps
// nearly all of them on dry land.
func (g *gazetteer) addVillages(middles []place, w words, d dice) {
	v := newVillager(middles, w)
	ferries := readFerries()
	taken := map[[2]int]bool{}
	for i, from := range middles {
		for _, j := range nearest(middles, i) {
			road := [2]int{min(i, j), max(i, j)}
			if taken[road] || overWater(ferries, from.name, middles[j].name) {
				continue
			}
			taken[road] = true
			g.addRoad(from, middles[j], v, d)
		}
	}
}

func (g *gazetteer) addRoad(from, to place, v *villager, d dice) {
	north, east := apart(from, to)
	length := root(north*north + east*east)
	if length > 60_000 {
		return
	}
	for i := range min(length/4500, 4) {
		along, aside := int64(120+d.below(760)), d.swing(160)
		lat, lng := moved(from.lat, from.lng, (north*along-east*aside)/1000, (east*along+north*aside)/1000)
		town := from
		if along > 500 {
			town = to
		}
		g.places = append(g.places, place{
			name: v.name(town.country, lat, lng, d), lat: lat, lng: lng, country: town.country,
			reach: 700, share: 9 + d.below(30),
			area: town.name, postcode: postcodeOf(town.name, town.country, len(to.name)+int(i)*9),
		})
	}
}

// nearest returns the towns nearest to town i on the same island, nearest first.
func nearest(middles []place, i int) []int {
	var found []int
	ways := map[int]int64{}
	for j, to := range middles {
		if j == i || (to.country >= ulster) != (middles[i].country >= ulster) {
			continue
		}
		north, east := apart(middles[i], to)
		found, ways[j] = append(found, j), north*north+east*east
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(ways[a], ways[b]) })
	return found[:min(len(found), neighbours)]
}

// overWater reports whether a ferry goes between two towns.
func overWater(ferries [][]string, a, b string) bool {
	return slices.ContainsFunc(ferries, func(f []string) bool { return f[0] == a && f[1] == b || f[0] == b && f[1] == a })
}

// root returns the integer part of the square root of a number below 2^50.
func root(n int64) int64 { return int64(math.Sqrt(float64(n))) }
