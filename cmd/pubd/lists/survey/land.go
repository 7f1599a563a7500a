package survey

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pubd/data/world"
	"pubd/geo"
)

const (
	// offshore is how far from any land a pub is in the sea: Tory is not on the map, and 12 km from the coast.
	offshore geo.Kilometres = 12
	// border is how far from the home country a pub is abroad: a list may have those across the border.
	border geo.Kilometres = 20
	// minInSea is how many pubs must be in the sea for a mistake of all.
	minInSea = 5
)

// land is where the pubs are on the map of the world.
type land struct {
	// By pub: whether it is in the sea, or on land that is not near a home country, and its country, which is empty in the
	// sea and within offshore of land.
	sea, abroad []bool
	country     []string
	// home has the countries with a twentieth of the pubs or more.
	home []string
	// pubs counts the pubs of each country, located those with coordinates, inSea those in the sea, and away those abroad.
	pubs                 map[string]int
	located, inSea, away int
}

func newLand(points []geo.Point) *land {
	n := len(points)
	l := &land{sea: make([]bool, n), abroad: make([]bool, n), country: make([]string, n), pubs: map[string]int{}}
	for i, p := range points {
		if math.IsNaN(p.Lat) {
			continue
		}
		l.located++
		if l.country[i] = world.Country(p); l.country[i] != "" {
			l.pubs[l.country[i]]++
		} else if isOffshore(p) {
			l.sea[i] = true
			l.inSea++
		}
	}
	for country, pubs := range l.pubs {
		if 20*pubs >= l.located-l.inSea {
			l.home = append(l.home, country)
		}
	}
	slices.Sort(l.home)
	isHome := func(country string) bool { return slices.Contains(l.home, country) }
	for i, p := range points {
		l.abroad[i] = l.country[i] != "" && !isHome(l.country[i]) && !slices.ContainsFunc(world.Near(p, border), isHome)
		if l.abroad[i] {
			l.away++
		}
	}
	return l
}

// isOffshore reports whether a point is far from any land.
func isOffshore(p geo.Point) bool { return world.Country(p) == "" && len(world.Near(p, offshore)) == 0 }

// isNational reports whether the list is that of one country, or of two: at most 2 % of the pubs on land, or one of
// them, are abroad.
func (l *land) isNational() bool {
	return len(l.home) <= 2 && l.away <= max(1, (l.located-l.inSea)/50)
}

// isRare reports whether at most one in a thousand pubs, or one, is in the country of a pub: a few on the Isle of Man
// belong to a British list.
func (l *land) isRare(pub int) bool { return l.pubs[l.country[pub]] <= max(1, l.located/1000) }

// judge detects that all coordinates are wrong in the same way: a twentieth of the pubs or more are in the sea, and
// hardly any would be if all of them were corrected. No list is in the sea to that extent.
func (l *land) judge(points []geo.Point) (f FileFinding, ok bool) {
	if l.inSea < max(minInSea, l.located/20) {
		return f, false
	}
	isNegative := slices.ContainsFunc(points, func(p geo.Point) bool { return p.Lat < 0 || p.Lng < 0 })
	var wrong, places, advice []string
	for _, c := range corrections {
		// Whoever loses minus signs loses all, and both columns had some only in the south west.
		if f.Kind != "" && (isNegative || c.column == "") {
			break
		}
		if home, ok := l.corrected(points, c); ok {
			if f.Kind == "" {
				f = FileFinding{Kind: c.kind, Column: c.column, Pubs: l.inSea, Of: l.located}
			}
			wrong, advice = append(wrong, c.wrong), append(advice, c.advice)
			places = append(places, c.done+", most would be in "+home)
		}
	}
	const or = ", or "
	f.Reason = fmt.Sprintf("%s in all rows: %d of %d pubs are in the sea; %s",
		strings.Join(wrong, or), l.inSea, l.located, strings.Join(places, or))
	f.Advice = strings.Join(advice, or)
	return f, f.Kind != ""
}

// corrected returns the country in which most pubs are after a correction; false if more than a tenth of those in the
// sea, or more than 2 % of all, are in the sea then.
func (l *land) corrected(points []geo.Point, c correction) (home string, ok bool) {
	inSea, countries := 0, map[string]int{}
	for _, p := range points {
		if math.IsNaN(p.Lat) {
			continue
		}
		p = c.of(p)
		if math.Abs(p.Lat) > 90 || isOffshore(p) {
			if inSea++; inSea > min(l.inSea/10, l.located/50) {
				return "", false
			}
			continue
		}
		if country := world.Country(p); country != "" {
			countries[country]++
		}
	}
	return append(byCount(countries), "")[0], true
}
