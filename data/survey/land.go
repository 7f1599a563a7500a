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
)

// land is where the pubs are on the map of the world.
type land struct {
	sea     []bool   // by pub
	country []string // by pub; empty for those in the sea or within offshore of land
	pubs    map[string]int
	// located counts the pubs with coordinates, inSea those in the sea, and abroad those on land that are not near a home
	// country, which has a twentieth of the pubs or more.
	located, inSea, abroad int
	home                   []string
}

func newLand(points []geo.Point) *land {
	l := &land{sea: make([]bool, len(points)), country: make([]string, len(points)), pubs: map[string]int{}}
	for i, p := range points {
		if math.IsNaN(p.Lat) {
			continue
		}
		l.located++
		if l.country[i] = world.Country(p); l.country[i] != "" {
			l.pubs[l.country[i]]++
		} else if isSea(p) {
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
	for i, p := range points {
		if l.isAbroad(uint32(i), p) {
			l.abroad++
		}
	}
	return l
}

// most returns the name with the highest count, the first of them in sorted order.
func most(counts map[string]int) (name string) {
	for other, count := range counts {
		if count > counts[name] || count == counts[name] && other < name {
			name = other
		}
	}
	return name
}

// isSea reports whether a point is far from any land.
func isSea(p geo.Point) bool { return world.Country(p) == "" && len(world.Near(p, offshore)) == 0 }

// isAbroad reports whether a pub is in another country and not near a home country.
func (l *land) isAbroad(pub uint32, p geo.Point) bool {
	return l.country[pub] != "" && !slices.Contains(l.home, l.country[pub]) && !l.isNearHome(p, border)
}

// isNearHome reports whether a place is within a distance of a home country.
func (l *land) isNearHome(place geo.Point, within geo.Kilometres) bool {
	return slices.ContainsFunc(world.Near(place, within), func(country string) bool { return slices.Contains(l.home, country) })
}

// isNational reports whether the list is that of one country, or of two: at most 2 % of the pubs on land, or one of
// them, are abroad.
func (l *land) isNational() bool {
	return len(l.home) <= 2 && l.abroad <= max(1, (l.located-l.inSea)/50)
}

// isRare reports whether at most one in a thousand pubs, or one, is in the country of a pub: a few on the Isle of Man
// belong to a British list.
func (l *land) isRare(pub uint32) bool { return l.pubs[l.country[pub]] <= max(1, l.located/1000) }

// judge detects that all coordinates are wrong in the same way: a twentieth of the pubs or more are in the sea, and
// hardly any would be if all of them were corrected. No list is in the sea to that extent.
func (l *land) judge(points []geo.Point) (f FileFinding, ok bool) {
	if l.inSea < max(minGroup, l.located/20) {
		return f, false
	}
	isNegative := slices.ContainsFunc(points, func(p geo.Point) bool { return p.Lat < 0 || p.Lng < 0 })
	var likely []*correction
	var places []string
	for i := range corrections {
		c := &corrections[i]
		// Whoever loses minus signs loses all, and both columns had some only in the south west.
		if len(likely) > 0 && (isNegative || c.column == "") {
			break
		}
		if home, ok := l.corrected(points, c); ok {
			how := "exchanged"
			if c.kind == Sign {
				how = "with the other sign of " + signed(c.column)
			}
			likely, places = append(likely, c), append(places, how+", most would be in "+home)
		}
	}
	if len(likely) == 0 {
		return f, false
	}
	const swap, sign = "swap the names of the two columns", "write the minus signs that were lost"
	f = FileFinding{Kind: likely[0].kind, Column: likely[0].column, Pubs: l.inSea, Of: l.located}
	switch {
	case f.Kind == Sign:
		f.Reason, f.Advice = "minus signs of "+signed(f.Column)+" are probably lost in all rows", sign
	case len(likely) == 1:
		f.Reason, f.Advice = "latitude and longitude are probably exchanged in all rows", swap
	default:
		f.Reason, f.Advice = "latitude and longitude are probably exchanged, or minus signs lost, in all rows", swap+", or "+sign
	}
	f.Reason += fmt.Sprintf(": %d of %d pubs are in the sea; %s", l.inSea, l.located, strings.Join(places, ", or "))
	return f, true
}

// corrected returns the country in which most pubs are after a correction; false if more than a tenth of those in the
// sea, or more than 2 % of all, are in the sea then.
func (l *land) corrected(points []geo.Point, c *correction) (home string, ok bool) {
	inSea, countries := 0, map[string]int{}
	for _, p := range points {
		if math.IsNaN(p.Lat) {
			continue
		}
		p = c.of(p)
		if math.Abs(p.Lat) > 90 || isSea(p) {
			if inSea++; inSea > min(l.inSea/10, l.located/50) {
				return "", false
			}
			continue
		}
		if country := world.Country(p); country != "" {
			countries[country]++
		}
	}
	return most(countries), true
}

// signed names the coordinates of which the sign is wrong.
func signed(column string) string {
	if column == "" {
		return "latitude and longitude"
	}
	return column
}
